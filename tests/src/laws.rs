//! Laws that hold for every program, tried on random ones.
//!
//! Seeds are fixed, so that a run is like any other; `PIROGUE_PROPERTY_CASES=50` takes fifty times as
//! many cases, for a long run. A failure shows the smallest program it was found to have.

use std::fmt::Debug;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program, compare, verify};
use pirogue::text;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

use crate::lines::comparable_lines;
use crate::random::Recipe;

/// What a law says of a case.
pub type Verdict = Result<(), TestCaseError>;

/// Runs a law on random programs and what else `extra` gives; panics with the smallest that breaks it.
pub fn holds_for<E: Debug>(
    cases: u32,
    recipes: impl Strategy<Value = Recipe>,
    extra: impl Strategy<Value = E>,
    law: impl Fn(&Program, &Recipe, &E) -> Verdict,
) {
    let factor = std::env::var("PIROGUE_PROPERTY_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let config = Config {
        cases: cases * factor,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(u64::from(factor)),
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let program_of = |recipe: &Recipe| recipe.program(&Context::new());
    let result = TestRunner::new(config)
        .run(&(recipes, extra), |(recipe, extra)| law(&program_of(&recipe), &recipe, &extra));
    if let Err(TestError::Fail(reason, (recipe, extra))) = &result {
        let program = text::to_text(&program_of(recipe));
        panic!("{reason}\nchunks: {}, {extra:?}\n{program}", recipe.chunks);
    }
    result.expect("no case is rejected");
}

/// A law that does not hold, and why.
pub fn fails(text: impl Into<String>) -> TestCaseError {
    TestCaseError::fail(text.into())
}

/// Diagnostics as a person reads them.
pub fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

/// A program verifies.
pub fn is_clean(what: &str, program: &Program) -> Verdict {
    let faults = verify(program);
    if faults.is_empty() { Ok(()) } else { Err(fails(format!("{what}: {}", rendered(&faults)))) }
}

/// Two programs are equal, and print alike.
pub fn is_same(what: &str, expected: &Program, found: &Program) -> Verdict {
    compare(expected, found).map_err(|difference| fails(format!("{what}: {difference}")))?;
    let [expected, found] =
        [expected, found].map(|program| comparable_lines(&text::to_text(program)));
    prop_assert_eq!(expected, found, "{}", what);
    Ok(())
}
