//! `VPP`, the interleaved 1F1B schedule of virtual pipeline stages: the plan of one stage.
//!
//! 1. The schedule is asked first: where all stages together cannot run it, nothing is planned.
//! 2. With a split backward every `pd_op.matmul_grad` is split ([`split_matmul_grad`]).
//! 3. Sends and receives go on streams of their own ([`overlap_send_recv`]).
//! 4. The program is cut ([`split`]); chunks that ops do not say are inferred, and not written.
//! 5. Programs and job list make the [`Plan`], which is left as an artifact.
//!
//! As in Paddle, 2 and 3 stay in the program; whoever runs the pass takes them back if it fails.
//!
//! [`split_matmul_grad`]: crate::split_matmul_grad
//! [`overlap_send_recv`]: crate::overlap_send_recv
//! [`split`]: crate::split

use std::num::NonZeroUsize;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Rewriter;
use pirogue::pass::{Pass, PassContext, PassError, RegisteredPass, Rules, Statistic};
use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
use pirogue_schedule::{BackwardMode, ScheduleError, Vpp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stage_jobs::{
    How, STATISTICS, StageJobs, checked_place, leave, rules, schedule_fault, schedule_remark,
};

/// Cuts a stage's program into the programs of its jobs and makes their list, by the VPP schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = first_of_two_stages())]
pub struct PipelineSchedulerVpp {
    /// Pipeline stages (p).
    pub pp_degree: u32,
    /// The stage this program is of, from 0.
    pub pp_stage: u32,
    /// Model chunks on each stage (v).
    pub vpp_degree: u32,
    /// Micro-batches (m).
    pub num_micro_batches: u32,
    /// Split the backward into gradients of inputs and of weights; counts only where m = p.
    #[serde(default)]
    pub split_backward: bool,
    /// Not supported for this schedule; accepted to be refused with a reason.
    #[serde(default)]
    pub enable_send_recv_overlap: bool,
    /// The device of values that cross programs: `cpu`, `"gpu:0"`.
    #[serde(default = "cpu")]
    pub place: String,
    /// Which values a job keeps for later jobs.
    #[serde(default)]
    pub skip_gc: SkipGcRule,
    /// Leave out the product for an input gradient that nobody wants, which Paddle computes.
    #[serde(default)]
    pub drop_dead_products: bool,
}

pub(crate) fn cpu() -> String {
    "cpu".to_owned()
}

fn first_of_two_stages() -> PipelineSchedulerVpp {
    PipelineSchedulerVpp {
        pp_degree: 2,
        vpp_degree: 2,
        num_micro_batches: 4,
        ..PipelineSchedulerVpp::default()
    }
}

impl Default for PipelineSchedulerVpp {
    /// A stage alone, with one chunk and one micro-batch.
    fn default() -> Self {
        Self {
            pp_degree: 1,
            pp_stage: 0,
            vpp_degree: 1,
            num_micro_batches: 1,
            split_backward: false,
            enable_send_recv_overlap: false,
            place: cpu(),
            skip_gc: SkipGcRule::Paddle,
            drop_dead_products: false,
        }
    }
}

impl RegisteredPass for PipelineSchedulerVpp {
    const NAME: &'static str = "pipeline_scheduler_VPP";
}

impl Pass for PipelineSchedulerVpp {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        leave(self.plan(rewriter, cx.threads()), cx)
    }

    fn rules(&self) -> Rules {
        rules()
    }

    fn statistics(&self) -> &'static [Statistic] {
        STATISTICS
    }
}

impl PipelineSchedulerVpp {
    /// The plan of the program's stage, and what is to be said about it; made on up to `threads`
    /// threads.
    ///
    /// # Errors
    /// All faults of the step that found any. The program may have been changed by then.
    pub fn plan(
        &self,
        rewriter: &mut Rewriter<'_>,
        threads: NonZeroUsize,
    ) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
        if self.enable_send_recv_overlap {
            let message = "`enable_send_recv_overlap` is not supported by the VPP schedule";
            let help = "leave it out: sends and receives already run on streams of their own";
            return Err(vec![Diagnostic::error("E0210", message).help(help)]);
        }
        let place = checked_place(&self.place)?;
        let (vpp, remarks) = self.checked_schedule()?;
        let jobs =
            vpp.jobs(self.plan_options().stage()).map_err(|error| vec![schedule_fault(&error)])?;
        let stage = StageJobs {
            options: self.plan_options(),
            job_types: vpp.job_types(),
            backward: vpp.effective_backward(),
            jobs,
            remarks,
        };
        let how = How {
            place,
            threads,
            skip_gc: self.skip_gc,
            drop_dead_products: self.drop_dead_products,
        };
        stage.plan(rewriter, how)
    }

    fn plan_options(&self) -> PlanOptions {
        PlanOptions {
            schedule: "VPP".to_owned(),
            pp_degree: self.pp_degree,
            pp_stage: self.pp_stage,
            vpp_degree: self.vpp_degree,
            num_micro_batches: self.num_micro_batches,
            split_backward: self.split_backward,
        }
    }

    /// The schedule, if all stages together can run it.
    fn checked_schedule(&self) -> Result<(Vpp, Vec<Diagnostic>), Vec<Diagnostic>> {
        let backward = if self.split_backward { BackwardMode::Split } else { BackwardMode::Whole };
        let fault = |error: ScheduleError| vec![schedule_fault(&error)];
        self.plan_options().counts().map_err(fault)?;
        let counts = [self.pp_degree, self.vpp_degree, self.num_micro_batches].map(u64::from);
        let vpp = Vpp::new(counts[0], counts[1], counts[2], backward).map_err(fault)?;
        let remarks = vpp.verdict().map_err(fault)?;
        Ok((vpp, remarks.iter().map(schedule_remark).collect()))
    }
}
