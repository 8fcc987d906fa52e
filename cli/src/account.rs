//! What a plan holds, for a person.

use std::fmt::Write;

use pirogue::ir::{Program, names};
use pirogue_plan::Plan;
use pirogue_schedule::{Job, JobKind, JobType};

/// A row of the table.
#[derive(Default)]
struct Row {
    name: String,
    programs: usize,
    ops: usize,
    values_in: usize,
    values_out: usize,
    jobs: usize,
}

/// A headline and a table: a row for each kind of job, from verbosity 1 on for each job type, and
/// from 2 on the job list.
pub fn account(plan: &Plan, verbosity: u8) -> String {
    let options = plan.options();
    let ops: usize = plan.programs().map(|(_, program)| program.op_count()).sum();
    let mut out = format!(
        "stage {} of {}, {}, {}: {} with {ops} ops, {} ({})\n\n",
        options.pp_stage,
        options.pp_degree,
        count(options.vpp_degree as usize, "chunk", "chunks"),
        count(options.num_micro_batches as usize, "micro-batch", "micro-batches"),
        count(plan.programs().len(), "program", "programs"),
        count(plan.jobs().len(), "job", "jobs"),
        options.schedule,
    );
    let rows: Vec<Row> =
        if verbosity == 0 { rows_by_kind(plan) } else { rows_by_type(plan).collect() };
    write_table(&rows, verbosity == 0, &mut out);
    if verbosity >= 2 {
        let jobs: Vec<String> = plan.jobs().iter().map(Job::to_string).collect();
        let _ = write!(out, "\njobs: {}\n", jobs.join(" "));
    }
    out
}

fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

fn rows_by_type(plan: &Plan) -> impl Iterator<Item = Row> + '_ {
    plan.programs().map(|(job_type, program)| row(plan, job_type, program))
}

/// Rows of one kind added up, in the order in which the kinds first come.
fn rows_by_kind(plan: &Plan) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (job_type, program) in plan.programs() {
        let added = row(plan, job_type, program);
        let name = kind_name(job_type.kind());
        let at = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            rows.push(Row { name: name.to_owned(), ..Row::default() });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.programs += 1;
        row.ops += added.ops;
        row.values_in += added.values_in;
        row.values_out += added.values_out;
        row.jobs += added.jobs;
    }
    rows
}

fn kind_name(kind: JobKind) -> &'static str {
    kind.name()
}

fn row(plan: &Plan, job_type: JobType, program: &Program) -> Row {
    let is_output = |op: &pirogue::ir::Op| program.name(*op) == names::SHADOW_OUTPUT;
    Row {
        name: job_type.to_string(),
        programs: 1,
        ops: program.op_count(),
        values_in: program.kwargs(program.top()).len(),
        values_out: program.top_ops().filter(is_output).count(),
        jobs: plan.jobs().iter().filter(|job| job.job_type == job_type).count(),
    }
}

fn write_table(rows: &[Row], by_kind: bool, out: &mut String) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let programs = if by_kind { "  programs" } else { "" };
    let _ = writeln!(out, "{:width$}{programs}    ops  values in  values out  jobs", "");
    for row in rows {
        let programs = if by_kind { format!("  {:>8}", row.programs) } else { String::new() };
        let _ = writeln!(
            out,
            "{:width$}{programs}  {:>5}  {:>9}  {:>10}  {:>4}",
            row.name, row.ops, row.values_in, row.values_out, row.jobs
        );
    }
}
