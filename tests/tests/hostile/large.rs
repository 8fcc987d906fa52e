//! Inputs of a size that nobody writes by hand. Each says what it took.
#![allow(clippy::print_stdout, reason = "how long each took is asked for")]

use std::fmt::Write as _;
use std::time::Instant;

use pirogue::ir::{Context, Program, verify};
use pirogue::text;
use pirogue_system_tests::ordeal::{Reached, are_coded, survives};
use pirogue_system_tests::synthetic;

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    println!("{what}: {:.1} s", start.elapsed().as_secs_f64());
    done
}

fn read(source: &str) -> Program {
    let read = text::read_program(&Context::new(), "large.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

#[test]
#[ignore = "very large"]
fn one_line_of_100_megabytes() {
    let million = 100 << 20;
    for piece in ["x", "[", "(", "\"", "%0, ", " ", "\\\"", "tensor<"] {
        let line = piece.repeat(million / piece.len());
        let reached = timed(&format!("a line of {piece:?}"), || survives(line.as_bytes()));
        assert_eq!(reached, Reached::Refused);
    }
    let string = "x".repeat(million);
    let source = format!("{{\n    () = \"my.op\" () {{a:\"{string}\"}} : () -> \n}}\n");
    let reached = timed("a string", || survives(source.as_bytes()));
    assert!(reached >= Reached::Read);
}

#[test]
#[ignore = "very large"]
fn ten_million_ops() {
    let source = synthetic::program(10_000_000);
    let program = timed("reading", || read(&source));
    assert!(program.op_count() > 9_999_000);
    let faults = timed("verifying", || verify(&program));
    are_coded(&faults);
    let printed = timed("printing", || text::to_bytes(&program));
    assert!(printed == source.as_bytes());
}

#[test]
#[ignore = "very large"]
fn a_million_results_operands_and_kwargs() {
    let count = 1_000_000;
    let numbers = (0..count).map(|n| format!("%{n}")).collect::<Vec<_>>().join(", ");
    let types = vec!["tensor<f32>"; count].join(", ");
    let mut source = String::from("{\n");
    writeln!(source, "    ({numbers}) = \"my.op\" () {{}} : () -> {types}")
        .expect("a string grows");
    writeln!(source, "    () = \"my.op\" ({numbers}) {{}} : ({types}) -> ")
        .expect("a string grows");
    source += "}\n";
    timed("results and operands", || assert!(survives(source.as_bytes()) >= Reached::Read));
    let mut source = String::from("{\n    ^kw:\n");
    for n in 0..count {
        writeln!(source, "        %kwarg_k{n} {{}}").expect("a string grows");
    }
    source += "    () = \"my.op\" (%kwarg_k7) {} : (tensor<f32>) -> \n}\n";
    timed("kwargs", || assert!(survives(source.as_bytes()) >= Reached::Read));
}

#[test]
#[ignore = "very large"]
fn a_million_attributes_errors_and_programs() {
    let count = 1_000_000;
    let attrs = (0..count).map(|n| format!("a{n:07}:{n}")).collect::<Vec<_>>().join(",");
    let source = format!("{{\n    () = \"my.op\" () {{{attrs}}} : () -> \n}}\n");
    timed("attributes", || assert!(survives(source.as_bytes()) >= Reached::Read));
    let errors = "    wrong\n".repeat(count);
    timed("errors", || {
        assert_eq!(survives(format!("{{\n{errors}}}\n").as_bytes()), Reached::Refused);
    });
    let programs = "{\n    () = \"my.op\" () {} : () -> \n}\n// -----\n".repeat(count);
    let read =
        timed("programs", || text::read_programs(&Context::new(), "many", programs.as_bytes()));
    assert!(read.is_ok_and(|all| all.len() >= count));
}

/// Each op reads the result of the one before; and one value is read by all ops.
#[test]
#[ignore = "very large"]
fn a_chain_and_a_fan_of_a_million_ops() {
    let count = 1_000_000;
    for (what, operand) in [("a chain", true), ("a fan", false)] {
        let mut source =
            String::from("{\n    (%0) = \"my.op\" () {chunk_id:0,op_role:0} : () -> tensor<f32>\n");
        for n in 1..count {
            let read = if operand { n - 1 } else { 0 };
            writeln!(
                source,
                "    (%{n}) = \"my.op\" (%{read}) {{chunk_id:0,op_role:0}} : (tensor<f32>) -> tensor<f32>"
            )
            .expect("a string grows");
        }
        source += "}\n";
        timed(what, || assert_eq!(survives(source.as_bytes()), Reached::Planned));
    }
}
