//! Every schedule that PyTorch and Megatron-LM make passes through their own formats, and through ours.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/recorded.rs"]
mod recorded;

use pirogue_schedule::format::{self, Format};
use pirogue_schedule::{Counts, Job, Placement, Schedule};
use recorded::{jobs, lists_and_rows};

const TORCH: &str = include_str!("data/torch_schedules.txt");
const MEGATRON: &str = include_str!("data/megatron_orders.txt");

/// The schedule of these lists, with its fused pairs; `place` makes the placement.
fn schedule(
    lists: &[&str],
    of_stages: &[&str],
    counts: [&str; 3],
    place: fn(Counts) -> Placement,
) -> Schedule {
    let [stages, chunks, micro_batches] = counts.map(|count| count.parse::<u64>().unwrap());
    let of_stages = of_stages.iter().map(|id| jobs(lists[id.parse::<usize>().unwrap()]));
    let recorded: Vec<_> = of_stages.collect();
    let all = recorded.iter().flatten().enumerate();
    let pairs = all.filter(|(_, (_, is_fused))| *is_fused).map(|(index, _)| index).collect();
    let lists: Vec<Vec<Job>> =
        recorded.iter().map(|list| list.iter().map(|&(job, _)| job).collect()).collect();
    let placement = place(Counts::new(stages, chunks, micro_batches).unwrap());
    Schedule::with_placement(&lists, placement).unwrap().with_fused_pairs(pairs).unwrap()
}

fn check_format(schedule: &Schedule, format: Format) {
    let written = format::write(schedule, format).unwrap();
    assert_eq!(written.lost, [], "{format}");
    let reading = format::read(written.text.as_bytes(), None).unwrap();
    assert_eq!(reading.format, format);
    assert_eq!(reading.lost, [], "{format}");
    assert!(reading.schedule == *schedule, "{format}:\n{}", written.text);
}

#[test]
fn every_schedule_of_torch_comes_back_from_csv_and_from_json() {
    let (lists, rows) = lists_and_rows(TORCH);
    for row in &rows {
        let place = if row[4] == "looped" { Placement::looped } else { Placement::v };
        let schedule = schedule(&lists, &row[5..], [row[1], row[2], row[3]], place);
        check_format(&schedule, Format::Csv);
        check_format(&schedule, Format::Json);
    }
    assert_eq!(rows.len(), 818);
}

#[test]
fn those_of_torch_with_one_chunk_or_a_v_and_without_pairs_come_back_from_zero_bubble() {
    let (lists, rows) = lists_and_rows(TORCH);
    let mut printed = 0;
    for row in &rows {
        if matches!(row[0], "GPipe" | "1F1B" | "ZBVZeroBubble") {
            let schedule = schedule(&lists, &row[5..], [row[1], row[2], row[3]], Placement::v);
            check_format(&schedule, Format::ZeroBubble);
            printed += 1;
        }
    }
    // 71 of GPipe, 61 of 1F1B, 71 of ZBV.
    assert_eq!(printed, 203);
}

#[test]
fn every_order_of_megatron_comes_back_from_its_own_format_and_from_csv() {
    let (lists, rows) = lists_and_rows(MEGATRON);
    for row in &rows {
        let schedule = schedule(&lists, &row[6..], [row[0], row[1], row[2]], Placement::looped);
        check_format(&schedule, Format::Megatron);
        check_format(&schedule, Format::Csv);
        check_format(&schedule, Format::Paddle);
    }
    assert_eq!(rows.len(), 481);
}
