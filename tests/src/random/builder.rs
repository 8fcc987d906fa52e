//! What is there to be read, and making an op.

use std::sync::Arc;

use pirogue::ir::{
    At, AttrValue, Block, Context, IntKind, Op, OpSpec, Program, Rewriter, Type, Value,
};

use super::attrs::{self, Types};
use super::{Recipe, StageKind, Step};

/// Where in a training step an op stands.
#[derive(Copy, Clone, Debug)]
pub(super) struct Section {
    pub(super) role: i32,
    pub(super) chunk: i32,
    /// Values of a greater rank are made by later jobs.
    pub(super) rank: u32,
}

/// A value that later ops may read.
#[derive(Copy, Clone)]
struct Available {
    value: Value,
    ty: Type,
    rank: u32,
}

/// A product of the forward, of which a gradient may be taken.
#[derive(Copy, Clone)]
pub(super) struct Product {
    pub(super) operands: [Value; 2],
    pub(super) transposes: [bool; 2],
    pub(super) rank: u32,
}

/// A parameter and the kwarg that its gradient is merged into.
#[derive(Copy, Clone)]
pub(super) struct Parameter {
    pub(super) value: Value,
    pub(super) merged: Value,
    pub(super) ty: Type,
}

/// A program in the making.
pub(super) struct Builder<'r> {
    pub(super) recipe: &'r Recipe,
    pub(super) context: Arc<Context>,
    pub(super) program: Program,
    pub(super) types: Types,
    pub(super) section: Section,
    /// Where ops go; inside a region they say neither role nor chunk.
    pub(super) block: Block,
    /// How the op at hand is twisted.
    pub(super) twist: u8,
    pub(super) parameters: Vec<Parameter>,
    pub(super) products: Vec<Product>,
    /// Gradients of parameters: only merges read them, as what serves a weight gradient runs last.
    pub(super) weight_gradients: Vec<Value>,
    /// What merging them gave, by another name than the kwarg it is.
    pub(super) merges: Vec<Value>,
    /// Lists that a later job may read, and whether they were made of single values.
    pub(super) open_lists: Vec<(Value, bool)>,
    pool: Vec<Available>,
    made: u32,
}

/// An attribute by the name it has in text.
pub(super) type NamedAttr = (&'static str, AttrValue);

impl<'r> Builder<'r> {
    pub(super) fn new(recipe: &'r Recipe, context: &Arc<Context>) -> Self {
        let program = Program::new(context);
        let block = program.top();
        Self {
            recipe,
            context: Arc::clone(context),
            types: Types::new(context),
            section: Section { role: 0, chunk: 0, rank: 0 },
            block,
            twist: 0,
            parameters: Vec::new(),
            products: Vec::new(),
            weight_gradients: Vec::new(),
            merges: Vec::new(),
            open_lists: Vec::new(),
            pool: Vec::new(),
            made: 0,
            program,
        }
    }

    /// A number that no other call gives, for names.
    pub(super) fn serial(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// Whether a bit of the twist is set.
    pub(super) fn is_twisted(&self, bit: u32) -> bool {
        self.twist >> bit & 1 == 1
    }

    pub(super) fn is_nested(&self) -> bool {
        self.block != self.program.top()
    }
}

/// # Reading
impl Builder<'_> {
    /// A value of a type that was made here or in an earlier job; one is made where there is none.
    pub(super) fn pick(&mut self, ty: Type, pick: u16) -> Value {
        let rank = self.section.rank;
        let fitting = |item: &&Available| item.rank <= rank && item.ty == ty;
        // One pick in eight reaches far back, the others to what was made shortly before.
        let reach = if pick % 8 == 7 { usize::MAX } else { 8 };
        let candidates: Vec<Value> =
            self.pool.iter().rev().filter(fitting).take(reach).map(|item| item.value).collect();
        match candidates.len() {
            0 => self.source(ty),
            count => candidates[usize::from(pick / 8) % count],
        }
    }

    /// A value of any type but a list.
    pub(super) fn pick_any(&mut self, pick: u16) -> Value {
        let rank = self.section.rank;
        let candidates: Vec<Value> = self
            .pool
            .iter()
            .rev()
            .filter(|item| item.rank <= rank)
            .map(|item| item.value)
            .collect();
        match candidates.len() {
            0 => self.source(self.types.activation),
            count => candidates[usize::from(pick) % count],
        }
    }

    /// A value out of nothing.
    fn source(&mut self, ty: Type) -> Value {
        let full = self.constant(ty, 1);
        self.offer(full);
        full
    }

    /// `pd_op.full`
    pub(super) fn constant(&mut self, ty: Type, value: i64) -> Value {
        let attrs = [
            ("dtype", attrs::word("float32")),
            ("place", attrs::no_place()),
            ("shape", attrs::shape(&[1])),
            ("value", AttrValue::Int(value, IntKind::NotSaid)),
        ];
        self.op_with_result("pd_op.full", &[], ty, &attrs)
    }

    /// `pd_op.full_int_array`
    pub(super) fn integers(&mut self, values: &[i64]) -> Value {
        let values: Vec<AttrValue> =
            values.iter().map(|&value| AttrValue::Int(value, IntKind::I64)).collect();
        let attrs = [
            ("dtype", attrs::word("int64")),
            ("place", attrs::no_place()),
            ("value", attrs::array(&self.context, &values)),
        ];
        let length = i64::try_from(values.len()).expect("a shape is short");
        let ty = attrs::tensor(&self.context, &[length], pirogue::ir::ScalarType::I64);
        self.op_with_result("pd_op.full_int_array", &[], ty, &attrs)
    }

    /// Lets later ops read a value.
    pub(super) fn offer(&mut self, value: Value) {
        let ty = self.program.ty(value);
        self.pool.push(Available { value, ty, rank: self.section.rank });
    }

    /// Lets later ops read the results of an op.
    pub(super) fn offer_all(&mut self, op: Op) {
        for value in self.program.results(op) {
            if self.program.ty(value) != Type::NULL {
                self.offer(value);
            }
        }
    }

    /// What is offered now; [`Self::withdraw`] goes back to it at the end of a region.
    pub(super) fn offered(&self) -> usize {
        self.pool.len()
    }

    /// Takes back what was offered since.
    pub(super) fn withdraw(&mut self, offered: usize) {
        self.pool.truncate(offered);
    }
}

/// # Making
impl Builder<'_> {
    /// Makes an op at the end of the block at hand, with `stop_gradient` and, twisted, odd attributes.
    pub(super) fn op(
        &mut self,
        name: &str,
        operands: &[Option<Value>],
        results: &[Type],
        attrs: &[NamedAttr],
    ) -> Op {
        let mut attrs = attrs.to_vec();
        if name.starts_with("pd_op.") {
            attrs.push((
                "stop_gradient",
                attrs::flags(&self.context, self.is_twisted(0), results.len()),
            ));
        }
        let (mut role, mut chunk) = (Some(self.section.role), Some(self.section.chunk));
        if self.is_nested() {
            // They are never read. Now and then a nested op says them all the same.
            (role, chunk) = if self.twist == 77 { (Some(9), Some(-2)) } else { (None, None) };
        } else {
            self.twist_attrs(results.len(), &mut attrs);
            role = role.map(|role| if self.twist % 64 == 21 { role | 256 } else { role });
        }
        let entries = attrs
            .into_iter()
            .map(|(name, value)| (self.context.name(name), self.context.attr(value)));
        let dict = self.context.dict(entries);
        let origin = u32::try_from(self.program.op_capacity()).expect("programs are small");
        let spec =
            OpSpec::new(self.context.name(name)).operands(operands).results(results).dict(dict);
        let spec = spec.role(role).chunk(chunk).origin(Some(origin));
        Rewriter::new(&mut self.program).create(At::End(self.block), spec)
    }

    /// Makes an op of one result.
    pub(super) fn op_with_result(
        &mut self,
        name: &str,
        operands: &[Value],
        result: Type,
        attrs: &[NamedAttr],
    ) -> Value {
        let operands: Vec<Option<Value>> = operands.iter().copied().map(Some).collect();
        let op = self.op(name, &operands, &[result], attrs);
        self.program.result(op, 0)
    }

    fn twist_attrs(&self, results: usize, attrs: &mut Vec<NamedAttr>) {
        match self.twist {
            30..60 => attrs.push(attrs::odd_attr(&self.context, self.twist.into())),
            60..70 => attrs.push(("persistable", attrs::flags(&self.context, true, results))),
            70..75 => {
                let events = [attrs::text("before"), attrs::text("x\"y")];
                attrs.push(("events_to_wait", attrs::array(&self.context, &events)));
            }
            80..90 => attrs.push(("execution_stream", attrs::text("side_stream"))),
            90..95 => attrs.push(("force_record_event", attrs::flag(false))),
            _ => {}
        }
    }

    /// Whether the stage receives in the section at hand.
    pub(super) fn receives(&self) -> bool {
        self.has_neighbour(self.section.role == 0)
    }

    /// Whether the stage sends in the section at hand.
    pub(super) fn sends(&self) -> bool {
        self.has_neighbour(self.section.role == 1)
    }

    /// Whether the chunk at hand has one before it in the direction of the forward, or behind it.
    fn has_neighbour(&self, before: bool) -> bool {
        let is_first = self.section.chunk == 0;
        let is_last = self.section.chunk == i32::from(self.recipe.chunks) - 1;
        match self.recipe.stage {
            StageKind::Only => false,
            StageKind::First => !(before && is_first),
            StageKind::Middle => true,
            StageKind::Last => before || !is_last,
        }
    }

    /// Follows the twist of a step from here on.
    pub(super) fn begin(&mut self, step: Step) {
        self.twist = step.twist;
    }
}
