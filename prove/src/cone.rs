//! Where two terms really differ: the smallest part of both that explains why they do.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use crate::findings::Site;
use crate::terms::{Symbol, Term};
use crate::world::{Makers, World};

/// Two terms that differ, as far down as the difference can be followed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cone {
    pub(crate) before: Term,
    pub(crate) after: Term,
    /// How many steps down from where it was seen.
    pub(crate) depth: usize,
}

/// What a difference is a case of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The value of another micro-batch.
    OtherBatch,
    /// The plan reads a value after something was written over it.
    Overwritten,
    /// The plan reads a value before what the original had written over it.
    NotYetWritten,
    /// It is computed in another way.
    Computation,
}

/// Goes down as long as one operand differs, or one of several is the same computation.
pub(crate) fn smallest(world: &World, before: Term, after: Term) -> Cone {
    let mut cone = Cone { before, after, depth: 0 };
    while let Some((before, after)) = step(world, cone.before, cone.after) {
        cone = Cone { before, after, depth: cone.depth + 1 };
    }
    cone
}

/// The last pair on the way down of which an op made both sides.
pub(crate) fn with_makers(
    world: &World,
    makers: &Makers,
    before: Term,
    after: Term,
) -> Option<[Site; 2]> {
    let mut pair = Some((before, after));
    let mut found = None;
    while let Some((before, after)) = pair {
        if let (Some(original), Some(plan)) = (makers.of_original(before), makers.of_plan(after)) {
            found = Some([original, plan]);
        }
        pair = step(world, before, after);
    }
    found
}

/// Whether two terms are the same result of the same, but for the operands.
fn have_same_head(world: &World, before: Term, after: Term) -> bool {
    let terms = &world.terms;
    terms.symbol(before) == terms.symbol(after)
        && terms.attrs(before) == terms.attrs(after)
        && (terms.extra(before), terms.tag(before)) == (terms.extra(after), terms.tag(after))
        && terms.result_index(before) == terms.result_index(after)
}

fn step(world: &World, before: Term, after: Term) -> Option<(Term, Term)> {
    let terms = &world.terms;
    if !have_same_head(world, before, after) {
        return None;
    }
    let is_sum = terms.symbol(before) == Symbol::Accumulated;
    let [before, after] = [terms.operands(before), terms.operands(after)];
    if is_sum {
        return one_of_each(before, after);
    }
    if before.len() != after.len() {
        return None;
    }
    let mut differing = before.iter().zip(after).filter(|(before, after)| before != after);
    let first = differing.next()?;
    let is_only_one = differing.next().is_none();
    if !is_only_one && are_exchanged(before, after) {
        return None;
    }
    // Of several, one that is the same computation is closer to the cause than all of them together;
    // operands that were exchanged have nothing to do with each other.
    let same = || {
        let mut pairs = before.iter().zip(after).filter(|(before, after)| before != after);
        pairs.find(|(before, after)| have_same_head(world, **before, **after))
    };
    let (&before, &after) = if is_only_one { first } else { same()? };
    Some((before, after))
}

/// Whether the operands are the same in another order; those have nothing to do with each other.
fn are_exchanged(before: &[Term], after: &[Term]) -> bool {
    let sorted = |terms: &[Term]| {
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        terms
    };
    sorted(before) == sorted(after)
}

/// What is only in the first and only in the second of two sums, if that is one each.
fn one_of_each(before: &[Term], after: &[Term]) -> Option<(Term, Term)> {
    let only = |these: &[Term], those: &[Term]| {
        let those: HashSet<Term, FxBuildHasher> = those.iter().copied().collect();
        let mut only = these.iter().filter(|term| !those.contains(*term));
        let first = only.next().copied();
        first.filter(|_| only.next().is_none())
    };
    Some((only(before, after)?, only(after, before)?))
}

/// What a difference is a case of.
pub(crate) fn cause(world: &World, cone: Cone) -> Cause {
    let terms = &world.terms;
    let Cone { before, after, .. } = cone;
    let tags = [terms.tag(before), terms.tag(after)];
    if terms.symbol(before) == terms.symbol(after)
        && terms.operands(before) == terms.operands(after)
        && tags[0] != tags[1]
    {
        return Cause::OtherBatch;
    }
    if writes_over(world, after, before) {
        Cause::Overwritten
    } else if writes_over(world, before, after) {
        Cause::NotYetWritten
    } else {
        Cause::Computation
    }
}

/// Whether a term is what an in-place op made of another, or of what was made of it so.
fn writes_over(world: &World, mut term: Term, other: Term) -> bool {
    loop {
        let Symbol::Op(name) = world.terms.symbol(term) else { return false };
        let index = world.terms.result_index(term);
        let facts = world.context.facts(name);
        let alias = facts.and_then(|facts| facts.aliases().find(|alias| alias.result == index));
        let Some(alias) = alias else { return false };
        let Some(&below) = world.terms.operands(term).get(alias.operand) else { return false };
        if below == other {
            return true;
        }
        term = below;
    }
}
