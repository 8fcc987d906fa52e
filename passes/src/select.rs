//! Which ops a pass is about: those of some names and of a role.

use hashbrown::HashMap;
use pirogue::ir::{Name, Op, Program};
use pirogue::pass::glob_matches;
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::Phase;

/// Ops of which role a pass is about.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleChoice {
    /// Of any role, or none.
    #[default]
    Any,
    /// Of the forward.
    Forward,
    /// Of the backward.
    Backward,
    /// Of the optimizer.
    Optimize,
    /// That do not say their role.
    Unsaid,
}

impl RoleChoice {
    fn includes(self, role: Option<i32>) -> bool {
        let phase = role.and_then(Phase::of_role);
        match self {
            Self::Any => true,
            Self::Forward => phase == Some(Phase::Forward),
            Self::Backward => phase == Some(Phase::Backward),
            Self::Optimize => phase == Some(Phase::Optimize),
            Self::Unsaid => role.is_none_or(|role| role == -1),
        }
    }

    /// As messages say it behind the name of an op; empty for any role.
    fn phrase(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Forward => " in the forward role",
            Self::Backward => " in the backward role",
            Self::Optimize => " in the optimize role",
            Self::Unsaid => " without a role",
        }
    }
}

/// The default pattern of op names.
pub(crate) fn every_op() -> String {
    "*".to_owned()
}

/// The ops whose name matches a pattern and whose role is of the choice, nested ones included. An op
/// in a region has the role of the op of the top block around it.
pub(crate) fn selected_ops(program: &Program, pattern: &str, role: RoleChoice) -> Vec<Op> {
    let mut matches: HashMap<Name, bool, FxBuildHasher> = HashMap::default();
    let mut is_named = |op: Op| {
        let test = || glob_matches(pattern, program.name_text(op));
        *matches.entry(program.name(op)).or_insert_with(test)
    };
    let in_role = program.top_ops().filter(|&op| role.includes(program.role(op)));
    in_role.flat_map(|op| program.nest(op)).filter(|&op| is_named(op)).collect()
}

/// That [`selected_ops`] found none.
pub(crate) fn none_selected(pattern: &str, role: RoleChoice) -> String {
    match pattern {
        "*" => format!("no op{}", role.phrase()),
        _ => format!("no `{pattern}`{}", role.phrase()),
    }
}
