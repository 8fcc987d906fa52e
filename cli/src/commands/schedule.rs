//! `pirogue schedule`: reads a schedule in any format, or generates one, and writes it in another.

mod generate;
mod list;

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::Schedule;
use pirogue_schedule::format::{self, FormatError};

use crate::Outcome;
use crate::args;
use crate::failure::Failure;
use crate::output::{self, Screen};
use crate::schedules;

pub fn run(args: &args::Schedule, screen: &Screen) -> Outcome {
    if args.list {
        screen.say(&list::families(args.source.as_deref())?)?;
        return Ok(Vec::new());
    }
    let (schedule, mut found) = schedule(args)?;
    let written = match format::write(&schedule, args.emit) {
        Ok(written) => written,
        Err(error) => {
            found.push(unwritten(&error));
            return Err(found.into());
        }
    };
    let message = format!("`{}` does not hold all of the schedule", args.emit);
    found.extend(schedules::warning(&message, &written.lost));
    match &args.output {
        Some(path) => output::to_file(path, |sink| sink.write_all(written.text.as_bytes()))?,
        None => output::to_stdout(|sink| sink.write_all(written.text.as_bytes()))?,
    }
    if screen.verbosity > 0 {
        screen.show(account(&schedule).as_bytes());
    }
    Ok(found)
}

/// The schedule that is asked for: of a family if there are counts, else that of a file.
fn schedule(args: &args::Schedule) -> Result<(Schedule, Vec<Diagnostic>), Failure> {
    let source = args.source.as_deref().expect("without --list there is a source");
    if let Some(counts) = args.family.counts() {
        return generate::generate(source, counts, &args.family);
    }
    let path = source.as_ref();
    if generate::is_family(source) && !std::fs::exists(path).unwrap_or(false) {
        let message = format!("`{source}` is a family of schedules, and there are no counts");
        let help = "add `--stages P --micro-batches M`, and `--chunks V` where it has chunks";
        return Err(Failure::CommandLine(vec![Diagnostic::error("E0655", message).help(help)]));
    }
    let reading = schedules::load(path, args.from)?;
    let message = format!("`{}` holds more than a schedule", reading.format);
    Ok((reading.schedule, schedules::warning(&message, &reading.lost).into_iter().collect()))
}

fn unwritten(error: &FormatError) -> Diagnostic {
    Diagnostic::error(error.code(), error.to_string()).help(error.help())
}

fn account(schedule: &Schedule) -> String {
    let (counts, shape) = (schedule.counts(), schedule.placement().shape());
    format!("{counts}, placement {shape}: {} jobs\n", schedule.jobs().len())
}
