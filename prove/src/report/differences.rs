//! What is not as it was: the smallest part of both sides that shows why.

use indexmap::IndexMap;
use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Op;
use rustc_hash::FxBuildHasher;

use super::Report;
use crate::compare::{Difference, Observable};
use crate::cone::{self, Cause, Cone};
use crate::findings::Site;
use crate::terms::Term;

/// How many differences are followed down to where they begin: each may be a long way down.
const MOST_FOLLOWED: usize = 64;
/// How many ops of a side are shown.
const MOST_LINES: usize = 6;

/// Where differences begin.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Origin {
    /// At an op of the original and one of the other side, whichever of their results.
    Ops([Site; 2]),
    /// At terms that no op made by itself.
    Terms([Term; 2]),
}

impl Report<'_> {
    /// Those that have one cause are told as one.
    pub(super) fn differences(&self) -> Vec<Diagnostic> {
        let mut by_origin: IndexMap<Option<Origin>, Vec<&Difference>, FxBuildHasher> =
            IndexMap::default();
        let all = &self.attempt.differences;
        for difference in all.iter().take(MOST_FOLLOWED) {
            by_origin.entry(self.origin(difference)).or_default().push(difference);
        }
        let mut told = Vec::new();
        for (origin, same) in by_origin {
            match origin {
                Some(_) => told.push(self.difference(same[0], &same[1..])),
                None => told.extend(same.iter().map(|difference| self.difference(difference, &[]))),
            }
        }
        if let (Some(last), more @ 1..) = (told.last_mut(), all.len().saturating_sub(MOST_FOLLOWED))
        {
            last.notes.push(format!("{more} more differences were not followed to their causes"));
        }
        told
    }

    /// Where a difference begins, if there is something on both sides.
    fn origin(&self, difference: &Difference) -> Option<Origin> {
        let cone = self.cone(difference)?;
        let origin = match self.ops_that_part(difference) {
            Some(ops) => Origin::Ops(ops),
            None => Origin::Terms([cone.before, cone.after]),
        };
        Some(origin)
    }

    /// The last ops on the way down that made both sides.
    fn ops_that_part(&self, difference: &Difference) -> Option<[Site; 2]> {
        let world = &self.attempt.world;
        let ([Some(before), Some(after)], Some(makers)) = (difference.terms, &world.makers) else {
            return None;
        };
        cone::with_makers(world, makers, before, after)
    }

    fn cone(&self, difference: &Difference) -> Option<Cone> {
        let [before, after] = difference.terms;
        Some(cone::smallest(&self.attempt.world, before?, after?))
    }

    fn difference(&self, difference: &Difference, others: &[&Difference]) -> Diagnostic {
        let what = self.observable(difference.what);
        let cone = self.cone(difference);
        let cause = cone.map_or(Cause::Computation, |cone| cone::cause(&self.attempt.world, cone));
        let code = match (cause, difference.what) {
            (Cause::OtherBatch, _) => "E0703",
            (Cause::Overwritten | Cause::NotYetWritten, _) => "E0705",
            (_, Observable::Variable(_)) => "E0710",
            (_, Observable::Output { .. }) => "E0711",
            (_, Observable::Effect { .. }) => "E0712",
            (_, Observable::Effects { .. }) => "E0713",
        };
        let message = match (cause, difference.terms) {
            (Cause::OtherBatch, _) => format!("{what} is made from values of another micro-batch"),
            (Cause::Overwritten, _) => {
                format!("{what} is made from a value that was written over before")
            }
            (Cause::NotYetWritten, _) => {
                format!("{what} is made from a value before it was written over")
            }
            (_, [Some(_), None]) => format!("{what} is no more"),
            (_, [None, Some(_)]) => format!("{what} was not there"),
            _ => format!("{what} is not what the original computes"),
        };
        let mut diagnostic = Diagnostic::error(code, message);
        if let Observable::Effects { counts: [before, after], .. } = difference.what {
            diagnostic = diagnostic
                .remark(format!("{before} in the original, {after} in {}", self.places.other()));
        }
        diagnostic = self.with_sides(diagnostic, difference);
        if !others.is_empty() {
            diagnostic = diagnostic.remark(self.others(others));
        }
        diagnostic.help(match cause {
            Cause::Computation => "compare the two: this is where they part",
            Cause::OtherBatch => "give each micro-batch a value of its own",
            Cause::Overwritten | Cause::NotYetWritten => {
                "put what reads the value on the other side of what writes over it"
            }
        })
    }

    /// `parameter `linear_0.w_0` after the step`
    fn observable(&self, what: Observable) -> String {
        let world = &self.attempt.world;
        let text = |name| world.context.name_text(name);
        let channel = |channel: u32| {
            let channel = world.channels[channel as usize];
            let number =
                |attr: Option<_>| attr.and_then(|attr| world.context.attr_value(attr).as_int());
            let ring = number(channel.ring).map(|ring| format!(" on ring {ring}"));
            let peer = number(channel.peer).map(|peer| format!(" with rank {peer}"));
            format!(
                "`{}`{}{}",
                text(channel.op),
                ring.unwrap_or_default(),
                peer.unwrap_or_default()
            )
        };
        match what {
            Observable::Variable(name) => format!("variable `{}` after the step", text(name)),
            Observable::Output { name, batch } => {
                format!("output `{}` of micro-batch {batch}", text(name))
            }
            Observable::Effect { channel: of, batch, position } => format!(
                "what {} {} of micro-batch {batch} passes",
                ordinal(position + 1),
                channel(of)
            ),
            Observable::Effects { channel: of, batch, .. } => {
                format!("the number of {} of micro-batch {batch}", channel(of))
            }
        }
    }

    fn others(&self, others: &[&Difference]) -> String {
        const SHOWN: usize = 4;
        let mut names: Vec<String> =
            others.iter().take(SHOWN).map(|other| self.observable(other.what)).collect();
        if others.len() > SHOWN {
            names.push(format!("{} more", others.len() - SHOWN));
        }
        format!("for the same reason: {}", names.join(", "))
    }

    /// The ops in which both sides part, and what they are made of.
    fn with_sides(&self, mut diagnostic: Diagnostic, difference: &Difference) -> Diagnostic {
        let parts = self.ops_that_part(difference);
        let [original, plan] = match parts {
            Some(sites) => sites.map(Some),
            None => difference.sites,
        };
        if let Some(place) = plan.and_then(|site| self.places.place(site)) {
            let program = plan.map_or("", |site| self.places.name(site.side));
            let other = self.places.other();
            let label = match other == program {
                true => format!("{other} has this"),
                false => format!("{other} has this, in `{program}`"),
            };
            diagnostic = diagnostic.at(place.label(label));
        }
        if let Some(place) = original.and_then(|site| self.places.place(site)) {
            let place = place.label("the original has this");
            diagnostic = match diagnostic.primary {
                Some(_) => diagnostic.see(place),
                None => diagnostic.at(place),
            };
        }
        for (side, site) in [("the original", original), (self.places.other(), plan)] {
            if let Some(site) = site.filter(|_| parts.is_some()) {
                let lines = self.made_of(site);
                if !lines.is_empty() {
                    let lines = lines.join("\n");
                    diagnostic = diagnostic.remark(format!("in {side}, made of\n{lines}"));
                }
            }
        }
        diagnostic
    }

    /// The ops that make the operands of an op, and theirs.
    fn made_of(&self, site: Site) -> Vec<String> {
        let Site { side, op: Some(op) } = site else { return Vec::new() };
        let program = self.places.program(side);
        let makers = |op: Op| {
            let operands = program.operands(op).iter().flatten();
            operands.filter_map(|&value| program.defining_op(value)).collect::<Vec<Op>>()
        };
        let mut ops: Vec<Op> = Vec::new();
        for maker in makers(op).into_iter().flat_map(|maker| {
            let mut below = makers(maker);
            below.push(maker);
            below
        }) {
            if !ops.contains(&maker) && maker != op {
                ops.push(maker);
            }
        }
        let ops = &ops[ops.len().saturating_sub(MOST_LINES)..];
        let lines = ops.iter().filter_map(|&op| self.places.line(Site { side, op: Some(op) }));
        lines.map(|line| shortened(&line)).collect()
    }
}

/// Longer lines are cut: what an op does stands at their beginning.
fn shortened(line: &str) -> String {
    const MOST: usize = 160;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, last) if last != 11 => "st",
        (2, last) if last != 12 => "nd",
        (3, last) if last != 13 => "rd",
        _ => "th",
    };
    format!("the {number}{suffix}")
}
