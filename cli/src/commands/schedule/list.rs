//! The families of schedules, for a person.

use std::fmt::Write as _;

use pirogue_schedule::families::{FAMILIES, Family, FamilyOption};

use crate::commands::schedule::generate;
use crate::failure::Failure;

const LEGEND: &str = "\
p stages, r the stage, v chunks on each, m micro-batches, g of them in a group; tF, tB, tI, tW the time of a
forward, a backward, and its halves for inputs and for weights, of one chunk. Bubble: how long a stage idles;
memory: activations held on a stage, each of one chunk and micro-batch.
";

/// All families, or the one of this name.
pub fn families(name: Option<&str>) -> Result<String, Failure> {
    let shown = match name {
        Some(name) => std::slice::from_ref(generate::find(name)?),
        None => FAMILIES,
    };
    let width = shown.iter().map(|family| family.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for family in shown {
        describe(&mut out, family, width);
    }
    out.push('\n');
    out += LEGEND;
    Ok(out)
}

fn describe(out: &mut String, family: &Family, width: usize) {
    let _ = writeln!(out, "{:width$}  {}", family.name, family.summary);
    let takes = format!("{}; {}", family.chunks, family.conditions);
    let options: Vec<&str> = family.options.iter().map(|&option| flag(option)).collect();
    let rows = [
        ("bubble", family.bubble),
        ("memory", family.memory),
        ("takes", &takes),
        ("options", &options.join(", ")),
    ];
    for (title, text) in rows.into_iter().filter(|(_, text)| !text.is_empty()) {
        let _ = writeln!(out, "{:width$}    {title:7}  {text}", "");
    }
}

/// How an option is typed.
fn flag(option: FamilyOption) -> &'static str {
    match option {
        FamilyOption::SplitBackward => "--split-backward",
        FamilyOption::Form => "--form",
        FamilyOption::ShardingReduce => "--overlap-sharding-reduce",
        FamilyOption::Group => "--group",
        FamilyOption::LiveLimit => "--live-limit",
    }
}
