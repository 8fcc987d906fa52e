//! Ops with regions, whose ops read values from outside.

use pirogue::ir::{Block, Dict, Rewriter, Value};

use super::builder::Builder;

impl Builder<'_> {
    /// `pd_op.if`, with one result or none, and another one inside where it is twisted.
    pub(super) fn branch(&mut self, a: u16, b: u16) {
        let condition = self.pick(self.types.flag, a);
        let has_result = !self.is_twisted(1);
        let results = if has_result { vec![self.types.activation] } else { Vec::new() };
        let op = self.op("pd_op.if", &[Some(condition)], &results, &[]);
        for pick in [a, b] {
            let block = Rewriter::new(&mut self.program).add_region(op);
            self.within(block, |builder| {
                builder.fill(pick);
                if builder.is_twisted(5) && pick == b {
                    builder.twist &= !(1 << 5);
                    builder.branch(b, a);
                }
                if has_result {
                    let value = builder.pick(builder.types.activation, pick);
                    builder.yield_values(&[value]);
                }
            });
        }
        self.offer_all(op);
    }

    /// `pd_op.while` over a counter and an activation.
    pub(super) fn repeat(&mut self, a: u16, b: u16) {
        let operands = [
            self.pick(self.types.flag, a),
            self.pick(self.types.counter, b),
            self.pick(self.types.activation, a),
        ];
        let types = [self.types.counter, self.types.activation];
        // Text shows no attribute of a loop, so that an odd one would be lost.
        let twist = std::mem::take(&mut self.twist);
        let op = self.op("pd_op.while", &operands.map(Some), &types, &[]);
        self.twist = twist;
        let mut rewriter = Rewriter::new(&mut self.program);
        let block = rewriter.add_region(op);
        let [counter, activation] = types.map(|ty| rewriter.add_argument(block, ty, Dict::EMPTY));
        self.within(block, |builder| {
            builder.offer(counter);
            builder.offer(activation);
            builder.fill(b);
            let limit = builder.constant(builder.types.counter, 3);
            let goes_on = builder.op_with_result(
                "pd_op.less_than",
                &[counter, limit],
                builder.types.flag,
                &[],
            );
            let value = builder.pick(builder.types.activation, a);
            builder.yield_values(&[goes_on, counter, value]);
        });
        self.offer_all(op);
    }

    /// A few plain ops; what they make is seen inside alone.
    fn fill(&mut self, pick: u16) {
        for index in 0..pick % 3 {
            let picks = [pick.rotate_left(3 + u32::from(index)), pick.rotate_left(7)];
            match index {
                0 => self.binary(picks[0], picks[1]),
                _ => self.unary(picks[0]),
            }
        }
    }

    fn within(&mut self, block: Block, body: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.block, block);
        let offered = self.offered();
        body(self);
        self.withdraw(offered);
        self.block = outer;
    }

    fn yield_values(&mut self, values: &[Value]) {
        let operands: Vec<_> = values.iter().copied().map(Some).collect();
        self.op("cf.yield", &operands, &[], &[]);
    }
}
