//! What a pass is: the traits, and what a pass may declare of itself.

use std::any::TypeId;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{PassContext, PassError, Rules};
use crate::ir::Rewriter;

/// A transformation or check of a program.
///
/// A pass holds its options and no state of a run: it may run on several programs at a time.
/// **A pass that returns an error, reports one, or panics leaves no trace in the program.**
pub trait Pass: Send + Sync {
    /// The name it has in pipelines.
    fn name(&self) -> &str;

    /// Runs on one program.
    ///
    /// # Errors
    /// Why it could not do what it is for.
    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError>;

    /// What it demands of the other passes of its pipeline.
    fn rules(&self) -> Rules {
        Rules::new()
    }

    /// What it counts; shown, zeros included, in this order.
    fn statistics(&self) -> &'static [Statistic] {
        &[]
    }

    /// Which analyses and artifacts hold after it changed the program.
    fn preserves(&self) -> Preserved {
        Preserved::none()
    }

    /// What holds of it for every program. Declared laws are tested on random programs.
    fn laws(&self) -> &'static [Law] {
        &[]
    }
}

/// A pass that pipelines can name: its fields are its options.
///
/// serde reads the options and refuses what is mistyped; the JSON schema gives the help text:
/// doc comments, defaults, choices. A field without a serde default is a required option.
pub trait RegisteredPass:
    Pass + Default + Serialize + DeserializeOwned + JsonSchema + 'static
{
    /// The name it has in pipelines; [`Pass::name`] returns it.
    const NAME: &'static str;
}

/// Something a pass counts with [`PassContext::count`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// A short name: `erased`.
    pub name: &'static str,
    /// What is counted: "ops without a used result or an effect".
    pub description: &'static str,
}

/// Something that holds of a pass for every program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// Running it twice gives what running it once gives.
    Idempotent,
    /// An op that is there before and after has the same `op_role`.
    KeepsRoles,
    /// An op that is there before and after has the same `chunk_id`.
    KeepsChunks,
}

impl Law {
    /// The law as a sentence without its subject.
    pub fn text(self) -> &'static str {
        match self {
            Self::Idempotent => "running it twice gives what running it once gives",
            Self::KeepsRoles => "it keeps the `op_role` of the ops it keeps",
            Self::KeepsChunks => "it keeps the `chunk_id` of the ops it keeps",
        }
    }
}

/// Which analyses and artifacts hold after a pass changed the program. Where it changed nothing,
/// all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preserved {
    all: AllOr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum AllOr {
    All,
    These(Vec<TypeId>),
}

impl Default for AllOr {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

impl Preserved {
    /// None of them.
    pub fn none() -> Self {
        Self::default()
    }

    /// All of them.
    pub fn all() -> Self {
        Self { all: AllOr::All }
    }

    /// The analysis or artifact `T` as well.
    pub fn with<T: 'static>(mut self) -> Self {
        if let AllOr::These(types) = &mut self.all {
            types.push(TypeId::of::<T>());
        }
        self
    }

    pub(super) fn holds(&self, of: TypeId) -> bool {
        match &self.all {
            AllOr::All => true,
            AllOr::These(types) => types.contains(&of),
        }
    }
}

/// A pass made of a closure; see [`pass_fn`].
pub struct PassFn<F> {
    name: String,
    run: F,
}

/// Makes a pass of a closure, for a test or a pipeline put together in code.
///
/// ```
/// use pirogue::pass::{Pass, pass_fn};
/// let nothing = pass_fn("nothing", |_program, _cx| Ok(()));
/// assert_eq!(nothing.name(), "nothing");
/// ```
pub fn pass_fn<F>(name: &str, run: F) -> PassFn<F>
where
    F: Fn(&mut Rewriter<'_>, &mut PassContext<'_>) -> Result<(), PassError> + Send + Sync,
{
    PassFn { name: name.to_owned(), run }
}

impl<F> Pass for PassFn<F>
where
    F: Fn(&mut Rewriter<'_>, &mut PassContext<'_>) -> Result<(), PassError> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        (self.run)(program, cx)
    }
}
