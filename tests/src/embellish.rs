//! Adds to a program what passes can take away: copies, casts that do nothing, pairs of transposes
//! and of reshapes, ops twice over, chains that nobody reads; and what must stop them: writes in
//! place and names.
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
}

/// Lists of up to so many additions.
pub fn twists(most: usize) -> impl Strategy<Value = Vec<Twist>> {
    let twist = (any::<u16>(), any::<u8>(), any::<u8>(), any::<u8>());
    let twist = twist.prop_map(|(at, kind, later, uses)| Twist { at, kind, later, uses });
    prop::collection::vec(twist, 0..=most)
}

/// Makes the additions, one after the other.
pub fn embellish(program: &mut Program, twists: &[Twist]) {
    for (serial, twist) in twists.iter().enumerate() {
        let ops: Vec<Op> = program.top_ops().flat_map(|op| program.nest(op)).collect();
        let tensors = |&op: &Op| {
            let is_tensor = |value| matches!(kind(program, value), TypeKind::Tensor(_));
            program.result_count(op) > 0 && is_tensor(program.result(op, 0))
        };
        let candidates: Vec<Op> = ops.into_iter().filter(tensors).collect();
        let Some(at) = usize::from(twist.at).checked_rem(candidates.len()) else { return };
        let mut rewriter = Rewriter::new(program);
        Addition::new(&mut rewriter, candidates[at], *twist).make(serial);
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
        let new = match self.twist.kind % 12 {
            0 => self.op("pd_op.assign", &[x], ty, &[]),
            1 | 2 => {
                let once = self.op("pd_op.relu", &[x], ty, &[]);
                self.op("pd_op.relu", &[once], ty, &[])
            }
            3 => {
                let element = AttrValue::DataType("float32".into());
                self.op("pd_op.cast", &[x], ty, &[("dtype", element)])
            }
            4 | 5 if is_cube => self.turned_twice(),
            6 if is_cube => self.reshaped_twice(),
            7 => {
                let one = self.constant(ty);
                self.op("pd_op.multiply", &[x, one], ty, &[])
            }
            8 | 9 => self.op("pd_op.exp_", &[x], ty, &[]),
            10 if self.is_at_top() => return self.give_name(serial),
            _ => self.op("pd_op.tanh", &[x], ty, &[]),
        };
        self.redirect(new);
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

    fn tensor(&self, dims: &[i64], element: ScalarType) -> Type {
        self.rewriter.context().ty(TypeKind::Tensor(TensorType::new(dims, element)))
    }

    fn integers(&self, values: &[i64], kind: IntKind) -> AttrValue {
        let context = self.rewriter.context();
        let attrs = values.iter().map(|&value| context.attr(AttrValue::Int(value, kind)));
        AttrValue::Array(attrs.collect::<Vec<Attr>>().into())
    }

    fn constant(&mut self, ty: Type) -> Value {
        let dtype = ("dtype", AttrValue::DataType("float32".into()));
        self.op("pd_op.full", &[], ty, &[dtype, ("value", AttrValue::Int(1, IntKind::NotSaid))])
    }

    /// Two transposes, of which the second undoes the first or does not.
    fn turned_twice(&mut self) -> Value {
        let turned = self.tensor(&[3, 8, 4], ScalarType::F32);
        let there = self.integers(&[1, 2, 0], IntKind::I32);
        let back = self.integers(&[2, 0, 1], IntKind::I32);
        let once = self.op("pd_op.transpose", &[self.value], turned, &[("perm", there)]);
        self.op("pd_op.transpose", &[once], self.ty(), &[("perm", back)])
    }

    fn reshaped_twice(&mut self) -> Value {
        let mut value = self.value;
        for dims in [&[12, 8][..], &[4, 3, 8]] {
            let length = self.tensor(&[dims.len() as i64], ScalarType::I64);
            let list = self.integers(dims, IntKind::I64);
            let shape = self.op("pd_op.full_int_array", &[], length, &[("value", list)]);
            let ty = self.tensor(dims, ScalarType::F32);
            value = self.op("pd_op.reshape", &[value, shape], ty, &[]);
        }
        value
    }

    fn give_name(self, serial: usize) {
        let context = self.rewriter.context();
        let program = self.rewriter.program();
        let name = AttrValue::string(&format!("embellished_{serial}"));
        let dict = context.dict([(names::OUTPUT_NAME, context.attr(name))]);
        let (role, chunk) = (program.role(self.source), program.chunk(self.source));
        let operands = [Some(self.value)];
        let spec = OpSpec::new(names::SHADOW_OUTPUT).operands(&operands).dict(dict);
        self.rewriter.create(At::After(self.last), spec.role(role).chunk(chunk));
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
