//! Ops that do not say their chunk, where Paddle's neighbour rule finds it: both neighbours say it.

use pirogue::ir::{Op, Program, Rewriter, names};

/// Takes the chunk id from some ops of the top block. A loop loses its role too, as in text, where
/// its neighbours agree on one.
pub(super) fn dig(program: &mut Program, picks: &[u16]) {
    let ops: Vec<Op> = program.top_ops().collect();
    for &pick in picks {
        let Some(index) = usize::from(pick).checked_rem(ops.len()) else { return };
        if ops.len() < 3 || index == 0 || index == ops.len() - 1 {
            continue;
        }
        let (op, around) = (ops[index], [ops[index - 1], ops[index + 1]]);
        let chunk = program.chunk(op).filter(|&chunk| chunk >= 0);
        if chunk.is_none() || around.iter().any(|&other| program.chunk(other) != chunk) {
            continue;
        }
        let has_role = around.iter().all(|&other| {
            program.role(other).is_some() && phase(program, other) == phase(program, op)
        });
        let mut rewriter = Rewriter::new(program);
        rewriter.set_chunk(op, (pick % 2 == 0).then_some(-1));
        if has_role && rewriter.program().name(op) == names::WHILE {
            rewriter.remove_attr(op, names::OP_ROLE);
        }
    }
}

fn phase(program: &Program, op: Op) -> Option<i32> {
    program.role(op).map(|role| role & !256)
}
