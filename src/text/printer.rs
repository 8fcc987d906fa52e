//! Printing: streaming, in bounded memory.
//!
//! Spelled dictionaries and types repeat, so each is spelled once and copied from then on, until
//! there are too many to keep. A dictionary is spelled in three pieces, between which the columns `chunk_id` and `op_role` go.

use std::io::{self, Write};
use std::ops::Range;

use crate::ir::{Block, Context, Dict, Op, Program, Type, Value, names};

use super::Labels;
use super::spell::{write_attr, write_integer, write_type};

/// What is gathered before it is handed to the sink.
const CHUNK: usize = 64 << 10;

/// How many bytes of spelled dictionaries and types are kept; few in tests, so that they meet the end.
const MOST_KEPT: usize = if cfg!(test) { 256 } else { 64 << 20 };

/// Prints a program to a sink.
///
/// # Errors
/// Those of the sink.
pub fn write_program(program: &Program, sink: &mut impl Write) -> io::Result<()> {
    let mut printer = Printer::new(program, Labels::none(program), sink);
    printer.program()?;
    printer.flush()
}

/// The bytes of a printed program.
pub fn to_bytes(program: &Program) -> Vec<u8> {
    let mut out = Vec::new();
    write_program(program, &mut out).expect("a vector takes all that is written to it");
    out
}

/// The text of a printed program; bytes of strings that are not UTF-8 show as `U+FFFD`.
pub fn to_text(program: &Program) -> String {
    match String::from_utf8(to_bytes(program)) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// One op as the program prints it, on one line, without its regions.
pub fn op_line(program: &Program, op: Op, labels: &Labels) -> String {
    let mut sink = io::sink();
    let mut printer = Printer::new(program, labels, &mut sink);
    printer.spelled.repeats = Repeats::No;
    printer.op_header(op);
    String::from_utf8_lossy(&printer.out).replace(['\n', '\r'], " ")
}

/// The spelled pieces of a dictionary: before `chunk_id`, between it and `op_role`, behind.
type Pieces = [Range<u32>; 3];

/// Whether what is spelled is likely to be spelled again.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
enum Repeats {
    #[default]
    Yes,
    /// One line alone: tables as long as the greatest handle would cost more than they save.
    No,
}

/// What was spelled already, by handle, in one pool.
#[derive(Default)]
struct Spelled {
    repeats: Repeats,
    pool: Vec<u8>,
    dicts: Vec<Option<Pieces>>,
    types: Vec<Option<Range<u32>>>,
}

impl Spelled {
    /// Forgets everything if it has become too much. No range may be held.
    fn bound(&mut self) {
        if self.pool.len() > MOST_KEPT {
            self.pool.clear();
            self.dicts.clear();
            self.types.clear();
        }
    }

    fn dict(&mut self, context: &Context, dict: Dict) -> Pieces {
        self.bound();
        if let Some(Some(pieces)) = self.dicts.get(dict.index()) {
            return pieces.clone();
        }
        let mut pieces = [0..0, 0..0, 0..0];
        let output_name = context.output_name(dict);
        let only = output_name.map(|name| (names::OUTPUT_NAME, context.string_attr(name)));
        let entries = match &only {
            Some(entry) => std::slice::from_ref(entry),
            None => context.dict_entries(dict),
        };
        for (piece, range) in pieces.iter_mut().enumerate() {
            let start = self.pool.len() as u32;
            for &(name, attr) in entries {
                let name = context.name_text(name);
                if usize::from(name >= "chunk_id") + usize::from(name >= "op_role") == piece {
                    self.pool.extend(name.bytes());
                    self.pool.push(b':');
                    write_attr(context, attr, &mut self.pool);
                    self.pool.push(b',');
                }
            }
            *range = start..self.pool.len() as u32;
        }
        if self.repeats == Repeats::Yes && only.is_none() {
            remember(&mut self.dicts, dict.index(), pieces.clone());
        }
        pieces
    }

    fn ty(&mut self, context: &Context, ty: Type) -> Range<u32> {
        self.bound();
        if let Some(Some(range)) = self.types.get(ty.index()) {
            return range.clone();
        }
        let start = self.pool.len() as u32;
        write_type(context, ty, &mut self.pool);
        let range = start..self.pool.len() as u32;
        if self.repeats == Repeats::Yes {
            remember(&mut self.types, ty.index(), range.clone());
        }
        range
    }

    fn copy(&self, range: Range<u32>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.pool[range.start as usize..range.end as usize]);
    }
}

fn remember<T: Clone>(table: &mut Vec<Option<T>>, index: usize, value: T) {
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    table[index] = Some(value);
}

/// Labels that are given out while printing, or that are all known.
trait Naming {
    fn meet_op(&mut self, program: &Program, op: Op);
    fn meet_kwargs(&mut self, program: &Program, block: Block);
    fn meet(&mut self, program: &Program, value: Value);
    fn labels(&self) -> &Labels;
}

impl Naming for Labels {
    fn meet_op(&mut self, program: &Program, op: Op) {
        for result in program.results(op) {
            Labels::meet(self, program, result);
        }
    }
    fn meet_kwargs(&mut self, program: &Program, block: Block) {
        Labels::meet_kwargs(self, program, block);
    }
    fn meet(&mut self, program: &Program, value: Value) {
        Labels::meet(self, program, value);
    }
    fn labels(&self) -> &Labels {
        self
    }
}

impl Naming for &Labels {
    fn meet_op(&mut self, _: &Program, _: Op) {}
    fn meet_kwargs(&mut self, _: &Program, _: Block) {}
    fn meet(&mut self, _: &Program, _: Value) {}
    fn labels(&self) -> &Labels {
        self
    }
}

struct Printer<'p, N, W> {
    program: &'p Program,
    context: &'p Context,
    naming: N,
    spelled: Spelled,
    out: Vec<u8>,
    sink: &'p mut W,
    depth: usize,
}

impl<'p, N: Naming, W: Write> Printer<'p, N, W> {
    fn new(program: &'p Program, naming: N, sink: &'p mut W) -> Self {
        let context = program.context();
        let out = Vec::new();
        Self { program, context, naming, spelled: Spelled::default(), out, sink, depth: 0 }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn indent(&mut self) {
        (0..self.depth).for_each(|_| self.out.extend_from_slice(b"    "));
    }

    fn program(&mut self) -> io::Result<()> {
        self.push("{\n");
        self.block_body(self.program.top())?;
        self.push("}\n");
        Ok(())
    }

    /// The kwargs and ops of a block, one level deeper than its braces.
    fn block_body(&mut self, block: Block) -> io::Result<()> {
        self.depth += 1;
        self.kwargs(block);
        for op in self.program.block_ops(block) {
            self.indent();
            self.op(op)?;
            self.push("\n");
            if self.out.len() >= CHUNK {
                self.flush()?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn kwargs(&mut self, block: Block) {
        let kwargs = self.program.kwargs(block);
        if kwargs.len() == 0 {
            return;
        }
        self.naming.meet_kwargs(self.program, block);
        self.indent();
        self.push("^kw:\n");
        for (_, argument) in kwargs {
            self.indent();
            self.push("    ");
            self.naming.labels().write(self.program, argument.value, &mut self.out);
            self.push(" ");
            self.dict(argument.attrs, [None; 2]);
            self.push("\n");
        }
    }

    /// An op with its regions, without the newline behind it.
    fn op(&mut self, op: Op) -> io::Result<()> {
        self.op_header(op);
        let regions = self.program.regions(op);
        let name = self.program.name(op);
        for (index, &region) in regions.iter().enumerate() {
            let blocks = self.program.region_blocks(region);
            match name {
                names::IF | names::PYLAYER | names::WHILE if index == 0 => self.push("\n"),
                names::IF | names::PYLAYER | names::WHILE => self.push(" else {\n"),
                _ => {
                    self.push("\n");
                    self.indent();
                    self.push("{\n");
                }
            }
            for &block in blocks {
                if name == names::WHILE {
                    self.loop_arguments(block);
                }
                self.block_body(block)?;
            }
            self.indent();
            self.push("}");
        }
        Ok(())
    }

    fn loop_arguments(&mut self, block: Block) {
        self.indent();
        self.push("^");
        for (index, argument) in self.program.arguments(block).iter().enumerate() {
            self.separate(index);
            self.naming.meet(self.program, argument.value);
            self.naming.labels().write(self.program, argument.value, &mut self.out);
            self.push(" ");
            self.dict(argument.attrs, [None; 2]);
        }
        self.push("\n");
    }

    /// The line of an op, up to the `{` that opens its regions.
    fn op_header(&mut self, op: Op) {
        let name = self.program.name(op);
        self.naming.meet_op(self.program, op);
        self.push("(");
        for (index, result) in self.program.results(op).enumerate() {
            self.separate(index);
            self.naming.labels().write(self.program, result, &mut self.out);
        }
        self.push(") = \"");
        self.out.extend_from_slice(self.context.name_text(name).as_bytes());
        self.push("\" (");
        match name {
            names::WHILE => self.while_tail(op),
            names::IF | names::PYLAYER => self.branch_tail(op),
            _ => self.general_tail(op),
        }
    }

    /// `%0, %1) {attrs} : (types) -> types`
    fn general_tail(&mut self, op: Op) {
        let operands = self.program.operands(op);
        self.operands(operands);
        self.push(") ");
        self.op_dict(op);
        self.push(" : (");
        for (index, operand) in operands.iter().enumerate() {
            self.separate(index);
            self.ty(operand.map_or(Type::NULL, |value| self.program.ty(value)));
        }
        self.push(") -> ");
        self.result_types(op);
    }

    /// `%0) {attrs} -> types {`
    fn branch_tail(&mut self, op: Op) {
        self.operands(self.program.operands(op));
        self.push(") ");
        self.op_dict(op);
        self.push(" -> ");
        self.result_types(op);
        self.push(" {");
    }

    /// `cond=%0, inputs=%1, %2) { `
    fn while_tail(&mut self, op: Op) {
        let operands = self.program.operands(op);
        let (condition, inputs) = operands.split_at(operands.len().min(1));
        self.push("cond=");
        self.operands(condition);
        self.push(", inputs=");
        self.operands(inputs);
        self.push(") { ");
    }

    fn operands(&mut self, operands: &[Option<Value>]) {
        for (index, &operand) in operands.iter().enumerate() {
            self.separate(index);
            let Some(value) = operand else {
                self.push("<<NULL VALUE>>");
                continue;
            };
            let first_meeting = !self.naming.labels().has_met(value);
            self.naming.meet(self.program, value);
            self.naming.labels().write(self.program, value, &mut self.out);
            if first_meeting {
                self.inline_argument(value);
            }
        }
    }

    /// Positional arguments of the top block are listed nowhere: their first use has their
    /// attributes.
    fn inline_argument(&mut self, value: Value) {
        if let crate::ir::ValueDef::Argument { block, index } = self.program.def(value) {
            self.push(" ");
            self.dict(self.program.arguments(block)[index as usize].attrs, [None; 2]);
        }
    }

    fn op_dict(&mut self, op: Op) {
        let columns = [self.program.chunk(op), self.program.role(op)];
        self.dict(self.program.dict(op), columns);
    }

    /// `columns` are `chunk_id` and `op_role`.
    fn dict(&mut self, dict: Dict, columns: [Option<i32>; 2]) {
        let [before, between, behind] = self.spelled.dict(self.context, dict);
        let start = self.out.len();
        self.push("{");
        self.spelled.copy(before, &mut self.out);
        self.column("chunk_id:", columns[0]);
        self.spelled.copy(between, &mut self.out);
        self.column("op_role:", columns[1]);
        self.spelled.copy(behind, &mut self.out);
        // Every entry wrote a comma behind itself; the last one becomes the brace.
        if self.out.len() > start + 1 {
            self.out.pop();
        }
        self.push("}");
    }

    fn column(&mut self, key: &str, value: Option<i32>) {
        if let Some(value) = value {
            self.push(key);
            write_integer(value.into(), &mut self.out);
            self.push(",");
        }
    }

    fn result_types(&mut self, op: Op) {
        for (index, result) in self.program.results(op).enumerate() {
            self.separate(index);
            self.ty(self.program.ty(result));
        }
    }

    fn ty(&mut self, ty: Type) {
        let range = self.spelled.ty(self.context, ty);
        self.spelled.copy(range, &mut self.out);
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.push(", ");
        }
    }
}
