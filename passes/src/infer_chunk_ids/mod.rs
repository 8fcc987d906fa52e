//! Finds the chunk of ops whose `chunk_id` is absent or -1.
//!
//! 1. Where Paddle's `neighbours` rule finds a chunk for every such op of the program, those are
//!    the chunks.
//! 2. Else all of them are found from `dataflow` within one role.
//!
//! Ops of the optimizer need no chunk. Nested ops belong to the op that holds them.
//!
//! The pass writes the chunks into the ops:
//! `pd_op.add {chunk_id:-1,op_role:0}` ==> `pd_op.add {chunk_id:1,op_role:0}`.
//! A scheduler only uses them: Paddle prints such ops unchanged.

mod dataflow;
mod neighbours;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Op, Program, Rewriter};
use pirogue::pass::{Pass, PassContext, PassError, RegisteredPass};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::{Phase, phases};

/// Infers the chunk of ops that do not say it, from their neighbours or from data flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InferChunkIds {}

impl RegisteredPass for InferChunkIds {
    const NAME: &'static str = "infer_chunk_ids";
}

impl Pass for InferChunkIds {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let program = rewriter.program();
        let ops: Vec<Op> = program.top_ops().collect();
        let phases = phases(program, &ops)?;
        let chunks = infer(program, &ops, &phases)?;
        let mut inferred = 0;
        for (index, &op) in ops.iter().enumerate() {
            if needs_chunk(rewriter.program(), op, phases[index]) {
                rewriter.set_chunk(op, Some(chunks[index]));
                inferred += 1;
            }
        }
        cx.count("ops inferred", inferred);
        if inferred == 0 {
            cx.report(Diagnostic::note(
                "N0201",
                "every op already has a chunk id; nothing was inferred",
            ));
        }
        Ok(())
    }
}

/// The chunk of each op of the top block: the one it says, else the inferred one; -1 only in the
/// optimizer.
///
/// # Errors
/// All ops for which no chunk was found (`E0203`).
pub fn infer(program: &Program, ops: &[Op], phases: &[Phase]) -> Result<Vec<i32>, Vec<Diagnostic>> {
    let given: Vec<i32> = ops.iter().map(|&op| program.chunk(op).unwrap_or(-1)).collect();
    let needs = |index: usize| needs_chunk(program, ops[index], phases[index]);
    if !(0..ops.len()).any(needs) {
        return Ok(given);
    }
    match neighbours::all_by_neighbours(program, ops, &given, needs) {
        Some(chunks) => Ok(chunks),
        None => dataflow::all_by_dataflow(program, ops, phases, &given, needs),
    }
}

fn needs_chunk(program: &Program, op: Op, phase: Phase) -> bool {
    phase != Phase::Optimize && program.chunk(op).is_none_or(|chunk| chunk == -1)
}
