//! Schedules as an SVG picture: no script, readable on light and dark ground.

use std::fmt::Write as _;

use super::{Drawn, Label, Look, Mark, PictureError, check_size, figures, marks};
use crate::counts::Stage;

/// The height of a stage's row.
pub(super) const ROW: u64 = 26;
/// Where time begins.
pub(super) const LEFT: u64 = 92;
/// The width of all of the time.
pub(super) const WIDE: u64 = 1400;
/// What is left free at the right.
const RIGHT: u64 = 16;
/// The height of title, figures and axis of a schedule.
const HEAD: u64 = 52;
const FOOT: u64 = 40;
const LEGEND: u64 = 34;

/// How each kind of job looks. The ground shows through nothing, so black on these can be read anywhere.
pub(super) const STYLE: &str = "svg{color-scheme:light dark;font:12px sans-serif}\
text{fill:currentColor}.title{font-weight:bold;font-size:15px}.figures{opacity:.75}\
.ground{fill:currentColor;fill-opacity:.06}.axis{stroke:currentColor;stroke-opacity:.3}\
.job{stroke:#0006;stroke-width:.7}.label{fill:#111;font-size:11px;text-anchor:middle;pointer-events:none}\
.F{fill:#8ec5f5}.B{fill:#8fd694}.I{fill:#6fd3cf}.W{fill:#f3d35e}.O{fill:#c9c9c9}.fused{stroke:#c0392b;stroke-width:1.6}";

/// Draws schedules one under the other, on one time scale.
///
/// # Errors
/// There are too many jobs.
pub fn svg(drawn: &[Drawn<'_>]) -> Result<String, PictureError> {
    check_size(drawn)?;
    let makespan = longest(drawn);
    let heights: Vec<u64> = drawn.iter().map(height).collect();
    let height = heights.iter().sum::<u64>() + LEGEND;
    let width = LEFT + WIDE + RIGHT;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n"
    );
    let mut top = 0;
    for (drawn, height) in drawn.iter().zip(heights) {
        _ = writeln!(out, "<g transform=\"translate(0 {top})\">");
        one(&mut out, drawn, makespan, &|_, _| String::new());
        out.push_str("</g>\n");
        top += height;
    }
    legend(&mut out, drawn, top);
    out.push_str("</svg>\n");
    Ok(out)
}

/// The time that all of them share.
pub(super) fn longest(drawn: &[Drawn<'_>]) -> u64 {
    drawn.iter().map(|drawn| drawn.simulation.makespan()).max().unwrap_or(0).max(1)
}

/// How high one of them is.
pub(super) fn height(drawn: &Drawn<'_>) -> u64 {
    HEAD + ROW * u64::from(drawn.simulation.schedule().counts().stages()) + FOOT
}

/// Where a tick is, with two digits behind the point.
pub(super) fn x(time: u64, makespan: u64) -> String {
    // Whole numbers keep the picture the same on every machine.
    let hundredths =
        u128::from(LEFT) * 100 + u128::from(WIDE) * 100 * u128::from(time) / u128::from(makespan);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Draws one schedule. `more` gives further attributes of the rectangle of a job.
pub(super) fn one(
    out: &mut String,
    drawn: &Drawn<'_>,
    makespan: u64,
    more: &dyn Fn(Stage, &Mark) -> String,
) {
    let simulation = drawn.simulation;
    let stages = simulation.schedule().counts().stages();
    _ = writeln!(out, "<text class=\"title\" x=\"8\" y=\"20\">{}</text>", escaped(drawn.title));
    _ = writeln!(out, "<text class=\"figures\" x=\"8\" y=\"38\">{}</text>", figures(simulation));
    axis(out, HEAD + ROW * u64::from(stages), makespan);
    for stage in (0..stages).map(Stage) {
        let top = HEAD + ROW * u64::from(stage.0);
        let middle = top + ROW / 2 + 4;
        _ = writeln!(out, "<text x=\"8\" y=\"{middle}\">stage {stage}</text>");
        _ = writeln!(
            out,
            "<rect class=\"ground\" x=\"{LEFT}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            top + 1,
            difference(simulation.makespan(), 0, makespan),
            ROW - 2
        );
        for mark in marks(simulation, stage) {
            draw(out, drawn, stage, &mark, makespan, &more(stage, &mark));
        }
    }
}

fn draw(out: &mut String, drawn: &Drawn<'_>, stage: Stage, mark: &Mark, makespan: u64, more: &str) {
    let schedule = drawn.simulation.schedule();
    // Of a fused pair the forward has the upper half of the row, the backward the lower one.
    let row = HEAD + ROW * u64::from(stage.0) + 2;
    let (top, high) = match (mark.is_fused, mark.look) {
        (false, _) => (row, ROW - 4),
        (true, Look::Forward) => (row, (ROW - 4) / 2),
        (true, _) => (row + (ROW - 4) / 2, (ROW - 4) / 2),
    };
    let label = Label(schedule, stage, mark.job).to_string();
    let fused = if mark.is_fused { " fused" } else { "" };
    _ = writeln!(
        out,
        "<rect class=\"job {}{fused}\" x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{high}\"{more}>\
         <title>{label}: {} of micro-batch {}, chunk {} of stage {stage}, {} to {}</title></rect>",
        mark.look.letter(),
        x(mark.start, makespan),
        difference(mark.end, mark.start, makespan),
        mark.look.name(),
        mark.job.micro_batch,
        mark.job.job_type.chunk_or_first(),
        mark.start,
        mark.end,
    );
    let wide = WIDE * (mark.end - mark.start) / makespan;
    if wide >= 7 * label.len() as u64 && !mark.is_fused {
        let middle = x_of_half(mark.start + mark.end, makespan);
        _ = writeln!(out, "<text class=\"label\" x=\"{middle}\" y=\"{}\">{label}</text>", row + 15);
    }
}

/// The width between two ticks.
fn difference(to: u64, from: u64, makespan: u64) -> String {
    let hundredths = u128::from(WIDE) * 100 * u128::from(to - from) / u128::from(makespan);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The middle of a span, given by the sum of its ends.
fn x_of_half(sum: u64, makespan: u64) -> String {
    x(sum, 2 * makespan)
}

/// A line with some round times.
fn axis(out: &mut String, top: u64, makespan: u64) {
    let step = round_step(makespan);
    let mut time = 0;
    while time <= makespan {
        let x = x(time, makespan);
        _ = writeln!(
            out,
            "<line class=\"axis\" x1=\"{x}\" x2=\"{x}\" y1=\"{HEAD}\" y2=\"{}\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{time}</text>",
            top + 4,
            top + 18
        );
        time += step;
    }
}

/// 1, 2 or 5 times a power of ten, so that there are at most some fifteen of them.
fn round_step(makespan: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if makespan / step <= 15 {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// The kinds of job that are drawn.
pub(super) fn legend(out: &mut String, drawn: &[Drawn<'_>], top: u64) {
    let is_drawn = |look: Look| {
        drawn.iter().any(|drawn| {
            let jobs = drawn.simulation.schedule().jobs();
            jobs.iter().any(|job| Look::of(job.kind()) == Some(look))
        })
    };
    let looks = Look::ALL.into_iter().filter(|&look| look != Look::Other && is_drawn(look));
    for (place, look) in looks.enumerate() {
        let left = LEFT + 130 * place as u64;
        _ = writeln!(
            out,
            "<rect class=\"job {0}\" x=\"{left}\" y=\"{top}\" width=\"18\" height=\"14\"/>\
             <text x=\"{1}\" y=\"{2}\">{0}: {3}</text>",
            look.letter(),
            left + 24,
            top + 12,
            look.name()
        );
    }
}

/// A text without what means something to XML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
