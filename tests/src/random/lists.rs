//! Lists (`vec` values): made of single values, or by an op, and read again.

use pirogue::ir::{AttrValue, Value};

use super::Lists;
use super::attrs;
use super::builder::Builder;

impl Builder<'_> {
    pub(super) fn combine(&mut self, values: &[Value]) -> Value {
        let types: Vec<_> = values.iter().map(|&value| self.program.ty(value)).collect();
        let ty = attrs::list(&self.context, &types);
        let twist = std::mem::take(&mut self.twist);
        let list = self.op_with_result("builtin.combine", values, ty, &[]);
        self.twist = twist;
        list
    }

    /// `add_n(combine(x, y))`
    pub(super) fn gather(&mut self, a: u16, b: u16) {
        let values = [a, b].map(|pick| self.pick(self.types.activation, pick));
        let list = self.combine(&values);
        let out = self.op_with_result("pd_op.add_n", &[list], self.types.activation, &[]);
        self.offer(out);
    }

    /// `(x, y) = split(split_with_num(z))`
    pub(super) fn unpack(&mut self, a: u16) {
        let list = self.cut_in_two(a);
        self.unpack_list(list);
    }

    fn cut_in_two(&mut self, a: u16) -> Value {
        let z = self.pick(self.types.activation, a);
        let axis = self.integers(&[0]);
        self.op_with_result(
            "pd_op.split_with_num",
            &[z, axis],
            self.types.pair,
            &[("num", AttrValue::int32(2))],
        )
    }

    fn unpack_list(&mut self, list: Value) {
        let activation = self.types.activation;
        if self.is_twisted(1) {
            let attrs = [("index", AttrValue::int32(1))];
            let out = self.op_with_result("builtin.slice", &[list], activation, &attrs);
            return self.offer(out);
        }
        let op = self.op("builtin.split", &[Some(list)], &[activation, activation], &[]);
        self.offer_all(op);
    }

    /// A list for later jobs to read.
    pub(super) fn open_list(&mut self, a: u16, b: u16) {
        if self.recipe.lists == Lists::StayClose || self.is_twisted(1) {
            return self.gather(a, b);
        }
        let is_made_of_values = self.is_twisted(2);
        let list = if is_made_of_values {
            let values = [a, b].map(|pick| self.pick(self.types.activation, pick));
            self.combine(&values)
        } else {
            self.cut_in_two(a)
        };
        self.open_lists.push((list, is_made_of_values));
    }

    /// Reads a list that may be of an earlier job.
    pub(super) fn read_list(&mut self, a: u16) {
        let is_earlier = |list: Value| {
            let op = self.program.defining_op(list).expect("a list is a result");
            let (role, chunk) = (self.program.role(op), self.program.chunk(op));
            let (role, chunk) = (role.unwrap_or(0) & 1, chunk.unwrap_or(0));
            match (self.section.role, role) {
                (0, 0) => chunk <= self.section.chunk,
                (1, 1) => chunk >= self.section.chunk,
                (here, there) => here > there,
            }
        };
        let lists: Vec<_> =
            self.open_lists.iter().copied().filter(|&(list, _)| is_earlier(list)).collect();
        if lists.is_empty() {
            return self.unary(a);
        }
        let (list, is_made_of_values) = lists[usize::from(a) % lists.len()];
        if is_made_of_values {
            let out = self.op_with_result("pd_op.add_n", &[list], self.types.activation, &[]);
            self.offer(out);
        } else {
            self.unpack_list(list);
        }
    }
}
