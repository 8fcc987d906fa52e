//! Who watches the passes of a command, as its options ask, and what becomes of what was seen.
//!
//! Of one program, prints go to standard error as they come. Of several, which are worked on at the
//! same time, they are kept and told in the order of the programs: **what is seen does not depend on
//! the number of threads**.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use pirogue::diagnostic::Diagnostic;
use pirogue::pass::{ChromeTrace, Moment, PrintProgram, Session, Timing, Verify};
use pirogue_prove::watch::ProveEach;

use crate::args::{VerifyWhen, Watch};
use crate::output::{Screen, to_file};

/// What is asked for, and how many programs there are.
pub struct Watchers<'a> {
    asked: &'a Watch,
    programs: usize,
    is_counting: bool,
    start: Instant,
}

/// The session of a program, with who watches it.
pub struct Watched {
    /// Which of several programs it is.
    name: String,
    pub session: Session,
    printed: Kept,
}

impl<'a> Watchers<'a> {
    pub fn new(asked: &'a Watch, programs: usize) -> Self {
        Self { asked, programs, is_counting: asked.statistics, start: Instant::now() }
    }

    /// Tells what passes counted too, if more is to be said.
    pub fn counting_for(self, screen: &Screen) -> Self {
        Self { is_counting: self.is_counting || screen.verbosity >= 1, ..self }
    }

    /// Whether there is more than one program.
    pub fn are_several(&self) -> bool {
        self.programs > 1
    }

    /// How much the manager is to verify.
    pub fn verify(&self) -> Verify {
        match self.asked.verify {
            VerifyWhen::Touched => Verify::Touched,
            VerifyWhen::Each => Verify::Full,
            VerifyWhen::Ends => Verify::Ends,
            VerifyWhen::None => Verify::Off,
        }
    }

    /// A session for the program of this name; no two have the same.
    pub fn session(&self, name: &str) -> Watched {
        let mut watched =
            Watched { name: name.to_owned(), session: Session::new(), printed: Kept::default() };
        if self.asked.timing {
            watched.session.observe(Timing::new());
        }
        if self.asked.trace.is_some() {
            watched.session.observe(ChromeTrace::since(self.start));
        }
        if self.asked.prove_each {
            watched.session.observe(ProveEach::default());
        }
        if let Some(print) = self.print(&watched) {
            watched.session.observe(print);
        }
        watched
    }

    fn print(&self, watched: &Watched) -> Option<PrintProgram> {
        let moments = [
            (Moment::Before, &self.asked.print_before),
            (Moment::After, &self.asked.print_after),
            (Moment::AfterChange, &self.asked.print_changed),
        ];
        let mut asked = moments.into_iter().filter(|(_, passes)| !passes.is_empty()).peekable();
        let print = match (&self.asked.dump, asked.peek()) {
            (None, None) => return None,
            (None, Some(_)) if self.programs == 1 => PrintProgram::to_sink(io::stderr()),
            (None, Some(_)) => PrintProgram::to_sink(watched.printed.clone()),
            (Some(folder), None) => self.to_folder(folder, watched).at(Moment::After, &[]),
            (Some(folder), Some(_)) => self.to_folder(folder, watched),
        };
        let print = asked.fold(print, |print, (moment, passes)| {
            print.at(moment, &passes.iter().map(String::as_str).collect::<Vec<_>>())
        });
        Some(print)
    }

    fn to_folder(&self, folder: &Path, watched: &Watched) -> PrintProgram {
        match self.programs {
            1 => PrintProgram::to_folder(folder),
            _ => PrintProgram::to_folder(folder.join(&watched.name)),
        }
    }
}

impl Watched {
    /// What passes did to the meaning of their program, if that was asked for.
    pub fn broken_meaning(&self) -> Vec<Diagnostic> {
        self.session.observer::<ProveEach>().map_or(Vec::new(), |seen| seen.faults().collect())
    }
}

/// # When the runs are over
impl Watchers<'_> {
    /// Tells what was seen, in the order of the programs.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn report(&self, screen: &Screen, runs: &[&Watched]) -> Result<(), Diagnostic> {
        self.show_prints(screen, runs);
        for run in runs {
            let counts = self.is_counting.then(|| run.session.statistics().to_string());
            let times = run.session.observer::<Timing>().map(Timing::to_string);
            let seen: String = [counts, times].into_iter().flatten().collect();
            if self.are_several() && !seen.is_empty() {
                screen.show(format!("{}:\n", run.name).as_bytes());
            }
            screen.show(seen.as_bytes());
        }
        match &self.asked.trace {
            Some(path) => self.write_trace(path, runs),
            None => Ok(()),
        }
    }

    /// What was printed of several programs reads back as several, too.
    fn show_prints(&self, screen: &Screen, runs: &[&Watched]) {
        let mut separator = "";
        for run in runs {
            let printed = run.printed.take();
            if !printed.is_empty() {
                screen.show(format!("{separator}// of `{}`\n", run.name).as_bytes());
                screen.show(&printed);
                separator = "// -----\n";
            }
        }
    }

    fn write_trace(&self, path: &Path, runs: &[&Watched]) -> Result<(), Diagnostic> {
        let traces = runs
            .iter()
            .filter_map(|run| Some((run.name.as_str(), run.session.observer::<ChromeTrace>()?)));
        let trace = ChromeTrace::join_all(traces);
        to_file(path, |sink| serde_json::to_writer(sink, &trace).map_err(io::Error::from))
    }
}

/// Keeps what is written to it, for whoever has a clone of it.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
