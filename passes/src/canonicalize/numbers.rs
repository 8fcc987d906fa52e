//! Arithmetic with 0 and 1.
//!
//! What is replaced is of the type of x, so it has its shape; but where a dim of x is known only at
//! run time it could be 1 there, and the other operand stretch it. So the other has one element, or
//! all dims of x are known.
//!
//! IEEE 754: `x * 1`, `x / 1` and `x - 0` are x for every x, infinities and both zeros included, and
//! NaN for NaN. `x + 0` is x but for -0, of which it makes 0.

use pirogue::ir::ScalarType;
use pirogue::rewrite::{Bound, RuleBuilder, rule};

pub(super) fn rules() -> Vec<RuleBuilder> {
    vec![
        rule(
            "times one",
            "pd_op.multiply(x, c) ==> x where all of c is 1, and c does not stretch x",
        )
        .when(["x", "c"], |[x, c]| is_one(c) && cannot_stretch(c, x)),
        rule(
            "one times",
            "pd_op.multiply(c, x) ==> x where all of c is 1, and c does not stretch x",
        )
        .when(["x", "c"], |[x, c]| is_one(c) && cannot_stretch(c, x)),
        rule(
            "divided by one",
            "pd_op.divide(x, c) ==> x where all of c is 1, and c does not stretch x",
        )
        .when(["x", "c"], |[x, c]| is_one(c) && cannot_stretch(c, x)),
        rule(
            "minus zero",
            "pd_op.subtract(x, c) ==> x where all of c is 0, and c does not stretch x",
        )
        .when(["x", "c"], |[x, c]| is_zero(c) && cannot_stretch(c, x)),
        rule(
            "integer plus zero",
            "pd_op.add(x, c) ==> x where x is of integers, all of c is 0, and c does not stretch x",
        )
        .when(["x", "c"], |[x, c]| is_of_integers(x) && is_zero(c) && cannot_stretch(c, x)),
        rule(
            "integer times one plus zero",
            "pd_op.scale(x, s){bias=b} ==> x where x is of integers, s is 1 and b is 0",
        )
        .when(["x", "s", "b"], |[x, s, b]| is_of_integers(x) && is_one(s) && is_zero(b)),
    ]
}

/// Rules that make 0 of -0 and are else exact.
pub(super) fn up_to_the_sign_of_zero() -> Vec<RuleBuilder> {
    vec![
        rule("plus zero", "pd_op.add(x, c) ==> x where all of c is 0, and c does not stretch x")
            .when(["x", "c"], |[x, c]| is_zero(c) && cannot_stretch(c, x)),
        rule("times one plus zero", "pd_op.scale(x, s){bias=b} ==> x where s is 1 and b is 0")
            .when(["s", "b"], |[s, b]| is_one(s) && is_zero(b)),
    ]
}

fn is_one(constant: Bound<'_>) -> bool {
    constant.number() == Some(1.0)
}

/// Whether it is 0 and not -0: `x - -0` is `x + 0`.
fn is_zero(constant: Bound<'_>) -> bool {
    constant.number().is_some_and(|number| number == 0.0 && number.is_sign_positive())
}

fn cannot_stretch(constant: Bound<'_>, x: Bound<'_>) -> bool {
    let has_one_element =
        constant.known_dims().is_some_and(|dims| dims.iter().all(|&dim| dim == 1));
    let has_no_more_dims = match (constant.tensor(), x.tensor()) {
        (Some(constant), Some(x)) => constant.rank() <= x.rank(),
        _ => false,
    };
    has_no_more_dims && (has_one_element || x.known_dims().is_some())
}

fn is_of_integers(x: Bound<'_>) -> bool {
    use ScalarType as T;
    matches!(x.element(), Some(T::I8 | T::U8 | T::I16 | T::I32 | T::I64))
}
