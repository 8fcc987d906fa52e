//! A run as a trace for `chrome://tracing` and Perfetto: a lane for the pipeline, one for each
//! program of `jobs(...)`.

use std::any::Any;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Branch, Change, Observer, StepInfo};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use crate::pass::Pipeline;

/// Collects the events of a trace; [`to_json`](Self::to_json) when the run is over.
pub struct ChromeTrace {
    epoch: Instant,
    events: Vec<Event>,
    open: Vec<Opened>,
    lane: usize,
    /// The name of each lane; a child has those it made only.
    lanes: Vec<(usize, String)>,
    /// The next lane that no branch has yet.
    free_lane: usize,
}

struct Opened {
    name: String,
    start: Duration,
    ops: usize,
}

struct Event {
    name: String,
    lane: usize,
    start: Duration,
    wall: Duration,
    facts: Value,
}

impl Default for ChromeTrace {
    fn default() -> Self {
        Self::new()
    }
}

impl ChromeTrace {
    /// A trace that begins now.
    pub fn new() -> Self {
        Self::since(Instant::now())
    }

    /// A trace that began at a moment: traces of several runs that began at one can be
    /// [joined](Self::join_all).
    pub fn since(start: Instant) -> Self {
        Self::lane(start, 0, "pipeline")
    }

    fn lane(epoch: Instant, lane: usize, name: &str) -> Self {
        let lanes = vec![(lane, name.to_owned())];
        Self { epoch, events: Vec::new(), open: Vec::new(), lane, lanes, free_lane: lane + 1 }
    }

    /// The trace, in the JSON object form.
    pub fn to_json(&self) -> Value {
        in_object_form(self.events_of(1))
    }

    /// The traces of several runs as one, each under its name as a process of its own.
    ///
    /// ```
    /// use pirogue::pass::ChromeTrace;
    /// let start = std::time::Instant::now();
    /// let (a, b) = (ChromeTrace::since(start), ChromeTrace::since(start));
    /// let trace = ChromeTrace::join_all([("a.pir", &a), ("b.pir", &b)]);
    /// assert_eq!(trace["traceEvents"][2]["args"]["name"], "b.pir");
    /// ```
    pub fn join_all<'t>(traces: impl IntoIterator<Item = (&'t str, &'t Self)>) -> Value {
        let processes = (1..).zip(traces).flat_map(|(process, (name, trace))| {
            let name = json!({
                "ph": "M", "name": "process_name", "pid": process, "args": {"name": name},
            });
            std::iter::once(name).chain(trace.events_of(process))
        });
        in_object_form(processes)
    }

    fn events_of(&self, process: usize) -> impl Iterator<Item = Value> {
        let names = self.lanes.iter().map(move |(lane, name)| {
            json!({
                "ph": "M", "name": "thread_name", "pid": process, "tid": lane,
                "args": {"name": name},
            })
        });
        let spans = self.events.iter().map(move |event| {
            json!({
                "ph": "X", "name": event.name, "pid": process, "tid": event.lane,
                "ts": microseconds(event.start), "dur": microseconds(event.wall), "args": event.facts,
            })
        });
        names.chain(spans)
    }

    fn begin(&mut self, name: &str, program: &Program) {
        let (start, ops) = (self.epoch.elapsed(), program.op_count());
        self.open.push(Opened { name: name.to_owned(), start, ops });
    }

    fn end(&mut self, program: &Program, outcome: Value) {
        let Some(Opened { name, start, ops }) = self.open.pop() else { return };
        let wall = self.epoch.elapsed().saturating_sub(start);
        let facts = json!({"ops in": ops, "ops out": program.op_count(), "outcome": outcome});
        self.events.push(Event { name, lane: self.lane, start, wall, facts });
    }

    fn ended_now(&mut self, name: &str, wall: Duration) {
        let start = self.epoch.elapsed().saturating_sub(wall);
        let (name, facts) = (name.to_owned(), json!({}));
        self.events.push(Event { name, lane: self.lane, start, wall, facts });
    }
}

fn in_object_form(events: impl Iterator<Item = Value>) -> Value {
    json!({"traceEvents": events.collect::<Vec<Value>>(), "displayTimeUnit": "ms"})
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

impl Observer for ChromeTrace {
    fn before_pipeline(&mut self, _: &Pipeline, program: &Program) {
        self.begin("pipeline", program);
    }

    fn after_pipeline(&mut self, _: &Pipeline, program: &Program) {
        self.end(program, json!("over"));
    }

    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        self.begin(step.name(), program);
    }

    fn after_pass(&mut self, _: &StepInfo<'_>, program: &Program, change: Change) {
        self.end(program, json!({"edits": change.edits}));
    }

    fn pass_failed(&mut self, _: &StepInfo<'_>, program: &Program, reason: &Diagnostic) {
        self.end(program, json!({"failed": reason.message}));
    }

    fn analysis_computed(&mut self, name: &'static str, wall: Duration) {
        self.ended_now(name, wall);
    }

    fn verified(&mut self, wall: Duration) {
        self.ended_now("verify", wall);
    }

    fn fork(&mut self, branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        let lane = self.free_lane;
        self.free_lane += 1;
        Some(Box::new(Self::lane(self.epoch, lane, branch.name)))
    }

    fn join(&mut self, child: Box<dyn Any>) {
        let Ok(child) = child.downcast::<Self>() else { return };
        self.events.extend(child.events);
        self.lanes.extend(child.lanes);
    }
}
