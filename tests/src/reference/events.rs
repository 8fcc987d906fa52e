//! Which ops record an event, and which wait for it.
//!
//! What is made on one stream in one job and read on another stream in a later job needs an event:
//! - from `recv_forward` to `forward` and from `backward` to `send_backward` the first user on each
//!   stream of each later job waits;
//! - anywhere else a user waits if its stream has met the value nowhere before: neither in the job
//!   that makes it, where the executor orders ops itself, nor behind a wait in an earlier job.
//!
//! Data and parameters are there from the start. An op records one event, by the name of its first
//! result that is waited for.

use pirogue::ir::{AttrValue, Name, Op, Program, Rewriter, Value, names};
use pirogue_schedule::JobKind;

use super::{Source, naming};

/// Writes the events into the programs.
pub(super) fn attach(source: &Source<'_>, programs: &mut [Program]) {
    for index in 0..source.ops.len() {
        if naming::names_itself(source.program, source.ops[index]) || source.jobs[index].len() > 1 {
            continue;
        }
        let own = source.jobs[index][0];
        let mut event: Option<String> = None;
        for value in source.program.results(source.ops[index]) {
            for (waiter, job) in waiters(source, index, value) {
                let event = event.get_or_insert_with(|| naming::name_in(source, value, own + 1));
                wait(&mut programs[job], source.ops[waiter], event);
            }
        }
        if let Some(event) = event {
            record(&mut programs[own], source.ops[index], &event);
        }
    }
}

/// The users of a value that have to wait for it, each with the job in which it does.
fn waiters(source: &Source<'_>, index: usize, value: Value) -> Vec<(usize, usize)> {
    let own = source.jobs[index][0];
    let users = source.user_positions(value);
    let mut met = vec![stream(source, index)];
    met.extend(
        users
            .iter()
            .filter(|&&user| source.jobs[user].contains(&own))
            .map(|&user| stream(source, user)),
    );
    let mut waiters = Vec::new();
    for job in own + 1..source.options.job_types.len() {
        let mut met_here = vec![stream(source, index)];
        for &user in users.iter().filter(|&&user| source.jobs[user].contains(&job)) {
            let stream = stream(source, user);
            let met = if always_waits(source, own, job) { &mut met_here } else { &mut met };
            if !met.contains(&stream) {
                met.push(stream);
                waiters.push((user, job));
            }
        }
        met.extend(met_here);
    }
    waiters
}

fn always_waits(source: &Source<'_>, from: usize, to: usize) -> bool {
    let kind = |job: usize| source.options.job_types[job].kind();
    matches!(
        (kind(from), kind(to)),
        (JobKind::RecvForward, JobKind::Forward) | (JobKind::Backward, JobKind::SendBackward)
    )
}

/// The stream of an op; `None`: that of the calculation.
fn stream<'s>(source: &'s Source<'_>, index: usize) -> Option<&'s str> {
    source.program.attr_str(source.ops[index], names::EXECUTION_STREAM)
}

fn record(program: &mut Program, op: Op, event: &str) {
    let mut rewriter = Rewriter::new(program);
    let context = rewriter.context();
    rewriter.set_attr(op, names::EVENT_TO_RECORD, context.attr(AttrValue::string(event)));
    if rewriter.program().attr(op, names::FORCE_RECORD_EVENT).is_none() {
        rewriter.set_attr(op, names::FORCE_RECORD_EVENT, context.attr(AttrValue::Bool(true)));
    }
}

fn wait(program: &mut Program, op: Op, event: &str) {
    const NAME: Name = names::EVENTS_TO_WAIT;
    let context = program.context().clone();
    let event = context.attr(AttrValue::string(event));
    let mut events = match program.attr_value(op, NAME) {
        Some(AttrValue::Array(events)) => events.to_vec(),
        _ => Vec::new(),
    };
    if !events.contains(&event) {
        events.push(event);
    }
    Rewriter::new(program).set_attr(op, NAME, context.attr(AttrValue::Array(events.into())));
}
