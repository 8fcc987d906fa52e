//! What a schedule does in time: figures, pictures, explanations.

use std::fmt::Write as _;

use pirogue::diagnostic::{Colour, Diagnostic};
use pirogue_schedule::check::peak_live;
use pirogue_schedule::picture::{Colours, Drawn, chrome_trace, html, svg, terminal};
use pirogue_schedule::simulate::{Costs, IdleCause, Simulation, SimulationError, simulate};
use pirogue_schedule::{Schedule, Stage};

use crate::args::Drawing;
use crate::output::Screen;

/// The times of a schedule with the costs that are given.
pub fn run(schedule: &Schedule, costs: Costs) -> Result<Simulation<'_>, Diagnostic> {
    simulate(schedule, costs).map_err(|error| untimed(&error))
}

fn untimed(error: &SimulationError) -> Diagnostic {
    Diagnostic::error(error.code(), error.to_string()).help(error.help())
}

/// A drawing of schedules, all on one time scale.
pub fn drawing(
    drawing: Drawing,
    drawn: &[Drawn<'_>],
    width: Option<u32>,
    screen: &Screen,
) -> Result<String, Diagnostic> {
    let text = match drawing {
        Drawing::Term => {
            let colours = match screen.result_colour() {
                Colour::Ansi => Colours::Ansi,
                Colour::Plain => Colours::Plain,
            };
            Ok(terminal(drawn, width.map_or_else(usual_width, |width| width as usize), colours))
        }
        Drawing::Svg => svg(drawn),
        Drawing::Html => html(drawn),
        Drawing::Trace => Ok(chrome_trace(drawn)),
    };
    text.map_err(|error| Diagnostic::error(error.code(), error.to_string()).help(error.help()))
}

/// The figures of a schedule, and of each of its stages.
pub fn figures(simulation: &Simulation<'_>) -> String {
    let mut out = format!(
        "makespan {}, makespan bubble {}, span bubble {}\n\nstage  works",
        simulation.makespan(),
        simulation.makespan_bubble(),
        simulation.span_bubble()
    );
    IdleCause::ALL.iter().for_each(|cause| _ = write!(out, "  {}", cause.name()));
    out += "  peak memory  live\n";
    let live = peak_live(simulation.schedule());
    for (stage, live) in (0..).map(Stage).zip(live) {
        _ = write!(out, "{stage:>5}  {:>5}", simulation.busy(stage));
        for (cause, ticks) in IdleCause::ALL.iter().zip(simulation.idle_by_cause(stage)) {
            _ = write!(out, "  {ticks:>width$}", width = cause.name().len());
        }
        let peak = simulation.peak_memory(stage);
        _ = writeln!(out, "  {peak:>11}  {live:>4}");
    }
    out
}

/// As wide as the terminal says it is.
fn usual_width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok()).unwrap_or(120)
}

/// Why a job begins when it does. The words are a stage and a job.
///
/// # Errors
/// There is no such stage or job (`E0657`).
pub fn explain(simulation: &Simulation<'_>, words: &[String]) -> Result<String, Diagnostic> {
    let schedule = simulation.schedule();
    let wrong = |message: String, help: &str| Diagnostic::error("E0657", message).help(help);
    let [stage, job] = words else { unreachable!("the command line takes two words") };
    let found = stage.parse().ok().and_then(|stage| Some((stage, schedule.stage(Stage(stage))?)));
    let Some((number, list)) = found else {
        let stages = schedule.counts().stages();
        let message =
            format!("there is no stage `{stage}`: the schedule has {stages}, counted from 0");
        return Err(wrong(message, "write `--explain 0 forward0:1`"));
    };
    let Some(place) = list.iter().position(|known| known.to_string() == *job) else {
        let message = format!("stage {stage} has no job `{job}`");
        return Err(wrong(message, "jobs are written as `--emit jobs` writes them"));
    };
    let before = schedule.stages().take(number as usize).map(|(_, jobs)| jobs.len());
    Ok(simulation.explain(before.sum::<usize>() + place).to_string())
}
