//! What a proof ends with.

use std::collections::BTreeMap;

use pirogue::diagnostic::Diagnostic;
use serde::Serialize;

use crate::Lemma;

/// Whether two things mean the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// They do.
    Proved,
    /// They do not, or nothing they do can be trusted.
    Refuted,
    /// No difference was found, but an op is among them of which nothing is known.
    Undecided,
}

/// What a proof ends with.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether the plan means what the program meant.
    pub outcome: Outcome,
    /// Why not, in the order of cause: what comes first explains what comes after.
    pub faults: Vec<Diagnostic>,
    /// What does not change the outcome, but is worth knowing.
    pub notes: Vec<Diagnostic>,
    /// The number of distinct terms of both sides.
    pub terms: usize,
    /// The number of programs of the plan.
    pub programs: usize,
    /// The number of micro-batches.
    pub micro_batches: u32,
    /// How often each lemma was needed.
    pub lemmas: BTreeMap<Lemma, u32>,
}

impl Verdict {
    /// That of two things that cannot be compared.
    pub(crate) fn refused(faults: Vec<Diagnostic>) -> Self {
        Self {
            outcome: Outcome::Refuted,
            faults,
            notes: Vec::new(),
            terms: 0,
            programs: 0,
            micro_batches: 0,
            lemmas: BTreeMap::new(),
        }
    }
}
