//! What an [`Attr`](super::Attr) can be.
//!
//! Text says less than memory holds: `1` may be an `int32`, an `int64`, a `float` or a scalar. The
//! reader asks the dialect facts; where those are silent the kind is *not said*. Values compare by
//! kind and content, floats by their bits (so that a NaN equals itself).

use super::{Attr, Type};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrValue {
    /// No attribute: `<#AttrNull>`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64, IntKind),
    /// A floating-point number.
    Float(FloatBits, FloatKind),
    /// A complex number: real part, imaginary part.
    Complex(FloatBits, FloatBits, FloatKind),
    /// A string. Paddle's strings are bytes.
    Str(Box<[u8]>),
    /// The name of a tensor; prints as a string does.
    TensorName(Box<[u8]>),
    /// A list of attributes.
    Array(Box<[Attr]>),
    /// A list of integers of one kind (`shape` of `pd_op.full`).
    IntArray(Box<[i64]>),
    /// A number that carries its own element type (`value` of `pd_op.full`).
    Scalar(Scalar),
    /// An element type by its long name: `float32`, `Undefined`.
    DataType(Box<str>),
    /// A device: `Place(gpu:3)`.
    Place(Place),
    /// A data layout: `NCHW`, `Undefined(AnyLayout)`.
    DataLayout(Box<str>),
    /// A type.
    Type(Type),
    /// An address. It means nothing in another process.
    Pointer(u64),
    /// How an op and its values are spread over meshes.
    OpDist(OpDist),
    /// A word or bracketed text of a kind that is not known here, kept as it was spelled.
    Opaque(Box<[u8]>),
}

/// Which integer attribute an integer is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntKind {
    /// Text does not say, and no fact is known of the attribute.
    NotSaid,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// An index.
    Index,
}

/// Which floating-point attribute a number is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    /// Text does not say, and no fact is known of the attribute.
    NotSaid,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// A double by its bits, so that it can be compared and hashed.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct FloatBits(u64);

impl FloatBits {
    /// The bits of `value`.
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// The number.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl std::fmt::Debug for FloatBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// A number that carries its own element type.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64, IntKind),
    /// A floating-point number.
    Float(FloatBits, FloatKind),
    /// A complex number: real part, imaginary part.
    Complex(FloatBits, FloatBits, FloatKind),
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The kind of device, as `Place(...)` spells it: `undefined`, `cpu`, `gpu`, `gpu_pinned`, ...
    pub kind: Box<str>,
    /// The device's number, where the kind has numbers.
    pub device: Option<i64>,
}

impl Place {
    /// The host processor.
    pub fn cpu() -> Self {
        Self { kind: "cpu".into(), device: None }
    }

    /// Reads `cpu`, `gpu_pinned`, `gpu:0`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, device) = match text.split_once(':') {
            Some((kind, number)) => (kind, Some(number.parse().ok()?)),
            None => (text, None),
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (!kind.is_empty() && kind.chars().all(is_word)).then(|| Self { kind: kind.into(), device })
    }
}

/// How an op and its values are spread over meshes of processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpDist {
    /// As Paddle prints it.
    pub printed: Box<[u8]>,
    /// The JSON form, which also names the dims of the meshes; none if only text was read.
    pub json: Option<Box<str>>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.device {
            Some(device) => write!(f, "Place({}:{device})", self.kind),
            None => write!(f, "Place({})", self.kind),
        }
    }
}

impl AttrValue {
    /// A string attribute.
    pub fn string(text: &str) -> Self {
        Self::Str(text.as_bytes().into())
    }

    /// A 32-bit integer attribute.
    pub const fn int32(value: i32) -> Self {
        Self::Int(value as i64, IntKind::I32)
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) | Self::Scalar(Scalar::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if it is one, of whichever kind.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value, _) | Self::Scalar(Scalar::Int(value, _)) => Some(*value),
            _ => None,
        }
    }

    /// The bytes of a string or tensor name.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Str(bytes) | Self::TensorName(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The text of a string or tensor name, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes().and_then(|bytes| str::from_utf8(bytes).ok())
    }
}
