//! Reading text: by hand, over bytes, an op a line.
//!
//! 1. [`scan`]: a position, and how far strings and brackets reach.
//! 2. [`types`], [`attrs`]: types and attribute dictionaries.
//! 3. [`memo`], [`symbols`]: what was read before; what names stand for.
//! 4. [`op`]: the line of an op. This file: blocks, regions and whole programs.
//!
//! After a fault reading goes on at the next line. Results of an op that could not be read are
//! *lost*: an op that uses them is left out without a word, so that one fault is one error.

mod attrs;
mod error;
mod memo;
mod op;
mod scan;
mod symbols;
mod types;

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use crate::diagnostic::{Diagnostic, Place};
use crate::ir::{
    At, Attr, Block, Context, Dict, Name, Op, OpSpec, Origins, Program, Rewriter, Type, Value,
    names,
};

use attrs::{Owner, ReadDict};
use error::ReadError;
use memo::Memo;
use op::{Buffers, Fault, OpLine, OpName, Operand, Signature, Tail};
use scan::{Quote, Scanner};
use symbols::{Symbol, Symbols};

/// How deep regions may nest.
const REGION_DEPTH: usize = 200;
/// How many errors are reported before reading stops.
const MOST_ERRORS: usize = 20;

/// A program that was read, and what is to be said about it.
#[derive(Clone)]
pub struct Read {
    /// The program.
    pub program: Program,
    /// Warnings: where the text is ambiguous, which reading was taken.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a text that holds one program. `file` is what diagnostics and origins call it.
///
/// # Errors
/// All faults that were found, up to 20.
pub fn read_program(
    context: &Arc<Context>,
    file: &str,
    text: &[u8],
) -> Result<Read, Vec<Diagnostic>> {
    let mut programs = read_programs(context, file, text)?;
    match (programs.pop(), programs.len()) {
        (Some(read), 0) => Ok(read),
        (_, others) => {
            let mut reader = Reader::new(context, file, text);
            let error = ReadError::SeveralPrograms { count: others + 1 };
            reader.report((error, 0..1));
            Err(reader.errors)
        }
    }
}

/// Reads a text that holds programs with lines of `// -----` between.
///
/// # Errors
/// All faults that were found, up to 20.
pub fn read_programs(
    context: &Arc<Context>,
    file: &str,
    text: &[u8],
) -> Result<Vec<Read>, Vec<Diagnostic>> {
    let mut reader = Reader::new(context, file, text);
    let mut programs = Vec::new();
    if u32::try_from(text.len()).is_err() {
        reader.report((ReadError::TooLarge, 0..1));
        return Err(reader.errors);
    }
    reader.skip_between();
    while !reader.scan.at_end() && reader.errors.len() < MOST_ERRORS {
        let program = reader.program(context);
        programs.push(Read { program, warnings: std::mem::take(&mut reader.warnings) });
        reader.skip_between();
    }
    if programs.is_empty() && reader.errors.is_empty() {
        reader.report((ReadError::NoProgram, 0..1));
    }
    if reader.errors.is_empty() { Ok(programs) } else { Err(reader.errors) }
}

struct Reader<'t> {
    context: &'t Context,
    file: &'t str,
    scan: Scanner<'t>,
    /// The line of `line_start`, counted as reading goes on.
    line: u32,
    line_start: usize,
    symbols: Symbols<'t>,
    op_names: Memo<'t, OpName>,
    dicts: Memo<'t, ReadDict>,
    entries: Memo<'t, (Name, Attr)>,
    signatures: Memo<'t, Signature>,
    types: Vec<Type>,
    buffers: Buffers<'t>,
    operands: Vec<Option<Value>>,
    lines: Vec<u32>,
    /// How many ops the program before this one has.
    ops_before: Option<usize>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new(context: &'t Context, file: &'t str, text: &'t [u8]) -> Self {
        Self {
            context,
            file,
            scan: Scanner::new(text),
            line: 1,
            line_start: 0,
            symbols: Symbols::new(),
            op_names: Memo::new(),
            dicts: Memo::new(),
            entries: Memo::new(),
            signatures: Memo::new(),
            types: Vec::new(),
            buffers: Buffers::default(),
            operands: Vec::new(),
            lines: Vec::new(),
            ops_before: None,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// # Faults
impl<'t> Reader<'t> {
    fn expect(&mut self, token: &[u8], expected: &'static str) -> Result<(), Fault> {
        if self.scan.eat_blank(token) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&self, expected: &'static str) -> Fault {
        let rest = self.scan.rest();
        let word = rest.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let found = match rest.first() {
            None => "the end of the text".to_owned(),
            Some(b'\n' | b'\r') => "the end of the line".to_owned(),
            Some(_) => format!("`{}`", String::from_utf8_lossy(&rest[..word.clamp(1, 30)])),
        };
        let end = self.scan.pos + word.clamp(1, 30).min(rest.len());
        (ReadError::Unexpected { expected, found }, self.scan.pos..end)
    }

    fn report(&mut self, (error, span): Fault) {
        if self.errors.len() < MOST_ERRORS {
            let mut diagnostic =
                Diagnostic::error(error.code(), error.to_string()).at(self.place(span));
            diagnostic.help = error.help().map(str::to_owned);
            self.errors.push(diagnostic);
        }
    }

    /// The line that a span begins in, counted from the start: faults are few.
    fn place(&self, span: Range<usize>) -> Place {
        let text = self.scan.text;
        let at = span.start.min(text.len());
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |feed| feed + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        // A byte that is not UTF-8 becomes a longer character, so the columns are taken anew.
        let piece = |range: Range<usize>| String::from_utf8_lossy(&text[range]).into_owned();
        let before = piece(start..at);
        let marked = piece(at..span.end.clamp(at, end));
        let behind = piece(span.end.clamp(at, end)..end);
        let highlight = before.len()..before.len() + marked.len();
        let line = memchr_iter(b'\n', &text[..start]).count() as u32 + 1;
        Place::in_text(self.file, line, &(before + &marked + &behind), highlight)
    }

    /// The line of the current position; positions must not go back.
    fn current_line(&mut self) -> u32 {
        let passed = &self.scan.text[self.line_start..self.scan.pos];
        self.line += memchr_iter(b'\n', passed).count() as u32;
        self.line_start = self.scan.pos;
        self.line
    }

    fn skip_line(&mut self) {
        self.scan.pos = (self.scan.line_end() + 1).min(self.scan.text.len());
    }
}

/// # Programs and blocks
impl<'t> Reader<'t> {
    /// Steps over blank lines and comments.
    fn skip_between(&mut self) {
        loop {
            while self.scan.peek().is_ascii_whitespace() {
                self.scan.pos += 1;
            }
            if !self.scan.rest().starts_with(b"//") {
                return;
            }
            self.skip_line();
        }
    }

    fn program(&mut self, context: &Arc<Context>) -> Program {
        let mut program = Program::new(context);
        let mut rewriter = Rewriter::new(&mut program);
        self.symbols.clear();
        self.lines.clear();
        let ops = self.expected_ops();
        rewriter.reserve(ops, 2 * ops, ops + ops / 4);
        let top = rewriter.program().top();
        let start = self.scan.pos;
        if self.scan.eat(b"{") {
            self.block(&mut rewriter, top, 0, start);
        } else {
            let fault = self.unexpected("`{` and a program");
            self.report(fault);
            self.skip_line();
        }
        let lines = std::mem::take(&mut self.lines);
        rewriter.set_origins(Arc::new(Origins { file: self.file.to_owned(), lines }));
        self.ops_before = Some(program.op_count());
        program
    }

    /// How many ops the next program may have: as many as the rest of the text is good for, but no
    /// more than the one before it, since a text may hold a million small ones.
    fn expected_ops(&self) -> usize {
        // Lines of real programs are near 180 bytes long, hand-written ones near 60.
        let most = self.scan.rest().len() / 160 + 16;
        self.ops_before.map_or(most, |before| before.min(most))
    }

    /// The lines of a block, up to and with its `}`. `open` is where its `{` stands.
    fn block(&mut self, rewriter: &mut Rewriter<'_>, block: Block, depth: usize, open: usize) {
        let mut last_op = None;
        loop {
            self.skip_between();
            match self.scan.peek() {
                b'}' => {
                    self.scan.pos += 1;
                    return;
                }
                b'^' if self.scan.eat(b"^kw:") => self.kwargs(rewriter, block),
                b'{' if last_op.is_some() => {
                    let open = self.scan.pos;
                    self.scan.pos += 1;
                    let region = last_op.map(|op| rewriter.add_region(op)).expect("there is an op");
                    self.region(rewriter, region, depth, open);
                }
                _ if self.scan.at_end() => {
                    let what = if depth == 0 { "the program" } else { "a region" };
                    self.report((ReadError::Unclosed { what }, open..open + 1));
                    return;
                }
                _ => last_op = self.op(rewriter, block, depth),
            }
            if self.errors.len() >= MOST_ERRORS {
                self.scan.pos = self.scan.text.len();
                return;
            }
        }
    }

    fn region(&mut self, rewriter: &mut Rewriter<'_>, block: Block, depth: usize, open: usize) {
        if depth >= REGION_DEPTH {
            self.report((ReadError::TooDeep { limit: REGION_DEPTH }, open..open + 1));
            self.scan.pos = self.scan.text.len();
            return;
        }
        self.block(rewriter, block, depth + 1, open);
    }

    /// `%kwarg_KEYWORD {attrs}` lines. The keyword may hold anything but a line feed.
    fn kwargs(&mut self, rewriter: &mut Rewriter<'_>, block: Block) {
        loop {
            self.skip_between();
            if !self.scan.rest().starts_with(b"%kwarg_") {
                return;
            }
            if let Err(fault) = self.kwarg(rewriter, block) {
                self.report(fault);
                self.skip_line();
            }
        }
    }

    fn kwarg(&mut self, rewriter: &mut Rewriter<'_>, block: Block) -> Result<(), Fault> {
        let start = self.scan.pos + 1;
        let line = &self.scan.text[start..self.scan.line_end()];
        let Some(length) = memchr::memmem::rfind(line, b" {") else {
            return Err(self.unexpected("`%kwarg_KEYWORD {attributes}`"));
        };
        let name = &line[..length];
        self.scan.pos = start + length + 1;
        let (dict, _) = self.dict(Owner::Argument, Quote::Escaped)?;
        let keyword = self.keyword(name, start)?;
        let added = rewriter.add_kwarg(block, keyword, Type::UNKNOWN, dict.dict);
        let value = added.map_err(|_| {
            let keyword = self.context.name_text(keyword).to_owned();
            (ReadError::KwargTwice { keyword }, start - 1..start + length)
        })?;
        self.symbols.set(name, Symbol::Value(value));
        Ok(())
    }

    fn keyword(&self, name: &'t [u8], start: usize) -> Result<Name, Fault> {
        let keyword = &name[b"kwarg_".len()..];
        match str::from_utf8(keyword) {
            Ok(keyword) => Ok(self.context.name(keyword)),
            Err(_) => {
                let name = String::from_utf8_lossy(keyword).into_owned();
                Err((ReadError::NotUtf8 { name }, start..start + keyword.len()))
            }
        }
    }
}

/// # Ops
impl<'t> Reader<'t> {
    /// An op with its regions.
    fn op(&mut self, rewriter: &mut Rewriter<'_>, block: Block, depth: usize) -> Option<Op> {
        let start = self.scan.pos;
        let line = match self.read_line_either_way(start) {
            Ok(line) => line,
            Err(fault) => {
                self.report(fault);
                self.lose_results();
                self.skip_line();
                return None;
            }
        };
        let open = self.scan.pos.saturating_sub(1);
        let made = self.make(rewriter, block, &line, start);
        match made {
            Ok(op) => {
                self.op_regions(rewriter, op, line.tail, depth, open);
                Some(op)
            }
            Err(fault) => {
                if let Some(fault) = fault {
                    self.report(fault);
                }
                self.lose_results();
                self.skip_line();
                None
            }
        }
    }

    /// Reads a line with escaped quotes; if that fails, with backslashes as they stand.
    fn read_line_either_way(&mut self, start: usize) -> Result<OpLine, Fault> {
        self.scan.met_escape = false;
        let read = self.read_line(Quote::Escaped);
        if !self.scan.met_escape {
            return read;
        }
        let fault = match read {
            Ok(line) => {
                self.warn_of_ambiguity(start);
                return Ok(line);
            }
            Err(fault) => fault,
        };
        self.scan.pos = start;
        self.read_line(Quote::Closing).map_err(|_| fault)
    }

    /// A `\"` before a comma or a closing bracket may be the end of a string.
    fn warn_of_ambiguity(&mut self, start: usize) {
        let line = &self.scan.text[start..self.scan.pos];
        let mut quotes = memchr::memmem::find_iter(line, b"\\\"");
        let ambiguous = quotes.find(|&at| matches!(line.get(at + 2), Some(b',' | b']' | b'}')));
        if let Some(at) = ambiguous {
            let place =
                self.place(start + at..start + at + 2).label("read as a quote inside the string");
            let warning = Diagnostic::warning(
                "W0101",
                "this string may also end here, in a backslash",
            )
            .at(place)
            .help(
                "Paddle does not escape backslashes; read the JSON form of the program to be sure",
            );
            self.warnings.push(warning);
        }
    }

    fn lose_results(&mut self) {
        for index in 0..self.buffers.results.len() {
            let name = self.buffers.results[index];
            if self.symbols.get(name) == Symbol::Unknown {
                self.symbols.set(name, Symbol::Lost);
            }
        }
    }

    /// Makes the op of a line. `Err(None)`: it uses what was lost.
    fn make(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        block: Block,
        line: &OpLine,
        start: usize,
    ) -> Result<Op, Option<Fault>> {
        self.check_counts(line, start)?;
        self.take_operands(rewriter, line, start)?;
        let origin = self.lines.len() as u32;
        let text_line = self.current_line();
        self.lines.push(text_line);
        let unknown;
        let results = match line.tail {
            Tail::Loop => {
                unknown = vec![Type::UNKNOWN; self.buffers.results.len()];
                unknown.as_slice()
            }
            _ => self.signature_types(line.signature).1,
        };
        let spec = OpSpec::new(line.op.name)
            .operands(&self.operands)
            .results(results)
            .dict(line.dict.dict)
            .role(line.dict.role)
            .chunk(line.dict.chunk)
            .origin(Some(origin));
        let op = rewriter.create(At::End(block), spec);
        self.name_results(rewriter, op, start)?;
        if line.dict.odd_column {
            self.warn_of_odd_column(rewriter, op);
        }
        Ok(op)
    }

    fn check_counts(&self, line: &OpLine, start: usize) -> Result<(), Fault> {
        let (operands, results) = self.signature_types(line.signature);
        let counts = [
            ("operands", self.buffers.operands.len(), operands.len(), line.tail == Tail::General),
            ("results", self.buffers.results.len(), results.len(), line.tail != Tail::Loop),
        ];
        for (what, have, types, is_checked) in counts {
            if is_checked && have != types {
                let op = self.context.name_text(line.op.name).to_owned();
                return Err((ReadError::Count { op, what, have, types }, start..self.scan.pos));
            }
        }
        Ok(())
    }

    /// Fills `operands` and checks the type of each use.
    fn take_operands(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        line: &OpLine,
        start: usize,
    ) -> Result<(), Option<Fault>> {
        self.operands.clear();
        for index in 0..self.buffers.operands.len() {
            let (operand, name) = self.buffers.operands[index];
            let used = match line.tail {
                Tail::General => self.signature_types(line.signature).0[index],
                _ => Type::UNKNOWN,
            };
            let value = match operand {
                Operand::Null => None,
                Operand::Lost => return Err(None),
                Operand::Value(value) => {
                    self.check_use(rewriter, value, used, name, start)?;
                    Some(value)
                }
                Operand::NewArgument(dict) => {
                    let top = rewriter.program().top();
                    let value = rewriter.add_argument(top, used, dict.dict);
                    self.symbols.set(name, Symbol::Value(value));
                    Some(value)
                }
            };
            self.operands.push(value);
        }
        Ok(())
    }

    /// A use agrees with the definition, or says the type of what had none yet.
    #[inline]
    fn check_use(
        &self,
        rewriter: &mut Rewriter<'_>,
        value: Value,
        used: Type,
        name: &'t [u8],
        start: usize,
    ) -> Result<(), Fault> {
        let defined = rewriter.program().ty(value);
        if defined == used || used == Type::UNKNOWN || self.context.same_type(defined, used) {
            return Ok(());
        }
        if defined == Type::UNKNOWN {
            rewriter.set_type(value, used);
            return Ok(());
        }
        let text = |ty| crate::text::type_text(self.context, ty);
        let name = format!("%{}", String::from_utf8_lossy(name));
        let error = ReadError::TypeMismatch { name, used: text(used), defined: text(defined) };
        Err((error, start..self.scan.pos))
    }

    fn name_results(&mut self, rewriter: &Rewriter<'_>, op: Op, start: usize) -> Result<(), Fault> {
        for (index, value) in rewriter.program().results(op).enumerate() {
            let name = self.buffers.results[index];
            if self.symbols.get(name) != Symbol::Unknown {
                let name = format!("%{}", String::from_utf8_lossy(name));
                let end = start + name.len() + 2;
                return Err((ReadError::DefinedTwice { name }, start..end));
            }
            self.symbols.set(name, Symbol::Value(value));
        }
        Ok(())
    }

    fn warn_of_odd_column(&mut self, rewriter: &Rewriter<'_>, op: Op) {
        let message =
            "`op_role` or `chunk_id` is not a 32-bit integer, so the op counts as having none";
        // The program does not know yet where its ops are from.
        let place = Place {
            file: self.file.to_owned(),
            line: self.lines.last().copied(),
            ..Place::op(rewriter.program(), op)
        };
        let warning = Diagnostic::warning("W0102", message)
            .at(place)
            .help("write a plain number, such as `chunk_id:0`");
        self.warnings.push(warning);
    }

    fn op_regions(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        op: Op,
        tail: Tail,
        depth: usize,
        open: usize,
    ) {
        match tail {
            Tail::General => {}
            Tail::Loop => self.loop_body(rewriter, op, depth, open),
            Tail::Branch => {
                self.scan.eat_blank(b"{");
                let block = rewriter.add_region(op);
                self.region(rewriter, block, depth, open);
                while self.scan.eat_blank(b"else {") {
                    let block = rewriter.add_region(op);
                    self.region(rewriter, block, depth, open);
                }
            }
        }
    }

    fn loop_body(&mut self, rewriter: &mut Rewriter<'_>, op: Op, depth: usize, open: usize) {
        let results: Vec<Value> = rewriter.program().results(op).collect();
        let body = rewriter.add_region(op);
        let start = self.scan.pos;
        if let Err(fault) = self.loop_arguments(rewriter, body) {
            self.report(fault);
            self.skip_line();
        }
        let errors_before = self.errors.len();
        self.region(rewriter, body, depth, open);
        if self.errors.len() > errors_before {
            return;
        }
        if let Err(fault) = self.loop_types(rewriter, body, &results, start) {
            self.report(fault);
        }
    }

    /// `^%arg_0 {attrs}, %arg_1 {attrs}`
    fn loop_arguments(&mut self, rewriter: &mut Rewriter<'_>, body: Block) -> Result<(), Fault> {
        self.skip_between();
        self.expect(b"^", "`^` and the arguments of the loop")?;
        while self.scan.eat_blank(b"%") {
            let start = self.scan.pos;
            let rest = self.scan.rest();
            let length = rest
                .iter()
                .position(|byte| matches!(byte, b' ' | b'\n' | b','))
                .unwrap_or(rest.len());
            let name = &rest[..length];
            self.scan.pos += length;
            self.scan.skip_blanks();
            let (ReadDict { dict, .. }, _) = self.dict(Owner::Argument, Quote::Escaped)?;
            if self.symbols.get(name) != Symbol::Unknown {
                let name = format!("%{}", String::from_utf8_lossy(name));
                return Err((ReadError::DefinedTwice { name }, start..start + length));
            }
            let value = rewriter.add_argument(body, Type::UNKNOWN, dict);
            self.symbols.set(name, Symbol::Value(value));
            self.scan.eat_blank(b",");
        }
        Ok(())
    }

    /// The types of a loop stand in its `cf.yield`: the condition, then the loop variables.
    fn loop_types(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        body: Block,
        results: &[Value],
        start: usize,
    ) -> Result<(), Fault> {
        let program = rewriter.program();
        let last = program.block_ops(body).next_back();
        let yielded = last.filter(|&op| program.name(op) == names::YIELD);
        let operands = yielded.map_or(&[][..], |op| program.operands(op));
        let types: Vec<Type> =
            operands.iter().skip(1).map(|v| v.map_or(Type::NULL, |v| program.ty(v))).collect();
        if types.len() != results.len() {
            let error = ReadError::LoopYield { results: results.len(), yields: types.len() };
            return Err((error, start..start + 1));
        }
        let arguments: Vec<Value> = program.arguments(body).iter().map(|a| a.value).collect();
        let loop_variables = results.iter().zip(&types).chain(arguments.iter().zip(&types));
        for (&value, &ty) in loop_variables {
            if rewriter.program().ty(value) == Type::UNKNOWN {
                rewriter.set_type(value, ty);
            }
        }
        Ok(())
    }
}

/// The empty dictionary of an op that prints none.
impl Default for ReadDict {
    fn default() -> Self {
        Self { dict: Dict::EMPTY, chunk: None, role: None, odd_column: false }
    }
}
