//! Writing attributes.

use super::{Emitter, Unsayable};
use crate::dialect::{self, AttrKind, OpFacts};
use crate::ir::{Attr, AttrValue, Context, FloatBits, FloatKind, IntKind, Name, OpDist, Scalar};
use crate::json::codes::{self, KIND_NOT_SAID, LOCAL_NOT_SAID, NEGATIVE, NULL, UNDEFINED_DTYPE};
use crate::json::dist::{OP_SPREAD, OpSpread};
use crate::json::document::{Document, Kind};

use super::types::write_type;

/// Who will read what is written.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum For {
    /// Paddle's reader: only what it knows.
    Paddle,
    /// Our reader alone: also kinds that Paddle has no code for.
    Ourselves,
}

/// What a number of a kind that is not said is written as.
#[derive(Copy, Clone)]
pub(super) enum Usual {
    Integer,
    Single,
    Double,
    /// `0.a_i32` or `0.a_i64` for what is spelled as an integer, else `0.a_f64`.
    AsSpelled,
}

impl Usual {
    /// What Paddle stores in the attribute of this name, as far as it is known.
    ///
    /// A declared scalar is stored as what the op's builder was called with: seen are doubles
    /// under `value` and `values`, single precision under `bias` and `y`; `dim` is an index.
    pub(super) fn of(facts: Option<&OpFacts>, name: &str) -> Self {
        let kind = facts.and_then(|facts| facts.attr(name)).or_else(|| dialect::common_attr(name));
        match (kind, name) {
            (Some(AttrKind::Scalar | AttrKind::ScalarArray), "value" | "values") => Self::Double,
            (Some(AttrKind::Scalar | AttrKind::ScalarArray), "dim") => Self::Integer,
            (Some(AttrKind::Scalar | AttrKind::ScalarArray), _) => Self::Single,
            _ => Self::AsSpelled,
        }
    }

    fn code_of_integer(self, value: i64) -> &'static str {
        // Up to here the format holds every integer.
        const DOUBLE: u64 = 1 << 53;
        const SINGLE: u64 = 1 << 24;
        match self {
            Self::Double if value.unsigned_abs() <= DOUBLE => "0.a_f64",
            Self::Single if value.unsigned_abs() <= SINGLE => "0.a_f32",
            Self::AsSpelled if i32::try_from(value).is_ok() => "0.a_i32",
            _ => "0.a_i64",
        }
    }

    fn code_of_float(self) -> &'static str {
        match self {
            Self::Single => "0.a_f32",
            _ => "0.a_f64",
        }
    }
}

/// Writes `{"AT":...,"N":name}`. If the value has no form, the emitter is as it was.
pub(super) fn write_named(
    context: &Context,
    (name, attr): (Name, Attr),
    facts: Option<&OpFacts>,
    reader: For,
    out: &mut Emitter,
) -> Result<(), Unsayable> {
    let name = context.name_text(name);
    let mark = out.mark();
    out.item();
    out.open_object();
    out.key("AT");
    let mut writer = AttrWriter { context, usual: Usual::of(facts, name), reader, out };
    if let Err(reason) = writer.attr(attr) {
        out.back_to(mark);
        return Err(reason);
    }
    out.key("N");
    out.string(name);
    out.close_object();
    Ok(())
}

struct AttrWriter<'a> {
    context: &'a Context,
    usual: Usual,
    reader: For,
    out: &'a mut Emitter,
}

impl AttrWriter<'_> {
    fn attr(&mut self, attr: Attr) -> Result<(), Unsayable> {
        match self.context.attr_value(attr) {
            AttrValue::Null => self.coded(NULL, |_| Ok(())),
            AttrValue::Bool(value) => self.data("0.a_bool", |out| out.truth(*value)),
            AttrValue::Int(value, kind) => self.integer(*value, *kind),
            AttrValue::Float(value, kind) => self.float(*value, *kind),
            AttrValue::Complex(re, im, kind) => self.complex(*re, *im, *kind),
            AttrValue::Str(bytes) => self.string("0.a_str", bytes),
            AttrValue::TensorName(bytes) => self.string("0.a_tensorname", bytes),
            AttrValue::Array(elements) => self.array(elements),
            AttrValue::IntArray(elements) => {
                self.data("1.a_intarray", |out| out.integers(elements))
            }
            AttrValue::Scalar(scalar) => self.scalar(*scalar),
            AttrValue::DataType(text) => self.dtype(text),
            AttrValue::Place(place) => {
                let (kind, device, name) = codes::place_code(place);
                let is_told =
                    codes::place(kind, device, name).is_some_and(|(told, _)| told == *place);
                if !is_told {
                    return Err(Unsayable::Place);
                }
                self.data("1.a_place", |out| {
                    out.open_list();
                    out.item();
                    out.integer(kind);
                    out.item();
                    out.integer(device);
                    out.item();
                    out.string(name);
                    out.close_list();
                })
            }
            AttrValue::DataLayout(text) => self.data("1.a_layout", |out| out.string(text)),
            AttrValue::Type(ty) => {
                let context = self.context;
                self.coded("0.a_type", |out| {
                    out.key("D");
                    write_type(context, *ty, out)
                })
            }
            AttrValue::Pointer(address) => self.pointer(*address),
            AttrValue::OpDist(dist) => self.op_dist(dist),
            AttrValue::Opaque(bytes) => self.opaque(bytes),
        }
    }

    fn coded(
        &mut self,
        code: &str,
        write: impl FnOnce(&mut Emitter) -> Result<(), Unsayable>,
    ) -> Result<(), Unsayable> {
        self.out.open_coded(code);
        write(self.out)?;
        self.out.close_object();
        Ok(())
    }

    fn data(&mut self, code: &str, write: impl FnOnce(&mut Emitter)) -> Result<(), Unsayable> {
        self.coded(code, |out| {
            out.key("D");
            write(out);
            Ok(())
        })
    }

    fn string(&mut self, code: &str, bytes: &[u8]) -> Result<(), Unsayable> {
        let text = str::from_utf8(bytes).map_err(|_| Unsayable::NotUtf8)?;
        self.data(code, |out| out.string(text))
    }

    fn array(&mut self, elements: &[Attr]) -> Result<(), Unsayable> {
        self.out.open_coded("0.a_array");
        self.out.key("D");
        self.out.open_list();
        for &element in elements {
            self.out.item();
            self.attr(element)?;
        }
        self.out.close_list();
        self.out.close_object();
        Ok(())
    }

    fn dtype(&mut self, text: &str) -> Result<(), Unsayable> {
        let (long, short) = UNDEFINED_DTYPE;
        self.data("1.a_dtype", |out| out.string(if text == short { long } else { text }))
    }

    /// From JSON it is kept as it stood; text lacks the names of the mesh's dims.
    fn op_dist(&mut self, dist: &OpDist) -> Result<(), Unsayable> {
        let kept = dist.json.as_deref().and_then(|json| copy_coded(json, self.out));
        let printed = str::from_utf8(&dist.printed).map_err(|_| Unsayable::NotUtf8)?;
        match (kept, OpSpread::from_printed(printed)) {
            (Some(()), _) => Ok(()),
            (None, Some(spread)) => self.coded(OP_SPREAD, |out| {
                out.key("D");
                spread.write_data(out);
                out.added_words(&[LOCAL_NOT_SAID]);
                Ok(())
            }),
            (None, None) => self.opaque(&dist.printed),
        }
    }

    /// A word of no known kind, or what was read from JSON and is kept as it stood.
    fn opaque(&mut self, bytes: &[u8]) -> Result<(), Unsayable> {
        let text = str::from_utf8(bytes).map_err(|_| Unsayable::NotUtf8)?;
        if copy_coded(text, self.out).is_some() {
            return Ok(());
        }
        match self.reader {
            For::Paddle => Err(Unsayable::Attr),
            For::Ourselves => self.data("pirogue.a_opaque", |out| out.string(text)),
        }
    }

    fn pointer(&mut self, address: u64) -> Result<(), Unsayable> {
        match self.reader {
            For::Paddle => Err(Unsayable::Attr),
            For::Ourselves => {
                self.data("pirogue.a_pointer", |out| out.string(&format!("{address:#x}")))
            }
        }
    }
}

/// # Numbers
impl AttrWriter<'_> {
    fn integer(&mut self, value: i64, kind: IntKind) -> Result<(), Unsayable> {
        let (code, words): (_, &[&str]) = match kind {
            IntKind::I32 if i32::try_from(value).is_ok() => ("0.a_i32", &[]),
            IntKind::I32 | IntKind::I64 => ("0.a_i64", &[]),
            IntKind::Index => ("0.a_index", &[]),
            IntKind::NotSaid => (self.usual.code_of_integer(value), &[KIND_NOT_SAID]),
        };
        self.coded(code, |out| {
            out.key("D");
            out.integer(value);
            out.added_words(words);
            Ok(())
        })
    }

    fn float(&mut self, value: FloatBits, kind: FloatKind) -> Result<(), Unsayable> {
        let code = match kind {
            FloatKind::F32 => "0.a_f32",
            FloatKind::F64 => "0.a_f64",
            FloatKind::NotSaid => self.usual.code_of_float(),
        };
        let value = value.get();
        let is_negative_nan = value.is_nan() && value.is_sign_negative();
        let notes = [(kind == FloatKind::NotSaid, KIND_NOT_SAID), (is_negative_nan, NEGATIVE)];
        let words: Vec<&str> =
            notes.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
        let value = rounded(value, kind);
        self.coded(code, |out| {
            match void_word(value) {
                None => {
                    out.key("D");
                    out.double(value);
                }
                Some(word) => {
                    out.key("VD");
                    out.string(word);
                }
            }
            out.added_words(&words);
            Ok(())
        })
    }

    fn complex(&mut self, re: FloatBits, im: FloatBits, kind: FloatKind) -> Result<(), Unsayable> {
        let code = if kind == FloatKind::F32 { "0.a_c64" } else { "0.a_c128" };
        let words: &[&str] = if kind == FloatKind::NotSaid { &[KIND_NOT_SAID] } else { &[] };
        self.coded(code, |out| {
            out.key("D");
            out.open_list();
            parts(&[re, im], kind, out)?;
            out.close_list();
            out.added_words(words);
            Ok(())
        })
    }

    /// `["int64",5]`. A scalar says its kind by its dtype.
    fn scalar(&mut self, scalar: Scalar) -> Result<(), Unsayable> {
        let dtype = match scalar {
            Scalar::Bool(_) => "bool",
            Scalar::Int(value, IntKind::I32) if i32::try_from(value).is_ok() => "int32",
            Scalar::Int(..) => "int64",
            Scalar::Float(_, FloatKind::F32) => "float32",
            Scalar::Float(..) => "float64",
            Scalar::Complex(_, _, FloatKind::F32) => "complex64",
            Scalar::Complex(..) => "complex128",
        };
        self.coded("1.a_scalar", |out| {
            out.key("D");
            out.open_list();
            out.item();
            out.string(dtype);
            match scalar {
                Scalar::Bool(value) => {
                    out.item();
                    out.truth(value);
                }
                Scalar::Int(value, _) => {
                    out.item();
                    out.integer(value);
                }
                Scalar::Float(value, kind) => parts(&[value], kind, out)?,
                Scalar::Complex(re, im, kind) => parts(&[re, im], kind, out)?,
            }
            out.close_list();
            Ok(())
        })
    }
}

/// Numbers that stand in a list have no form where they are not finite.
fn parts(values: &[FloatBits], kind: FloatKind, out: &mut Emitter) -> Result<(), Unsayable> {
    for value in values {
        let value = rounded(value.get(), kind);
        if !value.is_finite() {
            return Err(Unsayable::NotFinite);
        }
        out.item();
        out.double(value);
    }
    Ok(())
}

/// A number as its kind holds it.
fn rounded(value: f64, kind: FloatKind) -> f64 {
    if kind == FloatKind::F32 { f64::from(value as f32) } else { value }
}

/// What stands for a number that JSON cannot write: in the spelling that Paddle reads.
fn void_word(value: f64) -> Option<&'static str> {
    match value {
        f64::INFINITY => Some("INF"),
        f64::NEG_INFINITY => Some("-INF"),
        _ if value.is_nan() => Some("NAN"),
        _ => None,
    }
}

/// Copies the JSON of an attribute.
fn copy_coded(text: &str, out: &mut Emitter) -> Option<()> {
    let document = Document::parse(text).ok()?;
    let root = document.root();
    let mut entries = root.entries().ok()?;
    entries
        .any(|(key, code)| key.raw() == "\"#\"" && code.kind() == Kind::Text)
        .then(|| out.copy(root))
}
