//! Running a case once: reading its program, running its pipeline, keeping all that came of it.

use pirogue::diagnostic::{Diagnostic, Severity};
use pirogue::ir::{Context, Program, UseOrder, verify};
use pirogue::pass::{PassManager, Pipeline, Registry, Session, Verify};
use pirogue::text;

use crate::case::Content;
use crate::judge::Judge;
use crate::laws::LawCheck;

/// How a run is made. **What comes of it must not depend on this.**
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Manner {
    /// On one thread.
    Plain,
    /// On several threads.
    Threads,
    /// With the uses of each value in the opposite order.
    Reversed,
    /// With the uses of each value, and the handles of all names, in another order.
    Shuffled,
}

impl Manner {
    /// All but the plain one.
    pub const OTHERS: [Self; 3] = [Self::Threads, Self::Reversed, Self::Shuffled];

    /// What the result depends on, if another one comes of it than of the plain manner.
    pub fn subject(self) -> &'static str {
        match self {
            Self::Plain => "chance",
            Self::Threads => "the number of threads",
            Self::Reversed => "the order of uses",
            Self::Shuffled => "the order of uses or of interned names",
        }
    }

    fn use_order(self) -> Option<UseOrder> {
        match self {
            Self::Plain | Self::Threads => None,
            Self::Reversed => Some(UseOrder::Reversed),
            Self::Shuffled => Some(UseOrder::Shuffled(SEED)),
        }
    }
}

const THREADS: usize = 4;
/// Chooses the order of uses; any number does.
const SEED: u64 = 0x9106;

/// What came of a run.
#[derive(Default)]
pub struct Ran {
    /// The program as it was read; none if it could not be.
    pub before: Option<Program>,
    /// The program at the end; as before the pass that failed, if one did.
    pub after: Option<Program>,
    /// The programs that it left, such as those of a plan, by name.
    pub programs: Vec<(String, Program)>,
    /// What goes with them, such as a job list.
    pub account: String,
    /// What the passes counted.
    pub statistics: String,
    /// All that was said.
    pub diagnostics: Vec<Diagnostic>,
    /// Laws that passes declare and broke.
    pub broken_laws: Vec<Diagnostic>,
    /// What they changed in the meaning of the program, if that was to be judged.
    pub broken_meaning: Vec<Diagnostic>,
}

impl Ran {
    /// Whether the program could not be read, does not verify, or a pass failed on it.
    pub fn is_failed(&self) -> bool {
        self.diagnostics.iter().any(|said| said.severity == Severity::Error)
    }
}

/// Runs a case. `file` is what its places call the file.
pub fn run(
    file: &str,
    content: &Content,
    registry: &Registry,
    (manner, judge): (Manner, Option<Judge>),
) -> Ran {
    let context = Context::new();
    if manner == Manner::Shuffled {
        intern_backwards(&context, &content.program);
    }
    let read = match text::read_program(&context, file, content.program.as_bytes()) {
        Ok(read) => read,
        Err(diagnostics) => return Ran { diagnostics, ..Ran::default() },
    };
    let mut ran = Ran { before: Some(read.program.clone()), ..Ran::default() };
    ran.diagnostics = read.warnings;
    let mut program = read.program;
    if let Some(order) = manner.use_order() {
        program.reorder_uses(order);
    }
    match &content.pipeline {
        None => ran.diagnostics.extend(verify(&program)),
        Some(pipeline) => run_pipeline(pipeline, registry, (manner, judge), &mut program, &mut ran),
    }
    ran.after = Some(program);
    ran
}

fn run_pipeline(
    pipeline: &str,
    registry: &Registry,
    (manner, judge): (Manner, Option<Judge>),
    program: &mut Program,
    ran: &mut Ran,
) {
    let pipeline = match Pipeline::parse(registry, pipeline) {
        Ok(pipeline) => pipeline,
        Err(faults) => return ran.diagnostics.extend(faults),
    };
    let threads = if manner == Manner::Plain { 1 } else { THREADS };
    let manager = PassManager::new(pipeline).verify(Verify::Full).threads(threads);
    let mut session = Session::new();
    session.observe(LawCheck::default());
    if let Some(judge) = judge {
        (judge.begin)(&mut session);
    }
    let outcome = manager.run(program, &mut session);
    ran.diagnostics.extend(session.take_diagnostics());
    if let Err(failure) = outcome {
        ran.diagnostics.extend(failure.diagnostics().iter().cloned());
    }
    ran.statistics = session.statistics().to_string();
    let laws = session.observer::<LawCheck>().map(|laws| laws.broken.clone());
    ran.broken_laws = laws.unwrap_or_default();
    ran.broken_meaning = judge.map_or(Vec::new(), |judge| (judge.faults)(&session));
    if let Ok(set) = session.programs() {
        let names = set.names().into_iter().enumerate();
        ran.programs = names.map(|(index, name)| (name, set.program(index).clone())).collect();
        ran.account = set.account();
    }
}

/// Gives the words of a text handles in an order that no reading of it would.
fn intern_backwards(context: &Context, text: &str) {
    let words = text.rsplit(|c: char| !c.is_alphanumeric() && !"_.".contains(c));
    words.filter(|word| !word.is_empty()).for_each(|word| {
        context.name(word);
    });
}
