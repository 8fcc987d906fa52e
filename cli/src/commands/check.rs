//! `pirogue check`: can all stages run a schedule together?

mod source;

use std::fmt::Write as _;

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::check::{Blocking, Channels, CheckOptions, Facts, Fault, Verdict, check};
use serde_json::json;

use crate::Outcome;
use crate::args::{ChannelsPer, Check, CheckForm, ReceiveRule};
use crate::failure::Failure;
use crate::input;
use crate::output::Screen;
use crate::schedules;
use source::Source;

pub fn run(args: &Check, screen: &Screen) -> Outcome {
    input::check_stdin(&args.inputs)?;
    let source = source::read(&args.inputs)?;
    let options = options(args);
    let verdict = check(&source.schedule, &options);
    let text = match args.emit {
        CheckForm::Text => text(&source, &verdict, &options, screen.verbosity),
        CheckForm::Json => as_json(&verdict),
    };
    screen.say(&text)?;
    let mut found = source.warnings.clone();
    found.extend(verdict.faults.iter().map(|fault| diagnostic(&source, fault)));
    if verdict.is_sound() { Ok(found) } else { Err(Failure::Input(found)) }
}

fn options(args: &Check) -> CheckOptions {
    use pirogue_schedule::check::Receives;
    CheckOptions {
        sends: args.sends,
        receives: match args.receives {
            ReceiveRule::Nonblocking => Receives::NonBlocking,
            ReceiveRule::Stream => Receives::OwnStream,
            ReceiveRule::Blocking => Receives::Blocking,
        },
        channels: match args.channels {
            ChannelsPer::Pair => Channels::PerPair,
            ChannelsPer::Direction => Channels::PerDirection,
        },
        memory_limit: args.memory_limit,
    }
}

fn diagnostic(source: &Source, fault: &Fault) -> Diagnostic {
    let found = schedules::fault(fault);
    match fault.place().and_then(|(stage, job)| source.place(stage, job)) {
        Some(place) => found.at(place),
        None => found,
    }
}

/// What holds of the schedule, a line each, and what it was asked.
fn text(source: &Source, verdict: &Verdict, options: &CheckOptions, verbosity: u8) -> String {
    let schedule = &source.schedule;
    let mut out = format!(
        "{}, {}: {} jobs\n\n",
        schedule.counts(),
        schedule.placement().shape(),
        schedule.jobs().len()
    );
    for (what, answer) in rows(&verdict.facts) {
        let _ = writeln!(out, "{what:<48}  {}", if answer { "yes" } else { "no" });
    }
    let _ =
        writeln!(out, "{:<48}  {}", "most activations at a time", peaks(&verdict.facts, verbosity));
    let Blocking { sends, receives } =
        Blocking { sends: options.sends, receives: options.receives };
    let channels = match options.channels {
        Channels::PerPair => "a channel for each pair of stages",
        Channels::PerDirection => "a channel for each direction",
    };
    let answer = if verdict.is_sound() { "sound" } else { "not sound" };
    let _ = writeln!(out, "\n{answer} with {sends}, {receives}, {channels}");
    out
}

fn rows(facts: &Facts) -> Vec<(&'static str, bool)> {
    let mut rows = vec![("lists complete and in order", facts.together.is_some())];
    if let Some(together) = facts.together {
        rows.extend([
            ("runs as far as the data go", together.executable),
            ("runs if receives block their list", together.executable_with_blocking_receives),
            ("runs if sends wait for their receive as well", together.executable_with_rendezvous),
            ("messages in order, a channel for each direction", together.in_order_per_direction),
            ("messages in order, a channel for each pair", together.in_order_per_pair),
        ]);
    }
    rows
}

/// The largest number with its stage, or all of them.
fn peaks(facts: &Facts, verbosity: u8) -> String {
    let all = &facts.peak_live;
    let most = all.iter().copied().max().unwrap_or(0);
    let stage = all.iter().position(|&peak| peak == most).unwrap_or(0);
    if verbosity == 0 {
        return format!("{most} (stage {stage})");
    }
    let texts: Vec<String> = all.iter().map(u32::to_string).collect();
    texts.join(" ")
}

fn as_json(verdict: &Verdict) -> String {
    let Facts { peak_live, together } = &verdict.facts;
    let together = together.map(|together| {
        json!({
            "executable": together.executable,
            "executable_with_blocking_receives": together.executable_with_blocking_receives,
            "executable_with_rendezvous": together.executable_with_rendezvous,
            "in_order_per_direction": together.in_order_per_direction,
            "in_order_per_pair": together.in_order_per_pair,
        })
    });
    let faults: Vec<_> = verdict
        .faults
        .iter()
        .map(|fault| json!({"code": fault.code(), "message": fault.to_string(), "details": fault.details()}))
        .collect();
    let all = json!({
        "sound": verdict.is_sound(),
        "complete": together.is_some(),
        "together": together,
        "peak_live": peak_live,
        "faults": faults,
    });
    format!("{all}\n")
}
