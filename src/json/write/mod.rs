//! Writing: streaming, in bounded memory.
//!
//! 1. [`emit`]: blanks, escapes, digits.
//! 2. [`types`], [`attrs`]: types and attributes.
//! 3. [`ops`]: which attributes stand where, and the compressed form of parameters.
//! 4. This file: the file, regions, blocks, and the ids of values.
//!
//! Keys stand in the order of their bytes, as nlohmann's `json` writes them.

mod attrs;
mod emit;
mod ops;
mod types;

use std::io::{self, Write};

use thiserror::Error;

use super::codes::ADDED;
use super::read::Header;
use crate::diagnostic::{Diagnostic, Place};
use crate::ir::{Block, BlockArgument, Context, Dict, Op, Program, Region, Value};

pub(super) use emit::Emitter;

/// What is gathered before it is handed to the sink.
const CHUNK: usize = 64 << 10;

/// How a file is laid out.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// All on one line, as Paddle saves programs.
    #[default]
    Compact,
    /// A line for each value, as Paddle writes with `readable=True`.
    Indented,
}

/// How a program is to be written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// How the file is laid out.
    pub layout: Layout,
    /// What the file says of itself; that of [`Read`](super::Read) writes such a file again.
    pub header: Header,
}

/// Why a program was not written. What the sink has by then is not a whole file.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The sink failed.
    #[error(transparent)]
    Sink(#[from] io::Error),
    /// Something in the program has no form in JSON.
    #[error("{what} cannot be written as JSON: {reason}")]
    Unsayable {
        /// What it is: an attribute, a type, an operand.
        what: String,
        /// Why it has none.
        reason: Unsayable,
        /// The op it belongs to, unless it is an argument.
        op: Option<Op>,
    },
}

/// Why something has no form in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsayable {
    /// A string holds other bytes.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// A part of a complex number is infinite or not a number.
    #[error("it is not finite")]
    NotFinite,
    /// The type has parts that its text lacks, or is of another dialect.
    #[error("`{0}` is not a type that Paddle's JSON has, or lacks what JSON says of it")]
    Type(String),
    /// The kind of attribute has no code.
    #[error("Paddle's JSON has no such kind of attribute")]
    Attr,
    /// An op's name has no dialect, or one that is a code for another.
    #[error("it names no dialect that Paddle's JSON can tell")]
    OpName,
    /// A device that needs a number has none, or one that has none has one.
    #[error("Paddle's JSON gives such a device another number")]
    Place,
    /// A value is used before it is defined, or outside of where it is defined.
    #[error("nothing before defines it")]
    Undefined,
}

impl WriteError {
    /// What a person is told, with the op it is about.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        let (code, op, help) = match self {
            Self::Sink(_) => ("E0160", None, "see that the file can be written"),
            Self::Unsayable { op, .. } => ("E0161", *op, "keep the program as text"),
        };
        let diagnostic = Diagnostic::error(code, self.to_string()).help(help);
        match op {
            Some(op) => diagnostic.at(Place::op(program, op)),
            None => diagnostic,
        }
    }
}

/// Writes a program so that Paddle 3.3 loads it.
///
/// # Errors
/// Those of the sink, and what has no form in JSON.
pub fn write_program(
    program: &Program,
    sink: &mut impl Write,
    options: WriteOptions,
) -> Result<(), WriteError> {
    let mut writer = Writer {
        program,
        context: program.context(),
        header: options.header,
        out: Emitter::new(options.layout),
        sink,
        ids: vec![0; program.value_capacity()],
        next_result: 1,
        next_argument: -1,
        next_region: 0,
        next_block: 0,
    };
    writer.file()?;
    writer.flush()
}

struct Writer<'p, W> {
    program: &'p Program,
    context: &'p Context,
    header: Header,
    out: Emitter,
    sink: &'p mut W,
    /// The id of each value that was met, else 0.
    ids: Vec<i64>,
    next_result: i64,
    next_argument: i64,
    next_region: u32,
    next_block: u32,
}

impl<W: Write> Writer<'_, W> {
    fn flush(&mut self) -> Result<(), WriteError> {
        self.sink.write_all(&self.out.out)?;
        self.out.out.clear();
        Ok(())
    }

    fn file(&mut self) -> Result<(), WriteError> {
        self.out.open_object();
        self.out.key("base_code");
        self.out.open_object();
        self.out.key("magic");
        self.out.string("pir");
        self.out.key("trainable");
        self.out.truth(self.header.trainable);
        self.out.key("version");
        self.out.unsigned(self.header.version.into());
        self.out.close_object();
        self.out.key("program");
        self.out.open_object();
        self.out.key("regions");
        self.out.open_list();
        self.out.item();
        self.region(&[self.program.top()])?;
        self.out.close_list();
        self.out.close_object();
        self.out.close_object();
        Ok(())
    }

    fn region(&mut self, blocks: &[Block]) -> Result<(), WriteError> {
        self.out.open_coded(&format!("region_{}", self.next_region));
        self.next_region += 1;
        self.out.key("blocks");
        self.out.open_list();
        for &block in blocks {
            self.out.item();
            self.block(block)?;
        }
        self.out.close_list();
        self.out.close_object();
        Ok(())
    }

    fn regions(&mut self, regions: &[Region]) -> Result<(), WriteError> {
        self.out.key("regions");
        self.out.open_list();
        for &region in regions {
            self.out.item();
            self.region(self.program.region_blocks(region))?;
        }
        self.out.close_list();
        Ok(())
    }

    fn block(&mut self, block: Block) -> Result<(), WriteError> {
        let program = self.program;
        self.out.open_coded(&format!("block_{}", self.next_block));
        self.next_block += 1;
        self.out.key("args");
        self.out.open_list();
        for (index, &argument) in program.arguments(block).iter().enumerate() {
            self.argument(argument, &format!("positional argument {index}"), None)?;
        }
        self.out.close_list();
        if program.kwargs(block).len() > 0 {
            self.out.key("kwargs");
            self.out.open_list();
            for (keyword, argument) in program.kwargs(block) {
                let keyword = self.context.name_text(keyword);
                self.argument(argument, &format!("keyword argument `{keyword}`"), Some(keyword))?;
            }
            self.out.close_list();
        }
        self.out.key("ops");
        self.out.open_list();
        for op in program.block_ops(block) {
            self.out.item();
            self.op(op)?;
            if self.out.out.len() >= CHUNK {
                self.flush()?;
            }
        }
        self.out.close_list();
        self.argument_attrs(block)?;
        self.out.close_object();
        Ok(())
    }

    fn argument(
        &mut self,
        argument: BlockArgument,
        what: &str,
        keyword: Option<&str>,
    ) -> Result<(), WriteError> {
        self.ids[argument.value.index()] = self.next_argument;
        self.out.item();
        self.out.open_object();
        self.out.key("#");
        self.out.integer(self.next_argument);
        self.next_argument -= 1;
        self.out.key("TT");
        let written =
            types::write_type(self.context, self.program.ty(argument.value), &mut self.out);
        written.map_err(|reason| unsayable(format!("the type of {what}"), reason, None))?;
        if let Some(keyword) = keyword {
            self.out.key("key");
            self.out.string(keyword);
        }
        self.out.close_object();
        Ok(())
    }

    /// Paddle's JSON has no place for the attributes of arguments.
    fn argument_attrs(&mut self, block: Block) -> Result<(), WriteError> {
        let positional: Vec<Dict> = self.program.arguments(block).iter().map(|a| a.attrs).collect();
        let keyword: Vec<Dict> =
            self.program.kwargs(block).map(|(_, argument)| argument.attrs).collect();
        let kinds = [("args", positional), ("kwargs", keyword)];
        let is_empty = |dict: &Dict| self.context.dict_entries(*dict).is_empty();
        if kinds.iter().all(|(_, dicts)| dicts.iter().all(is_empty)) {
            return Ok(());
        }
        self.out.key(ADDED);
        self.out.open_object();
        for (key, dicts) in kinds {
            if dicts.iter().all(|dict| self.context.dict_entries(*dict).is_empty()) {
                continue;
            }
            self.out.key(key);
            self.out.open_list();
            for dict in dicts {
                self.out.item();
                self.added_attrs(self.context.dict_entries(dict), None)?;
            }
            self.out.close_list();
        }
        self.out.close_object();
        Ok(())
    }

    /// The id of a result, which is defined here.
    fn define(&mut self, value: Value) -> i64 {
        let id = self.next_result;
        self.ids[value.index()] = id;
        self.next_result += 1;
        id
    }
}

fn unsayable(what: String, reason: Unsayable, op: Option<Op>) -> WriteError {
    WriteError::Unsayable { what, reason, op }
}
