//! Making the op that a line says, with its regions.

use crate::diagnostic::{Diagnostic, Place};
use crate::ir::{At, Block, Op, OpSpec, Rewriter, Type, Value, names};

use super::Reader;
use super::attrs::{Owner, ReadDict};
use super::error::ReadError;
use super::op::{Fault, OpLine, Operand, Tail};
use super::scan::Quote;
use super::symbols::Symbol;

impl<'t> Reader<'t> {
    /// An op with its regions.
    pub(super) fn op(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        block: Block,
        depth: usize,
    ) -> Option<Op> {
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
