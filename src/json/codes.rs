//! The short codes that Paddle's JSON has for dialects, element types and devices, and the names
//! of what this crate adds.

use std::borrow::Cow;

use crate::ir::{Place, ScalarType};

/// The dialects that have a code. Others keep their name; so does `dist_op`, whose ops Paddle 3.3
/// writes under that name and then cannot read.
const DIALECTS: [(&str, &str); 5] =
    [("0", "builtin"), ("1", "pd_op"), ("2", "cf"), ("3", "custom_op"), ("4", "pd_dist")];

/// The code of the compressed form of `builtin.parameter`.
pub(super) const PARAMETER: &str = "p";

/// The code of a null type or attribute.
pub(super) const NULL: &str = "NULL";

/// The key under which this crate keeps what Paddle's format has no place for.
pub(super) const ADDED: &str = "pirogue";

/// Says that the kind of a number is not known; `#` has the one that Paddle should take.
pub(super) const KIND_NOT_SAID: &str = "kind not said";
/// Says that a type is not known; Paddle takes it for the null type.
pub(super) const TYPE_NOT_SAID: &str = "type not said";
/// Says that mesh dim names and local dims are not known; those in the file are made up.
pub(super) const LOCAL_NOT_SAID: &str = "names not said";
/// Says that the sign bit of a NaN is set.
pub(super) const NEGATIVE: &str = "negative";

/// `1.full` for `pd_op.full`.
pub(super) fn compress(name: &str) -> Cow<'_, str> {
    match name.split_once('.') {
        Some((dialect, rest)) => match DIALECTS.iter().find(|(_, name)| *name == dialect) {
            Some((code, _)) => Cow::Owned(format!("{code}.{rest}")),
            None => Cow::Borrowed(name),
        },
        None => Cow::Borrowed(name),
    }
}

/// `pd_op.full` for `1.full`; nothing where there is no dialect.
pub(super) fn decompress(name: &str) -> Option<Cow<'_, str>> {
    let (code, rest) = name.split_once('.')?;
    let dialect = DIALECTS.iter().find(|(known, _)| *known == code);
    Some(match dialect {
        Some((_, dialect)) => Cow::Owned(format!("{dialect}.{rest}")),
        None => Cow::Borrowed(name),
    })
}

/// The element types. Paddle has no code for `undefined`.
const SCALARS: [(&str, ScalarType); 15] = [
    ("0.t_bf16", ScalarType::BF16),
    ("0.t_f16", ScalarType::F16),
    ("0.t_f32", ScalarType::F32),
    ("0.t_f64", ScalarType::F64),
    ("0.t_bool", ScalarType::Bool),
    ("0.t_i8", ScalarType::I8),
    ("0.t_ui8", ScalarType::U8),
    ("0.t_i16", ScalarType::I16),
    ("0.t_i32", ScalarType::I32),
    ("0.t_i64", ScalarType::I64),
    ("0.t_index", ScalarType::Index),
    ("0.t_c64", ScalarType::C64),
    ("0.t_c128", ScalarType::C128),
    ("0.t_f8e4m3fn", ScalarType::F8E4M3FN),
    ("0.t_f8e5m2", ScalarType::F8E5M2),
];

/// The code of an element type.
pub(super) fn scalar_code(scalar: ScalarType) -> Option<&'static str> {
    SCALARS.iter().find(|(_, known)| *known == scalar).map(|(code, _)| *code)
}

/// The element type of a code.
pub(super) fn scalar_type(code: &str) -> Option<ScalarType> {
    SCALARS.iter().find(|(known, _)| *known == code).map(|(_, scalar)| *scalar)
}

/// The kinds of devices, each with its number and whether Paddle prints the device's number.
const DEVICES: [(i64, &str, Numbered); 7] = [
    (0, "undefined", Numbered::Yes),
    (1, "cpu", Numbered::No),
    (2, "gpu", Numbered::Yes),
    (3, "gpu_pinned", Numbered::No),
    (4, "xpu", Numbered::Yes),
    (5, "xpu_pinned", Numbered::No),
    (7, "ipu", Numbered::Yes),
];

#[derive(Copy, Clone, PartialEq, Eq)]
enum Numbered {
    Yes,
    No,
}

/// The number of devices that are known to Paddle by name only, such as `npu`.
const CUSTOM_DEVICE: i64 = 9;

/// What `[type, device id, device type]` is, and how it is spelled if not as the place would be.
pub(super) fn place(kind: i64, device: i64, name: &str) -> Option<(Place, Option<String>)> {
    if kind == CUSTOM_DEVICE {
        return Some((Place { kind: name.into(), device: Some(device) }, None));
    }
    let &(_, known, numbered) = DEVICES.iter().find(|(code, ..)| *code == kind)?;
    if !name.is_empty() {
        return None;
    }
    let shown = (numbered == Numbered::Yes || device != 0).then_some(device);
    let hides_number = numbered == Numbered::No && device != 0;
    Some((
        Place { kind: known.into(), device: shown },
        hides_number.then(|| format!("Place({known})")),
    ))
}

/// `[type, device id, device type]` of a place.
pub(super) fn place_code(place: &Place) -> (i64, i64, &str) {
    let device = place.device.unwrap_or(0);
    match DEVICES.iter().find(|(_, name, _)| *name == &*place.kind) {
        Some((code, ..)) => (*code, device, ""),
        None => (CUSTOM_DEVICE, device, &place.kind),
    }
}

/// JSON's word for a dtype whose text is `Undefined`.
pub(super) const UNDEFINED_DTYPE: (&str, &str) = ("Undefined(ALL_DTYPE)", "Undefined");
