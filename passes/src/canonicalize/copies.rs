//! Ops whose result is what they read, and ops of which twice is once.

use pirogue::rewrite::{RuleBuilder, rule};

pub(super) fn rules() -> Vec<RuleBuilder> {
    vec![
        // A copy differs from what it was copied from once either is written, has a name of its
        // own, or stops gradients: the driver sees to all three. (`pd_op.share_data` stays: whoever
        // shares memory on purpose may count on it.)
        rule("copy", "pd_op.assign(x) ==> x"),
        // Each of these maps what it yields to itself: not negative; no fraction. NaN goes where the
        // first op put it.
        rule("relu of relu", "pd_op.relu(y@pd_op.relu(_)) ==> y"),
        rule("abs of abs", "pd_op.abs(y@pd_op.abs(_)) ==> y"),
        rule("floor of floor", "pd_op.floor(y@pd_op.floor(_)) ==> y"),
        rule("ceil of ceil", "pd_op.ceil(y@pd_op.ceil(_)) ==> y"),
        // `pd_op.logical_not` yields truth values, so that x, of the type of the result, is one.
        rule("not of not", "pd_op.logical_not(pd_op.logical_not(x)) ==> x"),
        // It inverts each bit, or a truth value.
        rule("bitwise not of bitwise not", "pd_op.bitwise_not(pd_op.bitwise_not(x)) ==> x"),
    ]
}
