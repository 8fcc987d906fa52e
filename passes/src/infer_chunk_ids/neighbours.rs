//! Paddle's rule: an op without a chunk takes that of its neighbours in the program.
//!
//! It looks at the ids as they were given, of ops of every role; an index outside the program
//! counts as -1. For op i with neighbours before (b), behind (n) and behind that (nn):
//! b = n gives n; else n = nn gives n; else `builtin.combine` and `builtin.split` take the chunk of
//! the first user of their first result that has one.

use pirogue::ir::{Op, Program, names};

/// The chunks of all ops if the rule finds one for every op that needs it, else nothing.
pub(super) fn all_by_neighbours(
    program: &Program,
    ops: &[Op],
    given: &[i32],
    needs: impl Fn(usize) -> bool,
) -> Option<Vec<i32>> {
    let mut chunks = given.to_vec();
    for index in (0..ops.len()).filter(|&index| needs(index)) {
        let chunk = by_neighbours(program, ops, given, index);
        chunks[index] = Some(chunk).filter(|&chunk| chunk >= 0)?;
    }
    Some(chunks)
}

/// -1 where the rule finds none.
fn by_neighbours(program: &Program, ops: &[Op], given: &[i32], index: usize) -> i32 {
    let at = |index: Option<usize>| index.and_then(|index| given.get(index)).copied().unwrap_or(-1);
    let before = at(index.checked_sub(1));
    let behind = at(Some(index + 1));
    if before == behind || behind == at(Some(index + 2)) {
        return behind;
    }
    match program.name(ops[index]) {
        names::COMBINE | names::SPLIT => first_user_chunk(program, ops[index]),
        _ => -1,
    }
}

fn first_user_chunk(program: &Program, op: Op) -> i32 {
    let Some(result) = program.results(op).next() else { return -1 };
    let top = program.top();
    let users = program.uses(result).filter_map(|used| program.ancestor_in(top, used.op));
    let with_chunk = users.filter(|&user| program.chunk(user).is_some_and(|chunk| chunk >= 0));
    let first = with_chunk.reduce(|a, b| if program.is_before(b, a) { b } else { a });
    first.and_then(|user| program.chunk(user)).unwrap_or(-1)
}
