//! Speed per op: reading, verifying, printing, cloning, the diff, and the split.
//!
//! `cargo bench -p pirogue-system-tests`. Against other systems: `tests/rivals/run`.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use pirogue::diff::{DiffOptions, diff};
use pirogue::ir::{AttrValue, Context, Op, Program, Rewriter, verify};
use pirogue::parallel::default_threads;
use pirogue::text;
use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_schedule::BackwardMode;
use pirogue_system_tests::synthetic;

const SIZES: [usize; 2] = [16_000, 1_000_000];

fn main() {
    divan::main();
}

fn read(source: &str) -> Program {
    let read = text::read_program(&Context::new(), "bench.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

fn count(program: &Program) -> ItemsCount {
    ItemsCount::new(program.op_count())
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn read_text(bencher: Bencher, ops: usize) {
    let source = synthetic::program(ops);
    let ops = count(&read(&source));
    bencher.counter(ops).bench_local(|| read(black_box(&source)));
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn verify_all(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    bencher.counter(count(&program)).bench_local(|| verify(black_box(&program)));
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn print_text(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    bencher
        .counter(count(&program))
        .bench_local(|| text::write_program(black_box(&program), &mut std::io::sink()));
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn clone(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    bencher.counter(count(&program)).bench_local(|| black_box(&program).clone());
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn walk(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    bencher.counter(count(&program)).bench_local(|| {
        black_box(&program).top_ops().map(|op| program.operands(op).len()).sum::<usize>()
    });
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn diff_of_equals(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    let other = program.clone();
    bencher.counter(count(&program)).bench_local(|| {
        let found = diff(black_box(&program), black_box(&other), DiffOptions::default());
        assert!(found.is_empty());
        found
    });
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn diff_of_a_thousand_edits(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    let other = edited(&program, 1000);
    bencher
        .counter(count(&program))
        .bench_local(|| diff(black_box(&program), black_box(&other), DiffOptions::default()));
}

/// Every op of one program is as any other of it, and the other program has half as many.
#[divan::bench(args = SIZES, sample_count = 5)]
fn diff_where_all_are_alike(bencher: Bencher, ops: usize) {
    let line = "    () = \"my.op\" () {} : () -> \n";
    let program = read(&format!("{{\n{}}}\n", line.repeat(ops)));
    let other = read(&format!("{{\n{}}}\n", line.repeat(ops / 2)));
    bencher
        .counter(count(&program))
        .bench_local(|| diff(black_box(&program), black_box(&other), DiffOptions::default()));
}

/// The program with so many edits: every other one erases an op, the others set an attribute.
fn edited(program: &Program, edits: usize) -> Program {
    let mut edited = program.clone();
    let ops: Vec<Op> = edited.top_ops().collect();
    let mut rewriter = Rewriter::new(&mut edited);
    for edit in 0..edits {
        let op = ops[ops.len() / edits * edit];
        if edit % 2 == 1 {
            let context = rewriter.context();
            let attr = context.attr(AttrValue::int32(edit as i32));
            rewriter.set_attr(op, context.name("edit"), attr);
        } else {
            let program = rewriter.program();
            let operand = program.operands(op).iter().flatten().next().copied();
            let results: Vec<_> = program.results(op).collect();
            let Some(operand) = operand else { continue };
            results.into_iter().for_each(|result| rewriter.replace_all_uses(result, operand));
            rewriter.erase(op).expect("its results are not used any more");
        }
    }
    edited
}

/// A stage with eight chunks: 33 programs with a whole backward, 25 with a split one.
#[divan::bench(args = SIZES, consts = [33, 25], sample_count = 5)]
fn plan<const PROGRAMS: usize>(bencher: Bencher, ops: usize) {
    let program = read(&synthetic::program(ops));
    let pass = PipelineSchedulerVpp {
        pp_degree: 2,
        vpp_degree: 8,
        num_micro_batches: 2,
        split_backward: PROGRAMS == 25,
        ..PipelineSchedulerVpp::default()
    };
    bencher.counter(count(&program)).with_inputs(|| program.clone()).bench_local_values(
        |mut program| {
            let (plan, _) = pass
                .plan(&mut Rewriter::new(&mut program), default_threads())
                .expect("it can be planned");
            assert_eq!(plan.programs().len(), PROGRAMS);
            (plan, program)
        },
    );
}

/// The cut alone, of a program that is ready for it.
#[divan::bench(args = SIZES, sample_count = 5)]
fn split_into_25(bencher: Bencher, ops: usize) {
    use pirogue_passes::split::{SplitOptions, split};
    let program = read(&synthetic::program(ops));
    let vpp = pirogue_schedule::Vpp::new(2, 8, 2, BackwardMode::Split).expect("good counts");
    let options = SplitOptions {
        job_types: vpp.job_types(),
        chunks: 8,
        backward: BackwardMode::Split,
        place: pirogue::ir::Place::cpu(),
        threads: default_threads(),
    };
    bencher
        .counter(count(&program))
        .bench_local(|| split(black_box(&program), &options, &[]).expect("it can be split"));
}
