//! Which kwarg of one block is which of another.

use std::borrow::Cow;

use super::GeneratedNames;
use crate::ir::{Block, Name, Program, Value};

struct Kwarg<'p> {
    /// The keyword as it counts.
    told: Cow<'p, str>,
    keyword: Name,
    value: Value,
}

/// Kwargs of the same keyword. Where only an index tells several apart and both sides have as many,
/// they pair in the order of their indices; else equal keywords do, and then the rest.
pub(super) fn kwarg_pairs(
    programs: [&Program; 2],
    blocks: [Block; 2],
    names: GeneratedNames,
) -> Vec<(Value, Value)> {
    let [first, second] = [0, 1].map(|side| sorted(programs[side], blocks[side], names));
    let mut pairs = Vec::new();
    let mut others = second.chunk_by(|x, y| x.told == y.told).peekable();
    for group in first.chunk_by(|x, y| x.told == y.told) {
        while others.next_if(|other| other[0].told < group[0].told).is_some() {}
        let Some(other) = others.next_if(|other| other[0].told == group[0].told) else { continue };
        let is_in_both = |kwarg: &&Kwarg<'_>| {
            let keyword = kwarg.keyword;
            (0..2).all(|side| programs[side].kwarg(blocks[side], keyword).is_some())
        };
        let [(same, rest), (same_there, rest_there)] = [group, other].map(|kwargs| {
            let by_index = group.len() == other.len();
            kwargs.iter().partition::<Vec<_>, _>(|kwarg| by_index || is_in_both(kwarg))
        });
        let found = same.iter().zip(same_there).chain(rest.iter().zip(rest_there));
        pairs.extend(found.map(|(x, y)| (x.value, y.value)));
    }
    pairs
}

/// The kwargs of a block by keyword, those that differ in an index by that.
fn sorted<'p>(program: &'p Program, block: Block, names: GeneratedNames) -> Vec<Kwarg<'p>> {
    let text = |keyword| program.context().name_text(keyword);
    let kwargs = program.kwargs(block).map(|(keyword, argument)| Kwarg {
        told: names.told(text(keyword)),
        keyword,
        value: argument.value,
    });
    let mut kwargs: Vec<Kwarg<'_>> = kwargs.collect();
    // Of two numbers the longer one is the greater one.
    let index = |kwarg: &Kwarg<'_>| (text(kwarg.keyword).len(), text(kwarg.keyword));
    kwargs.sort_by(|x, y| x.told.cmp(&y.told).then_with(|| index(x).cmp(&index(y))));
    kwargs
}
