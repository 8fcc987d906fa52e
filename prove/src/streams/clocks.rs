//! Vector clocks.

use super::summary::StreamId;

/// Of each stream: how far each stream has come, as far as it knows.
pub(super) struct Clocks {
    known: Vec<Box<[u64]>>,
}

impl Clocks {
    pub(super) fn new(streams: usize) -> Self {
        Self { known: vec![vec![0; streams].into(); streams] }
    }

    /// The position of a stream by its own clock.
    pub(super) fn position(&self, StreamId(stream): StreamId) -> u64 {
        self.known[stream as usize][stream as usize]
    }

    pub(super) fn advance(&mut self, StreamId(stream): StreamId, by: u64) {
        self.known[stream as usize][stream as usize] += by;
    }

    pub(super) fn known(&self, StreamId(stream): StreamId) -> &[u64] {
        &self.known[stream as usize]
    }

    /// A stream learns what was known elsewhere.
    pub(super) fn learn(&mut self, StreamId(stream): StreamId, others: &[u64]) {
        for (known, &other) in self.known[stream as usize].iter_mut().zip(others) {
            *known = (*known).max(other);
        }
    }

    /// A stream learns what another knows.
    pub(super) fn join(&mut self, stream: StreamId, other: StreamId) {
        let others = self.known(other).to_vec();
        self.learn(stream, &others);
    }

    /// Whether a stream knows that another has come to a position.
    pub(super) fn knows(&self, stream: StreamId, other: StreamId, position: u64) -> bool {
        stream == other || self.known(stream)[other.0 as usize] >= position
    }
}
