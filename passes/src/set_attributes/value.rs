//! The value that a pipeline gives, as an attribute of a kind.

use pirogue::dialect::AttrKind;
use pirogue::ir::{AttrValue, Context, FloatBits, FloatKind, IntKind, Place, Scalar, ScalarType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value as pipeline text says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected `true`, a number, a word, a \"string\" or a [list] of them"
)]
pub enum GivenValue {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A decimal number.
    Decimal(f64),
    /// A word or a string.
    Text(String),
    /// A list.
    List(Vec<GivenValue>),
}

/// What a value is, where the op does not declare the attribute.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// The declared kind; without one, a truth value, `int32` (`int64` if it is too large),
    /// `float32` or a string.
    #[default]
    Auto,
    /// A truth value.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A 32-bit float.
    Float32,
    /// A 64-bit float.
    Float64,
    /// A string.
    String,
    /// An element type, such as `float32`.
    Dtype,
    /// A device, such as `cpu` or `"gpu:0"`.
    Place,
}

impl ValueKind {
    /// The kind of attribute that is asked for.
    pub(super) fn attr_kind(self, value: &GivenValue) -> Option<AttrKind> {
        let (one, list) = match self {
            Self::Auto => return None,
            Self::Bool => (AttrKind::Bool, AttrKind::BoolArray),
            Self::Int32 => (AttrKind::Int32, AttrKind::Int32Array),
            Self::Int64 => (AttrKind::Int64, AttrKind::Int64Array),
            Self::Float32 => (AttrKind::Float, AttrKind::FloatArray),
            Self::Float64 => (AttrKind::Double, AttrKind::DoubleArray),
            Self::String => (AttrKind::Str, AttrKind::StrArray),
            // There are no lists of these; the value is refused where it becomes an attribute.
            Self::Dtype => (AttrKind::DataType, AttrKind::DataType),
            Self::Place => (AttrKind::Place, AttrKind::Place),
        };
        Some(if matches!(value, GivenValue::List(_)) { list } else { one })
    }
}

impl GivenValue {
    fn text(&self) -> String {
        match self {
            Self::Bool(value) => format!("the truth value `{value}`"),
            Self::Integer(value) => format!("the integer `{value}`"),
            Self::Decimal(value) => format!("the number `{value}`"),
            Self::Text(value) => format!("the text `{value}`"),
            Self::List(_) => "a list".to_owned(),
        }
    }

    /// The number, if it is one.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Decimal(value) => Some(*value),
            // A larger integer would lose digits.
            Self::Integer(value) if value.unsigned_abs() <= 1 << 53 => Some(*value as f64),
            _ => None,
        }
    }

    /// The kind that it plainly is.
    fn plain_kind(&self) -> AttrKind {
        match self {
            Self::Bool(_) => AttrKind::Bool,
            Self::Integer(value) if i32::try_from(*value).is_err() => AttrKind::Int64,
            Self::Integer(_) => AttrKind::Int32,
            Self::Decimal(_) => AttrKind::Float,
            Self::Text(_) => AttrKind::Str,
            Self::List(_) => AttrKind::Array,
        }
    }
}

/// The attribute for a value. `results`: there must be a truth value for each of so many.
///
/// The error says what is wrong with it.
pub(super) fn attribute(
    context: &Context,
    given: &GivenValue,
    kind: Option<AttrKind>,
    results: Option<usize>,
) -> Result<AttrValue, String> {
    match (given, results) {
        (GivenValue::Bool(_), Some(count)) => {
            let for_each = GivenValue::List(vec![given.clone(); count]);
            attribute(context, &for_each, kind, None)
        }
        (GivenValue::List(items), Some(count)) if items.len() != count => Err(format!(
            "it holds a truth value for each result, of which there are {count}, and the list has {}",
            items.len()
        )),
        _ => convert(context, given, kind.unwrap_or_else(|| given.plain_kind())),
    }
}

fn convert(context: &Context, given: &GivenValue, kind: AttrKind) -> Result<AttrValue, String> {
    let misfit = || Err(format!("expected {}, found {}", expectation(kind), given.text()));
    if let GivenValue::List(items) = given {
        return convert_list(context, items, kind).unwrap_or_else(misfit);
    }
    let value = match (kind, given) {
        (AttrKind::Bool, GivenValue::Bool(value)) => AttrValue::Bool(*value),
        (AttrKind::Int32, GivenValue::Integer(value)) => match i32::try_from(*value) {
            Ok(value) => AttrValue::int32(value),
            Err(_) => return misfit(),
        },
        (AttrKind::Int64, GivenValue::Integer(value)) => AttrValue::Int(*value, IntKind::I64),
        (AttrKind::Float | AttrKind::Double, _) => match given.number() {
            Some(value) => float(value, kind),
            None => return misfit(),
        },
        (AttrKind::Str, GivenValue::Text(text)) => AttrValue::string(text),
        (AttrKind::DataType, GivenValue::Text(text)) if ScalarType::from_dtype(text).is_some() => {
            AttrValue::DataType(text.as_str().into())
        }
        (AttrKind::Place, GivenValue::Text(text)) => match Place::parse(text) {
            Some(place) => AttrValue::Place(place),
            None => return misfit(),
        },
        (AttrKind::Scalar, GivenValue::Bool(value)) => AttrValue::Scalar(Scalar::Bool(*value)),
        // As the reader of text has it: Paddle prints no kind.
        (AttrKind::Scalar, GivenValue::Integer(value)) => AttrValue::Int(*value, IntKind::NotSaid),
        (AttrKind::Scalar, GivenValue::Decimal(value)) => {
            AttrValue::Float(FloatBits::new(*value), FloatKind::NotSaid)
        }
        _ => return misfit(),
    };
    Ok(value)
}

fn float(value: f64, kind: AttrKind) -> AttrValue {
    match kind {
        AttrKind::Float => {
            AttrValue::Float(FloatBits::new(f64::from(value as f32)), FloatKind::F32)
        }
        _ => AttrValue::Float(FloatBits::new(value), FloatKind::F64),
    }
}

/// Nothing where `kind` is not that of a list.
fn convert_list(
    context: &Context,
    items: &[GivenValue],
    kind: AttrKind,
) -> Option<Result<AttrValue, String>> {
    if kind == AttrKind::IntArray {
        let integers = items.iter().map(|item| match item {
            GivenValue::Integer(value) => Some(*value),
            _ => None,
        });
        return Some(Ok(AttrValue::IntArray(integers.collect::<Option<_>>()?)));
    }
    if kind != AttrKind::Array && kind.element().is_none() {
        return None;
    }
    let element = |item: &GivenValue| {
        let kind = kind.element().unwrap_or_else(|| item.plain_kind());
        convert(context, item, kind).map(|value| context.attr(value))
    };
    let elements: Result<Vec<_>, String> = items.iter().map(element).collect();
    Some(elements.map(|elements| AttrValue::Array(elements.into())))
}

fn expectation(kind: AttrKind) -> &'static str {
    match kind {
        AttrKind::Bool => "`true` or `false`",
        AttrKind::Int32 => "an integer of 32 bits",
        AttrKind::Int64 => "an integer",
        AttrKind::Float | AttrKind::Double => "a number",
        AttrKind::Str => "a word or a string",
        AttrKind::DataType => "an element type, such as `float32`",
        AttrKind::Place => "a device, such as `cpu` or `gpu:0`",
        AttrKind::Scalar => "a truth value or a number",
        AttrKind::OpDist => "a mesh, which a pipeline cannot say",
        AttrKind::IntArray | AttrKind::Int32Array | AttrKind::Int64Array => "a list of integers",
        AttrKind::BoolArray => "a list of truth values",
        AttrKind::FloatArray | AttrKind::DoubleArray => "a list of numbers",
        AttrKind::StrArray => "a list of strings",
        AttrKind::Array | AttrKind::ScalarArray => "a list",
    }
}
