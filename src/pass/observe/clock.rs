//! Wall time, and the time this thread had a processor.

use std::time::{Duration, Instant};

/// A moment.
#[derive(Copy, Clone)]
pub(super) struct Clock {
    wall: Instant,
    cpu: Option<Duration>,
}

/// A stretch of time; `cpu` where the system tells it.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Spent {
    pub(super) wall: Duration,
    pub(super) cpu: Option<Duration>,
}

impl Clock {
    pub(super) fn now() -> Self {
        Self { wall: Instant::now(), cpu: thread_cpu_time() }
    }

    pub(super) fn elapsed(self) -> Spent {
        let cpu = thread_cpu_time().zip(self.cpu).map(|(now, then)| now.saturating_sub(then));
        Spent { wall: self.wall.elapsed(), cpu }
    }
}

#[cfg(unix)]
fn thread_cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

#[cfg(not(unix))]
fn thread_cpu_time() -> Option<Duration> {
    None
}
