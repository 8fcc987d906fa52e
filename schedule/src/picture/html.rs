//! Schedules as one HTML page that needs nothing else: no network, no library.
//!
//! The picture is that of [`svg`](super::svg()), each schedule with the memory of its stages beneath it, on
//! the same time scale. A job under the pointer is told below, with what it builds on and who builds on it
//! marked in the picture.

use std::fmt::Write as _;

use super::svg::{LEFT, STYLE, WIDE, escaped, height, legend, longest, one, x};
use super::{Drawn, Label, PictureError, check_size};
use crate::counts::Stage;
use crate::dependences::Dependences;

/// The height of the memory of a stage.
const CURVE: u64 = 30;

const PAGE_STYLE: &str = "body{font:14px sans-serif;margin:16px;color-scheme:light dark;background:Canvas;color:CanvasText}\
#told{position:sticky;bottom:0;background:Canvas;border-top:1px solid;padding:8px;min-height:3em;white-space:pre-wrap}\
.curve{fill:#c0392b;fill-opacity:.25;stroke:#c0392b}.needs{stroke:#c0392b;stroke-width:3}.needed{stroke:#2c3e99;stroke-width:3}\
.at{stroke:#000;stroke-width:3}";

const SCRIPT: &str = "\
const told = document.getElementById('told');
const clear = () => document.querySelectorAll('.at,.needs,.needed')
  .forEach(job => job.classList.remove('at', 'needs', 'needed'));
const at = (schedule, job) => document.getElementById(schedule + '-' + job);
for (const job of document.querySelectorAll('.job[id]')) {
  job.addEventListener('pointerenter', () => {
    clear();
    const [schedule, index] = job.id.split('-');
    const needs = job.dataset.needs ? job.dataset.needs.split(' ') : [];
    const needed = [...document.querySelectorAll('.job[id^=\"' + schedule + '-\"]')]
      .filter(other => (other.dataset.needs || '').split(' ').includes(index));
    job.classList.add('at');
    const others = needs.map(need => at(schedule, need)).filter(other => other);
    others.forEach(other => other.classList.add('needs'));
    needed.forEach(other => other.classList.add('needed'));
    const names = list => list.map(other => other.querySelector('title').textContent).join('\\n  ');
    told.textContent = job.querySelector('title').textContent
      + (others.length ? '\\nbuilds on\\n  ' + names(others) : '')
      + (needed.length ? '\\nis built on by\\n  ' + names(needed) : '');
  });
}
";

/// Draws schedules one under the other, on one time scale, with their memory.
///
/// # Errors
/// There are too many jobs.
pub fn html(drawn: &[Drawn<'_>]) -> Result<String, PictureError> {
    check_size(drawn)?;
    let makespan = longest(drawn);
    let titles: Vec<&str> = drawn.iter().map(|drawn| drawn.title).collect();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <style>{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n",
        escaped(&titles.join(", "))
    );
    for (number, drawn) in drawn.iter().enumerate() {
        picture(&mut out, drawn, number, makespan);
    }
    let width = LEFT + WIDE;
    _ = writeln!(out, "<svg width=\"{width}\" height=\"20\" viewBox=\"0 0 {width} 20\">");
    legend(&mut out, drawn, 2);
    _ = write!(
        out,
        "</svg>\n<div id=\"told\">A job under the pointer is told here: red is what it builds on, blue who builds on it.</div>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    Ok(out)
}

fn picture(out: &mut String, drawn: &Drawn<'_>, number: usize, makespan: u64) {
    let simulation = drawn.simulation;
    let schedule = simulation.schedule();
    let stages = schedule.counts().stages();
    let above = height(drawn);
    let (width, high) = (LEFT + WIDE + 16, above + (CURVE + 6) * u64::from(stages) + 16);
    _ = writeln!(out, "<svg width=\"{width}\" height=\"{high}\" viewBox=\"0 0 {width} {high}\">");
    let dependences = Dependences::of(schedule);
    one(out, drawn, makespan, &|stage, mark| {
        let needs = dependences.of_job(stage, mark.job);
        let needs: Vec<String> = needs.iter().map(|need| need.on.to_string()).collect();
        let label = Label(schedule, stage, mark.job);
        format!(
            " id=\"{number}-{}\" data-needs=\"{}\" aria-label=\"{label}\"",
            mark.index,
            needs.join(" ")
        )
    });
    let peak = (0..stages).map(|stage| simulation.peak_memory(Stage(stage))).max();
    for stage in (0..stages).map(Stage) {
        let bottom = above + (CURVE + 6) * u64::from(stage.0 + 1);
        curve(out, drawn, stage, bottom, peak.unwrap_or(0).max(1), makespan);
    }
    out.push_str("</svg>\n");
}

/// The memory of a stage over time, in steps.
fn curve(out: &mut String, drawn: &Drawn<'_>, stage: Stage, bottom: u64, peak: u64, makespan: u64) {
    let simulation = drawn.simulation;
    let y = |taken: u64| {
        let tenths = u128::from(CURVE) * 10 * u128::from(taken) / u128::from(peak);
        let from_top = u128::from(bottom) * 10 - tenths;
        format!("{}.{}", from_top / 10, from_top % 10)
    };
    let points = simulation.memory(stage);
    let mut path = format!("M{LEFT} {bottom}");
    for point in &points {
        _ = write!(path, "H{}V{}", x(point.time, makespan), y(point.taken));
    }
    let end = x(simulation.makespan(), makespan);
    _ = writeln!(out, "<path class=\"curve\" d=\"{path}H{end}V{bottom}Z\"/>");
    let most = points.iter().map(|point| point.taken).max().unwrap_or(0);
    _ = writeln!(out, "<text x=\"8\" y=\"{}\">memory {stage}: {most}</text>", bottom - 4);
}
