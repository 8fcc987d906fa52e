//! Reading text: by hand, over bytes, an op a line.
//!
//! 1. [`scan`]: a position, and how far strings and brackets reach.
//! 2. [`types`], [`attrs`]: types and attribute dictionaries.
//! 3. [`memo`], [`symbols`]: what was read before; what names stand for.
//! 4. [`op`]: the line of an op; [`make`]: the op that it says, with its regions. This file: blocks and whole
//!    programs.
//!
//! After a fault reading goes on at the next line. Results of an op that could not be read are
//! *lost*: an op that uses them is left out without a word, so that one fault is one error.

mod attrs;
mod error;
mod make;
mod memo;
mod op;
mod scan;
mod symbols;
mod types;

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use crate::diagnostic::{Diagnostic, Place};
use crate::ir::{Attr, Block, Context, Name, Origins, Program, Rewriter, Type, Value};

use attrs::{Owner, ReadDict};
use error::ReadError;
use memo::Memo;
use op::{Buffers, Fault, OpName, Signature};
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
