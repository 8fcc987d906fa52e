//! Reading blocks: `{"#":"block_0","args":[...],"kwargs":[...],"ops":[...]}`.
//!
//! Nested blocks wait on a stack, so that depth costs no recursion.

use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Dict, Rewriter, Type, Value};
use crate::json::document::{Items, Json, Kind};
use crate::json::fault::{Fault, ReadError};

use super::{ADDED, MOST_ERRORS, Reader};

/// Which arguments of a block are meant.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Arguments {
    Positional,
    Keyword,
}

impl<'d> Reader<'d> {
    /// Reads the arguments of a block, and puts its ops before all that is still to be read.
    pub(super) fn begin_block(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        json: Json<'d>,
        block: Block,
    ) -> Result<(), Fault> {
        let [_, args, kwargs, ops, added] =
            self.fields(json, ["#", "args", "kwargs", "ops", ADDED])?;
        let [arg_attrs, kwarg_attrs] = match added {
            Some(added) => self.fields(added, ["args", "kwargs"])?,
            None => [None; 2],
        };
        let args = self.need(json, args, "args")?;
        self.arguments(rewriter, block, args, arg_attrs, Arguments::Positional)?;
        if let Some(kwargs) = kwargs {
            if has_keywords(kwargs)? {
                self.arguments(rewriter, block, kwargs, kwarg_attrs, Arguments::Keyword)?;
            } else {
                self.lost_kwargs(rewriter, json, block)?;
            }
        }
        let ops = self.need(json, ops, "ops")?.list()?;
        self.pending.push((block, ops));
        Ok(())
    }

    /// Reads ops until there are none, those of the block that was begun last first.
    pub(super) fn pending_blocks(&mut self, rewriter: &mut Rewriter<'_>) {
        while self.errors.len() < MOST_ERRORS {
            let Some((block, ops)) = self.pending.last_mut() else { return };
            let block = *block;
            let Some(op) = ops.next() else {
                self.pending.pop();
                continue;
            };
            if let Err(fault) = self.op(rewriter, op, block) {
                if !(self.has_losses && matches!(fault.error, ReadError::Undefined { .. })) {
                    self.report(fault);
                }
                self.has_losses = true;
            }
        }
    }

    fn arguments(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        block: Block,
        list: Json<'d>,
        attrs: Option<Json<'d>>,
        which: Arguments,
    ) -> Result<(), Fault> {
        let mut attrs = attrs.map(Json::list).transpose()?;
        for json in list.list()? {
            let [id, ty, key] = self.fields(json, ["#", "TT", "key"])?;
            let id = self.need(json, id, "#")?;
            let ty = self.need(json, ty, "TT")?;
            let ty = self.ty(ty)?;
            let dict = self.argument_attrs(attrs.as_mut().and_then(Items::next))?;
            let value = match which {
                Arguments::Positional => rewriter.add_argument(block, ty, dict),
                Arguments::Keyword => {
                    let key = self.need(json, key, "key")?;
                    self.kwarg(rewriter, block, key, &key.text()?, (ty, dict))?
                }
            };
            self.define(id, value)?;
        }
        Ok(())
    }

    fn argument_attrs(&mut self, list: Option<Json<'d>>) -> Result<Dict, Fault> {
        let Some(list) = list else { return Ok(Dict::EMPTY) };
        let mut entries = Vec::new();
        for json in list.list()? {
            entries.push(self.named_attr(json)?);
        }
        self.check_distinct(list, &entries, None)?;
        Ok(self.context.dict_in_order(entries))
    }

    fn kwarg(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        block: Block,
        at: Json<'d>,
        keyword: &str,
        (ty, attrs): (Type, Dict),
    ) -> Result<Value, Fault> {
        let added = rewriter.add_kwarg(block, self.context.name(keyword), ty, attrs);
        added.map_err(|_| at.fault(ReadError::KwargTwice { keyword: keyword.to_owned() }))
    }

    /// Makes a value stand for an id.
    pub(super) fn define(&mut self, json: Json<'d>, value: Value) -> Result<(), Fault> {
        match json.integer()? {
            0 => Err(json.fault(ReadError::DefinesNull)),
            id => match self.values.insert(id, value) {
                Some(_) => Err(json.fault(ReadError::DefinedTwice { id })),
                None => Ok(()),
            },
        }
    }
}

/// Paddle's writer puts the positional arguments under `kwargs`, and those have no keys.
fn has_keywords(kwargs: Json<'_>) -> Result<bool, Fault> {
    let mut items = kwargs.list()?.peekable();
    let is_empty = items.peek().is_none();
    let is_key = |(key, _): (Json<'_>, Json<'_>)| key.text().is_ok_and(|key| key == "key");
    Ok(!is_empty && items.all(|item| item.entries().is_ok_and(|mut entries| entries.any(is_key))))
}

/// # Keyword arguments that Paddle lost
impl<'d> Reader<'d> {
    /// Gives each id that ops in the block use and nothing defines a kwarg of its own.
    fn lost_kwargs(
        &mut self,
        rewriter: &mut Rewriter<'_>,
        json: Json<'d>,
        block: Block,
    ) -> Result<(), Fault> {
        let lost = self.undefined_arguments(json);
        for (number, &id) in lost.iter().enumerate() {
            let keyword = format!("lost_{}", number + 1);
            let kept = (Type::UNKNOWN, Dict::EMPTY);
            let value = self.kwarg(rewriter, block, json, &keyword, kept)?;
            self.values.insert(id, value);
        }
        if !lost.is_empty() {
            let message = format!(
                "Paddle lost the keyword arguments of this block when it wrote the file; the {} that ops \
                 use are called `lost_1`, `lost_2` and so on, and their types are not known",
                lost.len()
            );
            let warning =
                Diagnostic::warning("W0152", message).remark(format!("`{}`", json.path()));
            self.warn(
                json,
                warning.help("read the text form of the program, which has their names"),
            );
        }
        Ok(())
    }

    /// The ids of arguments that are used in a block and neither defined in it nor before, in the
    /// order in which they were numbered: downwards from -1.
    fn undefined_arguments(&self, block: Json<'d>) -> Vec<i64> {
        let (mut used, mut defined) = (Vec::new(), Vec::new());
        let mut pending = vec![block];
        while let Some(json) = pending.pop() {
            for (key, value) in json.entries().into_iter().flatten() {
                let id = value.integer().ok().filter(|&id| id < 0);
                match (key.raw(), id) {
                    ("\"%\"", Some(id)) => used.push(id),
                    ("\"#\"", Some(id)) => defined.push(id),
                    _ => {}
                }
                pending.push(value);
            }
            if json.kind() == Kind::List {
                pending.extend(json.list().into_iter().flatten());
            }
        }
        defined.sort_unstable();
        used.sort_unstable_by(|a, b| b.cmp(a));
        used.dedup();
        used.retain(|id| !self.values.contains_key(id) && defined.binary_search(id).is_err());
        used
    }
}
