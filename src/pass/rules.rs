//! Rules between the passes of one pipeline.
//!
//! A pass declares them ([`Pass::rules`](super::Pass::rules)); they are checked before anything
//! runs, over each list of passes by itself: what stands in `jobs(...)` is a list of its own.
//! **A rule speaks**: a broken one is an error or a note that names both passes and the reason;
//! no pass is moved or left out.

/// What a pass demands of the others in its pipeline.
///
/// ```
/// use pirogue::pass::Rules;
/// let rules = Rules::new()
///     .after("infer_chunk_ids", "the split goes by chunk ids")
///     .at_most_once("a plan is made once");
/// assert_eq!(rules.iter().count(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    rules: Vec<Rule>,
}

/// One demand, and why it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What is demanded.
    pub demand: Demand,
    /// Why, as the end of a sentence: "the split goes by chunk ids".
    pub because: String,
}

/// What a pass may demand; the name is that of the other pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Where both are, this one is first.
    Before(String),
    /// Where both are, this one is second.
    After(String),
    /// The other has run. A note, not an error, where the pipeline does not have it: the program
    /// may come from a run that had.
    Needs(String),
    /// Not both.
    Conflicts(String),
    /// This one stands once.
    AtMostOnce,
}

impl Rules {
    /// No rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the pass `other` is in the pipeline too, this one must come before it.
    pub fn before(self, other: &str, because: &str) -> Self {
        self.with(Demand::Before(other.to_owned()), because)
    }

    /// Where the pass `other` is in the pipeline too, this one must come after it.
    pub fn after(self, other: &str, because: &str) -> Self {
        self.with(Demand::After(other.to_owned()), because)
    }

    /// The pass `other` must have run, in this pipeline or on what is its input.
    pub fn needs(self, other: &str, because: &str) -> Self {
        self.with(Demand::Needs(other.to_owned()), because)
    }

    /// The pass `other` must not be in the same pipeline.
    pub fn conflicts(self, other: &str, because: &str) -> Self {
        self.with(Demand::Conflicts(other.to_owned()), because)
    }

    /// The pass must not stand twice in a pipeline.
    pub fn at_most_once(self, because: &str) -> Self {
        self.with(Demand::AtMostOnce, because)
    }

    /// The rules, in the order they were declared.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    fn with(mut self, demand: Demand, because: &str) -> Self {
        self.rules.push(Rule { demand, because: because.to_owned() });
        self
    }
}
