//! What is said about the ops: one note for each kind of thing, with the first op it is about.

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, Program};
use pirogue::text::Labels;

use super::form::WholeReason;
use super::paddle::{Failure, Paddle};
use super::recipe::Recipe;
use super::{DeadProducts, Decision};

/// A thing that may be said of an op.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Differs(Failure),
    DeadProduct,
    LeftWhole(WholeReason),
}

/// Says what differs from Paddle, what is computed for nothing, and what is left whole; each kind
/// at the first op of its own, in the order of these.
pub(super) fn notes(
    program: &Program,
    decisions: &[Decision],
    dead: DeadProducts,
) -> Vec<Diagnostic> {
    let mut kinds: Vec<(Kind, Op, usize)> = Vec::new();
    for (op, decision) in decisions {
        let Some(kind) = kind(decision) else { continue };
        match kinds.iter_mut().find(|(known, ..)| *known == kind) {
            Some((.., count)) => *count += 1,
            None => kinds.push((kind, *op, 1)),
        }
    }
    if kinds.is_empty() {
        return Vec::new();
    }
    let labels = Labels::of(program);
    let note = |(kind, op, count): (Kind, Op, usize)| {
        let place = Place::op_in(program, op, &labels);
        let place = if count > 1 { place.label("the first of them") } else { place };
        describe(kind, count, dead).at(place)
    };
    kinds.into_iter().map(note).collect()
}

fn kind(decision: &Result<Recipe, WholeReason>) -> Option<Kind> {
    match decision {
        Ok(recipe) => match recipe.paddle {
            Paddle::Same => None,
            Paddle::SameWithDeadProduct => Some(Kind::DeadProduct),
            Paddle::Fails(failure) => Some(Kind::Differs(failure)),
        },
        Err(reason) => Some(Kind::LeftWhole(*reason)),
    }
}

fn describe(kind: Kind, count: usize, dead: DeadProducts) -> Diagnostic {
    let ops = match count {
        1 => "a `pd_op.matmul_grad`".to_owned(),
        _ => format!("{count} `pd_op.matmul_grad`"),
    };
    match kind {
        Kind::Differs(failure) => {
            let (code, what, paddle) = difference(failure);
            Diagnostic::note(
                code,
                format!("{ops} {what} {} split, otherwise than by Paddle", verb(count)),
            )
            .remark(paddle)
        }
        Kind::DeadProduct => dead_product(&ops, count, dead),
        Kind::LeftWhole(reason) => {
            let message = format!("{ops} {} left whole: {}", verb(count), reason.text());
            Diagnostic::note("N0230", message).remark("its weight gradient stays in `backward_b`")
        }
    }
}

fn verb(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Code, of what kind the ops are, and what Paddle does with them.
fn difference(failure: Failure) -> (&'static str, &'static str, &'static str) {
    match failure {
        Failure::Transpose => (
            "N0220",
            "with a transposed operand",
            "Paddle ignores the transpose: it looks for `trans_x` and `trans_y`, the op has `transpose_x` \
             and `transpose_y`; the gradients come out wrong, or the pass fails on their dims",
        ),
        Failure::NoGradientOfY => (
            "N0221",
            "without a gradient of `y`",
            "Paddle asks for the dims of the gradient that is not there, and fails",
        ),
        Failure::Dims => (
            "N0222",
            "with a broadcast operand",
            "Paddle asks that `x` and `out_grad` have one rank and agree in their first two dims, and \
             fails otherwise",
        ),
        Failure::OneDynamicDim => (
            "N0223",
            "with a dynamic dim",
            "Paddle multiplies the -1 of the dynamic dim by the dim beside it, and fails",
        ),
        Failure::TwoDynamicDims => (
            "N0224",
            "with two dynamic dims",
            "Paddle takes -1 times -1 for a dim of 1; the program is made and fails when it runs",
        ),
        Failure::Matrix => (
            "N0227",
            "of matrices",
            "Paddle flattens the two dims of a matrix to a vector, and fails",
        ),
        Failure::Batch => (
            "N0228",
            "of batches",
            "Paddle folds the first two dims, whatever the batch dims of `y` are, and fails",
        ),
    }
}

fn dead_product(ops: &str, count: usize, dead: DeadProducts) -> Diagnostic {
    let whose = format!("{ops} without a gradient of `x`");
    match dead {
        DeadProducts::Keep => {
            let message = format!("{whose} {} split with a product that nobody reads", verb(count));
            Diagnostic::note("N0225", message)
                .remark(
                    "Paddle computes it too; without it the programs are right but named otherwise",
                )
                .help("`drop_dead_products` leaves it out")
        }
        DeadProducts::Drop => {
            let message =
                format!("{whose} {} split without the product that nobody reads", verb(count));
            Diagnostic::note("N0226", message)
                .remark("Paddle computes it; later values are named otherwise than by Paddle")
        }
    }
}
