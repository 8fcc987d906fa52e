//! Times the making of VPP's job lists: what `paddle_jobs.py` times for one stage of Paddle.
//!
//! `jobs STAGES CHUNKS MICRO_BATCHES` prints `jobs <count> cpu <seconds>` for stage 0, then for all stages, medians of seven.
#![allow(clippy::print_stdout, reason = "the figures are its result")]

use std::time::Instant;

use pirogue_schedule::{BackwardMode, Stage, Vpp};

const REPEATS: usize = 7;

fn main() {
    let counts: Vec<u64> =
        std::env::args().skip(1).filter_map(|count| count.parse().ok()).collect();
    let [stages, chunks, micro_batches] = counts.as_slice() else {
        panic!("jobs STAGES CHUNKS MICRO_BATCHES");
    };
    let vpp =
        Vpp::new(*stages, *chunks, *micro_batches, BackwardMode::Whole).expect("Paddle takes it");
    report(|| vpp.jobs(Stage(0)).expect("there is a stage 0").len());
    report(|| vpp.schedule().jobs().len());
}

fn report(make: impl Fn() -> usize) {
    let mut count = 0;
    let mut seconds: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            count = make();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_unstable_by(f64::total_cmp);
    println!("jobs {count} cpu {:.6}", seconds[REPEATS / 2]);
}
