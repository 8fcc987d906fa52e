//! Applies rules until none fires, or a bound is reached.
//!
//! Greedy: an op is looked at with what it reads in its final form, and the first rule that fits
//! fires. New ops are looked at again at once. What depends on readers, such as whether a value is
//! written before all have read it, can change behind an op: so the program is gone through until
//! nothing fires, with its memory read anew each time. **A second application does nothing.**

use std::collections::VecDeque;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::build::{Plan, is_unread, producers};
use super::guard::must_stay;
use super::matching::Match;
use super::rule::RuleSet;
use crate::ir::{Memory, Name, Op, Program, Rewriter};

/// What [`RuleSet::apply`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewriteReport {
    fired: Vec<u64>,
    erased: u64,
    stopped_in: Option<&'static str>,
}

impl RewriteReport {
    /// How often each rule fired, in their order.
    pub fn fired(&self) -> &[u64] {
        &self.fired
    }

    /// How often rules fired.
    pub fn total(&self) -> u64 {
        self.fired.iter().sum()
    }

    /// How many ops went because nobody read them any more, those that were replaced aside.
    pub fn erased(&self) -> u64 {
        self.erased
    }

    /// The rule that was about to fire once more than the bound allows, if it came to that.
    pub fn stopped_in(&self) -> Option<&'static str> {
        self.stopped_in
    }
}

impl RuleSet {
    /// Applies the rules wherever they fit, until none fires or they have fired `limit` times.
    pub fn apply(&self, rewriter: &mut Rewriter<'_>, limit: u64) -> RewriteReport {
        let report =
            RewriteReport { fired: vec![0; self.rules.len()], erased: 0, stopped_in: None };
        let mut driver = Driver::new(self, rewriter.program(), limit, report);
        loop {
            let before = driver.report.total();
            driver.go_through(rewriter);
            if driver.report.total() == before || driver.report.stopped_in.is_some() {
                return driver.report;
            }
        }
    }
}

struct Driver<'r> {
    set: &'r RuleSet,
    /// The rules by the name of their root.
    by_root: HashMap<Name, SmallVec<[usize; 4]>, FxBuildHasher>,
    pure: Vec<Name>,
    limit: u64,
    report: RewriteReport,
}

/// A rule that fits, and what the right side is there.
struct Found {
    rule: usize,
    plan: Plan,
}

impl<'r> Driver<'r> {
    fn new(set: &'r RuleSet, program: &Program, limit: u64, report: RewriteReport) -> Self {
        let context = program.context();
        let mut by_root: HashMap<Name, SmallVec<[usize; 4]>, FxBuildHasher> = HashMap::default();
        for (index, rule) in set.rules.iter().enumerate() {
            by_root.entry(context.name(&rule.tree.before.op)).or_default().push(index);
        }
        let pure = set.pure.iter().map(|name| context.name(name)).collect();
        Self { set, by_root, pure, limit, report }
    }

    /// Looks at every op once, and at new ones.
    fn go_through(&mut self, rewriter: &mut Rewriter<'_>) {
        let program = rewriter.program();
        let ops = program.top_ops().flat_map(|op| program.nest(op));
        let mut pending: VecDeque<Op> =
            ops.filter(|&op| self.by_root.contains_key(&program.name(op))).collect();
        if pending.is_empty() {
            return;
        }
        let mut memory = Memory::assuming_pure(program, &self.pure);
        while let Some(op) = pending.pop_front() {
            if rewriter.program().is_erased(op) {
                continue;
            }
            let Some(found) = self.find(rewriter.program(), &memory, op) else { continue };
            if self.report.total() == self.limit {
                self.report.stopped_in = Some(self.set.rules[found.rule].name());
                return;
            }
            for op in self.fire(rewriter, &mut memory, op, found).into_iter().rev() {
                pending.push_front(op);
            }
        }
    }

    fn find(&self, program: &Program, memory: &Memory, op: Op) -> Option<Found> {
        let rules = self.by_root.get(&program.name(op))?;
        rules.iter().find_map(|&index| {
            let rule = &self.set.rules[index];
            let found = Match::find(rule, program, memory, op)?;
            let after = &rule.tree.after;
            found.may_become(after).then(|| Found { rule: index, plan: found.plan(after) })
        })
    }

    /// Replaces a match; returns the new ops.
    fn fire(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        memory: &mut Memory,
        root: Op,
        found: Found,
    ) -> Vec<Op> {
        let mut made = Vec::new();
        let new = found.plan.make(rewriter, root, &mut made);
        let old = rewriter.program().result(root, 0);
        memory.share(old, new);
        rewriter.replace_all_uses(old, new);
        self.report.fired[found.rule] += 1;
        self.erase_unread(rewriter, root);
        // The root itself was replaced; what else went was no longer read.
        self.report.erased -= 1;
        made.retain(|&op| !rewriter.program().is_erased(op));
        made
    }

    /// Erases a pure op that nobody reads, and the producers that nobody reads without it.
    fn erase_unread(&mut self, rewriter: &mut Rewriter<'_>, op: Op) {
        let mut pending = vec![op];
        while let Some(op) = pending.pop() {
            let program = rewriter.program();
            let goes = !program.is_erased(op)
                && self.set.is_pure(program.name_text(op))
                && is_unread(program, op)
                && !must_stay(program, op);
            if !goes {
                continue;
            }
            pending.extend(producers(program, op));
            rewriter.erase(op).expect("nobody reads its results");
            self.report.erased += 1;
        }
    }
}
