//! Ops of any role: computation, constants, sends and receives, names.

use pirogue::ir::{AttrValue, Type, Value};

use super::attrs;
use super::builder::{Builder, Product};

impl Builder<'_> {
    pub(super) fn unary(&mut self, a: u16) {
        let x = self.pick(self.types.activation, a);
        let name = if self.is_twisted(1) { "pd_op.tanh" } else { "pd_op.relu" };
        let out = self.op_with_result(name, &[x], self.types.activation, &[]);
        self.offer(out);
    }

    pub(super) fn binary(&mut self, a: u16, b: u16) {
        let [x, y] = [a, b].map(|pick| self.pick(self.types.activation, pick));
        let out = self.op_with_result("pd_op.add", &[x, y], self.types.activation, &[]);
        self.offer(out);
    }

    pub(super) fn product(&mut self, a: u16, b: u16) {
        let operands = [self.pick(self.types.activation, a), self.pick(self.types.weight, b)];
        // A transposed activation would have another shape.
        let transposes = [false, self.is_twisted(2)];
        let attrs = transpose_attrs(transposes);
        let out = self.op_with_result("pd_op.matmul", &operands, self.types.activation, &attrs);
        self.products.push(Product { operands, transposes, rank: self.section.rank });
        self.offer(out);
    }

    pub(super) fn add_bias(&mut self, a: u16, b: u16) {
        let operands = [self.pick(self.types.activation, a), self.pick(self.types.bias, b)];
        let out = self.op_with_result("pd_op.add", &operands, self.types.activation, &[]);
        self.offer(out);
    }

    /// Scale and bias are optional operands; mean and variance are further results.
    pub(super) fn layer_norm(&mut self, a: u16, b: u16) {
        let x = self.pick(self.types.activation, a);
        let scale = self.is_twisted(1).then(|| self.pick(self.types.bias, b));
        let bias = self.is_twisted(2).then(|| self.pick(self.types.bias, b / 2));
        let results = [self.types.activation, self.types.moment, self.types.moment];
        let attrs = [("begin_norm_axis", AttrValue::int32(2)), ("epsilon", attrs::float(0.5))];
        let op = self.op("pd_op.layer_norm", &[Some(x), scale, bias], &results, &attrs);
        self.offer_all(op);
    }

    /// No seed, and a mask that may be absent.
    pub(super) fn dropout(&mut self, a: u16) {
        let x = self.pick(self.types.activation, a);
        let p = self.pick(self.types.one, a);
        let mask = if self.is_twisted(1) { Type::NULL } else { self.types.moment };
        let attrs = [
            ("fix_seed", attrs::flag(false)),
            ("is_test", attrs::flag(false)),
            ("mode", attrs::text("upscale_in_train")),
            ("seed", AttrValue::int32(0)),
        ];
        let results = [self.types.activation, mask];
        let op = self.op("pd_op.dropout", &[Some(x), None, Some(p)], &results, &attrs);
        self.offer_all(op);
    }

    pub(super) fn in_place(&mut self, a: u16) {
        let x = self.pick(self.types.activation, a);
        let out = self.op_with_result("pd_op.relu_", &[x], self.types.activation, &[]);
        self.offer(out);
    }

    pub(super) fn some_constant(&mut self, a: u16) {
        let types = [self.types.one, self.types.weight, self.types.flag, self.types.counter];
        let value = self.constant(types[usize::from(a) % types.len()], a.into());
        self.offer(value);
    }

    /// Every fourth is a persistable scalar, as a learning rate is.
    pub(super) fn data(&mut self, a: u16) {
        let serial = self.serial();
        let ty = if a % 4 == 3 { self.types.scalar } else { self.types.activation };
        let prefix = if self.is_twisted(3) { "var_data" } else { "data" };
        let mut attrs = vec![
            ("dtype", attrs::word("float32")),
            ("name", attrs::text(&format!("{prefix}_{serial}"))),
            ("place", attrs::no_place()),
            ("shape", attrs::shape(&[4, 3, 8])),
        ];
        if a % 4 == 3 {
            attrs.push(("persistable", attrs::flags(&self.context, true, 1)));
        }
        let value = self.op_with_result("pd_op.data", &[], ty, &attrs);
        self.offer(value);
    }

    /// An op of which nothing is known, with any number of operands and results.
    pub(super) fn custom(&mut self, a: u16, b: u16) {
        let operands: Vec<Option<Value>> = (0..a % 4)
            .map(|index| (index != 2).then(|| self.pick_any(b.rotate_left(4 * u32::from(index)))))
            .collect();
        let results: Vec<Type> = (0..b % 4)
            .map(|index| {
                if index == 0 {
                    self.types.activation
                } else {
                    attrs::odd_type(&self.context, a.wrapping_add(index))
                }
            })
            .collect();
        let attr = attrs::odd_attr(&self.context, usize::from(a));
        let op = self.op("custom.op", &operands, &results, &[attr]);
        self.offer_all(op);
    }

    pub(super) fn shadow(&mut self, a: u16) {
        let x = if a % 8 == 7 { self.pick_any(a) } else { self.pick(self.types.activation, a) };
        let serial = self.serial();
        let name =
            if self.is_twisted(3) { format!("my_var_{serial}") } else { format!("fetch{serial}") };
        self.op("builtin.shadow_output", &[Some(x)], &[], &[("output_name", attrs::text(&name))]);
    }

    pub(super) fn send(&mut self, a: u16) {
        if !self.sends() {
            return;
        }
        let x = self.pick(self.types.activation, a);
        let attrs = channel_attrs(12 + i32::from(a % 3));
        self.op("pd_op.send_v2", &[Some(x)], &[], &attrs);
    }

    pub(super) fn receive(&mut self, a: u16) {
        if !self.receives() {
            return;
        }
        let mut attrs = channel_attrs(13 + i32::from(a % 3)).to_vec();
        attrs.push(("dtype", attrs::word("float32")));
        let dims = [4, 3, 8].map(AttrValue::int32);
        attrs.push(("out_shape", attrs::array(&self.context, &dims)));
        let out = self.op_with_result("pd_op.recv_v2", &[], self.types.activation, &attrs);
        self.offer(out);
    }
}

pub(super) fn transpose_attrs([x, y]: [bool; 2]) -> [(&'static str, AttrValue); 2] {
    [("transpose_x", attrs::flag(x)), ("transpose_y", attrs::flag(y))]
}

fn channel_attrs(ring: i32) -> [(&'static str, AttrValue); 4] {
    [
        ("dynamic_shape", attrs::flag(false)),
        ("peer", AttrValue::int32(1)),
        ("ring_id", AttrValue::int32(ring)),
        ("use_calc_stream", attrs::flag(true)),
    ]
}
