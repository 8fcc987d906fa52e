//! Laws that hold for every program, on random ones.
//!
//! See [`laws`](pirogue_system_tests::laws) on cases and seeds.

use std::num::NonZeroUsize;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{
    AttrValue, CompareOptions, Context, IntKind, Numbers, Op, Place, Program, Rewriter, Use, Value,
    compare_with, import, names,
};
use pirogue::pass::{Pass, Session};
use pirogue::text;
use pirogue_passes::complete_op_roles::CompleteOpRoles;
use pirogue_passes::infer_chunk_ids::InferChunkIds;
use pirogue_passes::overlap_send_recv::{OverlapSendRecv, overlap_send_recv};
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_passes::split::{SplitOptions, split};
use pirogue_passes::split_matmul_grad::{SplitMatmulGrad, split_matmul_grads};
use pirogue_schedule::{BackwardMode, JobType, Vpp};
use pirogue_system_tests::laws::{Verdict, fails, holds_for, is_clean, is_same, rendered};
use pirogue_system_tests::random::{Lists, Recipe, recipe};
use pirogue_system_tests::reference::{self, Refusal};
use proptest::prelude::*;

/// A program ready to be split, and into what.
struct Ready {
    program: Program,
    options: SplitOptions,
    weight_chains: Vec<Vec<Op>>,
}

const MODES: [BackwardMode; 2] = [BackwardMode::Whole, BackwardMode::Split];

impl Ready {
    fn new(program: &Program, recipe: &Recipe, backward: BackwardMode) -> Self {
        let mut program = program.clone();
        let mut rewriter = Rewriter::new(&mut program);
        let mut weight_chains = Vec::new();
        if backward == BackwardMode::Split {
            weight_chains =
                split_matmul_grads(&mut rewriter, &SplitMatmulGrad::default()).weight_chains;
        }
        overlap_send_recv(&mut rewriter).expect("every send has a ring");
        let vpp = Vpp::new(2, recipe.chunks.into(), 2, backward)
            .expect("as many micro-batches as stages");
        let options = SplitOptions {
            job_types: vpp.job_types(),
            chunks: recipe.chunks.into(),
            backward,
            place: Place::cpu(),
            threads: NonZeroUsize::MIN,
        };
        Self { program, options, weight_chains }
    }

    fn split(&self) -> Result<Vec<(JobType, Program)>, Vec<Diagnostic>> {
        split(&self.program, &self.options, &self.weight_chains).map(|split| split.programs)
    }

    /// The split and the reference agree: on the programs, or that there are none.
    fn agrees_with_reference(&self) -> Verdict {
        let expected = reference::split(&self.program, &self.options, &self.weight_chains);
        match (expected, self.split()) {
            (Ok(expected), Ok(found)) => self.is_split_into(&expected, &found),
            (Ok(_), Err(faults)) => Err(fails(format!("refused: {}", rendered(&faults)))),
            // The split knows more ways than Paddle's to find a chunk.
            (Err(Refusal::Chunk), Ok(found)) => {
                found.iter().try_for_each(|(_, program)| is_clean("a program", program))
            }
            (Err(Refusal::Chunk), Err(_)) => Ok(()),
            (Err(refusal), Ok(_)) => Err(fails(format!("split, though {refusal:?}"))),
            (Err(refusal), Err(faults)) => {
                let is_said =
                    faults.iter().any(|fault| refusal.codes().contains(&fault.code.as_ref()));
                prop_assert!(is_said, "{:?}, but: {}", refusal, rendered(&faults));
                Ok(())
            }
        }
    }

    fn is_split_into(&self, expected: &[Program], found: &[(JobType, Program)]) -> Verdict {
        let types: Vec<JobType> = found.iter().map(|&(job_type, _)| job_type).collect();
        prop_assert_eq!(&self.options.job_types, &types);
        for (expected, (job_type, found)) in expected.iter().zip(found) {
            is_clean(&format!("{job_type} of the reference"), expected)?;
            is_clean(&job_type.to_string(), found)?;
            is_same(&format!("{job_type} of the reference and of the split"), expected, found)?;
        }
        Ok(())
    }
}

#[test]
fn the_split_equals_cloning_and_erasing() {
    holds_for(200, recipe(120, Lists::StayClose), Just(()), |program, recipe, ()| {
        is_clean("the input", program)?;
        MODES.iter().try_for_each(|&mode| Ready::new(program, recipe, mode).agrees_with_reference())
    });
}

#[test]
fn the_split_equals_cloning_and_erasing_where_lists_would_cross() {
    holds_for(200, recipe(60, Lists::MayCross), Just(()), |program, recipe, ()| {
        is_clean("the input", program)?;
        MODES.iter().try_for_each(|&mode| Ready::new(program, recipe, mode).agrees_with_reference())
    });
}

/// An op is said to be of another chunk or role than it is.
#[test]
fn a_misplaced_op_is_refused_as_the_reference_refuses_it() {
    let moves = prop::collection::vec((any::<u16>(), 0..3i32, any::<u16>(), any::<bool>()), 1..4);
    holds_for(300, recipe(40, Lists::StayClose), moves, |program, recipe, moves| {
        let mut program = program.clone();
        let ops: Vec<Op> = program.top_ops().collect();
        for &(pick, role, chunk, moves_role) in moves.iter().filter(|_| !ops.is_empty()) {
            let op = ops[usize::from(pick) % ops.len()];
            let mut rewriter = Rewriter::new(&mut program);
            if moves_role {
                rewriter.set_role(op, Some(role));
            }
            // Now and then it is one past the last chunk.
            rewriter.set_chunk(op, Some((chunk % (recipe.chunks + 1)).into()));
        }
        MODES
            .iter()
            .try_for_each(|&mode| Ready::new(&program, recipe, mode).agrees_with_reference())
    });
}

/// Every op of the input is in exactly one program, in its order; but for a `builtin.combine`, which
/// is in the program of each of its users. What else a program has names a value that crosses.
#[test]
fn the_programs_merge_back_into_the_input() {
    holds_for(150, recipe(120, Lists::MayCross), Just(()), |program, recipe, ()| {
        for mode in MODES {
            let mut ready = Ready::new(program, recipe, mode);
            let context = ready.program.context().clone();
            let tag = context.name("position");
            let ops: Vec<Op> = ready.program.top_ops().collect();
            for (position, &op) in (0..).zip(&ops) {
                let attr = context.attr(AttrValue::Int(position, IntKind::NotSaid));
                Rewriter::new(&mut ready.program).set_attr(op, tag, attr);
            }
            let Ok(programs) = ready.split() else { continue };
            let mut found = vec![0; ops.len()];
            for (job_type, program) in &programs {
                let mut last = None;
                for op in program.top_ops() {
                    let Some(position) = program.attr_value(op, tag).and_then(AttrValue::as_int)
                    else {
                        prop_assert_eq!(program.name(op), names::SHADOW_OUTPUT);
                        continue;
                    };
                    prop_assert!(
                        last < Some(position),
                        "{} is not in order at {}",
                        job_type,
                        position
                    );
                    last = Some(position);
                    let position = usize::try_from(position).expect("positions are counted from 0");
                    found[position] += 1;
                    let [whole, part] = [(&ready.program, ops[position]), (program, op)]
                        .map(|(p, op)| p.nest(op).count());
                    prop_assert_eq!(whole, part, "ops nested in {} of {}", position, job_type);
                }
            }
            for (position, (&op, &count)) in ops.iter().zip(&found).enumerate() {
                let may_be_copied = ready.program.name(op) == names::COMBINE;
                prop_assert!(
                    count == 1 || may_be_copied && count > 1,
                    "{} programs have op {}",
                    count,
                    position
                );
            }
        }
        Ok(())
    });
}

const AS_PRINTED: CompareOptions = CompareOptions { numbers: Numbers::AsPrinted };

#[test]
fn what_is_printed_reads_back() {
    holds_for(200, recipe(120, Lists::MayCross), Just(()), |program, _, ()| {
        let printed = text::to_text(program);
        let read = |text: &str| {
            let read = text::read_program(program.context(), "printed", text.as_bytes());
            read.map(|read| read.program).map_err(|faults| fails(rendered(&faults)))
        };
        let first = read(&printed)?;
        is_clean("what was read", &first)?;
        prop_assert_eq!(&printed, &text::to_text(&first));
        // Text does not say all, such as the attributes of a loop.
        compare_with(program, &first, AS_PRINTED)
            .map_err(|difference| fails(difference.to_string()))?;
        is_same("reading it again", &first, &read(&text::to_text(&first))?)
    });
}

#[test]
fn a_clone_and_an_import_are_equal() {
    holds_for(150, recipe(120, Lists::MayCross), Just(()), |program, _, ()| {
        is_same("the clone", program, &program.clone())?;
        let other = Context::new();
        // Handles of the other context are to be other numbers.
        for name in ["zz", "pd_op.add", "custom.op", "before"] {
            other.attr(AttrValue::string(name));
            other.name(name);
        }
        let imported = import(program, &other);
        is_clean("the import", &imported)?;
        is_same("the import", program, &imported)?;
        prop_assert_eq!(text::to_text(program), text::to_text(&imported));
        Ok(())
    });
}

fn run(pass: &dyn Pass, program: &mut Program) -> Verdict {
    let mut session = Session::new();
    let mut rewriter = Rewriter::new(program);
    let result = pass.run(&mut rewriter, &mut session.context(pass.name()));
    result.map_err(|error| fails(format!("`{}` failed: {error}", pass.name())))?;
    is_clean(pass.name(), program)
}

#[test]
fn every_pass_leaves_a_program_that_verifies() {
    let stripped = prop::collection::vec(any::<u16>(), 0..20);
    holds_for(150, recipe(120, Lists::StayClose), stripped, |program, recipe, stripped| {
        is_clean("the input", program)?;
        run(&InferChunkIds::default(), &mut program.clone())?;
        run(&OverlapSendRecv::default(), &mut program.clone())?;
        run(&SplitMatmulGrad::default(), &mut program.clone())?;
        for split_backward in [false, true] {
            let pass = PipelineSchedulerVpp {
                pp_degree: 2,
                vpp_degree: recipe.chunks.into(),
                num_micro_batches: 2,
                split_backward,
                ..PipelineSchedulerVpp::default()
            };
            run(&pass, &mut program.clone())?;
        }
        let mut program = program.clone();
        let ops: Vec<Op> = program.top_ops().collect();
        // The first op keeps its role: from nothing nothing can be told.
        for &pick in stripped.iter().filter(|_| ops.len() > 1) {
            let op = ops[1 + usize::from(pick) % (ops.len() - 1)];
            Rewriter::new(&mut program).remove_attr(op, names::OP_ROLE);
        }
        run(&CompleteOpRoles::default(), &mut program)?;
        let role = |op: Op| program.role(op).map(|role| role & !256);
        let bare = ops.iter().find(|&&op| !role(op).is_some_and(|role| (0..=2).contains(&role)));
        prop_assert!(
            bare.is_none(),
            "{:?} has the role {:?}",
            bare,
            bare.map(|&op| program.role(op))
        );
        Ok(())
    });
}

/// The uses of all values of live ops and of the kwargs, in an order of their own.
fn all_uses(program: &Program) -> Vec<(Value, Vec<Use>)> {
    let blocks = program
        .blocks()
        .filter(|&block| program.parent_op(block).is_none_or(|op| !program.is_erased(op)));
    let mut values: Vec<Value> = Vec::new();
    for block in blocks {
        values.extend(program.arguments(block).iter().map(|argument| argument.value));
        values.extend(program.kwargs(block).map(|(_, argument)| argument.value));
        values.extend(program.block_ops(block).flat_map(|op| program.results(op)));
    }
    let sorted_uses = |value: Value| {
        let mut uses: Vec<Use> = program.uses(value).collect();
        uses.sort_unstable();
        uses
    };
    values.into_iter().map(|value| (value, sorted_uses(value))).collect()
}

#[test]
fn after_erasing_the_uses_are_those_of_a_fresh_index() {
    let picks = prop::collection::vec(any::<u16>(), 0..80);
    holds_for(150, recipe(80, Lists::MayCross), picks, |program, _, picks| {
        let mut program = program.clone();
        all_uses(&program);
        for &pick in picks {
            let live: Vec<Op> = program.top_ops().flat_map(|op| program.nest(op)).collect();
            let Some(at) = usize::from(pick).checked_rem(live.len()) else { break };
            if program.name(live[at]) == names::YIELD {
                continue;
            }
            let is_read = program.results(live[at]).any(|value| !program.is_unused(value));
            let before = program.edit_stamp();
            let erased = Rewriter::new(&mut program).erase(live[at]);
            prop_assert_eq!(erased.is_err(), is_read);
            prop_assert_eq!(program.is_erased(live[at]), !is_read);
            prop_assert_eq!(program.edit_stamp() == before, is_read, "only an edit counts");
        }
        is_clean("what is left", &program)?;
        prop_assert_eq!(all_uses(&program), all_uses(&program.clone()));
        Ok(())
    });
}
