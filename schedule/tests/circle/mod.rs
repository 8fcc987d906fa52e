//! Is a reported deadlock one?

use pirogue_schedule::check::{Activity, Deadlock, JobPart, Reason, Receives, Wait};
use pirogue_schedule::{Job, JobKind, Schedule};

/// Checks, from the definitions alone, that a deadlock is what it says: a circle in which each really waits
/// for the next.
pub fn assert_is_real(deadlock: &Deadlock, schedule: &Schedule) {
    let waits = &deadlock.cycle;
    assert!(!waits.is_empty());
    for (index, wait) in waits.iter().enumerate() {
        let next = &waits[(index + 1) % waits.len()];
        assert_eq!(wait.waits_for, next.waiter, "the circle breaks after `{wait}`");
        assert!(holds(wait, deadlock.blocking.receives, schedule), "`{wait}` is not so");
    }
    let mut waiters: Vec<Activity> = waits.iter().map(|wait| wait.waiter).collect();
    waiters.sort();
    waiters.dedup();
    assert_eq!(waiters.len(), waits.len(), "the circle passes through one twice");
}

fn holds(wait: &Wait, receives: Receives, schedule: &Schedule) -> bool {
    let Wait { waiter, waits_for, reason } = *wait;
    let is_same_step = waiter.stage == waits_for.stage
        && waiter.job.job_type.chunk() == waits_for.job.job_type.chunk()
        && waiter.job.micro_batch == waits_for.job.micro_batch;
    match reason {
        Reason::Message => is_message(waiter, waits_for, schedule),
        Reason::Receive => {
            is_same_step && waiter.part == JobPart::Run && waits_for.part == JobPart::Receive
        }
        Reason::Result => {
            is_same_step
                && waiter.job.kind() == JobKind::SendBackward
                && is_backward(waits_for.job.kind())
        }
        // Only sends that block and fused pairs wait so.
        Reason::Fused | Reason::Receipt | Reason::Room => false,
        Reason::Order => {
            waiter.part == waits_for.part
                && waiter.stage == waits_for.stage
                && place(waits_for, schedule) < place(waiter, schedule)
                && [waiter, waits_for].iter().all(|&activity| is_in_an_order(activity, receives))
        }
    }
}

/// Whether `sender` computes or sends what `receiver` needs: the neighbour in the model, on its stage.
fn is_message(receiver: Activity, sender: Activity, schedule: &Schedule) -> bool {
    let stages = i64::from(schedule.counts().stages());
    let global = |activity: Activity| {
        let chunk = activity.job.job_type.chunk().map_or(0, |chunk| i64::from(chunk.0));
        chunk * stages + i64::from(activity.stage.0)
    };
    let has_send_jobs = schedule.jobs().iter().any(|job| job.kind() == JobKind::SendBackward);
    let way = global(sender) - global(receiver);
    // What stays on a stage is not sent: it comes from the computation.
    let stays = sender.stage == receiver.stage;
    receiver.job.micro_batch == sender.job.micro_batch
        && match receiver.job.kind() {
            JobKind::RecvForward | JobKind::Forward => {
                way == -1 && sender.job.kind() == JobKind::Forward
            }
            _ if has_send_jobs && !stays => way == 1 && sender.job.kind() == JobKind::SendBackward,
            _ => way == 1 && is_backward(sender.job.kind()),
        }
}

fn is_backward(kind: JobKind) -> bool {
    matches!(kind, JobKind::Backward | JobKind::BackwardInput)
}

/// Whether the activity waits in a row with others of its stage.
fn is_in_an_order(activity: Activity, receives: Receives) -> bool {
    let kind = activity.job.kind();
    match (receives, activity.part) {
        (Receives::Blocking, _) | (Receives::OwnStream, JobPart::Receive) => true,
        (Receives::NonBlocking, JobPart::Receive) => false,
        (_, JobPart::Send) => true,
        (_, JobPart::Run) => !matches!(kind, JobKind::RecvForward | JobKind::SendBackward),
    }
}

fn place(activity: Activity, schedule: &Schedule) -> usize {
    let jobs: &[Job] = schedule.stage(activity.stage).unwrap();
    jobs.iter().position(|&job| job == activity.job).unwrap()
}
