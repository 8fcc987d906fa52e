//! Reading ops: `{"#":"1.scale","A":[...],"I":[{"%":1}],"O":[{"%":3,"TT":{...}}],"OA":[...]}`.

use crate::diagnostic::Diagnostic;
use crate::ir::{At, Attr, AttrValue, Block, Name, Op, OpSpec, Rewriter, Type, Value, names};
use crate::json::codes::{self, PARAMETER};
use crate::json::document::Json;
use crate::json::fault::{Fault, ReadError};

use super::{ADDED, OpAttrs, Reader};

/// What an op is made of. A result comes with where its id stands.
struct OpParts<'d> {
    name: Name,
    operands: Vec<Option<Value>>,
    results: Vec<(Json<'d>, Type)>,
    attrs: OpAttrs,
}

impl<'d> Reader<'d> {
    /// Reads an op to the end of a block, and begins the blocks of its regions.
    pub(super) fn op(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        json: Json<'d>,
        block: Block,
    ) -> Result<(), Fault> {
        let mut entries = json.entries()?;
        let is_code = |(key, _): &(Json<'_>, Json<'_>)| key.raw() == "\"#\"";
        let code = entries.find(is_code).map(|(_, code)| code);
        let code = self.need(json, code, "#")?;
        match &*code.text()? {
            PARAMETER => self.parameter(rewriter, json, block),
            name => self.general_op(rewriter, json, block, (code, name)),
        }
    }

    fn general_op(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        json: Json<'d>,
        block: Block,
        (code, name): (Json<'d>, &str),
    ) -> Result<(), Fault> {
        let keys = ["#", "A", "I", "O", "OA", "regions", ADDED];
        let [_, attrs, operands, results, result_attrs, regions, added] =
            self.fields(json, keys)?;
        let Some(name) = codes::decompress(name) else {
            let expected = "a name with its dialect, such as `1.add`";
            return Err(code.fault(ReadError::BadWord { expected, found: name.to_owned() }));
        };
        let name = self.context.name(&name);
        let attrs = self.need(json, attrs, "A")?;
        let op_attrs = self.all_attrs([Some(attrs), result_attrs], added)?;
        let operands = self.need(json, operands, "I")?;
        let operands = operands.list()?.map(|operand| self.operand(operand));
        let operands = operands.collect::<Result<Vec<_>, Fault>>()?;
        let results = self.need(json, results, "O")?;
        let results = results.list()?.map(|result| self.result(result));
        let results = results.collect::<Result<Vec<_>, Fault>>()?;
        let parts = OpParts { name, operands, results, attrs: op_attrs };
        let op = self.create(rewriter, json, block, parts)?;
        match regions {
            Some(regions) => self.regions(rewriter, op, regions),
            None => Ok(()),
        }
    }

    /// Makes the op and defines its results.
    fn create(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        json: Json<'d>,
        block: Block,
        parts: OpParts<'d>,
    ) -> Result<Op, Fault> {
        let OpParts { name, operands, results, attrs } = parts;
        self.check_distinct(json, &attrs.entries, attrs.twice)?;
        if attrs.odd_column {
            self.warn_of_odd_column(json);
        }
        let types: Vec<Type> = results.iter().map(|&(_, ty)| ty).collect();
        let origin = self.next_origin(json);
        let spec = OpSpec::new(name)
            .operands(&operands)
            .results(&types)
            .dict(self.context.dict(attrs.entries))
            .role(attrs.role)
            .chunk(attrs.chunk)
            .origin(Some(origin));
        let op = rewriter.create(At::End(block), spec);
        for (index, (id, _)) in results.into_iter().enumerate() {
            let value = rewriter.program().result(op, index);
            self.define(id, value)?;
        }
        Ok(op)
    }

    fn operand(&mut self, json: Json<'d>) -> Result<Option<Value>, Fault> {
        let [id] = self.fields(json, ["%"])?;
        let id = self.need(json, id, "%")?;
        match id.integer()? {
            0 => Ok(None),
            number => match self.values.get(&number) {
                Some(&value) => Ok(Some(value)),
                None => Err(id.fault(ReadError::Undefined { id: number })),
            },
        }
    }

    fn result(&mut self, json: Json<'d>) -> Result<(Json<'d>, Type), Fault> {
        let [id, ty] = self.fields(json, ["%", "TT"])?;
        let ty = self.need(json, ty, "TT")?;
        Ok((self.need(json, id, "%")?, self.ty(ty)?))
    }

    fn all_attrs<const N: usize>(
        &mut self,
        lists: [Option<Json<'d>>; N],
        added: Option<Json<'d>>,
    ) -> Result<OpAttrs, Fault> {
        let mut attrs = OpAttrs::default();
        let added = match added {
            Some(added) => self.fields(added, ["A"])?[0],
            None => None,
        };
        for list in lists.into_iter().chain([added]).flatten() {
            self.op_attrs(list, &mut attrs)?;
        }
        Ok(attrs)
    }

    /// Makes the regions of an op. Their ops are read before any that follow it.
    fn regions(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        op: Op,
        json: Json<'d>,
    ) -> Result<(), Fault> {
        let first = self.pending.len();
        for region in json.list()? {
            let mut blocks = self.blocks_of(region)?.list()?;
            let Some(entry) = blocks.next() else {
                return Err(
                    region.fault(ReadError::Length { expected: "a region of at least one block" })
                );
            };
            let block = rewriter.add_region(op);
            self.begin_block(rewriter, entry, block)?;
            let made = rewriter.program().regions(op).last().copied().expect("a region was added");
            for json in blocks {
                let block = rewriter.add_block(made);
                self.begin_block(rewriter, json, block)?;
            }
        }
        self.pending[first..].reverse();
        Ok(())
    }
}

/// # Parameters
impl<'d> Reader<'d> {
    /// `{"#":"p","A":[is_distributed,is_parameter,need_clip,name],"DA":[],"O":{},"OA":[persistable,stop_gradient,trainable],"QA":[]}`
    fn parameter(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        json: Json<'d>,
        block: Block,
    ) -> Result<(), Fault> {
        let keys = ["#", "A", "DA", "O", "OA", "QA", ADDED];
        let [_, flags, dist, result, result_flags, quant, added] = self.fields(json, keys)?;
        let mut attrs = self.all_attrs([dist, quant], added)?;
        let flags = self.need(json, flags, "A")?;
        let expected = "`[is_distributed, is_parameter, need_clip, parameter_name]`";
        let [is_distributed, is_parameter, need_clip, name] = flags.list_of(expected)?;
        let named = ["is_distributed", "is_parameter", "need_clip"];
        self.flags(named, [is_distributed, is_parameter, need_clip], &mut attrs)?;
        let text = self.context.attr(AttrValue::string(&name.text()?));
        self.put(names::PARAMETER_NAME, text, &mut attrs);
        if let Some(flags) = result_flags {
            let flags = flags.list_of("`[persistable, stop_gradient, trainable]`")?;
            self.flags(["persistable", "stop_gradient", "trainable"], flags, &mut attrs)?;
        }
        let result = self.need(json, result, "O")?;
        let result = self.result(result)?;
        let parts =
            OpParts { name: names::PARAMETER, operands: Vec::new(), results: vec![result], attrs };
        self.create(rewriter, json, block, parts)?;
        Ok(())
    }

    fn flags<const N: usize>(
        &mut self,
        names: [&str; N],
        values: [Json<'d>; N],
        attrs: &mut OpAttrs,
    ) -> Result<(), Fault> {
        for (name, json) in names.into_iter().zip(values) {
            let flag = self.flag(json)?;
            self.put(self.context.name(name), flag, attrs);
        }
        Ok(())
    }

    /// `[true]` for 1.
    fn flag(&mut self, json: Json<'d>) -> Result<Attr, Fault> {
        let flag = match json.integer() {
            Ok(0) => false,
            Ok(1) => true,
            _ => return Err(json.wrong("0 or 1")),
        };
        let element = self.context.attr(AttrValue::Bool(flag));
        Ok(self.context.attr(AttrValue::Array([element].into())))
    }
}

/// # Origins
impl<'d> Reader<'d> {
    /// The origin of the next op. Ops are read in the order in which they stand.
    fn next_origin(&mut self, json: Json<'d>) -> u32 {
        let (lines, start) = (&mut self.lines, json.span().start);
        let passed = self.document.text.as_bytes().get(lines.at..start).unwrap_or_default();
        lines.passed += memchr::memchr_iter(b'\n', passed).count() as u32;
        lines.at = lines.at.max(start);
        lines.of_ops.push(lines.passed + 1);
        lines.of_ops.len() as u32 - 1
    }

    fn warn_of_odd_column(&mut self, json: Json<'d>) {
        if self.unknown.insert("odd column".to_owned()) {
            let message =
                "`op_role` or `chunk_id` is not a 32-bit integer, so the op counts as having none";
            let warning = Diagnostic::warning("W0154", message)
                .remark(format!("`{}`; others are not reported", json.path()))
                .help("give it the kind `0.a_i32`");
            self.warn(json, warning);
        }
    }
}
