//! `pirogue plan`: the programs and the job list of a stage, or of all stages, proved.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program};
use pirogue::parallel;
use pirogue::pass::{PassManager, Pipeline, Verify};
use pirogue_passes::pipeline_scheduler::PipelineScheduler;
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_plan::{Plan, SkipGcRule, write_folder, write_stages};
use pirogue_prove::watch::KeepOriginal;
use pirogue_schedule::families::{self, FAMILIES};

use crate::Outcome;
use crate::args::{self, Global, SkipGc};
use crate::failure::Failure;
use crate::input;
use crate::output::Screen;
use crate::proofs::{Judgement, Proof};
use crate::report::{account, written};
use crate::watch::{Watched, Watchers};

/// How the passes of a stage are run.
#[derive(Copy, Clone)]
struct Manager {
    verify: Verify,
    threads: NonZeroUsize,
}

/// A stage's plan.
struct Planned {
    plan: Plan,
    /// The program at the end of the pipeline.
    given: Program,
    /// Whether it means what the program meant, if that was asked.
    proof: Option<Proof>,
    /// What is to be said about it.
    remarks: Vec<Diagnostic>,
}

pub fn run(args: &args::Plan, global: &Global, screen: &Screen) -> Outcome {
    Chosen::of(&args.schedule)?;
    let stages = stages(args)?;
    [&args.before, &args.after].into_iter().try_for_each(|text| passes(text).map(drop))?;
    let watchers = Watchers::new(&args.watch, stages.len());
    let threads = global.threads();
    let own_threads = parallel::share(threads, stages.len());
    // Each stage has a context of its own, so what one interns does not depend on the others.
    let outcomes = parallel::map(threads, stages, |(path, stage)| {
        let mut watched = watchers.session(&format!("stage{stage}"));
        let manager = Manager { verify: watchers.verify(), threads: own_threads };
        let outcome = plan_stage(args, &path, stage, manager, &mut watched);
        (watched, outcome)
    });
    let (watched, outcomes): (Vec<Watched>, Vec<_>) = outcomes.into_iter().unzip();
    let seen = watchers.report(screen, &watched.iter().collect::<Vec<_>>());
    let (planned, mut found) = gather(outcomes)?;
    seen?;
    let proofs = planned.iter().filter_map(|stage| stage.proof.as_ref());
    let judgement = Judgement::of(proofs, screen.verbosity);
    found.extend_from_slice(&judgement.said);
    if judgement.is_against() && !args.force {
        found.push(judgement.refusal());
        return Err(found.into());
    }
    let mut text = planned.iter().map(|stage| shown(stage, screen)).collect::<Vec<_>>().join("\n");
    let (plans, given): (Vec<Plan>, Vec<Program>) =
        planned.into_iter().map(|stage| (stage.plan, stage.given)).unzip();
    if let Some(folder) = &args.output {
        if let Err(error) = write(&plans, folder) {
            found.push(error);
            return Err(found.into());
        }
        text += &written(&plans, folder);
    }
    screen.say(&text)?;
    // The process ends: nothing is gained by freeing programs op by op.
    std::mem::forget((plans, given));
    if judgement.is_against() { Err(found.into()) } else { Ok(found) }
}

/// What is said of a stage's plan.
fn shown(stage: &Planned, screen: &Screen) -> String {
    let account = account(&stage.plan, &stage.given, screen.verbosity);
    match &stage.proof {
        Some(proof) => format!("{account}\n{}", proof.line()),
        None => account,
    }
}

/// Which schedule plans follow.
enum Chosen {
    /// Paddle's interleaved 1F1B, which has a pass of its own.
    Vpp,
    /// A family, by its name.
    Family(&'static str),
    /// The lists of a file.
    File(String),
}

impl Chosen {
    /// A family goes by its name, in any case where only one is meant; anything else that is there is a file.
    fn of(name: &str) -> Result<Self, Failure> {
        let mut alike = FAMILIES.iter().filter(|family| family.name.eq_ignore_ascii_case(name));
        let found = match (families::find(name), alike.next(), alike.next()) {
            (Ok(family), ..) => Ok(family),
            (Err(_), Some(family), None) => Ok(family),
            (Err(refusal), ..) => Err(refusal),
        };
        match found {
            Ok(family) if family.name == "VPP" => Ok(Self::Vpp),
            Ok(family) => Ok(Self::Family(family.name)),
            Err(_) if Path::new(name).is_file() => Ok(Self::File(name.to_owned())),
            Err(refusal) => {
                let message = format!("there is no schedule `{name}`, nor a file of that name");
                let error = Diagnostic::error("E0653", message).help(refusal.help());
                Err(Failure::CommandLine(vec![error]))
            }
        }
    }
}

/// The inputs with their stages.
fn stages(args: &args::Plan) -> Result<Vec<(PathBuf, u32)>, Failure> {
    let wrong = |message: &str, help: &str| {
        let error = Diagnostic::error("E0652", message).help(help);
        Err(Failure::CommandLine(vec![error]))
    };
    input::check_stdin(&args.inputs)?;
    match (args.inputs.as_slice(), args.stage) {
        ([input], Some(stage)) => Ok(vec![(input.clone(), stage)]),
        ([_], None) => wrong(
            "one input is the program of one stage, and `--stage` does not say of which",
            "add `--stage 0`, or name the programs of all stages",
        ),
        (_, Some(_)) => wrong(
            "`--stage` goes with one input; several are the programs of stages 0, 1, ...",
            "leave `--stage` out, or name one input",
        ),
        (inputs, None) if inputs.len() > args.stages as usize => wrong(
            &format!("{} inputs are more than `--stages {}`", inputs.len(), args.stages),
            "name at most one input for each stage, from stage 0 on",
        ),
        (inputs, None) => Ok(inputs.iter().cloned().zip(0..).collect()),
    }
}

/// The passes of a pipeline that may be given.
fn passes(text: &Option<String>) -> Result<Pipeline, Failure> {
    let text = text.as_deref().unwrap_or_default();
    Pipeline::parse(&super::registry(), text).map_err(Failure::CommandLine)
}

fn pipeline(args: &args::Plan, stage: u32) -> Result<Pipeline, Failure> {
    let before = passes(&args.before)?;
    let pipeline = match Chosen::of(&args.schedule)? {
        Chosen::Vpp => before.then(vpp(args, stage)),
        Chosen::Family(name) => {
            before.then(PipelineScheduler { schedule: name.to_owned(), ..any(args, stage) })
        }
        Chosen::File(path) => {
            before.then(PipelineScheduler { schedule_file: path, ..any(args, stage) })
        }
    };
    Ok(pipeline.then_all(passes(&args.after)?))
}

fn plan_stage(
    args: &args::Plan,
    path: &Path,
    stage: u32,
    manager: Manager,
    watched: &mut Watched,
) -> Result<Planned, Vec<Diagnostic>> {
    let bytes = input::load(path).map_err(|error| vec![error])?;
    let read = input::parse(&Context::new(), path, &bytes)?;
    drop(bytes);
    let mut program = read.program;
    let mut remarks = read.warnings;
    let pipeline = pipeline(args, stage).map_err(|failure| failure.diagnostics().to_vec())?;
    let session = &mut watched.session;
    if !args.no_prove {
        session.observe(KeepOriginal::default());
    }
    let passes = PassManager::new(pipeline).verify(manager.verify).threads(manager.threads.get());
    let outcome = passes.run(&mut program, session);
    remarks.extend(session.take_diagnostics());
    if let Err(failure) = outcome {
        remarks.extend(failure.diagnostics().iter().cloned());
        return Err(remarks);
    }
    let broken = watched.broken_meaning();
    if !broken.is_empty() {
        remarks.extend(broken);
        return Err(remarks);
    }
    let session = &mut watched.session;
    let is_fresh = session.context("pirogue plan").get::<Plan>().map(drop);
    is_fresh.map_err(|error| error.into_diagnostics())?;
    let plan = session.take::<Plan>().expect("it is there, and fresh");
    let proof = session.observer::<KeepOriginal>().and_then(|kept| Proof::of(kept, &plan));
    Ok(Planned { plan, given: program, proof, remarks })
}

fn vpp(args: &args::Plan, stage: u32) -> PipelineSchedulerVpp {
    PipelineSchedulerVpp {
        pp_degree: args.stages,
        pp_stage: stage,
        vpp_degree: args.chunks,
        num_micro_batches: args.micro_batches,
        split_backward: args.split_backward,
        place: args.place.clone(),
        skip_gc: skip_gc(args),
        ..PipelineSchedulerVpp::default()
    }
}

/// The pass for any schedule, without the schedule.
fn any(args: &args::Plan, stage: u32) -> PipelineScheduler {
    PipelineScheduler {
        pp_degree: args.stages,
        pp_stage: stage,
        vpp_degree: args.chunks,
        num_micro_batches: args.micro_batches,
        split_backward: args.split_backward,
        place: args.place.clone(),
        skip_gc: skip_gc(args),
        ..PipelineScheduler::default()
    }
}

fn skip_gc(args: &args::Plan) -> SkipGcRule {
    match args.skip_gc {
        SkipGc::Paddle => SkipGcRule::Paddle,
        SkipGc::Exact => SkipGcRule::Exact,
    }
}

/// The plans of all stages with what is to be said of them, or all that is wrong.
fn gather(
    outcomes: Vec<Result<Planned, Vec<Diagnostic>>>,
) -> Result<(Vec<Planned>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut planned = Vec::new();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut has_failed = false;
    for outcome in outcomes {
        let remarks = match outcome {
            Ok(mut stage) => {
                let remarks = std::mem::take(&mut stage.remarks);
                planned.push(stage);
                remarks
            }
            Err(errors) => {
                has_failed = true;
                errors
            }
        };
        // What is said of the schedule is said by every stage alike: once is enough.
        for remark in remarks {
            if !found.contains(&remark) {
                found.push(remark);
            }
        }
    }
    if has_failed { Err(found) } else { Ok((planned, found)) }
}

fn write(plans: &[Plan], folder: &Path) -> Result<(), Diagnostic> {
    let written = match plans {
        [plan] => write_folder(plan, folder),
        plans => write_stages(plans, folder),
    };
    written.map_err(Diagnostic::from)
}
