//! Puts the ops of a recipe before the op that they replace.

use std::collections::BTreeMap;
use std::sync::Arc;

use pirogue::ir::{
    At, Attr, AttrValue, Context, Dict, IntKind, Name, Op, OpSpec, Place, Program, Rewriter,
    ScalarType, Type, Value, ValueDef, names,
};

use super::dims::{Dims, of_type, tensor};
use super::recipe::{Chain, Recipe, Side, Sum};

/// What new ops have in common, made once a program.
pub(super) struct Parts {
    context: Arc<Context>,
    /// `stop_gradient` of an op with one result: `[false]`, `[true]`.
    stop_gradient: [Attr; 2],
    truth: [Attr; 2],
    int64: Attr,
    cpu: Attr,
    undefined: Attr,
    keepdim: Name,
    /// Attributes and result type of a `pd_op.full_int_array`, by its integers.
    int_arrays: BTreeMap<Dims, (Dict, Type)>,
}

impl Parts {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        let truth = [false, true].map(|value| context.attr(AttrValue::Bool(value)));
        let data_type = |text: &str| context.attr(AttrValue::DataType(text.into()));
        Self {
            stop_gradient: truth.map(|value| context.attr(AttrValue::Array([value].into()))),
            truth,
            int64: data_type(ScalarType::I64.dtype()),
            cpu: context.attr(AttrValue::Place(Place::cpu())),
            undefined: data_type(ScalarType::Undefined.dtype()),
            keepdim: context.name("keepdim"),
            int_arrays: BTreeMap::new(),
            context: Arc::clone(context),
        }
    }

    fn int_array(&mut self, integers: &[i64]) -> (Dict, Type) {
        if let Some(&known) = self.int_arrays.get(integers) {
            return known;
        }
        let context = &self.context;
        let element = |&integer: &i64| context.attr(AttrValue::Int(integer, IntKind::I64));
        let value = context.attr(AttrValue::Array(integers.iter().map(element).collect()));
        let dict = context.dict([
            (names::DTYPE, self.int64),
            (names::PLACE, self.cpu),
            (names::STOP_GRADIENT, self.stop_gradient[1]),
            (names::VALUE, value),
        ]);
        let ty = tensor(context, &[integers.len() as i64], ScalarType::I64);
        self.int_arrays.insert(integers.to_vec(), (dict, ty));
        (dict, ty)
    }
}

/// The ops that replaced an op, by the gradient that they compute.
pub(super) struct Emitted {
    pub(super) dx: Vec<Op>,
    pub(super) dy: Vec<Op>,
}

/// Replaces an op by the ops of its recipe.
pub(super) fn replace(
    rewriter: &mut Rewriter<'_>,
    parts: &mut Parts,
    op: Op,
    recipe: &Recipe,
) -> Emitted {
    let mut emitter = Emitter::new(rewriter, parts, op, recipe.element);
    let emitted = Emitted {
        dx: recipe.dx.as_ref().map_or_else(Vec::new, |chain| emitter.chain(chain, 0)),
        dy: recipe.dy.as_ref().map_or_else(Vec::new, |chain| emitter.chain(chain, 1)),
    };
    rewriter.erase(op).expect("all uses of its results were replaced");
    emitted
}

struct Emitter<'a, 'p> {
    rewriter: &'a mut Rewriter<'p>,
    parts: &'a mut Parts,
    /// The op that is replaced.
    old: Op,
    role: Option<i32>,
    chunk: Option<i32>,
    element: ScalarType,
    made: Vec<Op>,
}

impl<'a, 'p> Emitter<'a, 'p> {
    fn new(
        rewriter: &'a mut Rewriter<'p>,
        parts: &'a mut Parts,
        old: Op,
        element: ScalarType,
    ) -> Self {
        let program = rewriter.program();
        // Paddle writes -1 where the op says nothing.
        let said = |column: Option<i32>| Some(column.unwrap_or(-1));
        let (role, chunk) = (said(program.role(old)), said(program.chunk(old)));
        Self { rewriter, parts, old, role, chunk, element, made: Vec::new() }
    }

    /// Makes the ops of one gradient and puts it in the place of the old op's result.
    fn chain(&mut self, chain: &Chain, result: usize) -> Vec<Op> {
        let [left, right] = [0, 1].map(|factor| self.factor(chain, factor));
        let mut value = self.matmul(left, right, chain);
        if let Some(sum) = &chain.sum {
            value = self.sum(value, sum);
        }
        if let Some(dims) = &chain.reshaped {
            value = self.reshape(value, dims);
        }
        let old = self.rewriter.program().result(self.old, result);
        self.keep_type(old, value, chain.result());
        self.rewriter.replace_all_uses(old, value);
        std::mem::take(&mut self.made)
    }

    /// Leaves the type as it was spelled, where its dims are the same.
    fn keep_type(&mut self, old: Value, new: Value, dims: &[i64]) {
        let program = self.rewriter.program();
        let (old_type, new_type) = (program.ty(old), program.ty(new));
        let old_dims = of_type(&self.parts.context, old_type).map(|(dims, _)| dims);
        if old_type != new_type && old_dims.as_deref() == Some(dims) {
            self.rewriter.set_type(new, old_type);
        }
    }

    fn factor(&mut self, chain: &Chain, factor: usize) -> Value {
        let operand = match chain.product.factors[factor] {
            Side::X => 0,
            Side::Y => 1,
            Side::Grad => 2,
        };
        let operand = self.rewriter.program().operand(self.old, operand);
        let value = operand.expect("an op with a recipe has three operands");
        match &chain.folded {
            Some(dims) => self.reshape(value, &dims[factor]),
            None => value,
        }
    }

    fn matmul(&mut self, left: Value, right: Value, chain: &Chain) -> Value {
        let program = self.rewriter.program();
        let stops = stops_gradient(program, left) && stops_gradient(program, right);
        let [transpose_x, transpose_y] =
            chain.product.transpose.map(|t| self.parts.truth[usize::from(t)]);
        let dict = self.parts.context.dict([
            (names::STOP_GRADIENT, self.parts.stop_gradient[usize::from(stops)]),
            (names::TRANSPOSE_X, transpose_x),
            (names::TRANSPOSE_Y, transpose_y),
        ]);
        self.create(names::MATMUL, &[Some(left), Some(right)], dict, &chain.dims)
    }

    fn reshape(&mut self, value: Value, dims: &[i64]) -> Value {
        let target = self.int_array(dims);
        let dict = self.parts.context.dict([self.stop_gradient_of(value)]);
        self.create(names::RESHAPE, &[Some(value), Some(target)], dict, dims)
    }

    fn sum(&mut self, value: Value, sum: &Sum) -> Value {
        let axes = self.int_array(&sum.axes);
        let dict = self.parts.context.dict([
            (names::DTYPE, self.parts.undefined),
            (self.parts.keepdim, self.parts.truth[0]),
            self.stop_gradient_of(value),
        ]);
        self.create(names::SUM, &[Some(value), Some(axes)], dict, &sum.dims)
    }

    fn stop_gradient_of(&self, value: Value) -> (Name, Attr) {
        let stops = stops_gradient(self.rewriter.program(), value);
        (names::STOP_GRADIENT, self.parts.stop_gradient[usize::from(stops)])
    }

    fn int_array(&mut self, integers: &[i64]) -> Value {
        let (dict, ty) = self.parts.int_array(integers);
        self.create_typed(names::FULL_INT_ARRAY, &[], dict, ty)
    }

    fn create(
        &mut self,
        name: Name,
        operands: &[Option<Value>],
        dict: Dict,
        dims: &[i64],
    ) -> Value {
        let ty = tensor(&self.parts.context, dims, self.element);
        self.create_typed(name, operands, dict, ty)
    }

    fn create_typed(
        &mut self,
        name: Name,
        operands: &[Option<Value>],
        dict: Dict,
        ty: Type,
    ) -> Value {
        let results = [ty];
        let spec = OpSpec::new(name)
            .operands(operands)
            .results(&results)
            .dict(dict)
            .role(self.role)
            .chunk(self.chunk)
            .origin(self.rewriter.program().origin(self.old));
        let op = self.rewriter.create(At::Before(self.old), spec);
        self.made.push(op);
        self.rewriter.program().result(op, 0)
    }
}

/// Whether a value stops gradients; one that does not say it does.
fn stops_gradient(program: &Program, value: Value) -> bool {
    let argument_says = |attrs: Dict| {
        let attr = program.context().dict_get(attrs, names::STOP_GRADIENT)?;
        program.context().attr_value(attr).as_bool()
    };
    let said = match program.def(value) {
        ValueDef::Result { op, index } => {
            program.result_flag(op, names::STOP_GRADIENT, index as usize)
        }
        ValueDef::Kwarg { block, keyword } => {
            program.kwarg(block, keyword).and_then(|argument| argument_says(argument.attrs))
        }
        ValueDef::Argument { block, index } => {
            let argument = program.arguments(block).get(index as usize);
            argument.and_then(|argument| argument_says(argument.attrs))
        }
    };
    said.unwrap_or(true)
}
