//! Splits `pd_op.matmul_grad`, so that the gradients of weights can be computed apart.
//!
//! One op computes the gradients of both operands of a product. That of the activation is what the
//! previous stage waits for; that of the weight may come later (`backward_w`). For each
//! `pd_op.matmul_grad` of the top block:
//! 1. its types and attributes are read, and whether it can be split is found out ([`form`]);
//! 2. where Paddle's eight ops are right, these are the recipe ([`paddle`]);
//! 3. elsewhere the recipe follows from the [`gradients`] of a product, for all transposes, ranks and
//!    broadcasts; an op that they do not cover is left whole;
//! 4. from the last op to the first, the ops of the recipe take its place ([`emit`]). In that order a
//!    new op sees `stop_gradient` of an operand as the matmul_grad before it had it, as in Paddle.
//!
//! Classifying the ops as `backward_b` or `backward_w` is left to the scheduler.
//!
//! `(dx, dy) = matmul_grad(x[4,3,8], y[8,6], g[4,3,6])` ==> `dx = matmul(g, yᵀ)`,
//! `dy = reshape(matmul(reshape(x, [12,8])ᵀ, reshape(g, [12,6])), [8,6])`
//!
//! `(dx, dy) = matmul_grad(x[4,8], y[2,8,6], g[2,4,6])` ==> `dx = sum(matmul(g, yᵀ), [0])`,
//! `dy = matmul(xᵀ, g)`

mod dims;
mod emit;
mod form;
mod gradients;
mod notes;
mod paddle;
mod recipe;
#[cfg(test)]
mod tests;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Op, Program, Rewriter, names};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use form::WholeReason;

use emit::{Emitted, Parts};
use paddle::Paddle;
use recipe::Recipe;

/// Splits the gradients of matrix products into a product for each operand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitMatmulGrad {
    /// Whether the product for a gradient of `x` that nobody wants is left out. Paddle computes it;
    /// without it, values are named otherwise than by Paddle.
    #[serde(default)]
    pub drop_dead_products: bool,
}

impl RegisteredPass for SplitMatmulGrad {
    const NAME: &'static str = "split_matmul_grad";
}

const SPLIT: &str = "split";
const LEFT_WHOLE: &str = "left whole";

impl Pass for SplitMatmulGrad {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let report = split_matmul_grads(rewriter, self);
        cx.count(SPLIT, report.split as u64);
        cx.count(LEFT_WHOLE, report.left_whole.len() as u64);
        if report.split == 0 && report.left_whole.is_empty() {
            cx.matched_nothing("no `pd_op.matmul_grad` in the top block");
        }
        report.notes.into_iter().for_each(|note| cx.report(note));
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[
            Statistic { name: SPLIT, description: "matmul_grads split into products" },
            Statistic { name: LEFT_WHOLE, description: "matmul_grads that cannot be split" },
        ]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

/// What [`split_matmul_grads`] did.
#[derive(Clone, Debug, Default)]
pub struct SplitReport {
    /// How many ops were split.
    pub split: usize,
    /// The ops that were left whole, in program order.
    pub left_whole: Vec<(Op, WholeReason)>,
    /// Of each gradient that takes several ops which are not Paddle's: these ops in order. All but
    /// the last are there for the last alone, and belong where it does.
    pub weight_chains: Vec<Vec<Op>>,
    /// What differs from Paddle, what is computed for nothing, what was left whole and why.
    pub notes: Vec<Diagnostic>,
}

/// What to do with a product that nobody reads.
#[derive(Copy, Clone, PartialEq, Eq)]
enum DeadProducts {
    Keep,
    Drop,
}

/// An op and how it is split, or why not.
type Decision = (Op, Result<Recipe, WholeReason>);

/// Splits every `pd_op.matmul_grad` of the top block that can be split.
pub fn split_matmul_grads(rewriter: &mut Rewriter<'_>, options: &SplitMatmulGrad) -> SplitReport {
    let dead = if options.drop_dead_products { DeadProducts::Drop } else { DeadProducts::Keep };
    let decisions = decide_all(rewriter.program(), dead);
    let notes = notes::notes(rewriter.program(), &decisions, dead);
    let mut report = SplitReport { notes, ..SplitReport::default() };
    let mut parts = Parts::new(&rewriter.context());
    for (op, decision) in decisions.into_iter().rev() {
        match decision {
            Ok(recipe) => {
                let emitted = emit::replace(rewriter, &mut parts, op, &recipe);
                report.split += 1;
                report.add_chains(&recipe, emitted);
            }
            Err(reason) => report.left_whole.push((op, reason)),
        }
    }
    report.left_whole.reverse();
    report.weight_chains.reverse();
    report
}

impl SplitReport {
    fn add_chains(&mut self, recipe: &Recipe, Emitted { dx, dy }: Emitted) {
        if let Paddle::Fails(_) = recipe.paddle {
            self.weight_chains.extend([dy, dx].into_iter().filter(|chain| chain.len() > 1));
        }
    }
}

fn decide_all(program: &Program, dead: DeadProducts) -> Vec<Decision> {
    let ops = program.top_ops().filter(|&op| program.name(op) == names::MATMUL_GRAD);
    let decide = |op| {
        let mut decision = recipe::decide(program, op);
        if let (DeadProducts::Drop, Ok(recipe)) = (dead, &mut decision)
            && recipe.paddle == Paddle::SameWithDeadProduct
        {
            recipe.dx = None;
        }
        (op, decision)
    };
    ops.map(decide).collect()
}
