//! Runs the search of `auto` over a grid of counts, costs and memory limits, and prints a Markdown table: for each
//! point the best listed family, what the search found, and by how much it is faster.
//!
//!     cargo run --release -p pirogue-schedule --example auto_grid > docs/auto.md

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the table is its result, the time is said beside it"
)]

use std::time::{Duration, Instant};

use pirogue_schedule::auto::{Answer, AutoError, Question, auto};
use pirogue_schedule::simulate::{ChunkCosts, Costs, Link};
use pirogue_schedule::{Chunk, Counts, Stage};

fn main() {
    println!("# What the search finds\n");
    println!(
        "`auto` against the best family of the list, over a grid of counts, costs and memory limits. Printed by\n\
         `cargo run --release -p pirogue-schedule --example auto_grid`. Costs: `equal` F = I = W = 1; `long W`\n\
         2, 2, 3; `long B` 10, 12, 6; `uneven` has one slow stage in the middle and a slow last one; `+comm` adds a\n\
         latency of a fifth of a forward and as much occupancy. Limits are in activations of a chunk.\n"
    );
    println!(
        "| p | v | m | costs | limit | best family | its makespan | found | makespan | faster |"
    );
    println!("|--:|--:|--:|---|--:|---|--:|---|--:|--:|");
    let (mut points, mut better, mut slowest) = (0, 0, Duration::ZERO);
    for question in grid() {
        let start = Instant::now();
        let answer = auto(&question.question);
        slowest = slowest.max(start.elapsed());
        points += 1;
        better += u32::from(row(&question, answer.as_ref()));
    }
    println!("\n{points} points; strictly better at {better}.");
    eprintln!("slowest point: {slowest:?}");
}

struct Point {
    costs: &'static str,
    limit: Option<u64>,
    question: Question,
}

fn grid() -> Vec<Point> {
    let mut points = Vec::new();
    for (p, v) in [(2, 1), (2, 2), (3, 1), (4, 1), (4, 2), (6, 1), (8, 1), (8, 2)] {
        let mut counts = vec![p / 2 + 1, p, 2 * p, 3 * p + 1];
        counts.dedup();
        for m in counts {
            for costs in ["equal", "long W", "long B", "uneven", "uneven+comm"] {
                for limit in [None, Some(p * v), Some(p * v + p / 2)] {
                    let counts = Counts::new(p, v, m).expect("small counts");
                    let question = Question {
                        counts,
                        costs: costs_of(costs, counts),
                        limit: limit.map(|limit| vec![limit; p as usize]),
                    };
                    points.push(Point { costs, limit, question });
                }
            }
        }
    }
    points
}

fn costs_of(name: &str, counts: Counts) -> Costs {
    let chunk = |forward, backward_input, backward_weight| ChunkCosts {
        forward,
        backward_input,
        backward_weight,
        ..ChunkCosts::default()
    };
    let mut costs = Costs {
        chunk: match name {
            "equal" => chunk(1, 1, 1),
            "long W" => chunk(2, 2, 3),
            _ => chunk(10, 12, 6),
        },
        ..Costs::default()
    };
    if name.starts_with("uneven") {
        let last = counts.stages() - 1;
        for (stage, by) in [(counts.stages() / 2, 3), (last, 2)] {
            for number in 0..counts.chunks() {
                let slow = chunk(10 + 2 * by, 12 + 3 * by, 6 + by);
                costs.exceptions.push((Stage(stage), Chunk(number as u16), slow));
            }
        }
    }
    if name.ends_with("+comm") {
        costs.link = Link { occupancy: 2, latency: 2 };
    }
    costs
}

/// Prints the row of a point; whether the search is strictly better than every family.
fn row(point: &Point, answer: Result<&Answer, &AutoError>) -> bool {
    let counts = point.question.counts;
    let limit = point.limit.map_or("none".to_owned(), |limit| limit.to_string());
    let (p, v, m) = (counts.stages(), counts.chunks(), counts.micro_batches());
    print!("| {p} | {v} | {m} | {} | {limit} |", point.costs);
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            println!(" {error} | | | | |");
            return false;
        }
    };
    let best = answer.best();
    let listed = answer.ranking().iter().find(|one| one.is_listed && one.fits);
    let Some(listed) = listed else {
        println!(" none fits | | {} | {} | |", best.name, best.makespan);
        return true;
    };
    assert!(best.makespan <= listed.makespan, "the best of all is the best of some");
    let gain = 100.0 * (listed.makespan - best.makespan) as f64 / listed.makespan as f64;
    println!(
        " {} | {} | {} | {} | {gain:.1} % |",
        listed.name, listed.makespan, best.name, best.makespan
    );
    best.makespan < listed.makespan
}
