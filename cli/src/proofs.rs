//! Whether the plans that were made mean what their programs meant.

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue_plan::Plan;
use pirogue_prove::watch::KeepOriginal;
use pirogue_prove::{Options, Outcome, Verdict, equivalent, prove};

/// What is thought of the plan of a stage.
pub struct Proof {
    stage: u32,
    /// Of the passes before the cut, if they changed the program.
    passes: Option<Verdict>,
    plan: Verdict,
}

impl Proof {
    /// Judges a plan that was made of the program that was kept; none if it was not cut.
    pub fn of(kept: &KeepOriginal, plan: &Plan) -> Option<Self> {
        let cut = kept.cut()?;
        let stage = plan.options().pp_stage;
        let passes = kept.read().map(|read| equivalent(read, cut));
        Some(Self { stage, passes, plan: prove(cut, plan, &Options::default()) })
    }

    /// A line that says it all: what the passes did, if that is wrong, or what the plan is.
    pub fn line(&self) -> String {
        match &self.passes {
            Some(passes) if !passes.is_proved() => format!("passes before the cut {passes}\n"),
            _ => format!("{}\n", self.plan),
        }
    }

    fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.passes.iter().chain([&self.plan])
    }

    fn is_refuted(&self) -> bool {
        self.verdicts().any(|verdict| verdict.outcome == Outcome::Refuted)
    }

    /// What it says against the plan, and from verbosity 1 on what is worth knowing.
    fn said(&self, verbosity: u8) -> Vec<Diagnostic> {
        let notes = self.verdicts().flat_map(|verdict| &verdict.notes);
        let notes = notes.filter(|note| verbosity >= 1 || note.severity != Severity::Note);
        let faults = self.verdicts().flat_map(|verdict| &verdict.faults);
        let of_stage = format!("in the plan of stage {}", self.stage);
        faults.chain(notes).map(|said| said.clone().remark(&of_stage)).collect()
    }
}

/// All that is said of the plans of some stages, and whether one of them is wrong.
pub struct Judgement {
    pub said: Vec<Diagnostic>,
    refuted: Vec<u32>,
}

impl Judgement {
    pub fn of<'p>(proofs: impl Iterator<Item = &'p Proof>, verbosity: u8) -> Self {
        let mut judgement = Self { said: Vec::new(), refuted: Vec::new() };
        for proof in proofs {
            judgement.said.extend(proof.said(verbosity));
            judgement.refuted.extend(proof.is_refuted().then_some(proof.stage));
        }
        judgement
    }

    pub fn is_against(&self) -> bool {
        !self.refuted.is_empty()
    }

    /// That nothing is written.
    pub fn refusal(&self) -> Diagnostic {
        let stages: Vec<String> = self.refuted.iter().map(u32::to_string).collect();
        let (plans, mean, programs) = match self.refuted.len() {
            1 => ("the plan of stage", "does not mean", "its program means"),
            _ => ("the plans of the stages", "do not mean", "their programs mean"),
        };
        let message = format!("{plans} {} {mean} what {programs}", stages.join(", "));
        Diagnostic::error("E0667", message).help(
            "nothing is written; look at the first fault, or write it all the same with `--force`",
        )
    }
}
