//! A schedule as a Chrome trace, which Perfetto and `chrome://tracing` show.
//!
//! A process is the schedule, a thread a stage. Jobs are complete events, with their category: computation
//! or communication; messages are flows from the job that sends to the job that takes; the memory of each
//! stage is a counter. A tick is a microsecond.

use std::fmt::Write as _;

use super::{Drawn, Label};
use crate::counts::Stage;
use crate::dependences::{Dependences, Need};
use crate::simulate::Simulation;

/// Schedules as one trace in JSON.
pub fn chrome_trace(drawn: &[Drawn<'_>]) -> String {
    let mut events = Events { out: String::from("{\"traceEvents\":["), count: 0 };
    let mut flows = 0;
    for (process, drawn) in drawn.iter().enumerate() {
        events.add(&format!(
            "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"args\":{{\"name\":{}}}",
            quoted(drawn.title)
        ));
        for stage in (0..drawn.simulation.schedule().counts().stages()).map(Stage) {
            of_stage(&mut events, drawn.simulation, process, stage);
        }
        of_messages(&mut events, drawn.simulation, process, &mut flows);
    }
    events.out.push_str("\n],\"displayTimeUnit\":\"ms\"}\n");
    events.out
}

struct Events {
    out: String,
    count: usize,
}

impl Events {
    fn add(&mut self, fields: &str) {
        let separator = if self.count == 0 { "" } else { "," };
        _ = write!(self.out, "{separator}\n{{{fields}}}");
        self.count += 1;
    }
}

fn of_stage(events: &mut Events, simulation: &Simulation<'_>, process: usize, stage: Stage) {
    let schedule = simulation.schedule();
    events.add(&format!(
        "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{stage},\"args\":{{\"name\":\"stage {stage}\"}}"
    ));
    for (index, &job) in (schedule.begin(stage.0)..).zip(schedule.list(stage.0)) {
        let category = match job.kind() {
            kind if kind.is_computation() => "computation",
            kind if kind.is_transfer() => "communication",
            _ => "update",
        };
        let (start, end) = (simulation.starts()[index], simulation.ends()[index]);
        events.add(&format!(
            "\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{category}\",\"pid\":{process},\"tid\":{stage},\
             \"ts\":{start},\"dur\":{},\"args\":{{\"job\":\"{job}\"}}",
            Label(schedule, stage, job),
            end - start,
        ));
    }
    for point in simulation.memory(stage) {
        events.add(&format!(
            "\"ph\":\"C\",\"name\":\"memory of stage {stage}\",\"pid\":{process},\"ts\":{},\"args\":{{\"taken\":{}}}",
            point.time, point.taken
        ));
    }
}

fn of_messages(
    events: &mut Events,
    simulation: &Simulation<'_>,
    process: usize,
    flows: &mut usize,
) {
    let schedule = simulation.schedule();
    let dependences = Dependences::of(schedule);
    for (stage, jobs) in schedule.stages() {
        for (index, &job) in (schedule.begin(stage.0)..).zip(jobs) {
            let needs = dependences.of_job(stage, job);
            for need in needs.into_iter().filter(|need| need.need == Need::Message) {
                let from = schedule.stage_at(need.on);
                let (sent, taken) = (simulation.ends()[need.on], simulation.starts()[index]);
                let flow = format!("\"name\":\"message\",\"cat\":\"message\",\"id\":{flows}");
                events.add(&format!(
                    "\"ph\":\"s\",{flow},\"pid\":{process},\"tid\":{from},\"ts\":{}",
                    sent.saturating_sub(1)
                ));
                events.add(&format!(
                    "\"ph\":\"f\",\"bp\":\"e\",{flow},\"pid\":{process},\"tid\":{stage},\"ts\":{taken}"
                ));
                *flows += 1;
            }
        }
    }
}

/// A text as JSON spells it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if u32::from(control) < 0x20 => {
                _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            // `</script>` must not end the script that holds it.
            '<' => quoted.push_str("\\u003c"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
