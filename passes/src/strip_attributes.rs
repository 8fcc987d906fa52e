//! Removes attributes from chosen ops.
//!
//! For each op of the name and role that are asked for, nested ones included:
//! 1. every attribute one of the patterns matches is removed, `op_role` and `chunk_id` too;
//! 2. but for those that every op of the name carries: without them it would be no such op. A note
//!    tells which stayed.
//!
//! `pd_op.relu {struct_name:"/Gpt/"}` ==> `pd_op.relu {}`

use std::collections::BTreeMap;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Name, Op, Program, Rewriter, names};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic, glob_matches};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::select::{RoleChoice, every_op, none_selected, selected_ops};

/// Removes attributes from ops, chosen by name and role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = example())]
pub struct StripAttributes {
    /// The attributes to remove; `*` and `?` stand for any characters.
    pub names: Vec<String>,
    /// From which ops; `*` and `?` stand for any characters.
    #[serde(default = "every_op")]
    pub op: String,
    /// From ops of which role.
    #[serde(default)]
    pub role: RoleChoice,
}

impl Default for StripAttributes {
    fn default() -> Self {
        Self { names: Vec::new(), op: every_op(), role: RoleChoice::Any }
    }
}

fn example() -> StripAttributes {
    let names = ["struct_name", "op_dist_attr"].map(str::to_owned).to_vec();
    StripAttributes { names, ..StripAttributes::default() }
}

impl RegisteredPass for StripAttributes {
    const NAME: &'static str = "strip_attributes";
}

const STRIPPED: &str = "stripped";

impl Pass for StripAttributes {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let ops = selected_ops(rewriter.program(), &self.op, self.role);
        let mut stripped = 0;
        let mut kept: BTreeMap<(String, String), u64> = BTreeMap::new();
        for &op in &ops {
            for name in self.matching(rewriter.program(), op) {
                if is_declared(rewriter.program(), op, name) {
                    let program = rewriter.program();
                    let attr = program.context().name_text(name).to_owned();
                    *kept.entry((program.name_text(op).to_owned(), attr)).or_default() += 1;
                } else {
                    rewriter.remove_attr(op, name);
                    stripped += 1;
                }
            }
        }
        cx.count(STRIPPED, stripped);
        for ((op, attr), count) in &kept {
            cx.report(stays(op, attr, *count));
        }
        if ops.is_empty() {
            cx.matched_nothing(&none_selected(&self.op, self.role));
        } else if stripped == 0 && kept.is_empty() {
            let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
            cx.matched_nothing(&format!("none of the chosen ops has {}", either(&names)));
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic { name: STRIPPED, description: "attributes that were removed" }]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent]
    }
}

impl StripAttributes {
    /// The attributes of an op that a pattern matches.
    fn matching(&self, program: &Program, op: Op) -> Vec<Name> {
        let context = program.context();
        let columns = [
            (names::OP_ROLE, program.role(op).is_some()),
            (names::CHUNK_ID, program.chunk(op).is_some()),
        ];
        let columns = columns.into_iter().filter(|column| column.1).map(|column| column.0);
        let entries = context.dict_entries(program.dict(op)).iter().map(|entry| entry.0);
        let is_meant = |&name: &Name| {
            let text = context.name_text(name);
            self.names.iter().any(|pattern| glob_matches(pattern, text))
        };
        columns.chain(entries).filter(is_meant).collect()
    }
}

/// Whether every op of this name carries the attribute.
fn is_declared(program: &Program, op: Op, attr: Name) -> bool {
    let facts = program.context().facts(program.name(op));
    facts.is_some_and(|facts| facts.attr(program.context().name_text(attr)).is_some())
}

fn stays(op: &str, attr: &str, count: u64) -> Diagnostic {
    let ops = if count == 1 { format!("one `{op}`") } else { format!("{count} `{op}`") };
    let message = format!("`{attr}` stays on {ops}: every such op carries it");
    Diagnostic::note("N0231", message)
}

fn either(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "an attribute that `names` lists".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pirogue::ir::Context;
    use pirogue::pass::{PassManager, Pipeline, Session};
    use pirogue::text;

    use super::*;

    const SOURCE: &str = r#"{
    (%0) = "pd_op.full" () {chunk_id:0,op_role:0,struct_name:"/a/"} : () -> tensor<1xb>
    () = "pd_op.if" (%0) {chunk_id:1,op_role:1,struct_name:"/b/"} ->  {
        (%1) = "pd_op.scale" (%0, %0) {bias:1,bias_after_scale:true,struct_name:"/c/"} : (tensor<1xb>, tensor<1xb>) -> tensor<1xb>
    } else {
    }
}
"#;

    /// The program behind the pass, and what the pass said.
    fn run(names: &[&str], op: &str, role: RoleChoice) -> (String, Vec<String>) {
        let read = text::read_program(&Context::new(), "test.pir", SOURCE.as_bytes());
        let mut program = read.expect("it is well formed").program;
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let pass = StripAttributes { names, op: op.to_owned(), role };
        let mut session = Session::new();
        let manager =
            PassManager::new(Pipeline::new().then(pass)).verify(pirogue::pass::Verify::Off);
        manager.run(&mut program, &mut session).expect("it cannot fail");
        let said = session.take_diagnostics().into_iter().map(|said| said.message).collect();
        (text::to_text(&program), said)
    }

    #[test]
    fn attributes_go_from_nested_ops_too_and_columns_are_attributes() {
        let (text, said) = run(&["struct_name", "chunk_id"], "*", RoleChoice::Any);
        let expected = SOURCE
            .replace("chunk_id:0,op_role:0,struct_name:\"/a/\"", "op_role:0")
            .replace("chunk_id:1,op_role:1,struct_name:\"/b/\"", "op_role:1")
            .replace(",struct_name:\"/c/\"", "");
        assert_eq!(text, expected);
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn only_ops_of_the_name_and_role_lose_them() {
        let (text, _) = run(&["struct*"], "pd_op.*", RoleChoice::Backward);
        let expected =
            SOURCE.replace(",struct_name:\"/b/\"", "").replace(",struct_name:\"/c/\"", "");
        assert_eq!(text, expected);
        let (text, _) = run(&["*"], "pd_op.f?ll", RoleChoice::Forward);
        assert_eq!(text, SOURCE.replace("chunk_id:0,op_role:0,struct_name:\"/a/\"", ""));
    }

    #[test]
    fn what_the_op_declares_stays_and_a_note_says_so() {
        let (text, said) = run(&["bias*"], "pd_op.scale", RoleChoice::Any);
        assert_eq!(text, SOURCE);
        let stays =
            |attr: &str| format!("`{attr}` stays on one `pd_op.scale`: every such op carries it");
        assert_eq!(said, [stays("bias"), stays("bias_after_scale")]);
    }

    #[test]
    fn it_says_why_it_changed_nothing() {
        let said = |names, op, role| run(names, op, role).1.join("");
        assert_eq!(
            said(&["x", "y*"], "*", RoleChoice::Any),
            "`strip_attributes` changed nothing: none of the chosen ops has `x` or `y*`"
        );
        assert_eq!(
            said(&["x"], "pd_op.matmul", RoleChoice::Optimize),
            "`strip_attributes` changed nothing: no `pd_op.matmul` in the optimize role"
        );
    }
}
