//! `pirogue test`: the cases of a folder, with the passes that ship.

use std::fmt::Write as _;

use pirogue::diagnostic::Diagnostic;
use pirogue_prove::watch;
use pirogue_testing::{Case, Failure as CaseFailure, Finding, Judge, Settled, Suite, Update};

use crate::Outcome;
use crate::args::{Global, Test};
use crate::output::Screen;
use pirogue::parallel;

/// A case, and how it came out.
type Verdict<'s> = (&'s Case, Result<Settled, CaseFailure>);

pub fn run(args: &Test, global: &Global, screen: &Screen) -> Outcome {
    let judge = Judge { begin: watch::begin, faults: watch::faults };
    let mut suite = Suite::read(&args.folder).map_err(|fault| *fault)?.judge(judge);
    if let Some(snapshots) = &args.snapshots {
        suite = suite.snapshots(snapshots);
    }
    let chosen = suite.cases_named(args.filter.as_deref().unwrap_or("")).map_err(|fault| *fault)?;
    let update = if args.bless { Update::Always } else { Update::Nothing };
    let registry = super::registry();
    let verdicts: Vec<Verdict<'_>> = parallel::map(global.threads(), chosen, |case| {
        let settled = suite.check(case, &registry, update);
        (case, settled)
    });
    screen.say(&list(&verdicts))?;
    let unused = match args.filter {
        None if args.folder.is_dir() => suite.unused_snapshots(),
        _ => Vec::new(),
    };
    let mut found: Vec<Diagnostic> = unused.iter().map(|path| unused_snapshot(path)).collect();
    let failed = tell_failures(&verdicts, screen);
    if failed == 0 {
        return Ok(found);
    }
    let message = format!("{failed} of {} cases failed", verdicts.len());
    let mut error = Diagnostic::error("E0690", message);
    if verdicts.iter().any(differs_from_its_snapshot) {
        error = error.help("`--bless` takes what the cases show now as right");
    }
    found.push(error);
    Err(found.into())
}

fn differs_from_its_snapshot((_, verdict): &Verdict<'_>) -> bool {
    let findings = verdict.as_ref().err().map_or(&[][..], |failure| &failure.findings);
    findings.iter().any(Finding::is_of_snapshot)
}

/// A line for each case, and their sum.
fn list(verdicts: &[Verdict<'_>]) -> String {
    let mut out = String::new();
    let (mut passed, mut written) = (0, 0);
    for (case, verdict) in verdicts {
        let word = match verdict {
            Ok(Settled::Same) => "pass ",
            Ok(Settled::Written) => "wrote",
            Err(_) => "FAIL ",
        };
        passed += usize::from(verdict.is_ok());
        written += usize::from(matches!(verdict, Ok(Settled::Written)));
        let _ = writeln!(out, "{word} {}", case.name());
    }
    let _ = write!(out, "\n{passed} passed, {} failed", verdicts.len() - passed);
    let _ = match written {
        0 => writeln!(out),
        1 => writeln!(out, ", 1 snapshot written"),
        _ => writeln!(out, ", {written} snapshots written"),
    };
    out
}

/// Says why cases failed; how many did.
fn tell_failures(verdicts: &[Verdict<'_>], screen: &Screen) -> usize {
    let mut failed = 0;
    for (case, verdict) in verdicts {
        let Err(failure) = verdict else { continue };
        failed += 1;
        for finding in &failure.findings {
            screen.show(b"\n");
            let whose = format!("in the case `{}`", case.name());
            let diagnostic = finding.diagnostic.clone().remark(whose);
            screen.report_with(&diagnostic, &finding.details);
        }
    }
    if failed > 0 {
        screen.show(b"\n");
    }
    failed
}

fn unused_snapshot(path: &std::path::Path) -> Diagnostic {
    let message = format!("no case has the snapshot `{}`", path.display());
    Diagnostic::warning("W0690", message).help("remove it, or give the case its old name back")
}
