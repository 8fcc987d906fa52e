mod guards;
mod rules;
mod texts;

use super::{RewriteReport, RuleBuilder, RuleSet};
use crate::ir::{Context, Program, Rewriter, verify};
use crate::text;

fn read(body: &str) -> Program {
    let source = format!("{{\n{body}}}\n");
    let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
    read.unwrap_or_else(|faults| panic!("{}", faults[0])).program
}

fn set(rules: impl IntoIterator<Item = RuleBuilder>) -> RuleSet {
    RuleSet::new(rules).unwrap_or_else(|faults| panic!("{}", faults[0]))
}

/// What the rules did to a program, which verifies and in which nothing is left to do.
fn apply(rules: &RuleSet, body: &str) -> (RewriteReport, String) {
    let mut program = read(body);
    let report = rules.apply(&mut Rewriter::new(&mut program), 1000);
    assert_eq!(report.stopped_in(), None);
    if let Some(fault) = verify(&program).first() {
        panic!("{fault}");
    }
    let text = text::to_text(&program);
    let again = rules.apply(&mut Rewriter::new(&mut program), 1000);
    assert_eq!(again.total(), 0, "{text}");
    (report, text)
}

/// How often the rules fired.
fn fired(rules: &RuleSet, body: &str) -> u64 {
    apply(rules, body).0.total()
}
