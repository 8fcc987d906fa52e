//! What other ranks or the world see of an op, and random numbers.

use hashbrown::HashMap;
use pirogue::ir::{Op, Type, names};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::{Machine, TraceEntry};
use crate::terms::{Application, Symbol, Term};
use crate::world::Channel;

impl Machine<'_> {
    /// What a random op gives: it is told by its micro-batch, and by how often one with the same
    /// attributes and operands has drawn before. One with a fixed seed always draws the same.
    pub(super) fn drawn<'b>(&mut self, application: Application<'b>) -> Application<'b> {
        let fix_seed = self.world.context.dict_get(application.attrs, self.world.fix_seed);
        let is_fixed = fix_seed
            .is_some_and(|seed| self.world.context.attr_value(seed).as_bool() == Some(true));
        if is_fixed {
            return application;
        }
        let site = self.world.terms.apply(&application.extra(u32::MAX));
        let draws = self.thread.draws.entry(site).or_insert(0);
        *draws += 1;
        application.extra(*draws).tag(self.thread.tag)
    }

    /// Adds an effect to the trace of its channel. What it gives is told by its micro-batch and its
    /// place in the trace: others decide what is received.
    pub(super) fn effect<'b>(&mut self, op: Op, application: Application<'b>) -> Application<'b> {
        let channel = Channel {
            op: self.program.name(op),
            ring: self.program.attr(op, names::RING_ID),
            peer: self.program.attr(op, self.world.peer),
        };
        let channel = self.world.channels.insert_full(channel).0;
        let branch = self.frame.branch.unwrap_or(Term::NULL);
        let operands: SmallVec<[Term; 4]> =
            std::iter::once(branch).chain(application.operands.iter().copied()).collect();
        let types = [Type::NULL];
        let happened = Application::new(Symbol::Effect, &operands, &types).attrs(application.attrs);
        let term = self.world.terms.apply(&happened);
        let site = self.site(op);
        self.thread.trace.push(TraceEntry { channel: channel as u32, term, site });
        let occurrences = &mut self.thread.occurrences;
        if occurrences.len() <= channel {
            occurrences.resize(channel + 1, 0);
        }
        occurrences[channel] += 1;
        application.extra(occurrences[channel]).tag(self.thread.tag)
    }
}

/// What a trial run of a loop must not leave behind.
pub(super) struct Counts {
    draws: HashMap<Term, u32, FxBuildHasher>,
    occurrences: Vec<u32>,
    trace: usize,
}

impl Machine<'_> {
    pub(super) fn counts(&self) -> Counts {
        Counts {
            draws: self.thread.draws.clone(),
            occurrences: self.thread.occurrences.clone(),
            trace: self.thread.trace.len(),
        }
    }

    pub(super) fn restore(&mut self, counts: Counts) {
        self.thread.draws = counts.draws;
        self.thread.occurrences = counts.occurrences;
        self.thread.trace.truncate(counts.trace);
    }
}
