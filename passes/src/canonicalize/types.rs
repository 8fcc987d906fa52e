//! Casts.

use pirogue::ir::{AttrValue, ScalarType};
use pirogue::rewrite::{Bound, RuleBuilder, rule};

pub(super) fn rules() -> Vec<RuleBuilder> {
    vec![
        rule(
            "cast to the same type",
            "pd_op.cast(x){dtype=d} ==> x where d is the element type of x",
        )
        .when(["x", "d"], |[x, d]| x.element().is_some() && x.element() == dtype(d)),
        // The first cast is exact, so the second sees the numbers of x: `f16 -> f32 -> bf16` rounds
        // once, and so does `f16 -> bf16`, which Paddle computes by way of `f32` as well.
        rule(
            "cast of exact cast",
            "pd_op.cast(y@pd_op.cast(x)){dtype=d} ==> pd_op.cast(x){dtype=d} \
             where the type of y has every number of the type of x",
        )
        .when(["x", "y"], |[x, y]| match (x.element(), y.element()) {
            (Some(from), Some(to)) => has_every_number_of(to, from),
            _ => false,
        }),
    ]
}

fn dtype(attr: Bound<'_>) -> Option<ScalarType> {
    match attr.attr()? {
        AttrValue::DataType(word) => ScalarType::from_dtype(word),
        _ => None,
    }
}

/// Whether every number of one type is one of the other. Integers and floats are kept apart: how a
/// float out of range becomes an integer is not how an integer does.
fn has_every_number_of(to: ScalarType, from: ScalarType) -> bool {
    use ScalarType as T;
    let is_real = |ty| integer_range(ty).is_some() || float_bits(ty).is_some();
    match (integer_range(from), integer_range(to), float_bits(from), float_bits(to)) {
        (Some((low, high)), Some((lowest, highest)), ..) => lowest <= low && high <= highest,
        (_, _, Some(from), Some(to)) => from.0 <= to.0 && from.1 <= to.1,
        // False is 0 and true is 1.
        _ => from == T::Bool && (to == T::Bool || is_real(to)),
    }
}

/// The least and the greatest number of an integer type.
fn integer_range(ty: ScalarType) -> Option<(i64, i64)> {
    Some(match ty {
        ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
        ScalarType::U8 => (0, u8::MAX.into()),
        ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ScalarType::I64 => (i64::MIN, i64::MAX),
        _ => return None,
    })
}

/// Bits of significand and exponent of a float type.
fn float_bits(ty: ScalarType) -> Option<(u32, u32)> {
    Some(match ty {
        ScalarType::F16 => (11, 5),
        ScalarType::BF16 => (8, 8),
        ScalarType::F32 => (24, 8),
        ScalarType::F64 => (53, 11),
        _ => return None,
    })
}
