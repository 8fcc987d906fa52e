//! Finds the role of ops of the top block whose `op_role` is absent or -1.
//!
//! Phases follow one another: what an op reads was made in its phase or an earlier one. So
//! `low`, the latest phase of its producers, and `high`, the earliest of its users, bound its own.
//! 1. `high` of each op without a role, from the last op to the first, through others like it.
//! 2. From the first to the last each takes a phase. In a run of such ops between two neighbours of
//!    one phase, or with a neighbour on one side only, it is theirs; elsewhere it is `low`, or, where
//!    the op reads nothing, `high`, or else that of the op before the run. It is then moved into
//!    its bounds.
//! 3. Where `low` lies behind `high` nothing fits: an error.
//!
//! The loss bit counts for nothing here and stays where it is. A role that is no phase is left as it
//! is and counts for nothing either. Nested ops belong to the op that holds them.
//!
//! `pd_op.scale {op_role:-1}` ==> `pd_op.scale {op_role:0}`

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Op, Program, Rewriter};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Rules, Statistic};
use pirogue::text::Labels;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::{MOST_SHOWN, Phase, add_rest};
use crate::positions::Positions;

/// Finds the role of ops that do not say it, from their neighbours and from data flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteOpRoles {}

impl RegisteredPass for CompleteOpRoles {
    const NAME: &'static str = "complete_op_roles";
}

const COMPLETED: &str = "completed";

impl Pass for CompleteOpRoles {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let report = complete_op_roles(rewriter)?;
        cx.count(COMPLETED, report.completed);
        if report.completed == 0 {
            cx.matched_nothing("every op of the top block has a role");
        }
        report.warning.into_iter().for_each(|warning| cx.report(warning));
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[Statistic { name: COMPLETED, description: "ops that got a role" }]
    }

    fn rules(&self) -> Rules {
        Rules::new()
            .before("infer_chunk_ids", "chunks are inferred among ops of one role")
            .before("pipeline_scheduler_VPP", "the programs are cut by role")
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsChunks]
    }
}

/// What [`complete_op_roles`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolesReport {
    /// How many ops got a role.
    pub completed: u64,
    /// Which of them may belong to the optimizer as well (`W0211`).
    pub warning: Option<Diagnostic>,
}

/// Gives every op of the top block without a role the role that fits.
///
/// # Errors
/// If no op has a role (`E0212`); else all ops that no role fits (`E0213`). The program is then as
/// it was.
pub fn complete_op_roles(rewriter: &mut Rewriter<'_>) -> Result<RolesReport, Vec<Diagnostic>> {
    let program = rewriter.program();
    let ops: Vec<Op> = program.top_ops().collect();
    let Some(runs) = Runs::of(program, &ops)? else {
        return Ok(RolesReport::default());
    };
    let producers = Producers::of(program, &ops);
    let high = bounds_from_users(&runs, &producers);
    let found = find(&runs, &producers, &high);
    if !found.misfits.is_empty() {
        return Err(misfits(program, &ops, &found.misfits));
    }
    let warning = ambiguity(program, &ops, &found.ambiguous);
    let mut completed = 0;
    for index in (0..ops.len()).filter(|&index| runs.is_unset(index)) {
        let role = found.phases[index].map(|phase| phase as i32);
        rewriter.set_role(ops[index], role);
        completed += 1;
    }
    Ok(RolesReport { completed, warning })
}

/// Where an op without a role stands.
#[derive(Copy, Clone)]
enum Neighbours {
    /// The nearest ops with a role, on either side or on the only one, are of this phase.
    Agree(Phase),
    /// They are of different phases.
    Differ { before: Phase, behind: Phase },
}

/// The ops of the top block by what they say of their role.
struct Runs {
    /// The phase of an op that says it.
    said: Vec<Option<Phase>>,
    /// The neighbours of an op that has no role.
    unset: Vec<Option<Neighbours>>,
}

impl Runs {
    /// Nothing if every op has a role.
    fn of(program: &Program, ops: &[Op]) -> Result<Option<Self>, Vec<Diagnostic>> {
        let is_unset = |&op: &Op| program.role(op).is_none_or(|role| role == -1);
        if !ops.iter().any(is_unset) {
            return Ok(None);
        }
        let phase = |&op: &Op| Phase::of_role(program.role(op)?);
        let said: Vec<Option<Phase>> = ops.iter().map(phase).collect();
        if said.iter().all(Option::is_none) {
            return Err(vec![nothing_said(program, ops[0])]);
        }
        let before = carry(said.iter().copied());
        let mut behind = carry(said.iter().rev().copied());
        behind.reverse();
        let neighbours = |index: usize| match (before[index], behind[index]) {
            (Some(before), Some(behind)) if before != behind => {
                Some(Neighbours::Differ { before, behind })
            }
            (before, behind) => before.or(behind).map(Neighbours::Agree),
        };
        let unset = (0..ops.len()).map(|index| is_unset(&ops[index]).then(|| neighbours(index))?);
        let unset = unset.collect();
        Ok(Some(Self { said, unset }))
    }

    fn is_unset(&self, index: usize) -> bool {
        self.unset[index].is_some()
    }
}

/// Each entry, or the last one before it that is there.
fn carry(phases: impl Iterator<Item = Option<Phase>>) -> Vec<Option<Phase>> {
    let keep_last = |last: &mut Option<Phase>, phase: Option<Phase>| {
        *last = phase.or(*last);
        Some(*last)
    };
    phases.scan(None, keep_last).collect()
}

/// By position, the positions of the ops whose values an op reads.
struct Producers {
    of: Vec<std::ops::Range<usize>>,
    pool: Vec<usize>,
}

impl Producers {
    fn of(program: &Program, ops: &[Op]) -> Self {
        let positions = Positions::of(program, ops);
        let mut producers = Self { of: Vec::with_capacity(ops.len()), pool: Vec::new() };
        for (index, &op) in ops.iter().enumerate() {
            let start = producers.pool.len();
            let others = positions.producers(program, op).filter(|&producer| producer < index);
            producers.pool.extend(others);
            producers.of.push(start..producers.pool.len());
        }
        producers
    }

    fn get(&self, index: usize) -> &[usize] {
        &self.pool[self.of[index].clone()]
    }
}

/// A phase, and the position of the op whose it is.
type Bound = Option<(Phase, usize)>;

/// The earliest phase of the users of each op without a role.
fn bounds_from_users(runs: &Runs, producers: &Producers) -> Vec<Bound> {
    let mut high: Vec<Bound> = vec![None; runs.said.len()];
    for user in (0..runs.said.len()).rev() {
        let own = runs.said[user].map(|phase| (phase, user));
        let Some(bound) = own.or(high[user]) else { continue };
        for &producer in producers.get(user).iter().filter(|&&producer| runs.is_unset(producer)) {
            let earlier = high[producer].is_none_or(|old| bound.0 < old.0);
            if earlier {
                high[producer] = Some(bound);
            }
        }
    }
    high
}

/// An op that no role fits.
struct Misfit {
    op: usize,
    producer: (Phase, usize),
    user: (Phase, usize),
}

struct Found {
    phases: Vec<Option<Phase>>,
    misfits: Vec<Misfit>,
    /// Ops that were not put into the optimizer but fit there too.
    ambiguous: Vec<usize>,
}

fn find(runs: &Runs, producers: &Producers, high: &[Bound]) -> Found {
    let mut found = Found { phases: runs.said.clone(), misfits: Vec::new(), ambiguous: Vec::new() };
    for (index, neighbours) in runs.unset.iter().enumerate() {
        let Some(neighbours) = *neighbours else { continue };
        let known = producers.get(index).iter().filter_map(|&p| Some((found.phases[p]?, p)));
        let low = known.max_by_key(|&(phase, _)| phase);
        let phase = choose(neighbours, low, high[index]);
        found.phases[index] = Some(phase);
        if let Neighbours::Differ { before, behind } = neighbours {
            let last = high[index].map_or(before.max(behind), |bound| bound.0);
            if phase < Phase::Optimize && last == Phase::Optimize {
                found.ambiguous.push(index);
            }
        }
        if let (Some(producer), Some(user)) = (low, high[index])
            && producer.0 > user.0
        {
            found.misfits.push(Misfit { op: index, producer, user });
        }
    }
    found
}

/// Step 2 of the [module](self).
fn choose(neighbours: Neighbours, low: Bound, high: Bound) -> Phase {
    let (low, high) = (low.map(|bound| bound.0), high.map(|bound| bound.0));
    let wanted = match (neighbours, low) {
        (Neighbours::Agree(phase), _) => phase.max(low.unwrap_or(phase)),
        (Neighbours::Differ { before, behind }, Some(low)) => low.max(before.min(behind)),
        (Neighbours::Differ { before, .. }, None) => high.unwrap_or(before),
    };
    high.map_or(wanted, |high| wanted.min(high))
}

fn nothing_said(program: &Program, first: Op) -> Diagnostic {
    Diagnostic::error("E0212", "no op of the top block says its role, so none can be completed")
        .at(Place::op(program, first).label("forward, backward or optimize?"))
        .help("set `op_role` of at least one op of each phase to 0 (forward), 1 (backward) or 2 (optimize)")
}

fn misfits(program: &Program, ops: &[Op], misfits: &[Misfit]) -> Vec<Diagnostic> {
    let labels = Labels::of(program);
    let place = |index: usize| Place::op_in(program, ops[index], &labels);
    let shown = misfits.iter().take(MOST_SHOWN).map(|misfit| {
        let (made, producer) = misfit.producer;
        let (read, user) = misfit.user;
        let [op, producer_name, user_name] =
            [misfit.op, producer, user].map(|index| program.name_text(ops[index]));
        let message = format!(
            "no role fits `{op}`: it reads a value of the {} op `{producer_name}`, and the {} op `{user_name}` \
             needs its result",
            made.name(),
            read.name()
        );
        Diagnostic::error("E0213", message)
            .at(place(misfit.op))
            .see(place(producer).label(format!("{}: runs later", made.name())))
            .see(place(user).label(format!("{}: runs earlier", read.name())))
            .help("correct the `op_role` of one of the two")
    });
    let mut faults: Vec<_> = shown.collect();
    add_rest(&mut faults, misfits.len(), "ops that no role fits");
    faults
}

fn ambiguity(program: &Program, ops: &[Op], ambiguous: &[usize]) -> Option<Diagnostic> {
    let (&first, rest) = ambiguous.split_first()?;
    let name = program.name_text(ops[first]);
    let more = match rest.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let message =
        format!("`{name}`{more} got the earlier of two roles that fit: the other is optimize");
    let warning = Diagnostic::warning("W0211", message)
        .at(Place::op(program, ops[first]))
        .remark("it runs for every micro-batch; an optimizer op runs once a step")
        .help("set `op_role` to 2 if it belongs to the optimizer");
    Some(warning)
}

#[cfg(test)]
mod tests {
    use pirogue::ir::Context;
    use pirogue::text;

    use super::*;

    const NONE: i32 = i32::MIN;

    /// Ops without a meaning, each with its role and the indices of the ops that it reads.
    fn program(ops: &[(i32, &[usize])]) -> Program {
        let mut source = String::from("{\n");
        for (index, (role, reads)) in ops.iter().enumerate() {
            let operands: Vec<String> = reads.iter().map(|read| format!("%{read}")).collect();
            let types = vec!["tensor<1xf32>"; reads.len()].join(", ");
            let role = if *role == NONE { String::new() } else { format!("op_role:{role}") };
            let operands = operands.join(", ");
            source += &format!(
                "    (%{index}) = \"t.op{index}\" ({operands}) {{{role}}} : ({types}) -> tensor<1xf32>\n"
            );
        }
        let read = text::read_program(&Context::new(), "test.pir", (source + "}\n").as_bytes());
        read.expect("it is well formed").program
    }

    fn roles(program: &Program) -> Vec<i32> {
        program.top_ops().map(|op| program.role(op).unwrap_or(NONE)).collect()
    }

    #[track_caller]
    fn completes(ops: &[(i32, &[usize])], expected: &[i32]) -> RolesReport {
        let mut program = program(ops);
        let report = complete_op_roles(&mut Rewriter::new(&mut program))
            .expect("every op has a role that fits");
        assert_eq!(roles(&program), expected);
        let again = complete_op_roles(&mut Rewriter::new(&mut program));
        assert_eq!(again, Ok(RolesReport::default()));
        report
    }

    #[track_caller]
    fn fails(ops: &[(i32, &[usize])]) -> Vec<Diagnostic> {
        let mut program = program(ops);
        let before = roles(&program);
        let errors = complete_op_roles(&mut Rewriter::new(&mut program)).expect_err("no role fits");
        assert_eq!(roles(&program), before);
        errors
    }

    #[test]
    fn a_run_between_ops_of_one_role_has_that_role_whoever_reads_it() {
        let report =
            completes(&[(0, &[]), (-1, &[]), (NONE, &[1]), (0, &[]), (1, &[2])], &[0, 0, 0, 0, 1]);
        assert_eq!((report.completed, report.warning), (2, None));
    }

    #[test]
    fn a_run_at_an_end_has_the_role_of_its_one_neighbour() {
        completes(&[(-1, &[]), (0, &[]), (2, &[]), (-1, &[])], &[0, 0, 2, 2]);
    }

    /// The first of the run reads a forward value, the second one only feeds a backward op, through
    /// the third; the last reads nothing and is not read.
    #[test]
    fn at_a_boundary_the_data_flow_decides() {
        let ops: &[(i32, &[usize])] =
            &[(0, &[]), (-1, &[0]), (-1, &[]), (-1, &[2]), (-1, &[]), (1, &[3])];
        let report = completes(ops, &[0, 0, 1, 1, 0, 1]);
        assert_eq!(report.warning, None);
    }

    #[test]
    fn what_reads_nothing_goes_with_the_earliest_of_its_users() {
        completes(&[(0, &[]), (-1, &[]), (1, &[1]), (2, &[1])], &[0, 1, 1, 2]);
    }

    #[test]
    fn a_value_of_a_later_phase_draws_its_reader_into_that_phase() {
        completes(&[(1, &[]), (0, &[]), (-1, &[0]), (1, &[2])], &[1, 0, 1, 1]);
        completes(
            &[(0, &[]), (1, &[]), (0, &[]), (-1, &[1]), (0, &[]), (1, &[])],
            &[0, 1, 0, 1, 0, 1],
        );
    }

    /// An update of a parameter, a forward value, between the backward ops and the optimizer.
    #[test]
    fn an_op_before_the_optimizer_is_not_put_before_its_neighbours_and_a_warning_says_so() {
        let report = completes(&[(0, &[]), (1, &[]), (-1, &[0]), (2, &[])], &[0, 1, 1, 2]);
        let warning = report.warning.expect("it may belong to the optimizer");
        assert_eq!(
            (&*warning.code, warning.primary.and_then(|place| place.line)),
            ("W0211", Some(4))
        );
    }

    #[test]
    fn the_loss_bit_counts_for_nothing_and_stays() {
        completes(&[(256, &[]), (-1, &[]), (0, &[]), (257, &[]), (-1, &[])], &[256, 0, 0, 257, 1]);
    }

    #[test]
    fn a_role_that_is_no_phase_says_nothing_and_stays() {
        completes(&[(0, &[]), (16, &[]), (-1, &[1]), (16, &[]), (0, &[])], &[0, 16, 0, 16, 0]);
    }

    #[test]
    fn an_op_that_reads_a_later_phase_than_it_is_read_in_is_an_error_that_shows_both() {
        let ops: &[(i32, &[usize])] = &[(2, &[]), (-1, &[0]), (-1, &[1]), (0, &[2])];
        let errors = fails(ops);
        let [error] = errors.as_slice() else { panic!("{errors:?}") };
        assert_eq!(error.code, "E0213");
        assert_eq!(error.primary.as_ref().and_then(|place| place.line), Some(3));
        let lines = error.secondary.iter().map(|place| place.line);
        assert_eq!(lines.collect::<Vec<_>>(), [Some(2), Some(5)]);
    }

    #[test]
    fn without_any_role_there_is_nothing_to_go_by() {
        let errors = fails(&[(-1, &[]), (NONE, &[0])]);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].code, "E0212");
        assert_eq!(fails(&[(16, &[]), (-1, &[])])[0].code, "E0212");
    }

    #[test]
    fn an_op_in_a_region_counts_for_the_op_that_holds_it_and_gets_no_role() {
        let source = r#"{
    (%0) = "pd_op.full" () {op_role:0} : () -> tensor<1xb>
    (%1) = "t.grad" () {op_role:1} : () -> tensor<1xf32>
    () = "pd_op.if" (%0) {} ->  {
        (%2) = "t.read" (%1) {op_role:-1} : (tensor<1xf32>) -> tensor<1xf32>
    } else {
    }
    (%3) = "t.last" () {op_role:0} : () -> tensor<1xf32>
    (%4) = "t.last" () {op_role:1} : () -> tensor<1xf32>
}
"#;
        let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
        let mut program = read.expect("it is well formed").program;
        complete_op_roles(&mut Rewriter::new(&mut program)).expect("the roles fit");
        assert_eq!(roles(&program), [0, 1, 1, 0, 1]);
        assert!(text::to_text(&program).contains("\"t.read\" (%1) {op_role:-1}"));
    }
}
