//! Makes constants anew where they are used, so that they need not cross programs.
//!
//! A scheduler cuts a program by role and chunk, and a value that is used elsewhere is saved under a
//! name and handed over. For a constant that is more work than making it again.
//! 1. Every op of the top block that makes a constant, whose memory nobody writes and that has no
//!    name outside, is looked at.
//! 2. Its users are grouped by the job they belong to: role, and chunk where there are chunks.
//! 3. For each group but its own it is made anew before the first user, for these users.
//!
//! `%0 = full {chunk_id:0}; add(%1, %0) {chunk_id:1}` ==>
//! `%0 = full {chunk_id:0}; %2 = full {chunk_id:1}; add(%1, %2) {chunk_id:1}`

use pirogue::ir::{At, Memory, Op, OpSpec, Program, Rewriter, Use, Value};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Rules, Statistic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes constants anew where they are used, so that they need not cross programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RematerializeConstants {
    /// The ops that make constants. They read nothing and have one result.
    #[serde(default = "constants")]
    pub ops: Vec<String>,
}

fn constants() -> Vec<String> {
    ["pd_op.full", "pd_op.full_int_array"].map(str::to_owned).into()
}

impl Default for RematerializeConstants {
    fn default() -> Self {
        Self { ops: constants() }
    }
}

impl RegisteredPass for RematerializeConstants {
    const NAME: &'static str = "rematerialize_constants";
}

const MADE: &str = "made";

impl Pass for RematerializeConstants {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let memory = Memory::of(rewriter.program());
        let constants: Vec<Op> = rewriter
            .program()
            .top_ops()
            .filter(|&op| self.is_constant(rewriter.program(), &memory, op))
            .collect();
        let made: u64 = constants.into_iter().map(|op| make_anew(rewriter, op)).sum();
        cx.count(MADE, made);
        if made == 0 {
            cx.matched_nothing("no constant is used in another job");
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic { name: MADE, description: "constants that were made anew" }]
    }

    fn rules(&self) -> Rules {
        Rules::new().before("pipeline_scheduler_VPP", "afterwards the values have crossed")
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

impl RematerializeConstants {
    fn is_constant(&self, program: &Program, memory: &Memory, op: Op) -> bool {
        let name = program.name_text(op);
        let is_named = self.ops.iter().any(|constant| constant == name);
        let makes_one = program.operands(op).is_empty() && program.result_count(op) == 1;
        if !is_named || !makes_one {
            return false;
        }
        let value = program.result(op, 0);
        memory.writers(value).is_empty() && memory.is_alone(value) && !memory.is_named(value)
    }
}

/// The users of a constant in one job.
struct Group {
    job: Job,
    first: Op,
    uses: Vec<Use>,
}

/// The role of an op without the bit that marks the loss, and its chunk; ops of the optimizer are
/// of one job, whatever their chunk.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Job {
    role: i32,
    chunk: Option<i32>,
}

const LOSS: i32 = 256;
const OPTIMIZE: i32 = 2;

/// The job of an op, if it says it.
fn job_of(program: &Program, op: Op) -> Option<Job> {
    let role = program.role(op).filter(|&role| role >= 0)? & !LOSS;
    let chunk = program.chunk(op).filter(|&chunk| chunk >= 0);
    match role {
        OPTIMIZE => Some(Job { role, chunk: None }),
        _ => chunk.map(|chunk| Job { role, chunk: Some(chunk) }),
    }
}

/// How often the constant was made anew.
fn make_anew(rewriter: &mut Rewriter<'_>, constant: Op) -> u64 {
    let value = rewriter.program().result(constant, 0);
    let groups = groups(rewriter.program(), constant, value);
    for group in &groups {
        let copy = copy_before(rewriter, constant, group.first);
        for used in &group.uses {
            rewriter.set_operand(used.op, used.index as usize, Some(copy));
        }
    }
    groups.len() as u64
}

/// The users in other jobs, in program order.
fn groups(program: &Program, constant: Op, value: Value) -> Vec<Group> {
    let Some(own) = job_of(program, constant) else { return Vec::new() };
    let mut groups: Vec<Group> = Vec::new();
    for used in program.uses(value) {
        // A use in a region is one of the op of the top block that holds it.
        let Some(user) = program.ancestor_in(program.top(), used.op) else { continue };
        let Some(job) = job_of(program, user).filter(|&job| job != own) else { continue };
        match groups.iter_mut().find(|group| group.job == job) {
            Some(group) => {
                group.uses.push(used);
                if program.is_before(user, group.first) {
                    group.first = user;
                }
            }
            None => groups.push(Group { job, first: user, uses: vec![used] }),
        }
    }
    // Uses come in no order.
    groups.sort_by(|a, b| {
        if program.is_before(a.first, b.first) {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Greater
        }
    });
    groups
}

/// A copy of the constant for the job of `user`.
fn copy_before(rewriter: &mut Rewriter<'_>, constant: Op, user: Op) -> Value {
    let program = rewriter.program();
    let types = [program.ty(program.result(constant, 0))];
    let spec = OpSpec::new(program.name(constant))
        .dict(program.dict(constant))
        .results(&types)
        .role(program.role(user))
        .chunk(program.chunk(user))
        .origin(program.origin(constant));
    let copy = rewriter.create(At::Before(user), spec);
    rewriter.program().result(copy, 0)
}
