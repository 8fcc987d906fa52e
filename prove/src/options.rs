//! What is asked of a proof.

/// What is asked of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The named outputs that are observed, beside parameters and messages. `None`: all that the
    /// original names.
    pub fetches: Option<Vec<String>>,
    /// How micro-batches are run.
    pub micro_batches: MicroBatches,
}

/// How the micro-batches of a proof are run. The verdict is the same.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum MicroBatches {
    /// Those that do the same as one, where that is sound: the cost grows with ops and jobs.
    #[default]
    AsOne,
    /// Each by itself: the cost grows with ops times micro-batches. A check on the other.
    Apart,
}

impl Options {
    /// With these outputs observed, and no others.
    pub fn fetching(fetches: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let fetches = fetches.into_iter().map(Into::into).collect();
        Self { fetches: Some(fetches), ..Self::default() }
    }

    /// With micro-batches run in this way.
    pub fn micro_batches(self, micro_batches: MicroBatches) -> Self {
        Self { micro_batches, ..self }
    }
}
