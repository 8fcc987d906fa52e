//! Arithmetic on constants, where no step of it rounds.
//!
//! All numbers are integers, as are those on the way, and none is larger than the type can tell from
//! its neighbours: 2^24 for `f32`, 2^11 for `f16`, 2^8 for `bf16` (one more than the bits of the
//! significand that are stored). So it does not matter in which precision Paddle computes.

use pirogue::ir::{AttrValue, FloatBits, Scalar, ScalarType};
use pirogue::rewrite::{Bound, RuleBuilder, rule};

pub(super) fn rules() -> Vec<RuleBuilder> {
    vec![
        rule(
            "scaled constant",
            "r@pd_op.scale(y@pd_op.full(){shape=n,value=v,dtype=d,place=p}, s){bias=b,bias_after_scale=a} \
             ==> pd_op.full(){shape=n,value=w,dtype=d,place=p} \
             where w is v * s + b, or (v + b) * s, and exact",
        )
        .when(["r", "y"], |[r, y]| r.is_of_type_of(y))
        .derive("w", ["y", "v", "s", "b", "a"], |[y, v, s, b, a]| {
            let exact = Exact::of(y.element()?)?;
            let [v_number, s, b] = [v.number()?, s.number()?, b.number()?];
            let (step, result) = match a.truth()? {
                true => (v_number * s, v_number * s + b),
                false => (v_number + b, (v_number + b) * s),
            };
            let all = [v_number, s, b, step, result];
            // Of a sum or product that is 0 the sign is told by its parts.
            let has_sure_sign = result != 0.0 || all.iter().all(|number| number.is_sign_positive());
            let holds = has_sure_sign && all.into_iter().all(|number| exact.has(number));
            holds.then(|| same_kind(v.attr()?, result))?
        }),
        rule(
            "cast constant",
            "r@pd_op.cast(y@pd_op.full(){shape=n,value=v,place=p}){dtype=d} \
             ==> pd_op.full(){shape=n,value=v,dtype=d,place=p} where v is exact in both types",
        )
        .when(["r", "y", "v"], |[r, y, v]| is_exact_in_both(r, y, v)),
    ]
}

fn is_exact_in_both(r: Bound<'_>, y: Bound<'_>, v: Bound<'_>) -> bool {
    let has = |value: Bound<'_>, number: f64| {
        value.element().and_then(Exact::of).is_some_and(|exact| exact.has(number))
    };
    let is_plain = |number: &f64| *number != 0.0 || number.is_sign_positive();
    v.number().filter(is_plain).is_some_and(|number| has(r, number) && has(y, number))
}

/// The integers between which a type has every integer.
#[derive(Copy, Clone)]
struct Exact {
    low: f64,
    high: f64,
}

impl Exact {
    fn of(ty: ScalarType) -> Option<Self> {
        let (low, high) = match ty {
            ScalarType::BF16 => (-256.0, 256.0),
            ScalarType::F16 => (-2048.0, 2048.0),
            ScalarType::I8 => (-128.0, 127.0),
            ScalarType::U8 => (0.0, 255.0),
            ScalarType::I16 => (-32768.0, 32767.0),
            // The kernel may take factors as `f32`, whatever the tensor is of.
            ScalarType::F32 | ScalarType::F64 | ScalarType::I32 | ScalarType::I64 => {
                (-16_777_216.0, 16_777_216.0)
            }
            _ => return None,
        };
        Some(Self { low, high })
    }

    fn has(self, number: f64) -> bool {
        number.fract() == 0.0 && self.low <= number && number <= self.high
    }
}

/// An integer as an attribute of the kind of another.
fn same_kind(like: &AttrValue, number: f64) -> Option<AttrValue> {
    Some(match like {
        AttrValue::Int(_, kind) => AttrValue::Int(number as i64, *kind),
        AttrValue::Float(_, kind) => AttrValue::Float(FloatBits::new(number), *kind),
        AttrValue::Scalar(Scalar::Int(_, kind)) => {
            AttrValue::Scalar(Scalar::Int(number as i64, *kind))
        }
        AttrValue::Scalar(Scalar::Float(_, kind)) => {
            AttrValue::Scalar(Scalar::Float(FloatBits::new(number), *kind))
        }
        _ => return None,
    })
}
