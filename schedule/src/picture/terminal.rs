//! A schedule in characters.
//!
//! Where a tick has room for the labels of its jobs, each job is a run of cells that begins with its label;
//! where it has not, a column stands for some ticks and shows the letter of what fills most of it.

use std::fmt::Write as _;

use super::{Drawn, Label, Look, figures, marks};
use crate::counts::Stage;

/// Whether characters are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// By ANSI escapes.
    Ansi,
    /// Not at all.
    Plain,
}

/// Draws schedules one under the other, in lines of at most `width` characters; all on one time scale.
///
/// ```
/// use pirogue_schedule::picture::{Colours, Drawn, terminal};
/// use pirogue_schedule::simulate::{Costs, simulate};
///
/// let schedule = "forward0:0 backward0:0\nforward0:0 backward0:0\n".parse()?;
/// let simulation = simulate(&schedule, Costs::default())?;
/// let drawn = [Drawn { title: "one", simulation: &simulation }];
/// let text = terminal(&drawn, 40, Colours::Plain);
/// assert!(text.contains("0 |0F0 ........... 0B0-----|"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn terminal(drawn: &[Drawn<'_>], width: usize, colours: Colours) -> String {
    let makespan = drawn.iter().map(|drawn| drawn.simulation.makespan()).max().unwrap_or(0);
    let mut text = String::new();
    for (place, drawn) in drawn.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        let stages = drawn.simulation.schedule().counts().stages();
        let margin = stages.saturating_sub(1).to_string().len();
        let room = width.saturating_sub(margin + 3).max(1);
        _ = writeln!(text, "{}: {}", drawn.title, figures(drawn.simulation));
        let scale = Scale::of(drawn, makespan, room);
        for stage in 0..stages {
            let row = match scale {
                Scale::Cells(cell) => labelled(drawn, Stage(stage), cell, colours),
                Scale::Columns(ticks) => dense(drawn, Stage(stage), ticks, colours),
            };
            _ = writeln!(text, "{stage:>margin$} |{row}|");
        }
        if let Scale::Columns(ticks @ 2..) = scale {
            _ = writeln!(text, "{:margin$}  a column is {ticks} ticks", "");
        }
    }
    text
}

/// How wide time is.
#[derive(Clone, Copy)]
enum Scale {
    /// So many characters for a tick.
    Cells(usize),
    /// So many ticks for a character.
    Columns(u64),
}

impl Scale {
    fn of(drawn: &Drawn<'_>, makespan: u64, room: usize) -> Self {
        let simulation = drawn.simulation;
        let schedule = simulation.schedule();
        // A job of n ticks needs room for its label and a space in them.
        let cell = (0..schedule.counts().stages())
            .flat_map(|stage| marks(simulation, Stage(stage)).map(move |mark| (stage, mark)))
            .map(|(stage, mark)| {
                let label = Label(schedule, Stage(stage), mark.job).to_string();
                let ticks = usize::try_from(mark.end - mark.start).unwrap_or(usize::MAX);
                (label.len() + 1).div_ceil(ticks)
            })
            .max()
            .unwrap_or(1);
        let total = usize::try_from(makespan).ok().and_then(|makespan| makespan.checked_mul(cell));
        match total {
            Some(total) if total <= room => Self::Cells(cell),
            _ => Self::Columns(makespan.div_ceil(room as u64).max(1)),
        }
    }
}

fn labelled(drawn: &Drawn<'_>, stage: Stage, cell: usize, colours: Colours) -> String {
    let simulation = drawn.simulation;
    let mut row = String::new();
    let mut now = 0;
    let characters = |ticks: u64| cell * ticks as usize;
    let idle = |row: &mut String, ticks: u64| {
        if let Some(dots) = characters(ticks).checked_sub(1) {
            row.extend(std::iter::repeat_n('.', dots));
            row.push(' ');
        }
    };
    for mark in marks(simulation, stage) {
        idle(&mut row, mark.start.saturating_sub(now));
        if mark.start < now {
            // The second of a fused pair: it has no room of its own.
            continue;
        }
        let room = characters(mark.end - mark.start);
        let mut label = Label(simulation.schedule(), stage, mark.job).to_string();
        if mark.is_fused {
            label.push('&');
        }
        label.truncate(room);
        let fill = if mark.end - mark.start > 1 { '-' } else { ' ' };
        let filled = label.len();
        label.extend(std::iter::repeat_n(fill, room - filled));
        if room > filled {
            label.pop();
            label.push(' ');
        }
        paint(&mut row, mark.look, &label, colours);
        now = mark.end;
    }
    let end = simulation.makespan();
    idle(&mut row, end.saturating_sub(now));
    if colours == Colours::Plain && row.ends_with(' ') {
        let last = row.trim_end().chars().next_back().unwrap_or(' ');
        row.pop();
        row.push(if matches!(last, '-' | '.') { last } else { ' ' });
    }
    row
}

fn dense(drawn: &Drawn<'_>, stage: Stage, ticks: u64, colours: Colours) -> String {
    let simulation = drawn.simulation;
    let columns = simulation.makespan().div_ceil(ticks) as usize;
    // For each column, how many of its ticks each look fills.
    let mut filled = vec![[0_u64; Look::ALL.len()]; columns];
    for mark in marks(simulation, stage) {
        let (first, last) = ((mark.start / ticks) as usize, ((mark.end - 1) / ticks) as usize);
        for (column, filled) in filled.iter_mut().enumerate().take(last + 1).skip(first) {
            let (from, to) = (column as u64 * ticks, (column as u64 + 1) * ticks);
            filled[mark.look as usize] += mark.end.min(to) - mark.start.max(from);
        }
    }
    let mut row = String::new();
    for filled in filled {
        let busy: u64 = filled.iter().sum();
        let most = Look::ALL.into_iter().rev().max_by_key(|&look| filled[look as usize]);
        match most {
            Some(look) if 2 * busy >= ticks => {
                paint(&mut row, look, &look.letter().to_string(), colours);
            }
            _ => row.push('.'),
        }
    }
    row
}

fn paint(row: &mut String, look: Look, text: &str, colours: Colours) {
    if colours == Colours::Plain {
        row.push_str(text);
        return;
    }
    let background = match look {
        Look::Forward => 117,
        Look::Backward => 114,
        Look::BackwardInput => 80,
        Look::BackwardWeight => 221,
        Look::Other => 250,
    };
    _ = write!(row, "\u{1b}[38;5;16;48;5;{background}m{text}\u{1b}[0m");
}
