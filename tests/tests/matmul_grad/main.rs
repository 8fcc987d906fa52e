//! `split_matmul_grad`: equal to Paddle where Paddle is right, and right by numbers everywhere.

mod numbers;
mod tensor;

use pirogue::ir::{Context, Program, Rewriter};
use pirogue::text;
use pirogue_passes::overlap_send_recv::overlap_send_recv;
use pirogue_passes::split_matmul_grad::{SplitMatmulGrad, SplitReport, split_matmul_grads};
use pirogue_system_tests::corpus::{self, Case, Expect, Text};

fn read(name: &str, source: &str) -> Program {
    let read = text::read_program(&Context::new(), name, source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

/// The program as the pass of Paddle leaves its input: split matmuls, if asked for, and streams.
fn after(case: &Case) -> (String, SplitReport) {
    let mut program = read(&case.case, &case.input.get().expect("inputs are recorded"));
    let mut rewriter = Rewriter::new(&mut program);
    let mut report = SplitReport::default();
    if case.config.split_backward && case.config.num_micro_batches == case.config.pp_degree {
        report = split_matmul_grads(&mut rewriter, &SplitMatmulGrad::default());
    }
    overlap_send_recv(&mut rewriter).expect("every recorded send has a ring");
    (text::to_text(&program), report)
}

/// The lines of a program. Those of kwargs come sorted, as do their attributes: Paddle prints both
/// in an order of its own.
fn lines(program: &str) -> Vec<String> {
    let (kwargs, ops): (Vec<&str>, Vec<&str>) =
        program.lines().partition(|line| line.trim_start().starts_with("%kwarg_"));
    let mut kwargs: Vec<String> = kwargs.into_iter().map(sorted_attrs).collect();
    kwargs.sort();
    kwargs.into_iter().chain(ops.into_iter().map(str::to_owned)).collect()
}

fn sorted_attrs(line: &str) -> String {
    let (name, attrs) = line.trim_end_matches('}').split_once('{').expect("a kwarg has attributes");
    let mut attrs: Vec<&str> = attrs.split(',').collect();
    attrs.sort_unstable();
    format!("{name}{{{}}}", attrs.join(","))
}

fn recorded() -> impl Iterator<Item = (Case, String)> {
    corpus::cases().into_iter().filter_map(|case| {
        let recorded = case.after.as_ref().and_then(Text::get)?;
        Some((case, recorded))
    })
}

/// The quirk because of which Paddle's split of a matmul_grad is wrong, though it was recorded.
fn wrong_split(case: &Case) -> Option<&str> {
    let quirk = case.reason.split(':').next()?;
    ["A1", "A6"].contains(&quirk).then_some(quirk)
}

#[test]
fn programs_come_out_as_paddle_leaves_them() {
    let mut split = 0;
    for (case, recorded) in recorded().filter(|(case, _)| wrong_split(case).is_none()) {
        let (printed, report) = after(&case);
        for (ours, paddle) in lines(&printed).iter().zip(lines(&recorded)) {
            assert_eq!(*ours, paddle, "{}", case.case);
        }
        assert_eq!(printed.lines().count(), recorded.lines().count(), "{}", case.case);
        assert!(report.left_whole.is_empty() && report.weight_chains.is_empty(), "{}", case.case);
        split += report.split;
    }
    assert!(split > 100, "there are more than {split} matmul_grads in the recorded programs");
}

#[test]
fn where_paddle_is_wrong_ours_differs_and_a_note_says_so() {
    let mut count = 0;
    for (case, recorded) in recorded() {
        let Some(quirk) = wrong_split(&case) else { continue };
        let (printed, report) = after(&case);
        assert_ne!(lines(&printed), lines(&recorded), "{}", case.case);
        let expected = if quirk == "A1" { "N0220" } else { "N0224" };
        assert!(report.notes.iter().any(|note| note.code == expected), "{}", case.case);
        count += 1;
    }
    assert_eq!(count, 9, "two by hand and six real ones with A1, one with A6");
}

/// The recorded inputs on which Paddle fails: every op is split but that with a vector.
#[test]
fn what_paddle_cannot_split_is_split() {
    for case in corpus::cases() {
        let is_split = case.config.split_backward && case.case.starts_with("hand_mm_");
        if is_split && case.expect == Expect::Beyond {
            let (printed, report) = after(&case);
            let whole = usize::from(case.case == "hand_mm_vector_split");
            assert_eq!(report.left_whole.len(), whole, "{}", case.case);
            assert_eq!(printed.matches("\"pd_op.matmul_grad\"").count(), whole, "{}", case.case);
            let program = read(&case.case, &printed);
            assert_eq!(text::to_text(&program), printed, "{}", case.case);
        }
    }
}
