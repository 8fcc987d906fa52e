//! From the job list of a stage to its plan: what all schedulers share.
//!
//! 1. With a split backward every `pd_op.matmul_grad` is split ([`split_matmul_grad`]).
//! 2. Sends and receives go on streams of their own ([`overlap_send_recv`](crate::overlap_send_recv)).
//! 3. The program is cut ([`split`]); chunks that ops do not say are inferred, and not written.
//! 4. Programs and job list make the [`Plan`].
//!
//! [`split_matmul_grad`]: crate::split_matmul_grad
//! [`split`]: crate::split

use std::num::NonZeroUsize;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Op, Place, Program, Rewriter, names};
use pirogue::pass::{PassContext, PassError, Rules, Statistic};
use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
use pirogue_schedule::{BackwardMode, Job, JobType, Remark, ScheduleError, Severity};

use crate::infer_chunk_ids::infer;
use crate::overlap_send_recv::overlap_send_recv;
use crate::phase::phases;
use crate::split::{SplitOptions, split};
use crate::split_matmul_grad::{SplitMatmulGrad, SplitReport, split_matmul_grads};

const PROGRAMS: &str = "programs";
const JOBS: &str = "jobs";

/// What every scheduler counts.
pub(crate) const STATISTICS: &[Statistic] = &[
    Statistic { name: PROGRAMS, description: "programs of the plan" },
    Statistic { name: JOBS, description: "jobs of a step" },
];

/// A plan with what is to be said about it, or all that is wrong.
pub(crate) type Planned = Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Leaves a plan for the passes behind.
pub(crate) fn leave(planned: Planned, cx: &mut PassContext<'_>) -> Result<(), PassError> {
    let (plan, remarks) = planned?;
    remarks.into_iter().for_each(|remark| cx.report(remark));
    cx.count(PROGRAMS, plan.programs().len() as u64);
    cx.count(JOBS, plan.jobs().len() as u64);
    cx.put_programs(plan);
    Ok(())
}

/// What every scheduler asks of a pipeline.
pub(crate) fn rules() -> Rules {
    Rules::new().at_most_once("a second plan would take the place of the first")
}

/// The jobs of a stage, ready to be planned.
pub(crate) struct StageJobs {
    pub(crate) options: PlanOptions,
    /// In the order in which values may go from one to a later one.
    pub(crate) job_types: Vec<JobType>,
    pub(crate) backward: BackwardMode,
    pub(crate) jobs: Vec<Job>,
    /// What is to be said of the schedule.
    pub(crate) remarks: Vec<Diagnostic>,
}

/// How programs are made of the jobs.
pub(crate) struct How {
    pub(crate) place: Place,
    pub(crate) threads: NonZeroUsize,
    pub(crate) skip_gc: SkipGcRule,
    pub(crate) drop_dead_products: bool,
}

impl StageJobs {
    /// The plan, and what is to be said about it.
    ///
    /// # Errors
    /// All faults of the step that found any. The program may have been changed by then.
    pub(crate) fn plan(self, rewriter: &mut Rewriter<'_>, how: How) -> Planned {
        let mut remarks = self.remarks;
        let mut weight_chains: Vec<Vec<Op>> = Vec::new();
        if self.backward == BackwardMode::Split {
            let report = split_products(rewriter, how.drop_dead_products);
            weight_chains = report.weight_chains;
            remarks.extend(report.notes);
        }
        overlap_send_recv(rewriter)?;
        let options = SplitOptions {
            job_types: self.job_types,
            chunks: self.options.vpp_degree,
            backward: self.backward,
            place: how.place,
            threads: how.threads,
        };
        let split = split(rewriter.program(), &options, &weight_chains)?;
        remarks.extend(split.remarks);
        let plan = Plan::new(self.options, split.programs, self.jobs, how.skip_gc)
            .map_err(|error| vec![Diagnostic::from(error)])?;
        Ok((plan, remarks))
    }
}

/// Splits products whose ops are all given the chunk that is inferred for the whole: with no chunk,
/// little tells where a part of one belongs, and in Paddle nothing does.
fn split_products(rewriter: &mut Rewriter<'_>, drop_dead_products: bool) -> SplitReport {
    let unplaced = unplaced_matmul_grads(rewriter.program());
    for &(op, chunk, _) in &unplaced {
        rewriter.set_chunk(op, Some(chunk));
    }
    let report = split_matmul_grads(rewriter, &SplitMatmulGrad { drop_dead_products });
    for &(op, _, given) in &unplaced {
        if !rewriter.program().is_erased(op) {
            rewriter.set_chunk(op, given);
        }
    }
    report
}

/// The matmul_grads that do not say their chunk, with the one that is inferred and what they say.
/// None where nothing can be inferred: the split tells why.
fn unplaced_matmul_grads(program: &Program) -> Vec<(Op, i32, Option<i32>)> {
    let ops: Vec<Op> = program.top_ops().collect();
    let is_unplaced = |op: Op| {
        program.name(op) == names::MATMUL_GRAD && program.chunk(op).is_none_or(|chunk| chunk == -1)
    };
    if !ops.iter().any(|&op| is_unplaced(op)) {
        return Vec::new();
    }
    let chunks = phases(program, &ops).and_then(|phases| infer(program, &ops, &phases));
    let placed = ops.iter().zip(chunks.unwrap_or_default());
    let unplaced = placed.filter(|&(&op, chunk)| chunk >= 0 && is_unplaced(op));
    unplaced.map(|(&op, chunk)| (op, chunk, program.chunk(op))).collect()
}

/// The device of that name.
///
/// # Errors
/// There is none (`E0209`).
pub(crate) fn checked_place(place: &str) -> Result<Place, Vec<Diagnostic>> {
    Place::parse(place).ok_or_else(|| {
        let help = "devices are `cpu`, `gpu:0`, `xpu:1`, `gpu_pinned`";
        vec![Diagnostic::error("E0209", format!("`{place}` is no device")).help(help)]
    })
}

/// A fault of a schedule, with what waits for what as remarks.
pub(crate) fn schedule_fault(error: &ScheduleError) -> Diagnostic {
    let fault = Diagnostic::error(error.code(), error.to_string()).help(error.help());
    error.details().into_iter().fold(fault, Diagnostic::remark)
}

/// What is to be said of a sound schedule.
pub(crate) fn schedule_remark(remark: &Remark) -> Diagnostic {
    let diagnostic = match remark.severity() {
        Severity::Warning => Diagnostic::warning(remark.code(), remark.to_string()),
        Severity::Note => Diagnostic::note(remark.code(), remark.to_string()),
    };
    diagnostic.help(remark.help())
}
