//! Runs the pass, and then what a scheduler needs, on a program:
//! `cargo run -p my-pass -- examples/gpt_stage0.pir`.

use std::error::Error;
use std::io;

use pirogue::ir::Context;
use pirogue::pass::{PassManager, Pipeline, Session};
use pirogue::text;

const PIPELINE: &str = "complete_op_roles,infer_chunk_ids,rematerialize_constants";

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which program? `my-pass FILE.pir`")?;
    let source = std::fs::read(&path)?;
    let read = text::read_program(&Context::new(), &path, &source);
    let mut program = read.map_err(|errors| errors[0].to_string())?.program;

    let pipeline = Pipeline::parse(&my_pass::registry()?, PIPELINE);
    let pipeline = pipeline.map_err(|errors| errors[0].to_string())?;
    let mut session = Session::new();
    let outcome = PassManager::new(pipeline).run(&mut program, &mut session);
    for diagnostic in session.take_diagnostics() {
        eprintln!("{diagnostic}");
    }
    outcome?;
    eprint!("{}", session.statistics());
    text::write_program(&program, &mut io::stdout().lock())?;
    Ok(())
}
