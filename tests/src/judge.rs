//! The recorded plans of Paddle, and the proofs of plans.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program, Rewriter};
use pirogue::text;
use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
use pirogue_prove::{MicroBatches, Options, Verdict, prove};

use crate::corpus::{Case, Text, cases};

/// A program and a plan of it.
#[derive(Clone)]
pub struct Pair {
    /// The program that was cut.
    pub original: Program,
    /// The plan.
    pub plan: Plan,
}

impl Pair {
    /// Runs both, micro-batches as one.
    pub fn verdict(&self) -> Verdict {
        prove(&self.original, &self.plan, &Options::default())
    }

    /// Runs both, each micro-batch by itself.
    pub fn verdict_apart(&self) -> Verdict {
        let options = Options::default().micro_batches(MicroBatches::Apart);
        prove(&self.original, &self.plan, &options)
    }
}

/// All diagnostics of a verdict as a text.
pub fn told(verdict: &Verdict) -> String {
    let all = verdict.faults.iter().chain(&verdict.notes);
    all.map(|diagnostic| format!("{diagnostic}\n")).collect()
}

/// The codes of the faults of a verdict, each once, in their order.
pub fn codes(verdict: &Verdict) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let codes = verdict.faults.iter().map(|fault| fault.code.to_string());
    codes.filter(|code| seen.insert(code.clone())).collect()
}

impl Case {
    /// The options of the run, as those of a plan.
    pub fn plan_options(&self) -> PlanOptions {
        PlanOptions {
            schedule: "VPP".to_owned(),
            pp_degree: self.config.pp_degree,
            pp_stage: self.config.pp_stage,
            vpp_degree: self.config.vpp_degree,
            num_micro_batches: self.config.num_micro_batches,
            split_backward: self.config.split_backward,
        }
    }

    /// The program that was given to the pass.
    pub fn original(&self, context: &Arc<Context>) -> Program {
        read(context, "input.pir", &self.input)
    }

    /// The plan that Paddle made, if it made a whole one that was recorded.
    pub fn recorded(&self) -> Option<Pair> {
        let (programs, jobs) = (self.programs.as_ref()?, self.jobs.as_ref()?);
        let context = Context::new();
        let original = self.original(&context);
        let programs = programs.iter().map(|(job_type, program)| {
            let job_type = job_type.parse().expect("Paddle's job types are known");
            (job_type, read(&context, &format!("{job_type}.pir"), program))
        });
        let jobs = jobs.split(' ').map(|job| job.parse().expect("a job")).collect();
        let plan = Plan::new(self.plan_options(), programs, jobs, SkipGcRule::Paddle);
        let kept = |job: usize| {
            let names = &self.skip_gc_sets[self.skip_gc_index[job]];
            names.iter().map(|name| context.name(name)).collect()
        };
        let plan = plan.expect("Paddle's plans are plans").with_skip_gc_vars(kept);
        Some(Pair { original, plan })
    }

    /// The plan that we make.
    ///
    /// # Errors
    /// Why there is none.
    pub fn ours(&self) -> Result<Pair, Vec<Diagnostic>> {
        let context = Context::new();
        let original = self.original(&context);
        let mut program = original.clone();
        let made = self.scheduler().plan(&mut Rewriter::new(&mut program), NonZeroUsize::MIN)?;
        Ok(Pair { original, plan: made.0 })
    }
}

fn read(context: &Arc<Context>, file: &str, text: &Text) -> Program {
    let text = text.get().expect("the text is recorded");
    let read = text::read_program(context, file, text.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

/// All whole plans of Paddle that are recorded, with the names of their cases.
pub fn recorded() -> Vec<(String, Pair)> {
    let recorded = cases().into_iter();
    recorded.filter_map(|case| Some((case.case.clone(), case.recorded()?))).collect()
}
