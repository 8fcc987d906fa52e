//! Small passes and programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::ir::{Context, Cursor, Op, Program, Rewriter, names};
use crate::pass::{
    Law, Pass, PassContext, PassError, PassManager, Pipeline, PipelineFailure, ProgramSet,
    RegisteredPass, Registry, Rules, Session, Statistic,
};
use crate::text;

pub(super) const SOURCE: &str = r#"{
    (%0) = "test.source" () {chunk_id:0} : () -> tensor<2xf32>
    (%1) = "test.map" (%0) {chunk_id:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "test.map" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "test.sink" (%2) {} : (tensor<2xf32>) -> 
}
"#;

pub(super) fn read(source: &str) -> Program {
    let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
    read.map_err(|faults| faults[0].to_string()).unwrap().program
}

pub(super) fn sample() -> Program {
    read(SOURCE)
}

pub(super) fn ops(program: &Program) -> Vec<Op> {
    program.top_ops().collect()
}

/// Puts ops into a chunk.
///
/// Ops that have one are left alone if that is asked for.
#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
#[schemars(example = SetChunk { chunk: 3, ..SetChunk::default() })]
pub(super) struct SetChunk {
    /// The chunk.
    pub(super) chunk: u8,
    /// Which ops.
    #[serde(default)]
    pub(super) which: Which,
    /// Names of ops to leave alone.
    #[serde(default)]
    pub(super) except: Vec<String>,
    /// At most so many.
    pub(super) limit: Option<u16>,
}

#[derive(Serialize, Deserialize, JsonSchema, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Which {
    /// All of them.
    #[default]
    All,
    /// Those without a chunk.
    Missing,
}

impl Pass for SetChunk {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let mut left = self.limit.map_or(usize::MAX, usize::from);
        let mut cursor = Cursor::new(program.program(), program.program().top());
        while let Some(op) = cursor.next(program.program()) {
            let name = program.program().name_text(op);
            let is_excepted = self.except.iter().any(|except| except == name);
            let has_chunk = program.program().chunk(op).is_some();
            if left == 0 || is_excepted || (self.which == Which::Missing && has_chunk) {
                continue;
            }
            left -= 1;
            program.set_chunk(op, Some(self.chunk.into()));
            cx.count("set", 1);
        }
        Ok(())
    }

    fn rules(&self) -> Rules {
        Rules::new().before("erase_sinks", "sinks are to have chunks")
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[
            Statistic { name: "set", description: "ops that were put into the chunk" },
            Statistic { name: "refused", description: "ops that could not be" },
        ]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent]
    }
}

impl RegisteredPass for SetChunk {
    const NAME: &'static str = "set_chunk";
}

/// Erases `test.sink`.
#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct EraseSinks {}

impl Pass for EraseSinks {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let is_sink = |op: &Op| program.program().name_text(*op) == "test.sink";
        let sinks: Vec<Op> = program.program().top_ops().filter(is_sink).collect();
        if sinks.is_empty() {
            cx.matched_nothing("no `test.sink`");
        }
        for op in sinks {
            program.erase(op).map_err(|e| Diagnostic::error("E9002", e.to_string()))?;
        }
        Ok(())
    }
}

impl RegisteredPass for EraseSinks {
    const NAME: &'static str = "erase_sinks";
}

/// Changes the program and then fails.
#[derive(Serialize, Deserialize, JsonSchema, Default)]
pub(super) struct Fail {
    #[serde(default)]
    pub(super) how: How,
}

/// How a pass may fail.
#[derive(Serialize, Deserialize, JsonSchema, Default, Copy, Clone)]
#[serde(rename_all = "lowercase")]
pub(super) enum How {
    #[default]
    Return,
    Report,
    Panic,
    /// Leaves a use before its definition.
    Break,
}

impl Pass for Fail {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let all = ops(program.program());
        program.set_chunk(all[0], Some(77));
        program.remove_attr(all[1], names::CHUNK_ID);
        match self.how {
            How::Return => Err(Diagnostic::error("E9001", "it is how it is").into()),
            How::Report => {
                cx.report(Diagnostic::warning("W9001", "something is odd"));
                cx.report(Diagnostic::error("E9001", "it is how it is"));
                Ok(())
            }
            How::Panic => panic!("no {} here", "way"),
            How::Break => {
                let later = program.program().result(all[2], 0);
                program.set_operand(all[1], 0, Some(later));
                Ok(())
            }
        }
    }
}

impl RegisteredPass for Fail {
    const NAME: &'static str = "fail";
}

/// Leaves a plan: a program for each name.
#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(default)]
pub(super) struct MakePlan {
    pub(super) names: Vec<String>,
}

impl Pass for MakePlan {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, program: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let programs = self.names.iter().map(|name| (name.clone(), program.program().clone()));
        cx.put_programs(TestPlan { programs: programs.collect(), replaced: 0 });
        Ok(())
    }

    fn rules(&self) -> Rules {
        Rules::new().at_most_once("one plan is enough").conflicts("fail", "it would be lost")
    }
}

impl RegisteredPass for MakePlan {
    const NAME: &'static str = "make_plan";
}

pub(super) struct TestPlan {
    pub(super) programs: Vec<(String, Program)>,
    pub(super) replaced: usize,
}

impl ProgramSet for TestPlan {
    fn names(&self) -> Vec<String> {
        self.programs.iter().map(|(name, _)| name.clone()).collect()
    }

    fn program(&self, index: usize) -> &Program {
        &self.programs[index].1
    }

    fn replace(&mut self, programs: Vec<(usize, Program)>) -> Result<(), PassError> {
        if programs.iter().any(|(_, program)| program.op_count() == 0) {
            return Err(Diagnostic::error("E9003", "a program of a plan has ops").into());
        }
        self.replaced += programs.len();
        for (index, program) in programs {
            self.programs[index].1 = program;
        }
        Ok(())
    }
}

/// Needs a plan, and that it is fresh.
#[derive(Serialize, Deserialize, JsonSchema, Default)]
pub(super) struct UsePlan {}

impl Pass for UsePlan {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, _: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let programs = cx.get::<TestPlan>()?.programs.len();
        if programs == 1 {
            return Err(Diagnostic::error("E9004", "one program is too few").into());
        }
        Ok(())
    }

    fn rules(&self) -> Rules {
        Rules::new().needs("make_plan", "it counts its programs")
    }
}

impl RegisteredPass for UsePlan {
    const NAME: &'static str = "use_plan";
}

pub(super) fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.register::<SetChunk>().unwrap();
    registry.register::<EraseSinks>().unwrap();
    registry.register::<Fail>().unwrap();
    registry.register::<MakePlan>().unwrap();
    registry.register::<UsePlan>().unwrap();
    registry
}

pub(super) fn parse(pipeline: &str) -> Pipeline {
    let parsed = Pipeline::parse(&registry(), pipeline);
    parsed.map_err(|faults| faults[0].to_string()).unwrap()
}

/// The codes and the text of what is wrong with a pipeline.
pub(super) fn faults(pipeline: &str) -> (Vec<String>, String) {
    let faults = Pipeline::parse(&registry(), pipeline).err().unwrap_or_default();
    let codes = faults.iter().map(|fault| fault.code.to_string()).collect();
    let texts: Vec<String> = faults.iter().map(Diagnostic::to_string).collect();
    (codes, texts.join("\n"))
}

pub(super) fn run(pipeline: &str, program: &mut Program) -> Result<Session, PipelineFailure> {
    let mut session = Session::new();
    PassManager::new(parse(pipeline)).run(program, &mut session).map(|()| session)
}
