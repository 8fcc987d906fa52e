//! Sets an attribute on chosen ops.
//!
//! 1. The kind of the attribute on each op: what the op declares, what any op may carry under this
//!    name, else the one that is asked for, else the plain one for the value.
//! 2. The value as an attribute of that kind. Where one does not fit nothing is changed, and every
//!    name of an op it does not fit is shown.
//! 3. The attribute is set, or replaced.
//!
//! A lone truth value for `stop_gradient` or `persistable`, which hold one for each result, counts
//! for all results.
//!
//! `pd_op.send_v2 {}` ==> `pd_op.send_v2 {scheduling_priority:1}`

mod value;

use hashbrown::HashMap;
use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::dialect::{AttrKind, common_attr};
use pirogue::ir::{Attr, Name, Op, Program, Rewriter};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use pirogue::text::Labels;
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::MOST_SHOWN;
use crate::select::{RoleChoice, every_op, none_selected, selected_ops};
use value::attribute;
pub use value::{GivenValue, ValueKind};

/// Sets an attribute on ops, chosen by name and role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = example())]
pub struct SetAttributes {
    /// The attribute to set.
    pub name: String,
    /// Its value: `true`, `7`, `0.5`, `word`, `"string"`, `[list]`.
    pub value: GivenValue,
    /// What the value is, where the op does not declare the attribute; of a list: its elements.
    #[serde(default)]
    pub kind: ValueKind,
    /// On which ops; `*` and `?` stand for any characters.
    #[serde(default = "every_op")]
    pub op: String,
    /// On ops of which role.
    #[serde(default)]
    pub role: RoleChoice,
}

impl Default for SetAttributes {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: GivenValue::Bool(false),
            kind: ValueKind::Auto,
            op: every_op(),
            role: RoleChoice::Any,
        }
    }
}

fn example() -> SetAttributes {
    SetAttributes {
        name: "scheduling_priority".to_owned(),
        value: GivenValue::Integer(1),
        op: "pd_op.send_v2".to_owned(),
        ..SetAttributes::default()
    }
}

impl RegisteredPass for SetAttributes {
    const NAME: &'static str = "set_attributes";
}

const SET: &str = "set";

impl Pass for SetAttributes {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let ops = selected_ops(rewriter.program(), &self.op, self.role);
        if ops.is_empty() {
            cx.matched_nothing(&none_selected(&self.op, self.role));
            return Ok(());
        }
        let name = rewriter.context().name(&self.name);
        let mut set = 0;
        for (op, attr) in self.attributes(rewriter.program(), ops)? {
            if rewriter.program().attr(op, name) != Some(attr) {
                rewriter.set_attr(op, name, attr);
                set += 1;
            }
        }
        cx.count(SET, set);
        if set == 0 {
            cx.matched_nothing(&format!("all chosen ops have this `{}`", self.name));
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic {
            name: SET,
            description: "ops that got the attribute, or another value of it",
        }]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent]
    }
}

impl SetAttributes {
    /// The attribute for each op, or why there is none: an error for each name of an op.
    fn attributes(
        &self,
        program: &Program,
        ops: Vec<Op>,
    ) -> Result<Vec<(Op, Attr)>, Vec<Diagnostic>> {
        if self.name.is_empty() {
            let error = Diagnostic::error("E0231", "an attribute cannot have the empty name");
            return Err(vec![error.help("say which attribute: `name=struct_name`")]);
        }
        let mut attrs = Vec::with_capacity(ops.len());
        // Ops of one name and number of results get one attribute, or one error.
        let mut known: HashMap<(Name, usize), Option<Attr>, FxBuildHasher> = HashMap::default();
        let mut faulty: Vec<(Op, String)> = Vec::new();
        for op in ops {
            let key = (program.name(op), program.result_count(op));
            let attr = *known.entry(key).or_insert_with(|| match self.attribute_of(program, op) {
                Ok(attr) => Some(attr),
                Err(reason) => {
                    faulty.push((op, reason));
                    None
                }
            });
            attrs.extend(attr.map(|attr| (op, attr)));
        }
        if faulty.is_empty() { Ok(attrs) } else { Err(self.faults(program, &faulty)) }
    }

    fn attribute_of(&self, program: &Program, op: Op) -> Result<Attr, String> {
        let facts = program.context().facts(program.name(op));
        let declared = facts.and_then(|facts| facts.attr(&self.name));
        let common = common_attr(&self.name);
        let kind = declared.or(common);
        let asked = self.kind.attr_kind(&self.value);
        if let (Some(kind), Some(asked)) = (kind, asked)
            && kind != asked
        {
            let (kind, asked) = (kind.spelling(), asked.spelling());
            return Err(format!("it is of the kind `{kind}`, and cannot be set as `{asked}`"));
        }
        let is_for_each_result = declared.is_none() && common == Some(AttrKind::BoolArray);
        let results = is_for_each_result.then(|| program.result_count(op));
        let value = attribute(program.context(), &self.value, kind.or(asked), results)?;
        Ok(program.context().attr(value))
    }

    fn faults(&self, program: &Program, faulty: &[(Op, String)]) -> Vec<Diagnostic> {
        let labels = Labels::of(program);
        let shown = faulty.iter().take(MOST_SHOWN).map(|(op, reason)| {
            let name = program.name_text(*op);
            Diagnostic::error(
                "E0231",
                format!("`{}` of `{name}` cannot be so: {reason}", self.name),
            )
            .at(Place::op_in(program, *op, &labels))
            .help("give a value that fits, or choose other ops by `op` and `role`")
        });
        shown.collect()
    }
}

#[cfg(test)]
mod tests;
