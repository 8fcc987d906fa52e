//! What is checked: a schedule in a file, or the plans of all stages in folders.

use std::fs;
use std::path::{Path, PathBuf};

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::Context;
use pirogue_plan::{Plan, PlanOptions, read_folder};
use pirogue_schedule::format::Format;
use pirogue_schedule::{Job, Schedule, Stage};

use crate::plans::stages_in;
use crate::{input, schedules};

/// A schedule, and where it was read.
pub struct Source {
    pub schedule: Schedule,
    /// What is to be said about the reading of it.
    pub warnings: Vec<Diagnostic>,
    file: String,
    /// The text, where its lines are the lists of the stages.
    lists: Option<String>,
}

/// The schedule in a file, or that of the plans in folders.
///
/// # Errors
/// What cannot be read; or plans that are not those of all stages of one schedule (`E0665`).
pub fn read(inputs: &[PathBuf]) -> Result<Source, Vec<Diagnostic>> {
    match inputs {
        [file] if input::is_stdin(file) || !file.is_dir() => read_file(file),
        folders => read_plans(folders),
    }
}

fn read_file(path: &Path) -> Result<Source, Vec<Diagnostic>> {
    let reading = schedules::load(path, None).map_err(|error| vec![error])?;
    let warnings = schedules::unread(reading.format, &reading.lost).into_iter().collect();
    let lists = match reading.format {
        Format::Jobs if !input::is_stdin(path) => fs::read_to_string(path).ok(),
        _ => None,
    };
    Ok(Source { schedule: reading.schedule, warnings, file: input::shown(path), lists })
}

impl Source {
    /// Where a job stands in the list of a stage, if the lines of the file are the lists.
    pub fn place(&self, stage: Stage, job: Job) -> Option<Place> {
        let line = self.lists.as_ref()?.lines().nth(stage.0 as usize)?;
        let word = job.to_string();
        let mut words = line.split([' ', '\t']);
        let found = words.find(|text| *text == word)?;
        let start = found.as_ptr().addr() - line.as_ptr().addr();
        Some(Place::in_text(&self.file, stage.0 + 1, line, start..start + word.len()))
    }
}

/// The schedule whose lists are those of the plans of all stages.
fn read_plans(folders: &[PathBuf]) -> Result<Source, Vec<Diagnostic>> {
    let mut plans = Vec::new();
    let mut found = Vec::new();
    for folder in folders.iter().flat_map(|folder| stages_in(folder)) {
        // Each plan has a context of its own: nothing of one is needed for another.
        match read_folder(&Context::new(), &folder) {
            Ok(read) => plans.push((folder, read.plan)),
            Err(faults) => found.extend(faults),
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    plans.sort_by_key(|(_, plan)| plan.options().pp_stage);
    check_together(&plans).map_err(|fault| vec![*fault])?;
    let lists: Vec<Vec<Job>> = plans.iter().map(|(_, plan)| plan.jobs().to_vec()).collect();
    let schedule = Schedule::from_lists(&lists).map_err(|error| {
        vec![Diagnostic::error(error.code(), error.to_string()).help(error.help())]
    })?;
    Ok(Source { schedule, warnings: Vec::new(), file: String::new(), lists: None })
}

/// The plans, in order of stages, are those of all stages of one schedule.
fn check_together(plans: &[(PathBuf, Plan)]) -> Result<(), Box<Diagnostic>> {
    let Some((first_folder, first)) = plans.first() else { return Ok(()) };
    let common = |plan: &Plan| PlanOptions { pp_stage: 0, ..plan.options().clone() };
    let wrong =
        |message: String, help: &str| Err(Box::new(Diagnostic::error("E0665", message).help(help)));
    for (folder, plan) in plans {
        if common(plan) != common(first) {
            let (folder, first) = (folder.display(), first_folder.display());
            return wrong(
                format!("the plans in `{first}` and `{folder}` are of different schedules"),
                "make the plans of all stages with the same options",
            );
        }
    }
    let count = first.options().pp_degree;
    for stage in 0..count {
        let of_stage = plans.iter().filter(|(_, plan)| plan.options().pp_stage == stage);
        match of_stage.count() {
            1 => {}
            0 => {
                return wrong(
                    format!("there is no plan of stage {stage}: the schedule has {count} stages"),
                    "name the folders of all stages, or the one they are in",
                );
            }
            number => {
                return wrong(
                    format!("there are {number} plans of stage {stage}"),
                    "name one folder for each stage",
                );
            }
        }
    }
    Ok(())
}
