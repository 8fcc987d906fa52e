//! What a proof ends with.

use std::collections::BTreeMap;
use std::fmt;

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

/// `proved`, `refuted`, `undecided`
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        })
    }
}

/// What a proof ends with.
///
/// As text it is a line, such as
/// `proved: 3,412 terms, 9 programs, 4 micro-batches; lemmas: matmul_grad NN rank 3 × 12`.
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
    /// Whether it is proved: neither refuted nor left open.
    pub fn is_proved(&self) -> bool {
        self.outcome == Outcome::Proved
    }

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

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.outcome)?;
        if self.outcome == Outcome::Refuted {
            write!(f, "{}, ", counted(self.faults.len(), "fault"))?;
        }
        write!(
            f,
            "{}, {}, {}",
            counted(self.terms, "term"),
            counted(self.programs, "program"),
            match self.micro_batches {
                1 => "1 micro-batch".to_owned(),
                count => format!("{} micro-batches", grouped(count as usize)),
            },
        )?;
        for (index, (lemma, count)) in self.lemmas.iter().enumerate() {
            let before = if index == 0 { "; lemmas: " } else { ", " };
            write!(f, "{before}{lemma} × {}", grouped(*count as usize))?;
        }
        Ok(())
    }
}

/// `1 term`, `3,412 terms`
fn counted(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(count))
}

/// A number with a comma before each three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lemma, Transposes};

    #[test]
    fn a_verdict_is_told_in_a_line() {
        let mut verdict = Verdict { terms: 1_203_412, programs: 9, ..Verdict::refused(Vec::new()) };
        verdict.outcome = Outcome::Proved;
        verdict.micro_batches = 4;
        let proved = "proved: 1,203,412 terms, 9 programs, 4 micro-batches";
        assert_eq!(verdict.to_string(), proved);
        let lemma = |rank| Lemma::MatmulGrad { transposes: Transposes::NT, rank };
        verdict.lemmas = BTreeMap::from([(lemma(2), 1), (lemma(3), 12)]);
        let lemmas = "; lemmas: matmul_grad NT rank 2 × 1, matmul_grad NT rank 3 × 12";
        assert_eq!(verdict.to_string(), format!("{proved}{lemmas}"));
    }

    #[test]
    fn a_refusal_says_how_many_faults_there_are() {
        let verdict = Verdict::refused(vec![Diagnostic::error("E0716", "of two contexts")]);
        let said = "refuted: 1 fault, 0 terms, 0 programs, 0 micro-batches";
        assert_eq!(verdict.to_string(), said);
    }
}
