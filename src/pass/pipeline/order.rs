//! Whether a pipeline keeps the rules its passes declare.

use super::{MOST_FAULTS, PassStep, Pipeline, Step};
use crate::diagnostic::Diagnostic;
use crate::pass::{Demand, Rule};

/// All broken rules of a pipeline and of those in it, in the order of the steps. Errors, but for
/// what is needed and not there: a note.
pub(super) fn broken_rules(pipeline: &Pipeline) -> Vec<Diagnostic> {
    let mut broken = Vec::new();
    for (index, step) in pipeline.steps.iter().enumerate() {
        if broken.len() >= MOST_FAULTS {
            break;
        }
        match step {
            Step::Pass(pass) => check_step(pipeline, index, pass, &mut broken),
            Step::Jobs(jobs) => broken.extend(broken_rules(&jobs.pipeline)),
        }
    }
    broken
}

fn check_step(pipeline: &Pipeline, index: usize, step: &PassStep, broken: &mut Vec<Diagnostic>) {
    let before = || passes(&pipeline.steps[..index]);
    let after = || passes(&pipeline.steps[index + 1..]);
    for rule in step.pass.rules().iter() {
        let fault = match &rule.demand {
            Demand::Before(other) => {
                named(before(), other).map(|other| wrong_order(step, other, rule))
            }
            Demand::After(other) => {
                named(after(), other).map(|other| wrong_order(other, step, rule))
            }
            Demand::Conflicts(other) => {
                let found = named(before(), other).or_else(|| named(after(), other));
                found.map(|other| conflict(step, other, rule))
            }
            Demand::AtMostOnce => {
                named(before(), step.pass.name()).map(|first| repeated(step, first, rule))
            }
            Demand::Needs(other) => {
                named(before(), other).is_none().then(|| needed(step, other, rule))
            }
        };
        broken.extend(fault);
    }
}

fn passes(steps: &[Step]) -> impl Iterator<Item = &PassStep> {
    steps.iter().filter_map(|step| match step {
        Step::Pass(pass) => Some(pass),
        Step::Jobs(_) => None,
    })
}

fn named<'s>(mut steps: impl Iterator<Item = &'s PassStep>, name: &str) -> Option<&'s PassStep> {
    steps.find(|step| step.pass.name() == name)
}

/// `second` must come before `first`, which it follows.
fn wrong_order(second: &PassStep, first: &PassStep, rule: &Rule) -> Diagnostic {
    let (second_name, first_name) = (second.pass.name(), first.pass.name());
    let message = format!("`{second_name}` must come before `{first_name}`: {}", rule.because);
    pointing(Diagnostic::error("E0510", message), second, Some(first))
        .help(format!("write `{second_name},{first_name}`"))
}

fn conflict(step: &PassStep, other: &PassStep, rule: &Rule) -> Diagnostic {
    let (name, other_name) = (step.pass.name(), other.pass.name());
    let message = format!("`{name}` does not go with `{other_name}`: {}", rule.because);
    pointing(Diagnostic::error("E0511", message), step, Some(other)).help("leave one of them out")
}

fn repeated(step: &PassStep, first: &PassStep, rule: &Rule) -> Diagnostic {
    let message = format!("`{}` stands twice: {}", step.pass.name(), rule.because);
    pointing(Diagnostic::error("E0512", message), step, Some(first)).help("leave one of them out")
}

fn needed(step: &PassStep, other: &str, rule: &Rule) -> Diagnostic {
    let name = step.pass.name();
    let message =
        format!("`{name}` needs `{other}`, which does not run before it: {}", rule.because);
    pointing(Diagnostic::note("N0513", message), step, None)
        .help(format!("unless `{other}` has run on the input, write `{other},{name}`"))
}

fn pointing(mut diagnostic: Diagnostic, step: &PassStep, other: Option<&PassStep>) -> Diagnostic {
    if let Some(spot) = &step.spot {
        diagnostic = diagnostic.at(spot.place());
    }
    match other.and_then(|other| other.spot.as_ref()) {
        Some(spot) => diagnostic.see(spot.place().label("the other is here")),
        None => diagnostic,
    }
}
