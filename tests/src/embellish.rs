//! Adds to a program what passes can take away: copies, casts that do nothing, pairs of transposes
//! and of reshapes, ops twice over, chains that nobody reads; and what must stop them: writes in
//! place, before, between and behind, and names.
//!
//! Each [`Twist`] is one addition behind an op; it leaves the program valid.

use pirogue::ir::{
    At, Attr, AttrValue, IntKind, Op, OpSpec, Program, Rewriter, ScalarType, TensorType, Type,
    TypeKind, Use, Value, names,
};
use proptest::prelude::*;

/// One addition.
#[derive(Copy, Clone, Debug)]
pub struct Twist {
    /// Behind which op.
    pub at: u16,
    /// What is added.
    pub kind: u8,
    /// How far behind the op.
    pub later: u8,
    /// Which of the uses behind it read the new value.
    pub uses: u8,
    /// What is written on the way, and whether the new value has a name.
    pub variant: u8,
}

/// Lists of up to so many additions.
pub fn twists(most: usize) -> impl Strategy<Value = Vec<Twist>> {
    let twist = (any::<u16>(), any::<[u8; 4]>());
    let twist = twist.prop_map(|(at, [kind, later, uses, variant])| Twist {
        at,
        kind,
        later,
        uses,
        variant,
    });
    prop::collection::vec(twist, 0..=most)
}

/// Makes the additions, one after the other.
pub fn embellish(program: &mut Program, twists: &[Twist]) {
    for (serial, twist) in twists.iter().enumerate() {
        let is_source = |&op: &Op| {
            program.result_count(op) > 0
                && matches!(kind(program, program.result(op, 0)), TypeKind::Tensor(_))
        };
        let all = program.top_ops().flat_map(|op| program.nest(op)).filter(is_source);
        let mut sources: Vec<Op> = all.collect();
        // There are few ops in regions, and much can go wrong in them.
        if twist.at % 2 == 1 {
            let is_nested = |op: &Op| program.block_of(*op) != program.top();
            let nested: Vec<Op> = sources.iter().copied().filter(is_nested).collect();
            sources = if nested.is_empty() { sources } else { nested };
        }
        let Some(at) = usize::from(twist.at / 2).checked_rem(sources.len()) else { return };
        let mut rewriter = Rewriter::new(program);
        Addition::new(&mut rewriter, sources[at], *twist).make(serial);
    }
}

/// Takes away all roles and chunks: the program is then one job.
pub fn without_places(program: &mut Program) {
    let ops: Vec<Op> = program.top_ops().flat_map(|op| program.nest(op)).collect();
    let mut rewriter = Rewriter::new(program);
    for op in ops {
        rewriter.remove_attr(op, names::OP_ROLE);
        rewriter.remove_attr(op, names::CHUNK_ID);
    }
}

fn kind(program: &Program, value: Value) -> &TypeKind {
    program.context().type_kind(program.ty(value))
}

struct Addition<'a, 'p> {
    rewriter: &'a mut Rewriter<'p>,
    twist: Twist,
    /// The op whose first result is added to.
    source: Op,
    value: Value,
    /// The op behind which the next one goes.
    last: Op,
}

impl<'a, 'p> Addition<'a, 'p> {
    fn new(rewriter: &'a mut Rewriter<'p>, source: Op, twist: Twist) -> Self {
        let program = rewriter.program();
        let mut last = source;
        for _ in 0..twist.later % 4 {
            match program.next_op(last) {
                Some(next) if program.name(next) != names::YIELD => last = next,
                _ => break,
            }
        }
        let value = program.result(source, 0);
        Self { rewriter, twist, source, value, last }
    }

    fn make(mut self, serial: usize) {
        let (x, ty) = (self.value, self.ty());
        let is_cube = matches!(kind(self.rewriter.program(), x), TypeKind::Tensor(tensor)
            if *tensor.dims == [4, 3, 8]);
        let new = match self.twist.kind % 16 {
            0 => self.op("pd_op.assign", &[x], ty, &[]),
            1 | 2 => self.twice("pd_op.relu"),
            3 => self.op("pd_op.cast", &[x], ty, &[("dtype", self.dtype())]),
            4 | 5 if is_cube => self.turned_twice(),
            6 if is_cube => self.reshaped_twice(),
            7 => self.times_one(),
            8 => self.op("pd_op.exp_", &[x], ty, &[]),
            9..12 => self.twins(serial),
            12 | 13 => self.twin_in_a_region(serial),
            14 if self.is_at_top() => return self.give_name(x, &format!("name_{serial}")),
            _ => self.op("pd_op.tanh", &[x], ty, &[]),
        };
        self.redirect(new);
        if self.twist.variant % 8 == 7 && self.is_at_top() {
            self.give_name(new, &format!("result_{serial}"));
        }
    }

    /// Writes one of two values, or neither, or both.
    fn write_some(&mut self, values: [Value; 2]) {
        for (bit, value) in values.into_iter().enumerate() {
            if self.twist.variant >> bit & 1 == 1 {
                let ty = self.rewriter.program().ty(value);
                self.op("pd_op.exp_", &[value], ty, &[]);
            }
        }
    }

    fn twice(&mut self, name: &str) -> Value {
        let once = self.op(name, &[self.value], self.ty(), &[]);
        self.write_some([self.value, once]);
        let again = self.op(name, &[once], self.ty(), &[]);
        self.write_late(once);
        again
    }

    /// Writes a value behind all that was added.
    fn write_late(&mut self, value: Value) {
        if self.twist.variant >> 2 & 1 == 1 {
            self.op("pd_op.exp_", &[value], self.ty(), &[]);
        }
    }

    /// Two equal ops and their sum.
    fn twins(&mut self, serial: usize) -> Value {
        let first = self.op("pd_op.tanh", &[self.value], self.ty(), &[]);
        self.write_some([self.value, first]);
        let second = self.op("pd_op.tanh", &[self.value], self.ty(), &[]);
        self.write_late(second);
        if self.twist.variant >= 192 && self.is_at_top() {
            self.give_name(first, &format!("first_{serial}"));
            self.give_name(second, &format!("second_{serial}"));
        }
        self.op("pd_op.add", &[first, second], self.ty(), &[])
    }

    /// The source reads a value from outside its region: there, an op of it; here, its equal, and a
    /// write that it sees in the next turn of a loop.
    fn twin_in_a_region(&mut self, serial: usize) -> Value {
        let program = self.rewriter.program();
        let here = program.block_of(self.source);
        let outside = program.operands(self.source).iter().flatten().copied().find(|&value| {
            let op = program.defining_op(value);
            op.is_some_and(|op| program.block_of(op) != here) && program.ty(value) == self.ty()
        });
        let Some((x, definition)) = outside.zip(outside.and_then(|x| program.defining_op(x)))
        else {
            return self.twins(serial);
        };
        let inside = std::mem::replace(&mut self.last, definition);
        let first = self.op("pd_op.tanh", &[x], self.ty(), &[]);
        self.last = inside;
        let second = self.op("pd_op.tanh", &[x], self.ty(), &[]);
        let sum = self.op("pd_op.add", &[first, second], self.ty(), &[]);
        let seen = self.op("pd_op.print", &[sum], self.ty(), &[]);
        self.write_late(x);
        seen
    }

    fn times_one(&mut self) -> Value {
        let one = self.constant(self.ty());
        self.write_some([self.value, one]);
        self.op("pd_op.multiply", &[self.value, one], self.ty(), &[])
    }

    fn ty(&self) -> Type {
        self.rewriter.program().ty(self.value)
    }

    fn is_at_top(&self) -> bool {
        let program = self.rewriter.program();
        program.block_of(self.source) == program.top()
    }

    fn op(
        &mut self,
        name: &str,
        operands: &[Value],
        ty: Type,
        attrs: &[(&str, AttrValue)],
    ) -> Value {
        let context = self.rewriter.context();
        let program = self.rewriter.program();
        let flag = program.result_flag(self.source, names::STOP_GRADIENT, 0).unwrap_or(false);
        let flag = context.attr(AttrValue::Bool(flag));
        let flags = context.attr(AttrValue::Array([flag].into()));
        let attrs =
            attrs.iter().map(|(name, value)| (context.name(name), context.attr(value.clone())));
        let dict = context.dict(attrs.chain([(names::STOP_GRADIENT, flags)]));
        let operands: Vec<Option<Value>> = operands.iter().copied().map(Some).collect();
        let (role, chunk) = (program.role(self.source), program.chunk(self.source));
        let results = [ty];
        let spec = OpSpec::new(context.name(name)).operands(&operands).results(&results);
        let spec = spec.dict(dict).role(role).chunk(chunk);
        self.last = self.rewriter.create(At::After(self.last), spec);
        self.rewriter.program().result(self.last, 0)
    }

    /// The element type of the value.
    fn dtype(&self) -> AttrValue {
        let tensor = kind(self.rewriter.program(), self.value).as_tensor();
        let element = tensor.map_or(ScalarType::Undefined, |tensor| tensor.element);
        AttrValue::DataType(element.dtype().into())
    }

    fn tensor(&self, dims: &[i64], element: ScalarType) -> Type {
        self.rewriter.context().ty(TypeKind::Tensor(TensorType::new(dims, element)))
    }

    fn integers(&self, values: &[i64], kind: IntKind) -> AttrValue {
        let context = self.rewriter.context();
        let attrs = values.iter().map(|&value| context.attr(AttrValue::Int(value, kind)));
        AttrValue::Array(attrs.collect::<Vec<Attr>>().into())
    }

    fn constant(&mut self, ty: Type) -> Value {
        let dtype = ("dtype", self.dtype());
        self.op("pd_op.full", &[], ty, &[dtype, ("value", AttrValue::Int(1, IntKind::NotSaid))])
    }

    /// Two transposes, of which the second undoes the first or does not.
    fn turned_twice(&mut self) -> Value {
        let turned = self.tensor(&[3, 8, 4], ScalarType::F32);
        let there = self.integers(&[1, 2, 0], IntKind::I32);
        let back = self.integers(&[2, 0, 1], IntKind::I32);
        let once = self.op("pd_op.transpose", &[self.value], turned, &[("perm", there)]);
        self.write_some([self.value, once]);
        self.op("pd_op.transpose", &[once], self.ty(), &[("perm", back)])
    }

    fn reshaped_twice(&mut self) -> Value {
        let mut value = self.value;
        for dims in [&[12, 8][..], &[4, 3, 8]] {
            let length = self.tensor(&[dims.len() as i64], ScalarType::I64);
            let list = self.integers(dims, IntKind::I64);
            let shape = self.op("pd_op.full_int_array", &[], length, &[("value", list)]);
            let ty = self.tensor(dims, ScalarType::F32);
            self.write_some([self.value, shape]);
            value = self.op("pd_op.reshape", &[value, shape], ty, &[]);
        }
        value
    }

    fn give_name(&mut self, value: Value, name: &str) {
        let context = self.rewriter.context();
        let program = self.rewriter.program();
        let name = context.attr(AttrValue::string(name));
        let dict = context.dict([(names::OUTPUT_NAME, name)]);
        let (role, chunk) = (program.role(self.source), program.chunk(self.source));
        let operands = [Some(value)];
        let spec = OpSpec::new(names::SHADOW_OUTPUT).operands(&operands).dict(dict);
        self.last = self.rewriter.create(At::After(self.last), spec.role(role).chunk(chunk));
    }

    /// Some of the uses behind the addition read the new value.
    fn redirect(&mut self, new: Value) {
        let program = self.rewriter.program();
        let block = program.block_of(self.last);
        let is_behind = |found: &Use| {
            let reader = program.ancestor_in(block, found.op);
            reader.is_some_and(|reader| program.is_before(self.last, reader))
        };
        let mut uses: Vec<Use> = program.uses(self.value).filter(is_behind).collect();
        uses.sort_unstable();
        let chosen =
            uses.into_iter().enumerate().filter(|(at, _)| self.twist.uses >> (at % 8) & 1 == 1);
        let chosen: Vec<Use> = chosen.map(|(_, found)| found).collect();
        for found in chosen {
            self.rewriter.set_operand(found.op, found.index as usize, Some(new));
        }
    }
}
