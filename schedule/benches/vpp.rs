//! How long it takes to make and to check `VPP` for 64 stages of 8 chunks and 4096 micro-batches: 8.4 million
//! jobs on all stages together; and to make each family for 64 stages.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use pirogue_schedule::check::{Channels, CheckOptions, Complete, Receives, check};
use pirogue_schedule::families::{self, FAMILIES};
use pirogue_schedule::{BackwardMode, Counts, Schedule, Stage, Vpp};

fn main() {
    divan::main();
}

/// The schedule of `micro_batches` micro-batches.
fn vpp(micro_batches: u64) -> Vpp {
    Vpp::new(64, 8, micro_batches, BackwardMode::Whole).expect("the counts are sane")
}

fn jobs(schedule: &Schedule) -> ItemsCount {
    ItemsCount::new(schedule.jobs().len())
}

#[divan::bench]
fn all_stages(bencher: Bencher) {
    let vpp = vpp(4096);
    bencher.counter(jobs(&vpp.schedule())).bench(|| black_box(vpp).schedule());
}

/// Every family that takes such counts: 64 stages, as many chunks as it takes up to 2, 512 micro-batches.
#[divan::bench(args = FAMILIES.iter().map(|family| family.name), sample_count = 10)]
fn family(bencher: Bencher, name: &str) {
    let family = families::find(name).expect("the name is a family's");
    let chunks = if family.chunks.takes(2) { 2 } else { 1 };
    // `ZBVPP` takes as many micro-batches as there are stages.
    let micro_batches = if name == "ZBVPP" { 64 } else { 512 };
    let counts = Counts::new(64, chunks, micro_batches).expect("the counts are sane");
    let request = families::Request::new(counts);
    let schedule = family.generate(&request).expect("the family takes the counts");
    bencher.counter(jobs(&schedule)).bench(|| family.generate(black_box(&request)));
}

#[divan::bench]
fn one_stage(bencher: Bencher) {
    let vpp = vpp(4096);
    bencher.bench(|| black_box(vpp).jobs(black_box(Stage(0))));
}

#[divan::bench]
fn completeness(bencher: Bencher) {
    let schedule = vpp(4096).schedule();
    bencher.counter(jobs(&schedule)).bench(|| Complete::of(black_box(&schedule)).is_ok());
}

#[divan::bench(args = [Receives::NonBlocking, Receives::OwnStream, Receives::Blocking])]
fn deadlock(bencher: Bencher, receives: Receives) {
    let schedule = vpp(4096).schedule();
    let complete = Complete::of(&schedule).expect("the lists are complete");
    bencher.counter(jobs(&schedule)).bench(|| black_box(complete).deadlock(receives).is_none());
}

#[divan::bench]
fn channels(bencher: Bencher) {
    let schedule = vpp(4096).schedule();
    let complete = Complete::of(&schedule).expect("the lists are complete");
    bencher
        .counter(jobs(&schedule))
        .bench(|| black_box(complete).channel_mismatches(Channels::PerPair));
}

/// The dearest answer: the lists deadlock in their last group, and of all numbers of micro-batches near by
/// the nearest ones that run are to be found.
#[divan::bench(sample_count = 10)]
fn refusal(bencher: Bencher) {
    let vpp = vpp(4096 + 30);
    bencher.bench(|| black_box(vpp).verdict().is_err());
}

/// All that is asked of a schedule: complete, four ways to run it, two of sharing channels, memory.
#[divan::bench(sample_count = 5)]
fn whole_check(bencher: Bencher) {
    let schedule = vpp(4096).schedule();
    let options = CheckOptions::default();
    bencher.counter(jobs(&schedule)).bench(|| check(black_box(&schedule), &options).is_sound());
}
