//! What passes leave for each other: artifacts and analyses.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::support::{TestPlan, ops, parse, run, sample};
use crate::ir::{Program, Rewriter};
use crate::pass::{
    Analysis, Pass, PassContext, PassError, PassManager, Pipeline, Preserved, Session, pass_fn,
};

#[test]
fn an_artifact_is_there_for_later_passes_and_for_the_caller() {
    let mut session = run("make_plan{names=[a, b]},use_plan", &mut sample()).unwrap();
    assert_eq!(session.get::<TestPlan>().ok().unwrap().programs.len(), 2);
    assert!(session.take::<TestPlan>().is_ok());
    assert_eq!(session.take::<TestPlan>().err().unwrap().reason().code, "E0514");
}

#[test]
fn an_artifact_is_stale_once_the_program_changed() {
    let failure = run("make_plan,set_chunk{chunk=1},use_plan", &mut sample()).err().unwrap();
    assert_eq!(failure.reason().code, "E0515");
    let session = run("make_plan,set_chunk{chunk=1}", &mut sample()).unwrap();
    assert_eq!(session.get::<TestPlan>().err().unwrap().reason().code, "E0515");
    // A pass that changes nothing does no harm.
    run("make_plan{names=[a, b]},set_chunk{chunk=1 limit=0},use_plan", &mut sample()).unwrap();
}

#[test]
fn a_pass_answers_for_what_it_left_as_of_its_end() {
    let put_and_edit = pass_fn("put_and_edit", |program, cx| {
        cx.put(7_u32);
        let first = ops(program.program())[0];
        program.set_chunk(first, Some(1));
        Ok(())
    });
    let mut session = Session::new();
    let pipeline = Pipeline::new().then_boxed(Box::new(put_and_edit));
    PassManager::new(pipeline).run(&mut sample(), &mut session).unwrap();
    assert_eq!(session.get::<u32>().ok(), Some(&7));
}

#[test]
fn what_a_failed_pass_left_is_not_there() {
    let pass = pass_fn("put_and_fail", |_, cx| {
        cx.put(7_u32);
        panic!("on purpose")
    });
    let mut session = Session::new();
    let manager = PassManager::new(Pipeline::new().then_boxed(Box::new(pass)));
    assert!(manager.run(&mut sample(), &mut session).is_err());
    assert!(!session.has::<u32>());
}

/// Taken, changed or replaced: a pass that fails has done none of it.
#[test]
fn a_failed_pass_leaves_the_artifacts_of_others_as_they_were() {
    type Meddle = fn(&mut PassContext<'_>) -> Result<(), PassError>;
    let meddles: [Meddle; 4] = [
        |cx| cx.take::<u32>().map(|_| ()),
        |cx| cx.get_mut::<u32>().map(|number| *number = 1),
        |cx| {
            cx.put(2_u32);
            cx.put(3_u32);
            cx.take::<u32>().map(|_| ())
        },
        |cx| {
            *cx.get_mut::<u32>()? = 4;
            cx.take::<u32>()?;
            cx.put(5_u32);
            Ok(())
        },
    ];
    for meddle in meddles {
        let leave = pass_fn("leave", |_, cx| {
            cx.put(7_u32);
            cx.put("later");
            Ok(())
        });
        let fail = pass_fn("fail", move |_, cx| {
            meddle(cx)?;
            panic!("on purpose")
        });
        let pipeline = Pipeline::new().then_boxed(Box::new(leave)).then_boxed(Box::new(fail));
        let mut session = Session::new();
        let failure = PassManager::new(pipeline).run(&mut sample(), &mut session).err().unwrap();
        assert_eq!(failure.reason().code, "E0516");
        assert_eq!(session.get::<u32>().ok(), Some(&7));
        assert_eq!(session.get::<&str>().ok(), Some(&"later"));
    }
}

#[test]
fn what_a_pass_took_or_changed_stays_so_if_it_succeeds() {
    let leave = pass_fn("leave", |_, cx| {
        cx.put(7_u32);
        cx.put("taken");
        Ok(())
    });
    let change = pass_fn("change", |_, cx| {
        *cx.get_mut::<u32>()? += 1;
        cx.take::<&str>().map(|_| ())
    });
    let fail = pass_fn("fail", |_, _| panic!("on purpose"));
    let pipeline = Pipeline::new().then_boxed(Box::new(leave)).then_boxed(Box::new(change));
    let mut session = Session::new();
    let manager = PassManager::new(pipeline.then_boxed(Box::new(fail)));
    assert!(manager.run(&mut sample(), &mut session).is_err());
    assert_eq!(session.get::<u32>().ok(), Some(&8));
    assert!(!session.has::<&str>());
}

/// The number of ops, and which time it was computed.
struct Counted {
    ops: usize,
}

static COMPUTED: AtomicUsize = AtomicUsize::new(0);

impl Analysis for Counted {
    fn compute(program: &Program) -> Self {
        COMPUTED.fetch_add(1, Ordering::Relaxed);
        Self { ops: program.op_count() }
    }
}

/// Asks for the analysis, edits, and says what it preserves.
struct Asking {
    edits: usize,
    preserved: Preserved,
}

impl Pass for Asking {
    fn name(&self) -> &str {
        "asking"
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let counted: Arc<Counted> = cx.analysis(program.program());
        assert_eq!(counted.ops, program.program().op_count());
        for op in ops(program.program()).into_iter().take(self.edits) {
            program.set_chunk(op, Some(1));
        }
        Ok(())
    }

    fn preserves(&self) -> Preserved {
        self.preserved.clone()
    }
}

/// One test, for it counts with a static.
#[test]
fn an_analysis_is_computed_anew_only_where_it_may_have_changed() {
    let computed = |passes: &[(usize, Preserved)]| {
        let before = COMPUTED.load(Ordering::Relaxed);
        let pipeline = passes.iter().fold(Pipeline::new(), |pipeline, (edits, preserved)| {
            let (edits, preserved) = (*edits, preserved.clone());
            pipeline.then_boxed(Box::new(Asking { edits, preserved }))
        });
        PassManager::new(pipeline).run(&mut sample(), &mut Session::new()).unwrap();
        COMPUTED.load(Ordering::Relaxed) - before
    };
    let (none, all) = (Preserved::none, Preserved::all);
    assert_eq!(computed(&[(0, none()), (0, none())]), 1, "nothing changed");
    assert_eq!(computed(&[(1, none()), (0, none())]), 2, "the program changed");
    assert_eq!(computed(&[(1, all()), (0, none())]), 1, "all is preserved");
    assert_eq!(computed(&[(1, none().with::<Counted>()), (0, none())]), 1, "this is preserved");
    assert_eq!(computed(&[(1, none().with::<u32>()), (0, none())]), 2, "another is preserved");
}

#[test]
fn a_pass_can_be_run_by_hand() {
    let (mut program, mut session) = (sample(), Session::new());
    let pass = super::support::EraseSinks {};
    pass.run(&mut Rewriter::new(&mut program), &mut session.context("erase_sinks")).unwrap();
    assert_eq!(program.op_count(), 3);
    assert!(parse("").steps().is_empty());
}
