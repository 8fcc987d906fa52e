//! Writing plans to folders.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use indexmap::IndexSet;
use pirogue::text;
use rustc_hash::FxBuildHasher;

use super::error::Action;
use super::manifest::{manifest_text, program_file};
use super::staging::Staging;
use super::{FolderError, MANIFEST, STAGE_FOLDER};
use crate::Plan;

/// Writes a plan to a folder, which is new, empty, or holds a plan that is then replaced.
///
/// # Errors
/// If the folder holds anything else or the system refuses. Nothing is changed then.
pub fn write_folder(plan: &Plan, dir: &Path) -> Result<(), FolderError> {
    let staging = Staging::open(dir)?;
    write_files(plan, staging.path())?;
    staging.commit()
}

/// Writes the plans of several stages, each to `stage<R>` in a folder that is new, empty, or holds
/// plans that are then replaced.
///
/// # Errors
/// If there is no plan or two are for one stage, the folder holds anything else or the system
/// refuses. Nothing is changed then.
pub fn write_stages(plans: &[Plan], dir: &Path) -> Result<(), FolderError> {
    if plans.is_empty() {
        return Err(FolderError::NoStages { dir: dir.to_owned() });
    }
    let mut met = IndexSet::<_, FxBuildHasher>::default();
    let stages = plans.iter().map(|plan| plan.options().stage());
    if let Some(stage) = stages.into_iter().find(|&stage| !met.insert(stage)) {
        return Err(FolderError::SameStage { stage });
    }
    let staging = Staging::open(dir)?;
    for plan in plans {
        let folder = staging.path().join(format!("{STAGE_FOLDER}{}", plan.options().stage()));
        fs::create_dir(&folder).map_err(Action::Create.failed(&folder))?;
        write_files(plan, &folder)?;
    }
    staging.commit()
}

fn write_files(plan: &Plan, dir: &Path) -> Result<(), FolderError> {
    for (job_type, program) in plan.programs() {
        let path = dir.join(program_file(job_type));
        let mut file = File::create(&path).map_err(Action::Create.failed(&path))?;
        text::write_program(program, &mut file).map_err(Action::Write.failed(&path))?;
    }
    let path = dir.join(MANIFEST);
    let mut file = File::create(&path).map_err(Action::Create.failed(&path))?;
    file.write_all(&manifest_text(plan)).map_err(Action::Write.failed(&path))
}
