//! Times the cut of a stage's program in memory: what `paddle_partition.py` calls `partition`.
//!
//! `cut INPUT CHUNKS [--split-backward]`: stage 0 of 2 with two micro-batches. Each repeat cuts a fresh
//! copy. Prints `part partition cpu <seconds> wall <seconds> peak 0`, medians of the repeats; the
//! peak is not measured.
#![allow(clippy::print_stdout, reason = "the figures are its result")]

use std::time::{Duration, Instant};

use pirogue::ir::{Context, Place, Program, Rewriter};
use pirogue::parallel::default_threads;
use pirogue::text;
use pirogue_passes::overlap_send_recv::overlap_send_recv;
use pirogue_passes::split::{SplitOptions, split};
use pirogue_passes::split_matmul_grad::{SplitMatmulGrad, split_matmul_grads};
use pirogue_schedule::{BackwardMode, Vpp};
use rustix::time::{ClockId, clock_gettime};

const REPEATS: usize = 21;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, chunks, rest @ ..] = arguments.as_slice() else {
        panic!("cut INPUT CHUNKS [--split-backward]");
    };
    let backward = match rest {
        [] => BackwardMode::Whole,
        _ => BackwardMode::Split,
    };
    let chunks: u32 = chunks.parse().expect("a count of chunks");
    let source = std::fs::read(input).expect("the input can be read");
    let read = text::read_program(&Context::new(), input, &source);
    let program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let times = (0..REPEATS).map(|_| cut(program.clone(), chunks, backward));
    let (cpu, wall): (Vec<Duration>, Vec<Duration>) = times.unzip();
    let [cpu, wall] = [cpu, wall].map(|times| median(times).as_secs_f64());
    println!("part partition cpu {cpu:.6} wall {wall:.6} peak 0");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The processor time and the time it takes.
fn cut(mut program: Program, chunks: u32, backward: BackwardMode) -> (Duration, Duration) {
    let vpp = Vpp::new(2, chunks.into(), 2, backward).expect("two stages can run it");
    let options = SplitOptions {
        job_types: vpp.job_types(),
        chunks,
        backward,
        place: Place::cpu(),
        threads: default_threads(),
    };
    let (cpu, wall) = (processor_time(), Instant::now());
    let mut rewriter = Rewriter::new(&mut program);
    let mut weight_chains = Vec::new();
    if backward == BackwardMode::Split {
        let report = split_matmul_grads(&mut rewriter, &SplitMatmulGrad::default());
        weight_chains = report.weight_chains;
    }
    overlap_send_recv(&mut rewriter).expect("every send has a ring");
    let programs = split(&program, &options, &weight_chains).expect("it can be cut");
    let times = (processor_time() - cpu, wall.elapsed());
    drop(programs);
    times
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
