//! Reading the line of an op.
//!
//! Nothing is made before the whole line is read, so that a line can be read again in another way
//! (see [`Quote`]) and a faulty one leaves nothing behind.

use smallvec::SmallVec;

use crate::dialect::OpFacts;
use crate::ir::{Name, Type, Value, names};

use super::Reader;
use super::attrs::{Owner, ReadDict, read_dict};
use super::error::ReadError;
use super::scan::{Quote, item_length};
use super::symbols::Symbol;
use super::types::read_type;

/// A fault and the bytes it is about.
pub(super) type Fault = (ReadError, std::ops::Range<usize>);

/// The name of an op, as it was met before.
#[derive(Copy, Clone)]
pub(super) struct OpName {
    pub(super) name: Name,
    facts: Option<&'static OpFacts>,
}

/// A run of types in the reader's pool: operands, then results.
#[derive(Copy, Clone, Default)]
pub(super) struct Signature {
    start: u32,
    operands: u32,
    results: u32,
}

/// How an op goes on behind its line.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Tail {
    /// It does not, or with regions in braces of their own.
    General,
    /// `{` has been read: the region of `pd_op.if` or `pd_op.pylayer`.
    Branch,
    /// `{` has been read: the region of `pd_op.while`.
    Loop,
}

/// An operand as it was read.
#[derive(Copy, Clone)]
pub(super) enum Operand {
    Null,
    Value(Value),
    /// The first use of a positional argument of the top block: its attributes follow.
    NewArgument(ReadDict),
    Lost,
}

/// The line of an op. Names and operands stand in the reader's buffers.
pub(super) struct OpLine {
    pub(super) op: OpName,
    pub(super) dict: ReadDict,
    pub(super) signature: Signature,
    pub(super) tail: Tail,
}

/// What the line of an op holds beside [`OpLine`]; reused from line to line.
#[derive(Default)]
pub(super) struct Buffers<'t> {
    pub(super) results: Vec<&'t [u8]>,
    pub(super) operands: SmallVec<[(Operand, &'t [u8]); 8]>,
}

impl<'t> Reader<'t> {
    /// Reads the line of an op, up to the line feed or the `{` that opens its first region.
    pub(super) fn read_line(&mut self, quote: Quote) -> Result<OpLine, Fault> {
        self.result_names()?;
        let op = self.op_name()?;
        let tail = self.operand_names(op, quote)?;
        let (dict, signature) = match tail {
            Tail::Loop => (ReadDict::default(), Signature::default()),
            _ => self.attrs_and_types(op, tail, quote)?,
        };
        Ok(OpLine { op, dict, signature, tail })
    }

    /// `(%0, %1) = `
    fn result_names(&mut self) -> Result<(), Fault> {
        self.buffers.results.clear();
        self.expect(b"(", "`(` and the results of an op")?;
        if !self.scan.eat_blank(b")") {
            loop {
                self.expect(b"%", "a value such as `%0`")?;
                let name = self.value_name()?;
                self.buffers.results.push(name);
                if self.scan.eat(b", ") || self.scan.eat_blank(b",") {
                    self.scan.skip_blanks();
                    continue;
                }
                self.expect(b")", "`,` or `)` behind a result")?;
                break;
            }
        }
        if self.scan.eat(b" = ") {
            return Ok(());
        }
        self.expect(b"=", "`=` behind the results")?;
        self.scan.skip_blanks();
        Ok(())
    }

    /// What stands behind a `%`, up to the next blank, comma or bracket.
    fn value_name(&mut self) -> Result<&'t [u8], Fault> {
        let rest = self.scan.rest();
        let ends = |byte: &u8| {
            matches!(byte, b' ' | b',' | b')' | b'(' | b'{' | b'=' | b'\n' | b'\r' | b'\t')
        };
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected("a name behind `%`"));
        }
        self.scan.pos += length;
        Ok(&rest[..length])
    }

    /// `"pd_op.matmul" `, perhaps with ` [id:7]` behind.
    fn op_name(&mut self) -> Result<OpName, Fault> {
        if self.scan.peek() != b'"' {
            return Err(self.unexpected("the name of an op in quotes"));
        }
        let start = self.scan.pos;
        let Some(bytes) = self.scan.string(Quote::Closing) else {
            return Err((ReadError::Unclosed { what: "the name of an op" }, start..start + 1));
        };
        let context = self.context;
        let op = self.op_names.get_or(bytes, 0, || {
            let text = str::from_utf8(bytes).map_err(|_| {
                let name = String::from_utf8_lossy(bytes).into_owned();
                (ReadError::NotUtf8 { name }, start + 1..start + 1 + bytes.len())
            })?;
            if text.is_empty() || text.contains(['\n', '\r']) {
                let found = format!("`\"{}\"`", text.replace(['\n', '\r'], " "));
                let error = ReadError::Unexpected { expected: "the name of an op", found };
                return Err((error, start..start + bytes.len() + 2));
            }
            let name = context.name(text);
            Ok(OpName { name, facts: context.facts(name) })
        })?;
        self.scan.skip_blanks();
        if self.scan.eat(b"[id:") {
            self.scan.number();
            self.expect(b"]", "`]` behind the id of an op")?;
            self.scan.skip_blanks();
        }
        Ok(op)
    }

    /// `(%0, %1) ` or `(cond=%0, inputs=%1) { `
    fn operand_names(&mut self, op: OpName, quote: Quote) -> Result<Tail, Fault> {
        self.buffers.operands.clear();
        self.expect(b"(", "`(` and the operands of the op")?;
        if op.name == names::WHILE {
            self.expect(b"cond=", "`cond=` and the condition of the loop")?;
            self.operand(quote)?;
            self.expect(b",", "`, inputs=` behind the condition of the loop")?;
            self.expect(b"inputs=", "`inputs=` and the inputs of the loop")?;
            self.operand_list(quote)?;
            self.expect(b"{", "`{` and the body of the loop")?;
            return Ok(Tail::Loop);
        }
        self.operand_list(quote)?;
        let has_branch = matches!(op.name, names::IF | names::PYLAYER);
        Ok(if has_branch { Tail::Branch } else { Tail::General })
    }

    /// Operands up to `)`.
    fn operand_list(&mut self, quote: Quote) -> Result<(), Fault> {
        if self.scan.eat_blank(b")") {
            return Ok(());
        }
        loop {
            self.operand(quote)?;
            if self.scan.eat(b", ") || self.scan.eat_blank(b",") {
                self.scan.skip_blanks();
                continue;
            }
            return self.expect(b")", "`,` or `)` behind an operand");
        }
    }

    fn operand(&mut self, quote: Quote) -> Result<(), Fault> {
        let start = self.scan.pos;
        if self.scan.eat(b"<<NULL VALUE>>") {
            self.buffers.operands.push((Operand::Null, b""));
            return Ok(());
        }
        self.expect(b"%", "an operand such as `%0`")?;
        let (name, symbol) = self.used_name()?;
        let operand = match symbol {
            Symbol::Value(value) => Operand::Value(value),
            Symbol::Lost => Operand::Lost,
            Symbol::Unknown if self.scan.rest().starts_with(b" {") => {
                self.scan.pos += 1;
                let (dict, _) = self.dict(Owner::Argument, quote)?;
                Operand::NewArgument(dict)
            }
            Symbol::Unknown => {
                let span = start..start + 1 + name.len();
                let name = String::from_utf8_lossy(&self.scan.text[span.clone()]).into_owned();
                return Err((ReadError::Undefined { name }, span));
            }
        };
        self.buffers.operands.push((operand, name));
        Ok(())
    }

    /// The name of a use, and what it stands for. A keyword may hold blanks and commas, so the
    /// shortest stretch that is a known name counts.
    fn used_name(&mut self) -> Result<(&'t [u8], Symbol), Fault> {
        let start = self.scan.pos;
        let name = self.value_name()?;
        let symbol = self.symbols.get(name);
        if symbol != Symbol::Unknown || !name.starts_with(b"kwarg_") {
            return Ok((name, symbol));
        }
        let short_end = self.scan.pos;
        let end = self.scan.line_end();
        while self.scan.pos < end {
            self.scan.pos += 1;
            let at_edge = matches!(self.scan.peek(), b',' | b')' | b' ');
            let longer = &self.scan.text[start..self.scan.pos];
            if at_edge && self.symbols.get(longer) != Symbol::Unknown {
                return Ok((longer, self.symbols.get(longer)));
            }
        }
        self.scan.pos = short_end;
        Ok((name, symbol))
    }

    /// `{...}`, and where it begins.
    pub(super) fn dict(&mut self, owner: Owner, quote: Quote) -> Result<(ReadDict, usize), Fault> {
        let start = self.scan.pos;
        if self.scan.peek() != b'{' {
            return Err(self.unexpected("`{` and attributes"));
        }
        let Some(bytes) = self.scan.braces(quote) else {
            let end = self.scan.text.len().min(start + 1);
            return Err((ReadError::Unclosed { what: "an attribute dictionary" }, start..end));
        };
        let tag = u32::MAX - u32::from(quote == Quote::Closing);
        let read = read_dict(self.context, bytes, owner, quote, &mut self.entries, tag);
        read.map(|dict| (dict, start)).map_err(|error| (error, start..start + bytes.len()))
    }

    /// `{attrs} : (types) -> types` or `{attrs} -> types {`
    fn attrs_and_types(
        &mut self,
        op: OpName,
        tail: Tail,
        quote: Quote,
    ) -> Result<(ReadDict, Signature), Fault> {
        self.scan.skip_blanks();
        let dict = self.op_dict(op, quote)?;
        let start = self.scan.pos;
        let mut end = self.scan.line_end();
        while end > start && matches!(self.scan.text[end - 1], b' ' | b'\r' | b'\t') {
            end -= 1;
        }
        let mut bytes = &self.scan.text[start..end];
        if tail == Tail::Branch {
            let Some(before) = bytes.strip_suffix(b"{") else {
                self.scan.pos = end;
                return Err(self.unexpected("`{` and the region of the op"));
            };
            bytes = before;
        }
        let tag = u32::from(tail == Tail::Branch);
        let types = &mut self.types;
        let context = self.context;
        let signature = self.signatures.get_or(bytes, tag, || {
            let read = read_signature(context, bytes, tail, types);
            read.map_err(|(error, at)| (error, start + at.start..start + at.end))
        })?;
        self.scan.pos = end;
        Ok((dict, signature))
    }

    fn op_dict(&mut self, op: OpName, quote: Quote) -> Result<ReadDict, Fault> {
        let start = self.scan.pos;
        if self.scan.peek() != b'{' {
            return Err(self.unexpected("`{` and the attributes of the op"));
        }
        let Some(bytes) = self.scan.braces(quote) else {
            return Err((
                ReadError::Unclosed { what: "an attribute dictionary" },
                start..start + 1,
            ));
        };
        let tag = op.name.index() as u32 * 2 + u32::from(quote == Quote::Closing);
        let (context, entries) = (self.context, &mut self.entries);
        self.dicts.get_or(bytes, tag, || {
            let read = read_dict(context, bytes, Owner::Op(op.facts), quote, entries, tag);
            read.map_err(|error| (error, start..start + bytes.len()))
        })
    }

    /// The operand and result types of a signature.
    pub(super) fn signature_types(&self, signature: Signature) -> (&[Type], &[Type]) {
        let start = signature.start as usize;
        let count = (signature.operands + signature.results) as usize;
        self.types[start..start + count].split_at(signature.operands as usize)
    }
}

/// Reads ` : (types) -> types` into the pool of types; of a branch, ` -> types `.
fn read_signature(
    context: &crate::ir::Context,
    bytes: &[u8],
    tail: Tail,
    pool: &mut Vec<Type>,
) -> Result<Signature, Fault> {
    let start = pool.len();
    let mut at = 0;
    let unexpected = |at: usize, expected| {
        let found = String::from_utf8_lossy(&bytes[at..bytes.len().min(at + 20)]).into_owned();
        let found =
            if found.is_empty() { "the end of the line".to_owned() } else { format!("`{found}`") };
        (ReadError::Unexpected { expected, found }, at..bytes.len().min(at + 1))
    };
    if tail == Tail::General {
        at = step_over(bytes, at, b":")
            .ok_or_else(|| unexpected(at, "`:` and the types of the op"))?;
        at = step_over(bytes, at, b"(")
            .ok_or_else(|| unexpected(at, "`(` and the operand types"))?;
        at = read_types(context, bytes, at, pool)?;
        at = step_over(bytes, at, b")")
            .ok_or_else(|| unexpected(at, "`)` behind the operand types"))?;
    }
    let operands = pool.len() - start;
    at = step_over(bytes, at, b"->").ok_or_else(|| unexpected(at, "`->` and the result types"))?;
    at = read_types(context, bytes, at, pool)?;
    if !bytes[at..].trim_ascii().is_empty() {
        return Err(unexpected(at, "the end of the line"));
    }
    let results = pool.len() - start - operands;
    Ok(Signature { start: start as u32, operands: operands as u32, results: results as u32 })
}

/// The position behind `token`, if it is the next thing that is no blank.
fn step_over(bytes: &[u8], at: usize, token: &[u8]) -> Option<usize> {
    let rest = bytes[at..].trim_ascii_start();
    rest.starts_with(token).then(|| bytes.len() - rest.len() + token.len())
}

/// Types with commas between, up to the closing bracket or the end.
fn read_types(
    context: &crate::ir::Context,
    bytes: &[u8],
    mut at: usize,
    pool: &mut Vec<Type>,
) -> Result<usize, Fault> {
    loop {
        at = bytes.len() - bytes[at..].trim_ascii_start().len();
        let length = item_length(&bytes[at..]);
        let text = bytes[at..at + length].trim_ascii();
        let is_list_over = text.is_empty() && bytes.get(at + length) != Some(&b',');
        if is_list_over {
            return Ok(at);
        }
        let Some(ty) = read_type(context, text) else {
            let text = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
            return Err((ReadError::BadType { text }, at..at + length));
        };
        pool.push(ty);
        at += length;
        if bytes.get(at) != Some(&b',') {
            return Ok(at);
        }
        at += 1;
    }
}
