//! Families side by side, and the fastest schedule that can be found.

use std::fmt::Write as _;

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::auto::{Answer, Candidate, Question, auto};
use pirogue_schedule::simulate::simulate;
use pirogue_schedule::{Counts, Dependences, Need};

use crate::args::GivenCounts;
use crate::costs::GivenCosts;

/// The candidates for counts and costs, the best one first.
pub fn answer(counts: GivenCounts, given: &GivenCosts) -> Result<Answer, Diagnostic> {
    let GivenCounts { stages, chunks, micro_batches } = counts;
    let counts = Counts::new(stages.into(), chunks.into(), micro_batches.into())
        .map_err(|error| Diagnostic::error(error.code(), error.to_string()).help(error.help()))?;
    let question = Question { counts, costs: given.costs.clone(), limit: given.limits(counts) };
    auto(&question)
        .map_err(|error| Diagnostic::error(error.code(), error.to_string()).help(error.help()))
}

/// A row of the table.
struct Row {
    name: String,
    makespan: u64,
    makespan_bubble: u64,
    span_bubble: u64,
    peak: u64,
    messages: usize,
    fits: bool,
}

/// How a table is written.
#[derive(Copy, Clone)]
pub enum TableForm {
    Text,
    Md,
    Csv,
    Json,
}

/// Which candidates a table has.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Those of families.
    Families,
    /// Those that were found, too.
    All,
}

/// The candidates as a table, the best one first.
pub fn table(answer: &Answer, given: &GivenCosts, form: TableForm, shown: Shown) -> String {
    let is_shown = |one: &&Candidate| one.is_listed || shown == Shown::All;
    let shown = answer.ranking().iter().filter(is_shown);
    let rows: Vec<Row> = shown.filter_map(|candidate| Row::of(candidate, given)).collect();
    match form {
        TableForm::Text => text(&rows),
        TableForm::Md => markdown(&rows),
        TableForm::Csv => csv(&rows),
        TableForm::Json => json(&rows),
    }
}

impl Row {
    fn of(candidate: &Candidate, given: &GivenCosts) -> Option<Self> {
        let costs = given.costs.for_chunks_of(&candidate.schedule);
        let simulation = simulate(&candidate.schedule, costs).ok()?;
        let dependences = Dependences::of(&candidate.schedule);
        let messages = candidate
            .schedule
            .stages()
            .flat_map(|(stage, jobs)| jobs.iter().map(move |&job| (stage, job)));
        let messages = messages
            .map(|(stage, job)| dependences.of_job(stage, job))
            .map(|needs| needs.iter().filter(|need| need.need == Need::Message).count())
            .sum();
        Some(Self {
            name: candidate.name.clone(),
            makespan: candidate.makespan,
            makespan_bubble: simulation.makespan_bubble(),
            span_bubble: simulation.span_bubble(),
            peak: candidate.peak,
            messages,
            fits: candidate.fits,
        })
    }

    fn cells(&self) -> [String; 7] {
        [
            self.name.clone(),
            self.makespan.to_string(),
            self.makespan_bubble.to_string(),
            self.span_bubble.to_string(),
            self.peak.to_string(),
            self.messages.to_string(),
            if self.fits { "yes" } else { "no" }.to_owned(),
        ]
    }
}

const TITLES: [&str; 7] =
    ["schedule", "makespan", "makespan bubble", "span bubble", "peak memory", "messages", "fits"];

fn text(rows: &[Row]) -> String {
    let cells: Vec<[String; 7]> = rows.iter().map(Row::cells).collect();
    let width = |column: usize| {
        let cells = cells.iter().map(|cells| cells[column].len());
        cells.chain([TITLES[column].len()]).max().unwrap_or(0)
    };
    let mut out = format!("{:<first$}", TITLES[0], first = width(0));
    (1..7).for_each(|column| _ = write!(out, "  {:>1$}", TITLES[column], width(column)));
    out.push('\n');
    for cells in &cells {
        _ = write!(out, "{:<1$}", cells[0], width(0));
        (1..7).for_each(|column| _ = write!(out, "  {:>1$}", cells[column], width(column)));
        out.push('\n');
    }
    out
}

fn markdown(rows: &[Row]) -> String {
    let mut out = format!("| {} |\n|---|--:|--:|--:|--:|--:|---|\n", TITLES.join(" | "));
    rows.iter().for_each(|row| _ = writeln!(out, "| {} |", row.cells().join(" | ")));
    out
}

fn csv(rows: &[Row]) -> String {
    let mut out = format!("{}\n", TITLES.join(","));
    for row in rows {
        let mut cells = row.cells();
        // Names hold commas, but no quotes.
        cells[0] = format!("\"{}\"", cells[0]);
        _ = writeln!(out, "{}", cells.join(","));
    }
    out
}

fn json(rows: &[Row]) -> String {
    let rows = rows.iter().map(|row| {
        serde_json::json!({
            "schedule": row.name,
            "makespan": row.makespan,
            "makespan_bubble": row.makespan_bubble,
            "span_bubble": row.span_bubble,
            "peak_memory": row.peak,
            "messages": row.messages,
            "fits": row.fits,
        })
    });
    let all = serde_json::Value::Array(rows.collect());
    format!("{all:#}\n")
}
