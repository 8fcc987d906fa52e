//! Brings a program into a plainer form by rules that hold to the last bit.
//!
//! 1. The rules are in [`rules`], each as `before ==> after` with the reason why it holds;
//!    `pirogue passes canonicalize` lists them.
//! 2. [`pirogue::rewrite`] applies them until none fits: it sees to memory, names, roles and chunks.
//! 3. Each rule is counted. Should rules go on for ever, a bound stops them, and a warning says so.
//!
//! `(%1) = "pd_op.cast" (%0) {dtype:float32} : (tensor<2xf32>) -> tensor<2xf32>` ==> nothing, `%0`
//! stands for `%1`

mod constants;
mod copies;
mod numbers;
mod shapes;
mod types;

use std::sync::LazyLock;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Rewriter;
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use pirogue::rewrite::{RuleBuilder, RuleSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Brings a program into a plainer form by rewrite rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Canonicalize {
    /// Also apply rules that may turn -0.0 into 0.0; nothing but a division by it can tell.
    #[serde(default)]
    pub ignore_zero_sign: bool,
    /// After how many rewrites for each op of the program to stop.
    #[serde(default = "default_bound")]
    pub max_rewrites_per_op: u32,
}

/// The rules that ship fire at most a few times for each op.
fn default_bound() -> u32 {
    16
}

impl Default for Canonicalize {
    fn default() -> Self {
        Self { ignore_zero_sign: false, max_rewrites_per_op: default_bound() }
    }
}

impl RegisteredPass for Canonicalize {
    const NAME: &'static str = "canonicalize";
}

const ERASED: &str = "erased";

impl Pass for Canonicalize {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let rules = if self.ignore_zero_sign { rules_up_to_the_sign_of_zero() } else { rules() };
        let ops = rewriter.program().op_count() as u64;
        let limit = ops.saturating_mul(self.max_rewrites_per_op.into());
        let report = rules.apply(rewriter, limit);
        for (rule, &times) in rules.rules().iter().zip(report.fired()) {
            cx.count(rule.name(), times);
        }
        cx.count(ERASED, report.erased());
        match report.stopped_in() {
            Some(rule) => cx.report(stopped(limit, rule)),
            None if report.total() == 0 => {
                cx.matched_nothing(&format!("none of its {} rules fits", rules.rules().len()));
            }
            None => {}
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &STATISTICS
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

fn stopped(limit: u64, rule: &str) -> Diagnostic {
    let message = format!("`canonicalize` stopped after {limit} rewrites, about to apply `{rule}`");
    Diagnostic::warning("W0221", message)
        .help("what it did is right, and there is more to do: raise `max_rewrites_per_op`")
}

/// The rules that hold to the last bit.
pub fn rules() -> &'static RuleSet {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| set_of(exact_rules()));
    &RULES
}

/// The same and, behind them, those that hold but for the sign of zeros.
pub fn rules_up_to_the_sign_of_zero() -> &'static RuleSet {
    static RULES: LazyLock<RuleSet> =
        LazyLock::new(|| set_of(exact_rules().chain(numbers::up_to_the_sign_of_zero())));
    &RULES
}

fn exact_rules() -> impl Iterator<Item = RuleBuilder> {
    (copies::rules().into_iter())
        .chain(types::rules())
        .chain(shapes::rules())
        .chain(constants::rules())
        .chain(numbers::rules())
}

fn set_of(rules: impl IntoIterator<Item = RuleBuilder>) -> RuleSet {
    match RuleSet::new(rules) {
        Ok(set) => set,
        Err(faults) => unreachable!("the rules that ship are tested to be well formed: {faults:?}"),
    }
}

/// A counter for each rule, and what went with them.
static STATISTICS: LazyLock<Vec<Statistic>> = LazyLock::new(|| {
    let rules = rules_up_to_the_sign_of_zero().rules().iter();
    let counters = rules.map(|rule| Statistic { name: rule.name(), description: rule.text() });
    let erased = Statistic { name: ERASED, description: "ops that nobody read any more" };
    counters.chain([erased]).collect()
});

#[cfg(test)]
mod tests;
