//! Faults in how programs use names, memory and streams.

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Name, Op, Type};
use pirogue::text::type_text;

use super::{Report, limited};
use crate::findings::{Fault, Finding, Side, Site};
use crate::streams::StreamFault;

/// The codes in the order of cause: what comes first explains what comes after.
const ORDER: [&str; 7] = ["E0718", "E0701", "E0702", "E0715", "E0717", "E0704", "E0706"];

impl Report<'_> {
    /// What was found while programs ran, in the order of cause.
    pub(super) fn findings(&self) -> Vec<Diagnostic> {
        let found: Vec<Diagnostic> =
            self.attempt.findings.all.iter().map(|finding| self.finding(finding)).collect();
        let mut ordered = Vec::new();
        for code in ORDER {
            ordered.extend(limited(
                found.iter().filter(|fault| fault.code == code).cloned().collect(),
            ));
        }
        ordered
    }

    fn text(&self, name: Name) -> &str {
        self.attempt.world.context.name_text(name)
    }

    fn ty(&self, ty: Type) -> String {
        type_text(&self.attempt.world.context, ty)
    }

    fn finding(&self, finding: &Finding) -> Diagnostic {
        let (site, program) = (finding.site, self.places.name(finding.site.side));
        let job =
            finding.job.map_or_else(|| program.to_owned(), |job| self.places.job(job).to_owned());
        let diagnostic = match finding.fault {
            Fault::Wire { name, ty } => Diagnostic::error(
                "E0701",
                format!(
                    "a value of the type `{}` cannot go from program to program, as `{}` does",
                    self.ty(ty),
                    self.text(name)
                ),
            )
            .remark(format!("the program is `{program}`"))
            .help("cut where the value is a tensor: keep `builtin.combine` and stacks with who uses them"),
            Fault::Missing { name, is_persistable } => self.missing(name, is_persistable, program, &job),
            Fault::Freed { name, by } => Diagnostic::error(
                "E0704",
                format!("`{job}` reads `{}`, which `{}` has freed", self.text(name), self.places.job(by)),
            )
            .help(format!(
                "add the name to the `skip_gc_vars` of `{}`, if nothing else reads it in between",
                self.places.job(by)
            )),
            Fault::Type { name, expected, found } => {
                let of = name.map_or_else(|| "an element".into(), |name| format!("`{}`", self.text(name)));
                let (found, expected) = (self.ty(found), self.ty(expected));
                Diagnostic::error(
                    "E0706",
                    format!("`{program}` takes {of} as `{found}`, but it is `{expected}`"),
                )
                .help("give it the type that it has where it is made")
            }
            Fault::NameTaken { name } => Diagnostic::error(
                "E0715",
                format!("`{program}` gives the name `{}` to a second value", self.text(name)),
            )
            .help("give each value a name of its own: the first one is lost"),
            Fault::NamesPersistable { name } => Diagnostic::error(
                "E0717",
                format!(
                    "`{program}` gives the name `{}` to a variable that outlives the step",
                    self.text(name)
                ),
            )
            .help("take the variable by its own name, as a keyword argument"),
            Fault::TooDeep => {
                Diagnostic::error("E0718", "regions are nested too deep to be judged".to_owned())
                    .help("more than 200 levels are taken for a mistake")
            }
        };
        self.with_place(diagnostic, site)
    }

    fn missing(&self, name: Name, is_persistable: bool, program: &str, job: &str) -> Diagnostic {
        let text = self.text(name);
        let (message, help) = if is_persistable {
            (
                format!(
                    "`{program}` asks for the variable `{text}`, which the original does not have"
                ),
                "if the value is one of a micro-batch, say `persistable:false`",
            )
        } else {
            (
                format!(
                    "`{job}` asks for `{text}`, and no earlier job of its micro-batch leaves it under this name"
                ),
                "name the value in an earlier job; of several names of a value only the last one holds",
            )
        };
        Diagnostic::error("E0702", message).help(help)
    }

    fn with_place(&self, diagnostic: Diagnostic, site: Site) -> Diagnostic {
        match self.places.place(site) {
            Some(place) => {
                diagnostic.at(place.label(format!("in `{}`", self.places.name(site.side))))
            }
            None => diagnostic,
        }
    }

    pub(super) fn stream_fault(&self, fault: &StreamFault) -> Diagnostic {
        let site = |(program, op): (u32, Op)| Site { side: Side::Plan(program), op: Some(op) };
        match *fault {
            StreamFault::Race { name, writer, reader, streams } => {
                let [from, to] = streams.map(|stream| self.text(stream));
                let [writer, reader] = [writer, reader].map(site);
                let race = Diagnostic::error(
                    "E0707",
                    format!(
                        "`{}` is written on the stream `{from}` and read on `{to}`, which does not wait for it",
                        self.text(name)
                    ),
                )
                .help("let the writer record an event, and the first reader on each other stream wait for it");
                let race = self.with_place(race, reader);
                match self.places.place(writer) {
                    Some(place) => {
                        let label = format!("written here, in `{}`", self.places.name(writer.side));
                        race.see(place.label(label))
                    }
                    None => race,
                }
            }
            StreamFault::NoEvent { event, waiter } => {
                let waits = Diagnostic::error(
                    "E0708",
                    format!("the event `{}` is waited for, but nothing has recorded it", self.text(event)),
                )
                .help("say `event_to_record` and `force_record_event:true` where the value is written");
                self.with_place(waits, site(waiter))
            }
        }
    }
}
