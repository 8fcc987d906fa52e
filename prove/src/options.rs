//! What is asked of a proof.

/// What is asked of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The named outputs that are observed, beside parameters and messages. `None`: all that the
    /// original names.
    pub fetches: Option<Vec<String>>,
}

impl Options {
    /// With these outputs observed, and no others.
    pub fn fetching(fetches: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { fetches: Some(fetches.into_iter().map(Into::into).collect()) }
    }
}
