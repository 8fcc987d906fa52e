//! What holds of every pass, on random programs: the laws it declares, and that the program verifies
//! behind it; and of those that clean up, that the program means what it meant.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use pirogue::ir::{Context, Name, Op, Program, names};
use pirogue::pass::{Law, PassInfo, PassManager, Pipeline, Registry, Session, Verify};
use pirogue::text;
use pirogue_system_tests::corpus;
use pirogue_system_tests::embellish::{embellish, twists};
use pirogue_system_tests::laws::{Verdict, fails, holds_for, is_clean, is_same};
use pirogue_system_tests::meaning::meaning;
use pirogue_system_tests::random::{Lists, recipe};
use proptest::prelude::*;

fn registry() -> Registry {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("the names of the passes differ");
    registry
}

/// Runs a pipeline and verifies all of the program behind each pass; what was counted, or why it
/// failed.
fn run(text: &str, program: &mut Program) -> Result<BTreeMap<&'static str, u64>, String> {
    let pipeline = Pipeline::parse(&registry(), text).expect("it is well formed");
    let mut session = Session::new();
    let outcome = PassManager::new(pipeline).verify(Verify::Full).run(program, &mut session);
    let counts = session.statistics().iter().map(|count| (count.name, count.count)).collect();
    outcome.map(|()| counts).map_err(|failure| format!("`{text}`: {failure}"))
}

fn all_ops(program: &Program) -> Vec<Op> {
    program.top_ops().flat_map(|op| program.nest(op)).collect()
}

/// Whether a law holds of a pass that has made `after` of `before`.
fn is_kept(law: Law, info: &PassInfo, before: &Program, after: &Program) -> Verdict {
    // Ops of a program and of its clone go by the same ids.
    let kept = || all_ops(before).into_iter().filter(|&op| !after.is_erased(op));
    let changed = match law {
        Law::Idempotent => {
            let mut again = after.clone();
            run(&info.example, &mut again).map_err(fails)?;
            return is_same(&format!("`{}` a second time", info.name), after, &again);
        }
        Law::KeepsRoles => kept().find(|&op| before.role(op) != after.role(op)),
        Law::KeepsChunks => kept().find(|&op| before.chunk(op) != after.chunk(op)),
    };
    let message = || format!("`{}`: not so of {changed:?}: {}", info.name, law.text());
    if changed.is_none() { Ok(()) } else { Err(fails(message())) }
}

#[test]
fn every_pass_keeps_the_laws_it_declares() {
    for info in registry().iter().filter(|info| !info.laws.is_empty()) {
        let runs = Cell::new(0);
        holds_for(60, recipe(60, Lists::MayCross), twists(16), |program, _, twists| {
            let mut before = program.clone();
            embellish(&mut before, twists);
            is_clean("the input", &before)?;
            let mut after = before.clone();
            // Some programs are not for some passes: then they stay as they are.
            if run(&info.example, &mut after).is_err() {
                return is_same(&format!("`{}` failed", info.name), &before, &after);
            }
            runs.set(runs.get() + 1);
            info.laws.iter().try_for_each(|&law| is_kept(law, info, &before, &after))
        });
        assert!(runs.get() > 20, "`{}` ran {} times", info.name, runs.get());
    }
}

/// The passes that clean up, alone and together.
const CLEANING: [&str; 4] = [
    "dead_code_elimination",
    "common_subexpression_elimination",
    "canonicalize",
    "common_subexpression_elimination,canonicalize,dead_code_elimination",
];

fn means_the_same(before: &Program, after: &Program, pipeline: &str) -> Verdict {
    for salt in 0..4 {
        let [expected, found] = [before, after].map(|program| meaning(program, salt));
        prop_assert_eq!(
            expected,
            found,
            "`{}` changed the meaning\n{}",
            pipeline,
            text::to_text(after)
        );
    }
    Ok(())
}

#[test]
fn cleaning_keeps_the_meaning_of_a_program() {
    let totals = RefCell::new(BTreeMap::new());
    holds_for(250, recipe(50, Lists::MayCross), twists(24), |program, _, twists| {
        let mut before = program.clone();
        embellish(&mut before, twists);
        for pipeline in CLEANING {
            let mut after = before.clone();
            for (name, count) in run(pipeline, &mut after).map_err(fails)? {
                *totals.borrow_mut().entry(name).or_insert(0) += count;
            }
            means_the_same(&before, &after, pipeline)?;
        }
        Ok(())
    });
    // The test says nothing of what never happens in it.
    for name in [
        "erased",
        "merged",
        "copy",
        "relu of relu",
        "cast to the same type",
        "transpose of transpose",
        "transpose that moves nothing",
        "reshape of reshape",
        "reshape to the same shape",
        "times one",
    ] {
        assert!(totals.borrow().get(name).is_some_and(|&count| count > 20), "{name}: {totals:?}");
    }
}

#[test]
fn cleaning_keeps_the_meaning_of_recorded_programs() {
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, bytes) in corpus::programs() {
        let read = text::read_program(&Context::new(), &name, &bytes);
        let before = read.unwrap_or_else(|faults| panic!("{name}: {}", faults[0])).program;
        for pipeline in CLEANING {
            let mut after = before.clone();
            match run(pipeline, &mut after) {
                Ok(counts) => counts.into_iter().for_each(|(name, count)| {
                    *totals.entry(name).or_default() += count;
                }),
                Err(failure) => panic!("{name}: {failure}"),
            }
            if let Err(failure) = means_the_same(&before, &after, pipeline) {
                panic!("{name}: {failure}");
            }
        }
    }
    assert!(totals["merged"] > 100 && totals["erased"] > 10, "{totals:?}");
}

/// What is known outside: kwargs, named inputs and outputs, in their order.
fn known_outside(program: &Program) -> Vec<String> {
    let kwargs = program.kwargs(program.top()).map(|(keyword, _)| keyword);
    let kwargs = kwargs.map(|keyword| program.context().name_text(keyword).to_owned());
    let attr = |op: Op| -> Option<Name> {
        match program.name(op) {
            names::DATA => Some(names::NAME),
            names::PARAMETER => Some(names::PARAMETER_NAME),
            names::SHADOW_OUTPUT => Some(names::OUTPUT_NAME),
            _ => None,
        }
    };
    let named = all_ops(program).into_iter().filter_map(|op| {
        let name = program.attr_str(op, attr(op)?).unwrap_or_default();
        Some(format!("{} {name}", program.name_text(op)))
    });
    kwargs.chain(named).collect()
}

#[test]
fn cleaning_takes_away_no_name() {
    holds_for(150, recipe(60, Lists::MayCross), twists(24), |program, _, twists| {
        let mut before = program.clone();
        embellish(&mut before, twists);
        for pipeline in CLEANING {
            let mut after = before.clone();
            run(pipeline, &mut after).map_err(fails)?;
            prop_assert_eq!(known_outside(&before), known_outside(&after), "{}", pipeline);
        }
        Ok(())
    });
}
