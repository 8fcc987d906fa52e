//! Pipelines: passes in the order in which they run, and the text for them.
//!
//! `infer_chunk_ids,pipeline_scheduler_VPP{pp_degree=2 pp_stage=0},jobs[forward*](cleanup)`: passes
//! with commas between, options in braces, and `jobs[...](...)` for what is to run on the programs
//! of a plan. **A pipeline prints as the text it was read from**, white space and options that are
//! at their default left out; see [`Pipeline::parse`].
//!
//! ```
//! use pirogue::pass::{Pipeline, Registry};
//! let faults = Pipeline::parse(&Registry::new(), "split{").unwrap_err();
//! assert_eq!(faults[0].code, "E0501");
//! assert!(Pipeline::parse(&Registry::new(), "").is_ok(), "no pass is a pipeline too");
//! ```

mod order;
mod parse;
mod resolve;
mod source;

use std::fmt;

use self::source::{Source, Spot};
use super::options::{Options, schema_facts};
use super::registry::{info_of, options_of};
use super::value::value_text;
use super::{Pass, RegisteredPass, Registry};
use crate::diagnostic::{Diagnostic, Severity};

/// How many faults are reported of one pipeline.
const MOST_FAULTS: usize = 20;

/// Passes in the order in which they run.
///
/// As text: `infer_chunk_ids,pipeline_scheduler_VPP{pp_degree=2 pp_stage=0},jobs[forward*](cleanup)`.
/// Options have white space between; values are integers, decimal numbers, `true`, `false`, bare
/// words, "strings" and `[lists]`. `jobs[...](...)` runs a pipeline on those programs of a plan whose
/// names match a pattern. **A pipeline prints as the text it was read from**, but for white space
/// and for options at their default.
#[derive(Default)]
pub struct Pipeline {
    steps: Vec<Step>,
}

/// One step of a pipeline.
pub enum Step {
    /// A pass.
    Pass(PassStep),
    /// A pipeline for programs of a plan.
    Jobs(JobsStep),
}

/// A pass of a pipeline, with the options that are not at their default.
pub struct PassStep {
    pass: Box<dyn Pass>,
    options: Options,
    spot: Option<Spot>,
}

/// A pipeline that runs on those programs of a [`ProgramSet`](super::ProgramSet) whose names match.
pub struct JobsStep {
    /// Patterns of names; none: all programs.
    globs: Vec<String>,
    pipeline: Pipeline,
    spot: Option<Spot>,
}

/// # Making
impl Pipeline {
    /// A pipeline without passes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the text of a pipeline.
    ///
    /// # Errors
    /// The first fault of the spelling; or all unknown names, wrong options and broken rules.
    pub fn parse(registry: &Registry, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let elements = parse::parse(text).map_err(|fault| vec![*fault])?;
        let source = Source::new(text);
        let mut resolver = resolve::Resolver { registry, source, faults: Vec::new() };
        let pipeline = resolver.pipeline(elements);
        let mut faults = resolver.faults;
        faults.truncate(MOST_FAULTS);
        if faults.is_empty() {
            faults = pipeline.broken_rules();
            faults.retain(|fault| fault.severity == Severity::Error);
        }
        if faults.is_empty() { Ok(pipeline) } else { Err(faults) }
    }

    /// Adds the steps of another pipeline at the end.
    pub fn then_all(mut self, other: Self) -> Self {
        self.steps.extend(other.steps);
        self
    }

    /// Adds a pass at the end, with its options.
    pub fn then<P: RegisteredPass>(mut self, pass: P) -> Self {
        let info = info_of(&pass, schema_facts::<P>());
        let options = info.without_defaults(&options_of(&pass));
        self.steps.push(Step::Pass(PassStep { pass: Box::new(pass), options, spot: None }));
        self
    }

    /// Adds a pass at the end that has no options, or none that its text could tell.
    pub fn then_boxed(mut self, pass: Box<dyn Pass>) -> Self {
        self.steps.push(Step::Pass(PassStep { pass, options: Options::new(), spot: None }));
        self
    }

    /// Adds a pipeline for the programs of a plan whose names match a pattern; none: for all.
    pub fn then_jobs(mut self, globs: &[&str], pipeline: Self) -> Self {
        let globs = globs.iter().map(|&glob| glob.to_owned()).collect();
        self.steps.push(Step::Jobs(JobsStep { globs, pipeline, spot: None }));
        self
    }
}

/// # Reading
impl Pipeline {
    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The rules of its passes that it breaks: errors, and notes.
    pub fn broken_rules(&self) -> Vec<Diagnostic> {
        order::broken_rules(self)
    }

    /// The text of the steps from one on.
    pub fn text_from(&self, index: usize) -> String {
        let texts: Vec<String> = self.steps.iter().skip(index).map(Step::to_string).collect();
        texts.join(",")
    }
}

impl PassStep {
    /// The pass.
    pub fn pass(&self) -> &dyn Pass {
        &*self.pass
    }
}

impl JobsStep {
    /// What runs on each program.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Whether it runs on a program of this name.
    pub fn matches(&self, name: &str) -> bool {
        self.globs.is_empty() || self.globs.iter().any(|glob| glob_matches(glob, name))
    }

    /// The patterns of names; none: all programs.
    pub fn globs(&self) -> &[String] {
        &self.globs
    }

    pub(super) fn place(&self) -> Option<crate::diagnostic::Place> {
        self.spot.as_ref().map(Spot::place)
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_from(0))
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pipeline({self})")
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass(step) => f.write_str(&call_text(step.pass.name(), &step.options)),
            Self::Jobs(step) if step.globs.is_empty() => write!(f, "jobs({})", step.pipeline),
            Self::Jobs(step) => write!(f, "jobs[{}]({})", step.globs.join(","), step.pipeline),
        }
    }
}

/// A pass and its options, as pipeline text.
pub(super) fn call_text(name: &str, options: &Options) -> String {
    if options.is_empty() {
        return name.to_owned();
    }
    let options = options.iter().map(|(name, value)| format!("{name}={}", value_text(value)));
    format!("{name}{{{}}}", options.collect::<Vec<String>>().join(" "))
}

/// Whether a pattern matches a whole name: `*` any characters, `?` one.
///
/// ```
/// use pirogue::pass::glob_matches;
/// assert!(glob_matches("pd_op.matmul*", "pd_op.matmul_grad"));
/// assert!(!glob_matches("matmul*", "pd_op.matmul"));
/// ```
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    // Where to go on after the last `*` if what follows it does not match here.
    let mut retry: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match glob.get(at) {
            Some('*') => {
                retry = Some((at, in_name));
                at += 1;
            }
            Some(&c) if c == '?' || c == name[in_name] => (at, in_name) = (at + 1, in_name + 1),
            _ => {
                let Some((star, begin)) = retry else { return false };
                retry = Some((star, begin + 1));
                (at, in_name) = (star + 1, begin + 1);
            }
        }
    }
    glob[at..].iter().all(|&c| c == '*')
}
