//! `plan.json` as it is written and read.

use std::borrow::Cow;

use pirogue_schedule::JobType;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{FORMAT, PROGRAM_EXTENSION, VERSION};
use crate::Plan;

/// What says how to read the rest.
#[derive(Deserialize)]
pub(super) struct Head<'t> {
    #[serde(borrow)]
    pub(super) format: &'t RawValue,
    pub(super) version: &'t RawValue,
}

/// The whole file, its parts not looked at yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest<'t> {
    #[serde(rename = "format")]
    _format: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(borrow)]
    pub(super) options: &'t RawValue,
    pub(super) programs: Vec<&'t RawValue>,
    pub(super) skip_gc_sets: Vec<&'t RawValue>,
    pub(super) jobs: Vec<&'t RawValue>,
}

/// A program of the plan.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramEntry<'t> {
    #[serde(borrow, rename = "type")]
    pub(super) job_type: Cow<'t, str>,
    pub(super) file: Cow<'t, str>,
}

/// A job of the plan.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobEntry<'t> {
    #[serde(borrow, rename = "type")]
    pub(super) job_type: Cow<'t, str>,
    pub(super) micro_batch: u32,
    pub(super) skip_gc: u32,
}

/// The file of the program of a job type.
pub(super) fn program_file(job_type: JobType) -> String {
    format!("{job_type}.{PROGRAM_EXTENSION}")
}

/// The text of `plan.json`: a line for each program, set and job.
pub(super) fn manifest_text(plan: &Plan) -> Vec<u8> {
    let mut out =
        format!("{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\n \"options\":").into_bytes();
    write_json(plan.options(), &mut out);
    list("programs", plan.programs(), &mut out, |(job_type, _), out| {
        let (file, job_type) = (program_file(job_type).into(), job_type.to_string().into());
        write_json(&ProgramEntry { job_type, file }, out);
    });
    list("skip_gc_sets", plan.skip_gc_sets(), &mut out, |set, out| {
        out.push(b'[');
        for (index, &name) in set.iter().enumerate() {
            separate(index, out);
            write_json(plan.context().name_text(name), out);
        }
        out.push(b']');
    });
    list("jobs", plan.jobs().iter().enumerate(), &mut out, |(index, job), out| {
        let job_type = job.job_type.to_string().into();
        let (micro_batch, skip_gc) = (job.micro_batch.0, plan.skip_gc_set(index) as u32);
        write_json(&JobEntry { job_type, micro_batch, skip_gc }, out);
    });
    out.extend_from_slice(b"}\n");
    out
}

/// A list under a key, an item a line.
fn list<T>(
    key: &str,
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.extend_from_slice(format!(",\n \"{key}\":[").as_bytes());
    for (index, item) in items.enumerate() {
        separate(index, out);
        out.extend_from_slice(b"\n  ");
        write(item, out);
    }
    out.push(b']');
}

fn separate(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}

fn write_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("strings and integers go to a vector");
}
