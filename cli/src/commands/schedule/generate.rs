//! Schedules of families, by name.

use pirogue::diagnostic::Diagnostic;
use pirogue_schedule::families::{self, Family, Refusal, Request};
use pirogue_schedule::{BackwardMode, Counts, Form, Schedule, Severity, ShardingReduce, Vpp};

use crate::args::{FamilyOptions, GivenCounts, LeftOver, ScheduleForm};
use crate::failure::Failure;

/// Whether there is a family of this name, or of one that is like it but for its letters' case.
pub fn is_family(name: &str) -> bool {
    families::FAMILIES.iter().any(|family| family.name.eq_ignore_ascii_case(name))
}

/// The schedule of a family, and what is to be known of it.
pub fn generate(
    name: &str,
    counts: GivenCounts,
    options: &FamilyOptions,
) -> Result<(Schedule, Vec<Diagnostic>), Failure> {
    let family = find(name)?;
    let GivenCounts { stages, chunks, micro_batches } = counts;
    let counts = Counts::new(stages.into(), chunks.into(), micro_batches.into())
        .map_err(|error| refused(&error.into()))?;
    let request = request(counts, options);
    let schedule = family.generate(&request).map_err(|refusal| refused(&refusal))?;
    Ok((schedule, remarks(family, &request)))
}

/// The family of a name.
pub fn find(name: &str) -> Result<&'static Family, Failure> {
    families::find(name).map_err(|refusal| {
        let mut error = refused(&refusal);
        if std::fs::exists(name).unwrap_or(false) {
            error = error.remark("it is a file, and files say their counts: leave `--stages` out");
        }
        Failure::CommandLine(vec![error])
    })
}

fn request(counts: Counts, options: &FamilyOptions) -> Request {
    Request {
        backward: match options.split_backward {
            true => BackwardMode::Split,
            false => BackwardMode::Whole,
        },
        form: match options.form {
            ScheduleForm::Current => Form::Current,
            ScheduleForm::Legacy => Form::Legacy,
        },
        sharding_reduce: match options.overlap_sharding_reduce {
            true => ShardingReduce::Overlapped,
            false => ShardingReduce::AtTheEnd,
        },
        group: options.group,
        live_limit: options.live_limit,
        remainder: match options.remainder {
            LeftOver::Keep => families::Remainder::Keep,
            LeftOver::Regroup => families::Remainder::Regroup,
        },
        ..Request::new(counts)
    }
}

/// What Paddle's planner should tell of its `VPP`.
fn remarks(family: &Family, request: &Request) -> Vec<Diagnostic> {
    if family.name != "VPP" {
        return Vec::new();
    }
    let vpp = Vpp::of(request.counts, request.backward).map(|vpp| {
        let vpp = vpp.with_form(request.form).with_sharding_reduce(request.sharding_reduce);
        vpp.with_remainder(request.remainder)
    });
    let remarks = vpp.and_then(Vpp::verdict).unwrap_or_default();
    let diagnostics = remarks.iter().map(|remark| {
        let diagnostic = match remark.severity() {
            Severity::Warning => Diagnostic::warning(remark.code(), remark.to_string()),
            Severity::Note => Diagnostic::note(remark.code(), remark.to_string()),
        };
        diagnostic.help(remark.help())
    });
    diagnostics.collect()
}

fn refused(refusal: &Refusal) -> Diagnostic {
    let error = Diagnostic::error(refusal.code(), refusal.to_string()).help(refusal.help());
    refusal.details().into_iter().fold(error, Diagnostic::remark)
}
