//! Someone's passes, good ones and bad ones, and the `main` of their test.

use std::process::ExitCode;

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, Rewriter};
use pirogue::pass::{
    Law, Pass, PassContext, PassError, RegisteredPass, Registry, RegistryError, Statistic,
};
use pirogue_testing::Harness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that a user writes.
pub fn main() -> ExitCode {
    let mut registry = Registry::new();
    register(&mut registry).expect("the names differ");
    Harness::new(registry).main()
}

fn register(registry: &mut Registry) -> Result<(), RegistryError> {
    registry.register::<SetChunk>()?;
    registry.register::<CountUp>()?;
    registry.register::<MarkFirstUse>()?;
    registry.register::<Complain>()
}

fn ops(program: &Rewriter<'_>) -> Vec<Op> {
    program.program().top_ops().collect()
}

/// Puts every op into one chunk.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetChunk {
    /// The chunk.
    chunk: i32,
}

impl RegisteredPass for SetChunk {
    const NAME: &'static str = "set_chunk";
}

impl Pass for SetChunk {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        for op in ops(program) {
            program.set_chunk(op, Some(self.chunk));
            cx.count("set", 1);
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic { name: "set", description: "ops that were put into the chunk" }]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles]
    }
}

/// Adds one to every chunk and role, and claims otherwise.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct CountUp {}

impl RegisteredPass for CountUp {
    const NAME: &'static str = "count_up";
}

impl Pass for CountUp {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, _cx: &mut PassContext<'_>) -> Result<(), PassError> {
        for op in ops(program) {
            let next = |number: Option<i32>| Some(number.unwrap_or(0) + 1);
            let (chunk, role) = (program.program().chunk(op), program.program().role(op));
            program.set_chunk(op, next(chunk));
            program.set_role(op, next(role));
        }
        Ok(())
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

/// Puts the first use of each value into chunk 7: in whichever order the uses come.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct MarkFirstUse {}

impl RegisteredPass for MarkFirstUse {
    const NAME: &'static str = "mark_first_use";
}

impl Pass for MarkFirstUse {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, _cx: &mut PassContext<'_>) -> Result<(), PassError> {
        for op in ops(program) {
            let results: Vec<_> = program.program().results(op).collect();
            for result in results {
                let first = program.program().uses(result).next();
                if let Some(first) = first {
                    program.set_chunk(first.op, Some(7));
                }
            }
        }
        Ok(())
    }
}

/// Says something of `my.odd` and of `my.bad`.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct Complain {}

impl RegisteredPass for Complain {
    const NAME: &'static str = "complain";
}

impl Pass for Complain {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        for op in ops(program) {
            let place = Place::op(program.program(), op);
            match program.program().name_text(op) {
                "my.odd" => cx.report(Diagnostic::warning("W9001", "`my.odd` is odd").at(place)),
                "my.bad" => cx.report(Diagnostic::error("E9002", "`my.bad` is bad").at(place)),
                _ => {}
            }
        }
        Ok(())
    }
}
