//! How types and attributes are spelled.

use crate::ir::{Attr, AttrValue, Context, Scalar, TensorType, Type, TypeKind};

/// The spelling of a type.
pub fn type_text(context: &Context, ty: Type) -> String {
    let mut out = Vec::new();
    write_type(context, ty, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The spelling of an attribute.
pub fn attr_text(context: &Context, attr: Attr) -> String {
    let mut out = Vec::new();
    write_attr(context, attr, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends the spelling of a type.
pub(crate) fn write_type(context: &Context, ty: Type, out: &mut Vec<u8>) {
    match context.type_spelling(ty) {
        Some(spelling) => out.extend_from_slice(spelling),
        None => write_type_kind(context, context.type_kind(ty), out),
    }
}

/// Appends how Paddle spells a type.
pub(crate) fn write_type_kind(context: &Context, kind: &TypeKind, out: &mut Vec<u8>) {
    match kind {
        TypeKind::Null => out.extend(b"<<NULL TYPE>>"),
        TypeKind::Unknown => out.extend(b"<<UNKNOWN TYPE>>"),
        TypeKind::Scalar(scalar) => out.extend(scalar.spelling().bytes()),
        TypeKind::Tensor(tensor) => write_tensor("tensor<", tensor, out),
        TypeKind::SelectedRows(tensor) => write_tensor("pd_op.selectedrows<", tensor, out),
        TypeKind::SparseCoo(tensor) => write_tensor("pd_op.sparsecootensor<", tensor, out),
        TypeKind::SparseCsr => out.extend(b"pd_op."),
        TypeKind::TensorArray(tensor) => {
            out.extend(b"pd_op.tensor_array<");
            out.extend(tensor.element.spelling().bytes());
            out.push(b'>');
        }
        TypeKind::Vec(elements) => {
            out.extend(b"vec[");
            write_list(elements, out, |&ty, out| write_type(context, ty, out));
            out.push(b']');
        }
        TypeKind::Dist(dist) => {
            write_tensor("pd_dist.tensor<", &dist.global, out);
            out.pop();
            out.extend(b", ");
            out.extend(dist.placement.bytes());
            out.push(b'>');
        }
        TypeKind::Stack => out.extend(b"cf.stack"),
        TypeKind::Inlet => out.extend(b"cf.inlet"),
        TypeKind::Outlet => out.extend(b"cf.outlet"),
        TypeKind::Opaque(text) => out.extend(text.bytes()),
    }
}

fn write_tensor(open: &str, tensor: &TensorType, out: &mut Vec<u8>) {
    out.extend(open.bytes());
    for &dim in &tensor.dims {
        write_integer(dim, out);
        out.push(b'x');
    }
    out.extend(tensor.element.spelling().bytes());
    out.push(b'>');
}

/// Appends the spelling of an attribute: the one it was read in, else Paddle's.
pub(crate) fn write_attr(context: &Context, attr: Attr, out: &mut Vec<u8>) {
    match (context.attr_spelling(attr), context.string_name(attr)) {
        (Some(spelling), _) => out.extend_from_slice(spelling),
        (None, Some(text)) => write_string(context.name_text(text).as_bytes(), out),
        (None, None) => write_attr_value(context, context.attr_value(attr), out),
    }
}

/// Appends how Paddle spells a value.
pub(crate) fn write_attr_value(context: &Context, value: &AttrValue, out: &mut Vec<u8>) {
    match value {
        AttrValue::Null => out.extend(b"<#AttrNull>"),
        AttrValue::Bool(value) => write_bool(*value, out),
        AttrValue::Int(value, _) => write_integer(*value, out),
        AttrValue::Float(value, _) => write_float(value.get(), out),
        AttrValue::Complex(re, im, _) => write_complex(re.get(), im.get(), out),
        AttrValue::Str(bytes) | AttrValue::TensorName(bytes) => write_string(bytes, out),
        AttrValue::Array(elements) => {
            out.push(b'[');
            write_list(elements, out, |&attr, out| write_attr(context, attr, out));
            out.push(b']');
        }
        AttrValue::IntArray(elements) => {
            out.push(b'[');
            write_list(elements, out, |&value, out| write_integer(value, out));
            out.push(b']');
        }
        AttrValue::Scalar(scalar) => write_scalar(*scalar, out),
        AttrValue::DataType(text) | AttrValue::DataLayout(text) => out.extend(text.bytes()),
        AttrValue::Place(place) => out.extend(place.to_string().bytes()),
        AttrValue::Type(ty) => write_type(context, *ty, out),
        AttrValue::Pointer(0) => out.push(b'0'),
        AttrValue::Pointer(address) => out.extend(format!("{address:#x}").bytes()),
        AttrValue::OpDist(dist) => out.extend_from_slice(&dist.printed),
        AttrValue::Opaque(bytes) => out.extend_from_slice(bytes),
    }
}

fn write_scalar(scalar: Scalar, out: &mut Vec<u8>) {
    match scalar {
        Scalar::Bool(value) => write_bool(value, out),
        Scalar::Int(value, _) => write_integer(value, out),
        Scalar::Float(value, _) => write_float(value.get(), out),
        Scalar::Complex(re, im, _) => write_complex(re.get(), im.get(), out),
    }
}

fn write_list<T>(items: &[T], out: &mut Vec<u8>, write: impl Fn(&T, &mut Vec<u8>)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn write_complex(re: f64, im: f64, out: &mut Vec<u8>) {
    out.extend(b"real:");
    write_float(re, out);
    out.extend(b" imag:");
    write_float(im, out);
}

/// The only escape is that of `"`; all other bytes stand as they are, backslashes too.
fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Appends a decimal integer.
pub(crate) fn write_integer(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    write_unsigned(value.unsigned_abs(), out);
}

/// Appends a decimal number; the printer's hottest loop.
pub(crate) fn write_unsigned(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a float as a C++ stream does with its default precision: C's `%g`, six digits.
pub(crate) fn write_float(value: f64, out: &mut Vec<u8>) {
    const DIGITS: i32 = 6;
    if value.is_nan() {
        return out.extend_from_slice(if value.is_sign_negative() { b"-nan" } else { b"nan" });
    }
    if value.is_infinite() {
        return out.extend_from_slice(if value < 0.0 { b"-inf" } else { b"inf" });
    }
    // Rounding to six digits may carry into the exponent, so it is read off the rounded form.
    let rounded = format!("{value:.5e}");
    let (mantissa, exponent) = rounded.split_once('e').expect("`{:e}` writes an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` writes a decimal exponent");
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        out.extend(without_trailing_zeros(&format!("{value:.decimals$}")).bytes());
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let mantissa = without_trailing_zeros(mantissa);
        out.extend(format!("{mantissa}e{sign}{:02}", exponent.abs()).bytes());
    }
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}
