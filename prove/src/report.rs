//! Says what a proof has found, with the places in both programs.

mod differences;
mod findings;
mod places;

use std::collections::BTreeMap;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Name;

use crate::compare;
use crate::proof::Attempt;
use crate::streams::StreamFault;
use crate::structure::Miscount;
use crate::{Lemma, Outcome, Verdict};
pub(crate) use places::Places;

/// Faults of one kind beyond these are counted, not shown.
const MOST_OF_A_KIND: usize = 8;

/// What a proof is about, and what checks beside the terms have found.
pub(crate) struct Report<'a> {
    pub(crate) places: Places<'a>,
    pub(crate) attempt: &'a mut Attempt,
    pub(crate) streams: Vec<StreamFault>,
    pub(crate) miscounts: Vec<Miscount>,
}

impl Report<'_> {
    pub(crate) fn verdict(self, micro_batches: u32) -> Verdict {
        let mut faults = self.findings();
        faults.extend(limited(self.streams.iter().map(|fault| self.stream_fault(fault)).collect()));
        faults.extend(miscounted(&self.miscounts));
        faults.extend(limited(self.unknown_fetches()));
        faults.extend(limited(self.differences()));
        let mut notes: Vec<Diagnostic> = self.unobserved().into_iter().collect();
        if faults.is_empty() {
            notes.extend(self.other_orders());
        }
        let unknown: Vec<Name> = self.attempt.world.unknown_ops.iter().copied().collect();
        let outcome = match (faults.is_empty(), unknown.is_empty()) {
            (false, _) => Outcome::Refuted,
            (true, false) => Outcome::Undecided,
            (true, true) => Outcome::Proved,
        };
        if outcome == Outcome::Undecided {
            notes.insert(0, self.undecided(&unknown));
        }
        Verdict {
            outcome,
            faults,
            notes,
            terms: self.attempt.world.terms.len(),
            programs: self.places.programs(),
            micro_batches,
            lemmas: self.lemmas(),
        }
    }

    fn undecided(&self, unknown: &[Name]) -> Diagnostic {
        let context = &self.attempt.world.context;
        let names: Vec<String> =
            unknown.iter().map(|&name| format!("`{}`", context.name_text(name))).collect();
        Diagnostic::warning(
            "W0730",
            format!("no difference was found, but nothing is known of {}", names.join(", ")),
        )
        .remark(
            "each was taken to be seen from outside, and to work in place if its name ends in `_`",
        )
        .help("describe the op to the dialect, or judge by hand what it does")
    }

    /// The lemmas without which the plan would not be seen to be the same.
    fn lemmas(&self) -> BTreeMap<Lemma, u32> {
        let uses = &self.attempt.world.gradients;
        let mut lemmas = BTreeMap::new();
        for (term, lemma) in uses.of_original.values() {
            if !uses.of_plan.contains(term) {
                *lemmas.entry(*lemma).or_insert(0) += 1;
            }
        }
        lemmas
    }

    fn unknown_fetches(&self) -> Vec<Diagnostic> {
        let asked = &self.attempt.unknown_fetches;
        let fault = |name: &String| {
            Diagnostic::error("E0719", format!("the original has no output `{name}`"))
                .help("observe an output that a `builtin.shadow_output` names")
        };
        asked.iter().map(fault).collect()
    }

    fn unobserved(&self) -> Option<Diagnostic> {
        let ops = &self.attempt.unobserved;
        let first = *ops.first()?;
        let (are, s) = if ops.len() == 1 { ("is", "") } else { ("are", "s") };
        let note = Diagnostic::note(
            "N0722",
            format!(
                "{} op{s} of the original, on which nothing depends that can be observed, {are} not in {}",
                ops.len(),
                self.places.other()
            ),
        );
        Some(note.at(self.places.original(first).label("the first of them")))
    }

    fn other_orders(&self) -> Option<Diagnostic> {
        let Attempt { world, original, plan, .. } = &*self.attempt;
        let names = compare::other_orders(world, original, plan);
        let first = world.context.name_text(*names.first()?);
        let more = match names.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Some(Diagnostic::note(
            "N0721",
            format!(
                "{} adds to `{first}`{more} in another order: equal but for the last bits of a sum",
                self.places.other()
            ),
        ))
    }
}

/// Jobs that do not run once.
pub(crate) fn miscounted(miscounts: &[Miscount]) -> Vec<Diagnostic> {
    limited(miscounts.iter().map(miscount).collect())
}

fn miscount(miscount: &Miscount) -> Diagnostic {
    let Miscount { job_type, batch, count } = *miscount;
    let job = format!("`{job_type}:{batch}`");
    let (message, help) = match count {
        0 => (format!("no job runs {job}"), "put the job into the list"),
        1 => (
            format!("{job} runs, and should not"),
            "a job like this runs once a step, as micro-batch 0",
        ),
        _ => (format!("{job} runs {count} times"), "leave all but one of these jobs out"),
    };
    Diagnostic::error("E0714", message).help(help)
}

/// The first ones, and how many more there are.
fn limited(mut faults: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let count = faults.len();
    if count > MOST_OF_A_KIND {
        faults.truncate(MOST_OF_A_KIND);
        if let Some(last) = faults.last_mut() {
            last.notes.push(format!("{} more like this are not shown", count - MOST_OF_A_KIND));
        }
    }
    faults
}
