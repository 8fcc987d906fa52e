//! What the manager adds to passes that are run by hand, over a million ops.
//!
//! `cargo bench -p pirogue-system-tests --bench manager` runs each pipeline by hand and managed, by
//! turns and in changing order, since other work on the machine disturbs all alike. It shows the least
//! processor time of the thread, and the median of what a round took against the same round by hand.
//! `-- PIPELINE WAY` runs one alone, for a profiler.

use std::time::Duration;

use pirogue::ir::{Context, Program, Rewriter};
use pirogue::pass::{
    ChromeTrace, Pass, PassManager, Pipeline, Registry, Session, Step, Timing, Verify, pass_fn,
};
use pirogue::text;
use pirogue_system_tests::synthetic;
use rustix::time::{ClockId, clock_gettime};

const OPS: usize = 1_000_000;
const ROUNDS: usize = 25;

/// How a pipeline is run.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Way {
    /// Pass by pass, without a manager: edits cannot be taken back.
    ByHand,
    /// By a manager, without observers and without verifying.
    Managed,
    /// As a user has it: verified at both ends and where it was touched.
    Verified,
    /// With a timing tree and a trace, and verified.
    Watched,
}

const WAYS: [(&str, Way); 4] = [
    ("by-hand", Way::ByHand),
    ("managed", Way::Managed),
    ("verified", Way::Verified),
    ("watched", Way::Watched),
];

/// Makes a pipeline: each run has its own.
type Make = fn() -> Pipeline;

/// Pipelines by what they are made of.
const PIPELINES: [(&str, Make); 3] = [
    ("shipped", shipped),
    ("reading", || (0..20).fold(Pipeline::new(), |pipeline, _| pipeline.then_boxed(reading()))),
    ("editing", || Pipeline::new().then_boxed(editing())),
];

/// Passes that people run: they read more than they edit.
fn shipped() -> Pipeline {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("the names of the passes differ");
    let text = "complete_op_roles,infer_chunk_ids,overlap_send_recv,split_matmul_grad";
    Pipeline::parse(&registry, text).unwrap_or_else(|faults| panic!("{}", faults[0]))
}

/// A pass that edits nothing: what is added to it is the manager's own.
fn reading() -> Box<dyn Pass> {
    Box::new(pass_fn("reading", |rewriter, cx| {
        let program = rewriter.program();
        let operands: usize = program.top_ops().map(|op| program.operands(op).len()).sum();
        cx.count("operands", operands as u64);
        Ok(())
    }))
}

/// The worst case for the log of edits: a pass that does nothing but make the cheapest one, once for
/// each op.
fn editing() -> Box<dyn Pass> {
    Box::new(pass_fn("editing", |rewriter, _| {
        let ops: Vec<_> = rewriter.program().top_ops().collect();
        ops.into_iter().for_each(|op| rewriter.set_chunk(op, Some(3)));
        Ok(())
    }))
}

fn run(way: Way, pipeline: Pipeline, program: &mut Program) {
    let mut session = Session::new();
    if way == Way::Watched {
        session.observe(Timing::new());
        session.observe(ChromeTrace::new());
    }
    let verify = match way {
        Way::ByHand => return by_hand(&pipeline, program, &mut session),
        Way::Managed => Verify::Off,
        Way::Verified | Way::Watched => Verify::Touched,
    };
    let manager = PassManager::new(pipeline).verify(verify).threads(1);
    manager.run(program, &mut session).expect("the passes run");
}

fn by_hand(pipeline: &Pipeline, program: &mut Program, session: &mut Session) {
    for step in pipeline.steps() {
        let Step::Pass(step) = step else { continue };
        let pass = step.pass();
        let outcome = pass.run(&mut Rewriter::new(program), &mut session.context(pass.name()));
        outcome.expect("the pass runs");
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("it counts up from zero")
}

fn measure(way: Way, pipeline: Make, given: &Program) -> Duration {
    let (pipeline, mut program) = (pipeline(), given.clone());
    let start = cpu_time();
    run(way, pipeline, &mut program);
    cpu_time() - start
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let source = synthetic::program(OPS);
    let read = text::read_program(&Context::new(), "bench.pir", source.as_bytes());
    let program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    drop(source);
    let is_asked = |at: usize, name: &str| words.get(at).is_none_or(|word| word == name);
    let ways: Vec<_> = WAYS.into_iter().filter(|(name, _)| is_asked(1, name)).collect();
    for (name, pipeline) in PIPELINES.into_iter().filter(|(name, _)| is_asked(0, name)) {
        let mut times = vec![Vec::new(); ways.len()];
        for round in 0..ROUNDS {
            for turn in 0..ways.len() {
                let at = (round + turn) % ways.len();
                times[at].push(measure(ways[at].1, pipeline, &program));
            }
        }
        report(name, &ways, times, program.op_count());
    }
}

#[allow(clippy::print_stdout, reason = "a bench prints what it measured")]
fn report(pipeline: &str, ways: &[(&str, Way)], times: Vec<Vec<Duration>>, ops: usize) {
    println!("{pipeline}, {ops} ops");
    for (&(name, _), of_way) in ways.iter().zip(&times) {
        let least = of_way.iter().min().expect("there are rounds");
        let rounds = of_way.iter().zip(&times[0]);
        let mut ratios: Vec<f64> =
            rounds.map(|(time, by_hand)| time.as_secs_f64() / by_hand.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let added = (ratios[ratios.len() / 2] - 1.0) * 100.0;
        println!("{name:>10} {:9.2} ms {added:+8.2} %", least.as_secs_f64() * 1e3);
    }
}
