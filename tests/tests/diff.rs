//! Laws of the diff, on random programs and random edits of them.

use std::collections::BTreeSet;

use pirogue::diff::{Counts, Diff, DiffOptions, Entry, Place, diff};
use pirogue::ir::{
    At, AttrValue, CompareOptions, Context, Numbers, Op, OpSpec, Program, Rewriter, Value,
    compare_with,
};
use pirogue::text;
use pirogue_system_tests::laws::{Verdict, fails, holds_for};
use pirogue_system_tests::random::{Lists, Recipe, recipe};
use proptest::prelude::*;

fn as_printed() -> DiffOptions {
    DiffOptions { numbers: Numbers::AsPrinted, ..DiffOptions::default() }
}

/// Makes edits; a seed each says where.
fn edited(program: &Program, seeds: &[u32], edit: impl Fn(&mut Rewriter<'_>, Op, u32)) -> Program {
    let mut edited = program.clone();
    let mut rewriter = Rewriter::new(&mut edited);
    for &seed in seeds {
        let top = rewriter.program().top_ops();
        let ops: Vec<Op> = top.flat_map(|op| rewriter.program().nest(op)).collect();
        if !ops.is_empty() {
            edit(&mut rewriter, ops[seed as usize % ops.len()], seed);
        }
    }
    edited
}

fn seeds() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 1..8)
}

/// Erases an op if it can be, and reports whether its results were free.
fn erase(rewriter: &mut Rewriter<'_>, op: Op, _: u32) {
    // What is used stays, with all that is in it.
    let _ = rewriter.erase(op);
}

fn mark(rewriter: &mut Rewriter<'_>, op: Op, seed: u32) {
    let context = rewriter.context();
    let attr = context.attr(AttrValue::int32((seed & 0xFFFF) as i32));
    rewriter.set_attr(op, context.name("mark"), attr);
}

fn set_chunk(rewriter: &mut Rewriter<'_>, op: Op, _: u32) {
    rewriter.set_chunk(op, Some(77));
}

/// Puts an op behind another that is like no other op.
fn insert(rewriter: &mut Rewriter<'_>, op: Op, seed: u32) {
    let context = rewriter.context();
    let attr = context.attr(AttrValue::int32(seed as i32));
    let dict = context.dict([(context.name("seed"), attr)]);
    rewriter.create(At::After(op), OpSpec::new(context.name("my.inserted")).dict(dict));
}

/// Makes an op read another value of its block.
fn rewire(rewriter: &mut Rewriter<'_>, op: Op, seed: u32) {
    let program = rewriter.program();
    let values: Vec<Value> = program.top_ops().flat_map(|op| program.results(op)).collect();
    let count = program.operands(op).len();
    if count > 0 && !values.is_empty() {
        let value = values[seed as usize / 7 % values.len()];
        rewriter.set_operand(op, seed as usize % count, Some(value));
    }
}

/// Moves an op without regions to the end of the program.
fn move_away(rewriter: &mut Rewriter<'_>, op: Op, _: u32) {
    let program = rewriter.program();
    if !program.regions(op).is_empty() {
        return;
    }
    let operands = program.operands(op).to_vec();
    let types: Vec<_> = program.results(op).map(|result| program.ty(result)).collect();
    let results: Vec<Value> = program.results(op).collect();
    let spec = OpSpec::new(program.name(op)).operands(&operands).results(&types);
    let spec = spec.dict(program.dict(op)).like(program, op);
    let end = At::End(program.top());
    let moved = rewriter.create(end, spec);
    for (index, old) in results.into_iter().enumerate() {
        let new = rewriter.program().result(moved, index);
        rewriter.replace_all_uses(old, new);
    }
    rewriter.erase(op).expect("what read it reads the moved op");
}

const EDITS: [fn(&mut Rewriter<'_>, Op, u32); 6] =
    [erase, mark, set_chunk, insert, rewire, move_away];

fn any_edit(rewriter: &mut Rewriter<'_>, op: Op, seed: u32) {
    EDITS[(seed >> 16) as usize % EDITS.len()](rewriter, op, seed);
}

/// Each op is in one entry at most, and what is left of one program is left of the other.
fn is_consistent(first: &Program, second: &Program, found: &Diff<'_>) -> Verdict {
    let mut met = [BTreeSet::new(), BTreeSet::new()];
    for entry in found.entries() {
        let (x, y) = match *entry {
            Entry::Removed(op) => (Some(op), None),
            Entry::Added(op) => (None, Some(op)),
            Entry::Kept { first, second, place, ref changes } => {
                prop_assert!(place == Place::Moved || !changes.is_empty());
                prop_assert_eq!(found.in_second(first), Some(second));
                (Some(first), Some(second))
            }
            Entry::Arguments { .. } => (None, None),
        };
        prop_assert!(x.is_none_or(|op| met[0].insert(op.index())), "{:?}", entry);
        prop_assert!(y.is_none_or(|op| met[1].insert(op.index())), "{:?}", entry);
    }
    let Counts { added, removed, .. } = found.counts();
    prop_assert_eq!(first.op_count() + added, second.op_count() + removed);
    Ok(())
}

/// A diff is empty where programs compare as equal; the other way round, it is the same.
fn keeps_the_laws(first: &Program, second: &Program) -> Verdict {
    for numbers in [Numbers::Exact, Numbers::AsPrinted] {
        let options = DiffOptions { numbers, ..DiffOptions::default() };
        let found = diff(first, second, options);
        is_consistent(first, second, &found)?;
        let equal = compare_with(first, second, CompareOptions { numbers });
        prop_assert_eq!(found.is_empty(), equal.is_ok(), "{:?}\n{}", equal, found.unified(1));
        prop_assert_eq!(found.unified(0).is_empty(), found.is_empty());
        let back = diff(second, first, options);
        prop_assert_eq!(mirrored(&back), told(&found), "{}", found.unified(1));
    }
    Ok(())
}

/// Entries, in an order that does not depend on which program is the first.
fn told(found: &Diff<'_>) -> BTreeSet<String> {
    found.entries().iter().map(|entry| sides(entry, |pair| pair)).collect()
}

fn mirrored(found: &Diff<'_>) -> BTreeSet<String> {
    found.entries().iter().map(|entry| sides(entry, |(x, y)| (y, x))).collect()
}

fn sides(entry: &Entry, order: impl Fn((String, String)) -> (String, String)) -> String {
    let none = String::new;
    let (what, (x, y)) = match entry {
        Entry::Removed(op) => ("one".to_owned(), (format!("{op:?}"), none())),
        Entry::Added(op) => ("one".to_owned(), (none(), format!("{op:?}"))),
        Entry::Kept { first, second, place, changes } => {
            let parts: Vec<_> = changes.iter().map(|change| &change.part).collect();
            (format!("{place:?} {parts:?}"), (format!("{first:?}"), format!("{second:?}")))
        }
        Entry::Arguments { first, second, changes } => {
            let parts: BTreeSet<_> =
                changes.iter().map(|change| format!("{:?}", change.part)).collect();
            (format!("{parts:?}"), (format!("{first:?}"), format!("{second:?}")))
        }
    };
    format!("{what} {:?}", order((x, y)))
}

#[test]
fn a_program_does_not_differ_from_its_clone_nor_from_what_is_printed_of_it() {
    holds_for(200, recipe(120, Lists::MayCross), Just(()), |program, _, ()| {
        keeps_the_laws(program, &program.clone())?;
        let printed = text::to_bytes(program);
        let read = text::read_program(&Context::new(), "", &printed);
        let read = read.map_err(|errors| fails(errors[0].to_string()))?.program;
        let found = diff(program, &read, as_printed());
        prop_assert!(found.is_empty(), "{}", found.unified(1));
        keeps_the_laws(program, &read)
    });
}

#[test]
fn an_edited_program_differs_if_it_compares_as_different_and_the_same_the_other_way_round() {
    holds_for(400, recipe(120, Lists::MayCross), seeds(), |program, _, seeds| {
        keeps_the_laws(program, &edited(program, seeds, any_edit))
    });
}

#[test]
fn programs_that_have_nothing_to_do_with_each_other_keep_the_laws() {
    let other = recipe(60, Lists::MayCross);
    holds_for(200, recipe(60, Lists::MayCross), other, |program, _, other: &Recipe| {
        keeps_the_laws(program, &other.program(program.context()))
    });
}

/// The program with a number on each op: where ops are alike, which one was edited can't be told.
fn numbered(program: &Program) -> Program {
    let mut numbered = program.clone();
    let mut rewriter = Rewriter::new(&mut numbered);
    let context = rewriter.context();
    for op in program.top_ops().flat_map(|op| program.nest(op)) {
        let attr = context.attr(AttrValue::int32(op.index() as i32));
        rewriter.set_attr(op, context.name("number"), attr);
    }
    numbered
}

/// Edits of one kind, and what they count for.
fn are_found(edit: fn(&mut Rewriter<'_>, Op, u32), counted: fn(&Program, &Program) -> Counts) {
    holds_for(300, recipe(120, Lists::MayCross), seeds(), |program, _, seeds| {
        let program = numbered(program);
        let edited = edited(&program, seeds, edit);
        let found = diff(&program, &edited, DiffOptions::default());
        prop_assert_eq!(found.counts(), counted(&program, &edited), "{}", found.unified(1));
        Ok(())
    });
}

#[test]
fn ops_that_are_erased_are_removed_and_nothing_else_is_found() {
    are_found(erase, |program, edited| Counts {
        removed: program.op_count() - edited.op_count(),
        ..Counts::default()
    });
}

#[test]
fn ops_that_are_inserted_are_added_and_nothing_else_is_found() {
    are_found(insert, |program, edited| Counts {
        added: edited.op_count() - program.op_count(),
        ..Counts::default()
    });
}

/// The ops of two programs of the same ids that are not alike.
fn differing(program: &Program, edited: &Program, same: impl Fn(Op) -> bool) -> Counts {
    let ops = program.top_ops().flat_map(|op| program.nest(op));
    let changed = ops.filter(|&op| !edited.is_erased(op) && !same(op)).count();
    Counts { changed, ..Counts::default() }
}

/// An op at the end already stays there.
#[test]
fn an_op_that_is_moved_is_moved_and_nothing_else_is_found() {
    holds_for(300, recipe(120, Lists::MayCross), any::<u32>(), |program, _, &seed| {
        let program = numbered(program);
        let edited = edited(&program, &[seed], move_away);
        let found = diff(&program, &edited, DiffOptions::default());
        let last = |program: &Program| program.top_ops().next_back().map(|op| program.dict(op));
        let is_moved = last(&program) != last(&edited);
        let expected = Counts { moved: usize::from(is_moved), ..Counts::default() };
        prop_assert_eq!(found.counts(), expected, "{}", found.unified(1));
        Ok(())
    });
}

#[test]
fn ops_with_another_attribute_are_changed_and_nothing_else_is_found() {
    are_found(mark, |program, edited| {
        differing(program, edited, |op| program.dict(op) == edited.dict(op))
    });
    are_found(set_chunk, |program, edited| {
        differing(program, edited, |op| program.chunk(op) == edited.chunk(op))
    });
}

#[test]
fn ops_that_read_something_else_are_changed_and_nothing_else_is_found() {
    are_found(rewire, |program, edited| {
        differing(program, edited, |op| program.operands(op) == edited.operands(op))
    });
}
