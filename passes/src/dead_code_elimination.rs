//! Erases ops that nothing outside the program could miss.
//!
//! 1. Ops that *must stay*: those with side effects (communication, host, named outputs, all of
//!    which nothing is known), named inputs, those that record an event, and those that write
//!    memory with a name, such as an optimizer's update.
//! 2. What they need, again and again: the ops that define what they read, the ops that write the
//!    memory they read, the op around them, and what its regions yield.
//! 3. All others are erased, from the last to the first.
//! 4. A list that is gone no longer ties its elements together, so 1 to 3 are repeated until nothing
//!    is erased.
//!
//! A branch or loop goes as a whole or stays as a whole: results, loop variables and kwargs that
//! nobody reads stay. Random numbers that nobody reads go, as they do in Paddle, and those that are
//! drawn after them may then be others.
//!
//! `(%1) = "pd_op.relu" (%0) {}`, which nobody reads ==> nothing

use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use pirogue::dialect::{Effect, OpFacts, has_side_effects};
use pirogue::ir::{Memory, Name, Op, Program, Rewriter, names};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use rustc_hash::FxBuildHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Erases ops whose results and effects nobody needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeadCodeElimination {}

impl RegisteredPass for DeadCodeElimination {
    const NAME: &'static str = "dead_code_elimination";
}

const ERASED: &str = "erased";

impl Pass for DeadCodeElimination {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let erased = eliminate_dead_code(rewriter);
        cx.count(ERASED, erased);
        if erased == 0 {
            cx.matched_nothing("every op is needed");
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic { name: ERASED, description: "ops whose results and effects nobody needs" }]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

/// Erases all ops that are not needed; returns how many, nested ones included.
pub fn eliminate_dead_code(rewriter: &mut Rewriter<'_>) -> u64 {
    let mut total = 0;
    loop {
        let erased = erase_dead_ops(rewriter);
        if erased == 0 {
            return total;
        }
        total += erased;
    }
}

fn erase_dead_ops(rewriter: &mut Rewriter<'_>) -> u64 {
    let program = rewriter.program();
    let ops: Vec<Op> = program.top_ops().flat_map(|op| program.nest(op)).collect();
    let needed = Needs::of(program, &ops).needed;
    let mut erased = 0;
    // What reads a value stands behind its definition, so it is gone before it.
    for &op in ops.iter().rev().filter(|op| !needed.contains(op.index())) {
        rewriter.erase(op).expect("whatever reads a dead op is dead, and erased before it");
        erased += 1;
    }
    erased
}

/// The ops that are needed, found from those that must stay.
struct Needs<'p> {
    program: &'p Program,
    memory: Memory,
    needed: FixedBitSet,
    /// Cells that a needed op reads, by [`Cell::index`](pirogue::ir::Cell::index).
    read: FixedBitSet,
    /// Needed ops whose own needs are not yet looked at.
    pending: Vec<Op>,
}

impl<'p> Needs<'p> {
    fn of(program: &'p Program, ops: &[Op]) -> Self {
        let mut needs = Self {
            program,
            memory: Memory::of(program),
            needed: FixedBitSet::with_capacity(program.op_capacity()),
            read: FixedBitSet::with_capacity(program.value_capacity()),
            pending: Vec::new(),
        };
        let mut duties = Duties::default();
        for &op in ops {
            if duties.of(program, op) == Duty::Stay
                || writes_named_memory(program, &needs.memory, op)
            {
                needs.need(op);
            }
        }
        while let Some(op) = needs.pending.pop() {
            needs.look_at(op);
        }
        needs
    }

    fn need(&mut self, op: Op) {
        if !self.needed.put(op.index()) {
            self.pending.push(op);
        }
    }

    /// What a needed op needs.
    fn look_at(&mut self, op: Op) {
        let program = self.program;
        for value in program.operands(op).iter().copied().flatten() {
            if let Some(definition) = program.defining_op(value) {
                self.need(definition);
            }
            if !self.read.put(self.memory.cell(value).index()) {
                let writers = self.memory.writers(value).to_vec();
                writers.into_iter().for_each(|writer| self.need(writer));
            }
        }
        if let Some(around) = program.parent_op(program.block_of(op)) {
            self.need(around);
        }
        for &region in program.regions(op) {
            for &block in program.region_blocks(region) {
                let last = program.block_ops(block).next_back();
                if let Some(end) = last.filter(|&last| program.name(last) == names::YIELD) {
                    self.need(end);
                }
            }
        }
    }
}

/// What the name of an op says of whether it must stay.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Duty {
    /// It must.
    Stay,
    /// It is there for its results, or for the op around it.
    Serve,
}

/// [`Duty`] by name: to ask the dialect once for each name is enough.
#[derive(Default)]
struct Duties {
    by_name: HashMap<Name, Duty, FxBuildHasher>,
}

impl Duties {
    fn of(&mut self, program: &Program, op: Op) -> Duty {
        let name = program.name(op);
        let text = program.name_text(op);
        let duty = *self.by_name.entry(name).or_insert_with(|| duty_of_name(name, text));
        if records_an_event(program, op) { Duty::Stay } else { duty }
    }
}

fn duty_of_name(name: Name, text: &str) -> Duty {
    // Branches and loops are needed for what is in them, and what ends a region with them.
    let follows = name == names::YIELD || Effect::Regions.applies_to(text);
    let stays = has_side_effects(text) || Effect::NamedInput.applies_to(text);
    if stays && !follows { Duty::Stay } else { Duty::Serve }
}

/// Another op may wait for it.
fn records_an_event(program: &Program, op: Op) -> bool {
    let flag = || program.attr_value(op, names::FORCE_RECORD_EVENT)?.as_bool();
    program.attr(op, names::EVENT_TO_RECORD).is_some() || flag() == Some(true)
}

fn writes_named_memory(program: &Program, memory: &Memory, op: Op) -> bool {
    let facts = program.context().facts(program.name(op));
    facts.into_iter().flat_map(OpFacts::aliases).any(|alias| {
        program.operand(op, alias.operand).is_some_and(|operand| memory.is_named(operand))
    })
}

#[cfg(test)]
mod tests {
    use pirogue::ir::{Context, verify};
    use pirogue::text;

    use super::*;

    /// The names of the ops that are left, in order.
    fn left(body: &str) -> Vec<String> {
        let source = format!("{{\n{body}}}\n");
        let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
        let mut program = read.expect("it is well formed").program;
        eliminate_dead_code(&mut Rewriter::new(&mut program));
        assert!(verify(&program).is_empty());
        assert_eq!(eliminate_dead_code(&mut Rewriter::new(&mut program)), 0);
        let ops = program.top_ops().flat_map(|op| program.nest(op));
        ops.map(|op| program.name_text(op).to_owned()).collect()
    }

    #[test]
    fn a_chain_that_nobody_reads_goes_and_one_with_a_name_stays() {
        let left = left(
            r#"    (%0) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.abs" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2xf32>) -> 
"#,
        );
        assert_eq!(left, ["pd_op.full", "pd_op.abs", "builtin.shadow_output"]);
    }

    #[test]
    fn effects_named_inputs_unknown_ops_and_events_stay() {
        let body = r#"    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%2) = "pd_op.recv_v2" () {ring_id:3} : () -> tensor<2xf32>
    (%3) = "my.op" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu" (%0) {event_to_record:"e"} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.relu" (%0) {force_record_event:true} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.relu" (%0) {force_record_event:false} : (tensor<2xf32>) -> tensor<2xf32>
"#;
        assert_eq!(left(body).len(), 6);
    }

    #[test]
    fn a_write_stays_where_somebody_reads_the_memory_under_any_value() {
        let body = |reader: &str| {
            format!(
                r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {{}} : () -> tensor<2xf32>
    (%2) = "pd_op.relu_" (%0) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.relu_" (%2) {{}} : (tensor<2xf32>) -> tensor<2xf32>
    (%91) = "pd_op.print" ({reader}) {{}} : (tensor<2xf32>) -> tensor<2xf32>
"#
            )
        };
        assert_eq!(left(&body("%0")).len(), 4, "what is printed was written twice");
        assert_eq!(left(&body("%1")), ["pd_op.full", "pd_op.print"]);
    }

    #[test]
    fn a_write_to_what_has_a_name_stays_though_nobody_reads_it_here() {
        let body = r#"    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%2) = "pd_op.add_" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.add_" (%kwarg_g, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
"#;
        assert_eq!(left(&format!("    ^kw:\n        %kwarg_g {{}}\n{body}")).len(), 4);
    }

    #[test]
    fn a_list_that_goes_ties_its_elements_no_longer() {
        let left = left(
            r#"    (%0) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {} : () -> tensor<2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%3) = "pd_op.relu_" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%92) = "pd_op.print" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
"#,
        );
        assert_eq!(left, ["pd_op.full", "pd_op.print"]);
    }

    #[test]
    fn a_branch_goes_with_all_in_it_unless_there_is_an_effect_or_a_reader() {
        let body = |inside: &str, behind: &str| {
            format!(
                r#"    (%0) = "pd_op.full" () {{}} : () -> tensor<1xb>
    (%1) = "pd_op.if" (%0) {{}} -> tensor<1xb> {{
        (%2) = "pd_op.full" () {{}} : () -> tensor<1xb>
{inside}        () = "cf.yield" (%2) {{}} : (tensor<1xb>) -> 
    }} else {{
        () = "cf.yield" (%0) {{}} : (tensor<1xb>) -> 
    }}
{behind}"#
            )
        };
        let effect = "        (%93) = \"pd_op.print\" (%2) {} : (tensor<1xb>) -> tensor<1xb>\n";
        let useless = "        (%3) = \"pd_op.full\" () {} : () -> tensor<1xb>\n";
        let reader = "    (%94) = \"pd_op.print\" (%1) {} : (tensor<1xb>) -> tensor<1xb>\n";
        assert_eq!(left(&body("", "")), [""; 0]);
        assert_eq!(left(&body(effect, "")).len(), 6);
        assert_eq!(left(&body(useless, reader)).len(), 6, "what is useless inside goes");
    }
}
