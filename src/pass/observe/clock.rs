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

/// Linux tells it in a file: nanoseconds on a processor, nanoseconds of waiting, slices. The first
/// lags by up to a tick; what is short may read as zero.
fn thread_cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
