//! Gradients, merging them into kwargs, and the optimizer.

use pirogue::ir::{Type, Value};

use super::attrs;
use super::builder::{Builder, Parameter};
use super::forward::transpose_attrs;

impl Builder<'_> {
    /// `(dx, dy) = matmul_grad(x, y, g)`; either gradient may be absent.
    pub(super) fn product_gradient(&mut self, a: u16, b: u16) {
        let rank = self.section.rank;
        let earlier = self.products.iter().rev().filter(|product| product.rank <= rank);
        let products: Vec<_> = earlier.copied().collect();
        if products.is_empty() {
            return self.unary(a);
        }
        let product = products[usize::from(a) % products.len()];
        let [x, y] = product.operands;
        let g = self.pick(self.types.activation, b);
        let dx = if self.twist % 16 == 3 { Type::NULL } else { self.types.activation };
        let dy = if self.twist % 16 == 5 { Type::NULL } else { self.types.weight };
        let attrs = transpose_attrs(product.transposes);
        let op = self.op("pd_op.matmul_grad", &[Some(x), Some(y), Some(g)], &[dx, dy], &attrs);
        let [dx_value, dy_value] = [0, 1].map(|index| self.program.result(op, index));
        if dx != Type::NULL {
            self.offer(dx_value);
        }
        if dy != Type::NULL {
            self.weight_gradients.push(dy_value);
            self.merge_at_once(dy_value, b);
        }
    }

    /// `(dx, db) = add_grad(x, b, g)`
    pub(super) fn bias_gradient(&mut self, a: u16, b: u16) {
        let [x, g] = [a, b].map(|pick| self.pick(self.types.activation, pick));
        let bias = self.pick(self.types.bias, a);
        let results = [self.types.activation, self.types.bias];
        let attrs = [("axis", pirogue::ir::AttrValue::int32(-1))];
        let op = self.op("pd_op.add_grad", &[Some(x), Some(bias), Some(g)], &results, &attrs);
        let [dx, db] = [0, 1].map(|index| self.program.result(op, index));
        self.offer(dx);
        self.weight_gradients.push(db);
        self.merge_at_once(db, a);
    }

    /// Three results, the last two gradients of parameters; the bias may be absent on both sides.
    pub(super) fn norm_gradient(&mut self, a: u16, b: u16) {
        let [x, g] = [a, b].map(|pick| self.pick(self.types.activation, pick));
        let scale = self.pick(self.types.bias, a);
        let [mean, variance] = [a, b].map(|pick| self.pick(self.types.moment, pick));
        let bias = self.is_twisted(2).then(|| self.pick(self.types.bias, b));
        let bias_gradient = if bias.is_some() { self.types.bias } else { Type::NULL };
        let operands = [Some(x), Some(scale), bias, Some(mean), Some(variance), Some(g)];
        let results = [self.types.activation, self.types.bias, bias_gradient];
        let attrs =
            [("begin_norm_axis", pirogue::ir::AttrValue::int32(2)), ("epsilon", attrs::float(0.5))];
        let op = self.op("pd_op.layer_norm_grad", &operands, &results, &attrs);
        let [dx, ds, db] = [0, 1, 2].map(|index| self.program.result(op, index));
        self.offer(dx);
        self.weight_gradients.push(ds);
        if bias.is_some() {
            self.weight_gradients.push(db);
        }
    }

    /// Mostly a gradient is merged right behind the op that makes it.
    fn merge_at_once(&mut self, gradient: Value, pick: u16) {
        if self.is_twisted(4) {
            return;
        }
        if let Some(parameter) = self.parameter_like(gradient, pick) {
            self.merge_into(parameter, gradient);
        }
    }

    /// Merges an earlier gradient, some after a cast.
    pub(super) fn merge(&mut self, a: u16, b: u16) {
        let Some(gradient) = self.weight_gradient(a, None) else { return };
        let Some(parameter) = self.parameter_like(gradient, b) else { return };
        let mut gradient = gradient;
        if self.twist % 8 == 6 {
            let ty = self.program.ty(gradient);
            gradient = self.op_with_result(
                "pd_op.cast",
                &[gradient],
                ty,
                &[("dtype", attrs::word("float32"))],
            );
        }
        self.merge_into(parameter, gradient);
    }

    /// Merges the sum of two gradients, as that of a shared parameter is made.
    pub(super) fn merge_shared(&mut self, a: u16, b: u16) {
        let Some(first) = self.weight_gradient(a, None) else { return };
        let ty = self.program.ty(first);
        let Some(second) = self.weight_gradient(b, Some(ty)) else { return };
        let Some(parameter) = self.parameter_like(first, b) else { return };
        let list = self.combine(&[first, second]);
        let sum = self.op_with_result("pd_op.add_n", &[list], ty, &[]);
        self.merge_into(parameter, sum);
    }

    /// A gradient of a parameter, made in an earlier chunk or in this one.
    fn weight_gradient(&self, pick: u16, ty: Option<Type>) -> Option<Value> {
        let fits = |value: &&Value| {
            let op = self.program.defining_op(**value);
            let is_earlier = op
                .and_then(|op| self.program.chunk(op))
                .is_some_and(|chunk| chunk >= self.section.chunk);
            is_earlier && ty.is_none_or(|ty| self.program.ty(**value) == ty)
        };
        let fitting: Vec<&Value> =
            self.weight_gradients.iter().rev().filter(fits).take(16).collect();
        (!fitting.is_empty()).then(|| *fitting[usize::from(pick) % fitting.len()])
    }

    fn parameter_like(&self, gradient: Value, pick: u16) -> Option<Parameter> {
        let ty = self.program.ty(gradient);
        let fitting: Vec<_> =
            self.parameters.iter().filter(|parameter| parameter.ty == ty).collect();
        (!fitting.is_empty()).then(|| *fitting[usize::from(pick) % fitting.len()])
    }

    /// `add_(kwarg, gradient) {grad_merge_add:true}`
    fn merge_into(&mut self, parameter: Parameter, gradient: Value) {
        let attrs = [("grad_merge_add", attrs::flag(true))];
        let merge =
            self.op_with_result("pd_op.add_", &[parameter.merged, gradient], parameter.ty, &attrs);
        self.merges.push(merge);
    }
}

/// # The optimizer
impl Builder<'_> {
    /// `sgd_` of a parameter, in place, with no master copy.
    pub(super) fn update(&mut self, a: u16) {
        let Some(parameter) = self.some_parameter(a) else { return self.some_constant(a) };
        let rate = self.pick(self.types.scalar, a);
        let merges =
            self.merges.iter().copied().filter(|&value| self.program.ty(value) == parameter.ty);
        let gradient = merges.last().filter(|_| self.is_twisted(5)).unwrap_or(parameter.merged);
        let operands = [Some(parameter.value), Some(rate), Some(gradient), None];
        let attrs = [("multi_precision", attrs::flag(false))];
        self.op("pd_op.sgd_", &operands, &[parameter.ty, Type::NULL], &attrs);
    }

    /// `scale_` of a merged gradient: the kwarg itself is read.
    pub(super) fn scale_merged(&mut self, a: u16) {
        let Some(parameter) = self.some_parameter(a) else { return self.some_constant(a) };
        let scale = self.pick(self.types.one, a);
        let attrs = [
            ("bias", pirogue::ir::AttrValue::Int(0, pirogue::ir::IntKind::NotSaid)),
            ("bias_after_scale", attrs::flag(false)),
        ];
        self.op_with_result("pd_op.scale_", &[parameter.merged, scale], parameter.ty, &attrs);
    }

    fn some_parameter(&self, pick: u16) -> Option<Parameter> {
        let count = self.parameters.len();
        (count > 0).then(|| self.parameters[usize::from(pick) % count])
    }
}
