//! What a plan holds, for a person.

use std::fmt::Write;
use std::path::Path;

use pirogue::ir::{Op, Program, names};
use pirogue_plan::Plan;
use pirogue_schedule::{Job, JobKind, JobType};

/// How many there are of what a plan holds.
#[derive(Copy, Clone, Default)]
struct Counts {
    programs: usize,
    ops: usize,
    values_in: usize,
    values_out: usize,
    jobs: usize,
}

/// A headline and a table: a row for each kind of job, from verbosity 1 on for each job type, and
/// from 2 on the job list. `given` is the program that was cut: every program of the plan has its
/// kwargs, so only those beside them come from another one.
pub fn account(plan: &Plan, given: &Program, verbosity: u8) -> String {
    let counts: Vec<(JobType, Counts)> = plan
        .programs()
        .map(|(job_type, program)| (job_type, counts(plan, job_type, program, given)))
        .collect();
    let mut out = headline(plan);
    out += &if verbosity == 0 { table_of_kinds(&counts) } else { table_of_types(&counts) };
    if verbosity >= 2 {
        let jobs: Vec<String> = plan.jobs().iter().map(Job::to_string).collect();
        let _ = write!(out, "\njobs: {}\n", jobs.join(" "));
    }
    out
}

/// What was written, and where to.
pub fn written(plans: &[Plan], folder: &Path) -> String {
    let programs: usize = plans.iter().map(|plan| plan.programs().len()).sum();
    let manifest = if plans.len() == 1 { "`plan.json`" } else { "a `plan.json` for each stage" };
    format!("\nwritten to `{}`: {}, {manifest}\n", folder.display(), count(programs, "program"))
}

fn headline(plan: &Plan) -> String {
    let options = plan.options();
    let ops: usize = plan.programs().map(|(_, program)| program.op_count()).sum();
    format!(
        "stage {} of {}, {}, {}: {} with {}, {} ({})\n\n",
        options.pp_stage,
        options.pp_degree,
        count(options.vpp_degree as usize, "chunk"),
        count(options.num_micro_batches as usize, "micro-batch"),
        count(plan.programs().len(), "program"),
        count(ops, "op"),
        count(plan.jobs().len(), "job"),
        options.schedule,
    )
}

fn count(number: usize, what: &str) -> String {
    let ending = match (number, what) {
        (1, _) => "",
        (_, "micro-batch") => "es",
        _ => "s",
    };
    format!("{number} {what}{ending}")
}

fn counts(plan: &Plan, job_type: JobType, program: &Program, given: &Program) -> Counts {
    let is_output = |op: &Op| program.name(*op) == names::SHADOW_OUTPUT;
    let kwargs = program.kwargs(program.top());
    let values_in = kwargs.filter(|&(keyword, _)| given.kwarg(given.top(), keyword).is_none());
    Counts {
        programs: 1,
        ops: program.op_count(),
        values_in: values_in.count(),
        values_out: program.top_ops().filter(is_output).count(),
        jobs: plan.jobs().iter().filter(|job| job.job_type == job_type).count(),
    }
}

/// A row for each job type.
fn table_of_types(counts: &[(JobType, Counts)]) -> String {
    let rows = counts.iter().map(|(job_type, counts)| {
        let numbers = [counts.ops, counts.values_in, counts.values_out, counts.jobs];
        (job_type.to_string(), numbers)
    });
    table(["ops", "values in", "values out", "jobs"], &rows.collect::<Vec<_>>())
}

/// A row for each kind of job, in the order in which the kinds first come.
fn table_of_kinds(counts: &[(JobType, Counts)]) -> String {
    let mut kinds: Vec<(JobKind, Counts)> = Vec::new();
    for (job_type, counts) in counts {
        let kind = job_type.kind();
        let at = kinds.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            kinds.push((kind, Counts::default()));
            kinds.len() - 1
        });
        let sum = &mut kinds[at].1;
        sum.programs += counts.programs;
        sum.ops += counts.ops;
        sum.values_in += counts.values_in;
        sum.values_out += counts.values_out;
        sum.jobs += counts.jobs;
    }
    let rows = kinds.iter().map(|(kind, sum)| {
        let numbers = [sum.programs, sum.ops, sum.values_in, sum.values_out, sum.jobs];
        (kind.name().to_owned(), numbers)
    });
    table(["programs", "ops", "values in", "values out", "jobs"], &rows.collect::<Vec<_>>())
}

/// A title for each column; names to the left, numbers to the right.
fn table<const N: usize>(titles: [&str; N], rows: &[(String, [usize; N])]) -> String {
    let name_width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = |column: usize| {
        let numbers = rows.iter().map(|(_, numbers)| numbers[column].to_string().len());
        numbers.chain([titles[column].len()]).max().unwrap_or(0)
    };
    let mut out = " ".repeat(name_width);
    for (column, title) in titles.iter().enumerate() {
        let _ = write!(out, "  {title:>width$}", width = width(column));
    }
    out.push('\n');
    for (name, numbers) in rows {
        let _ = write!(out, "{name:name_width$}");
        for (column, number) in numbers.iter().enumerate() {
            let _ = write!(out, "  {number:>width$}", width = width(column));
        }
        out.push('\n');
    }
    out
}
