mod facts;
mod firing;

use pirogue::ir::{Context, Program, verify};
use pirogue::pass::{PassManager, Pipeline, Session};
use pirogue::text;

use super::*;

fn read(body: &str) -> Program {
    let source = format!("{{\n{body}}}\n");
    let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
    read.unwrap_or_else(|faults| panic!("{}", faults[0])).program
}

/// Which rules fired how often, by name.
fn fired(rules: &RuleSet, body: &str) -> Vec<(&'static str, u64)> {
    let mut program = read(body);
    let report = rules.apply(&mut Rewriter::new(&mut program), 1000);
    if let Some(fault) = verify(&program).first() {
        panic!("{fault}");
    }
    let names = rules.rules().iter().map(|rule| rule.name());
    names.zip(report.fired().iter().copied()).filter(|&(_, times)| times > 0).collect()
}

#[test]
fn the_rules_are_well_formed() {
    assert_eq!(rules_up_to_the_sign_of_zero().rules().len(), rules().rules().len() + 2);
}

/// A cast to the same type, `times` times.
fn casts(times: usize) -> String {
    let mut body = "    (%0) = \"pd_op.data\" () {name:\"x\"} : () -> tensor<2xf32>\n".to_owned();
    for cast in 1..=times {
        body += &format!(
            "    (%{cast}) = \"pd_op.cast\" (%{}) {{dtype:float32}} : (tensor<2xf32>) -> tensor<2xf32>\n",
            cast - 1
        );
    }
    body
}

fn run(pass: Canonicalize, program: &mut Program) -> Session {
    let mut session = Session::new();
    let outcome = PassManager::new(Pipeline::new().then(pass)).run(program, &mut session);
    outcome.expect("it cannot fail");
    session
}

#[test]
fn each_rule_has_a_counter_and_so_have_the_ops_that_went() {
    let mut program = read(&casts(3));
    let session = run(Canonicalize::default(), &mut program);
    assert_eq!(session.statistics().total("canonicalize", "cast to the same type"), 3);
    assert_eq!(session.statistics().total("canonicalize", "erased"), 0);
    assert_eq!(program.op_count(), 1);
    let again = run(Canonicalize::default(), &mut program);
    let said = &again.diagnostics()[0].message;
    let rules = rules().rules().len();
    assert_eq!(*said, format!("`canonicalize` changed nothing: none of its {rules} rules fits"));
}

#[test]
fn the_bound_stops_it_with_a_warning() {
    let mut program = read(&casts(3));
    let bounded = Canonicalize { max_rewrites_per_op: 0, ..Canonicalize::default() };
    let session = run(bounded, &mut program);
    let warning = &session.diagnostics()[0];
    assert_eq!(warning.code, "W0221");
    assert!(warning.message.contains("0 rewrites, about to apply `cast to the same type`"));
    assert_eq!(program.op_count(), 4);
}
