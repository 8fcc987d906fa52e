//! `pirogue schedule`: reads a schedule in any format, or generates one, and writes it in another.

mod compare;
mod generate;
mod list;
mod simulated;

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::Schedule;
use pirogue_schedule::auto::Candidate;
use pirogue_schedule::check::{CheckOptions, check};
use pirogue_schedule::format::{self, Format, FormatError};
use pirogue_schedule::picture::Drawn;
use pirogue_schedule::simulate::Simulation;

use crate::Outcome;
use crate::args::{self, Emit, GivenCounts};
use crate::costs::{self, GivenCosts};
use crate::failure::Failure;
use crate::output::{self, Screen};
use crate::schedules;
use compare::{Shown, TableForm};

pub fn run(args: &args::Schedule, screen: &Screen) -> Outcome {
    if args.list {
        screen.say(&list::families(args.source.as_deref())?)?;
        return Ok(Vec::new());
    }
    let given = costs::load(args.simulation.costs.as_deref())?;
    match args.source.as_deref() {
        Some("compare") => return compare(args, &given, screen),
        Some("auto") => return auto(args, &given, screen),
        _ => {}
    }
    let (schedule, mut found) = schedule(args)?;
    let title = args.source.as_deref().unwrap_or_default();
    match emit(args, title, &schedule, &given, screen) {
        Ok(lost) => found.extend(lost),
        Err(failure) => {
            found.extend(failure.diagnostics().iter().cloned());
            return Err(found.into());
        }
    }
    Ok(found)
}

/// Writes what is asked for of a schedule; what the format does not hold is returned.
fn emit(
    args: &args::Schedule,
    title: &str,
    schedule: &Schedule,
    given: &GivenCosts,
    screen: &Screen,
) -> Result<Vec<Diagnostic>, Failure> {
    let asked = &args.simulation;
    if asked.check {
        refuse_unsound(schedule)?;
    }
    if let Some(words) = &asked.explain {
        let simulation = simulated::run(schedule, given.costs.clone())?;
        write(args, &simulated::explain(&simulation, words)?)?;
        return Ok(Vec::new());
    }
    let lost = match args.emit {
        Emit::Drawing(drawing) => {
            let simulation = simulated::run(schedule, given.costs.clone())?;
            let drawn = [Drawn { title, simulation: &simulation }];
            write(args, &simulated::drawing(drawing, &drawn, asked.width, screen)?)?;
            Vec::new()
        }
        Emit::Format(_) if asked.simulate => {
            write(args, &simulated::figures(&simulated::run(schedule, given.costs.clone())?))?;
            Vec::new()
        }
        Emit::Format(format) => {
            let written = format::write(schedule, format).map_err(|error| unwritten(&error))?;
            write(args, &written.text)?;
            schedules::unheld(format, &written.lost).into_iter().collect()
        }
        Emit::Md => return Err(no_table().into()),
    };
    if screen.verbosity > 0 {
        screen.show(account(schedule).as_bytes());
    }
    Ok(lost)
}

/// # Errors
/// All stages cannot run it together: all faults.
fn refuse_unsound(schedule: &Schedule) -> Result<(), Vec<Diagnostic>> {
    let faults = check(schedule, &CheckOptions::default()).faults;
    let faults: Vec<Diagnostic> = faults.iter().map(schedules::fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn no_table() -> Diagnostic {
    Diagnostic::error("E0658", "a schedule is no table")
        .help("`md` goes with `pirogue schedule compare`; `--simulate` shows figures")
}

fn write(args: &args::Schedule, text: &str) -> Result<(), Diagnostic> {
    match &args.output {
        Some(path) => output::to_file(path, |sink| sink.write_all(text.as_bytes())),
        None => output::to_stdout(|sink| sink.write_all(text.as_bytes())),
    }
}

/// The counts of a comparison or a search.
fn counts(args: &args::Schedule) -> Result<GivenCounts, Failure> {
    args.family.counts().ok_or_else(|| {
        let error = Diagnostic::error("E0655", "there are no counts to find schedules for")
            .help("add `--stages P --micro-batches M`, and `--chunks V` for more than one");
        Failure::CommandLine(vec![error])
    })
}

/// All families as a table, or drawn on one time scale.
fn compare(args: &args::Schedule, given: &GivenCosts, screen: &Screen) -> Outcome {
    let answer = compare::answer(counts(args)?, given)?;
    let form = match args.emit {
        Emit::Md => TableForm::Md,
        Emit::Format(Format::Csv) => TableForm::Csv,
        Emit::Format(Format::Json) => TableForm::Json,
        Emit::Format(_) => TableForm::Text,
        Emit::Drawing(drawing) => {
            let families = answer.ranking().iter().filter(|candidate| candidate.is_listed);
            let families: Vec<&Candidate> = families.collect();
            let simulations = families.iter().map(|family| {
                let costs = given.costs.for_chunks_of(&family.schedule);
                simulated::run(&family.schedule, costs)
            });
            let simulations: Vec<Simulation<'_>> = simulations.collect::<Result<_, _>>()?;
            let drawn = families.iter().zip(&simulations);
            let drawn: Vec<Drawn<'_>> = drawn
                .map(|(family, simulation)| Drawn { title: &family.name, simulation })
                .collect();
            write(args, &simulated::drawing(drawing, &drawn, args.simulation.width, screen)?)?;
            return Ok(Vec::new());
        }
    };
    write(args, &compare::table(&answer, given, form, Shown::Families))?;
    Ok(Vec::new())
}

/// The fastest schedule that fits; with `-v` what else was tried.
fn auto(args: &args::Schedule, given: &GivenCosts, screen: &Screen) -> Outcome {
    let answer = compare::answer(counts(args)?, given)?;
    let best = answer.best();
    let lost = emit(args, &best.name, &best.schedule, given, screen)?;
    if screen.verbosity > 0 {
        screen.show(compare::table(&answer, given, TableForm::Text, Shown::All).as_bytes());
    }
    Ok(lost)
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
    let lost = schedules::unread(reading.format, &reading.lost);
    Ok((reading.schedule, lost.into_iter().collect()))
}

fn unwritten(error: &FormatError) -> Diagnostic {
    Diagnostic::error(error.code(), error.to_string()).help(error.help())
}

fn account(schedule: &Schedule) -> String {
    let (counts, shape) = (schedule.counts(), schedule.placement().shape());
    format!("{counts}, placement {shape}: {} jobs\n", schedule.jobs().len())
}
