//! Reading types.

use crate::ir::{Context, DistTensorType, ScalarType, TensorType, Type, TypeKind};

use super::scan::item_length;
use crate::text::spell::write_type_kind;

/// How deep types and attributes may nest; those of real programs nest three deep.
pub(super) const DEPTH: usize = 64;

/// Reads a whole text as one type.
pub(super) fn read_type(context: &Context, text: &[u8]) -> Option<Type> {
    let kind = read_kind(context, text, 0)?;
    let mut plain = Vec::new();
    write_type_kind(context, &kind, &mut plain);
    Some(if plain == text { context.ty(kind) } else { context.ty_spelled(kind, text) })
}

fn read_kind(context: &Context, text: &[u8], depth: usize) -> Option<TypeKind> {
    if depth > DEPTH {
        return None;
    }
    if let Some(scalar) = ScalarType::from_spelling(text) {
        return Some(TypeKind::Scalar(scalar));
    }
    Some(match text {
        b"<<NULL TYPE>>" => TypeKind::Null,
        b"<<UNKNOWN TYPE>>" => TypeKind::Unknown,
        b"cf.stack" => TypeKind::Stack,
        b"cf.inlet" => TypeKind::Inlet,
        b"cf.outlet" => TypeKind::Outlet,
        b"pd_op." => TypeKind::SparseCsr,
        _ => return read_bracketed(context, text, depth).or_else(|| read_opaque(text)),
    })
}

fn read_bracketed(context: &Context, text: &[u8], depth: usize) -> Option<TypeKind> {
    let open = text.iter().position(|byte| matches!(byte, b'<' | b'['))?;
    let (head, body) = text.split_at(open);
    let inside = body.get(1..body.len() - 1)?;
    match (head, body[0], *body.last()?) {
        (b"tensor" | b"builtin.tensor" | b"pd_op.tensor", b'<', b'>') => {
            read_tensor(inside).map(TypeKind::Tensor)
        }
        (b"vec" | b"builtin.vec", b'[', b']') => read_vec(context, inside, depth),
        (b"vec" | b"builtin.vec", b'<', b'>') => read_vec(context, inside, depth),
        (b"pd_op.selectedrows", b'<', b'>') => read_tensor(inside).map(TypeKind::SelectedRows),
        (b"pd_op.sparsecootensor", b'<', b'>') => read_tensor(inside).map(TypeKind::SparseCoo),
        (b"pd_op.tensor_array", b'<', b'>') => read_tensor(inside).map(TypeKind::TensorArray),
        (b"pd_dist.tensor", b'<', b'>') => read_dist(inside).map(TypeKind::Dist),
        _ => None,
    }
}

/// Splits `2x-1xf32` at the `x` behind the last dim.
fn read_tensor(mut text: &[u8]) -> Option<TensorType> {
    let mut dims = Vec::new();
    while let Some(at) = text.iter().position(|&byte| byte == b'x') {
        let Some(dim) = str::from_utf8(&text[..at]).ok().and_then(|dim| dim.parse().ok()) else {
            break;
        };
        dims.push(dim);
        text = &text[at + 1..];
    }
    Some(TensorType::new(dims, ScalarType::from_spelling(text)?))
}

fn read_vec(context: &Context, mut text: &[u8], depth: usize) -> Option<TypeKind> {
    let mut elements = Vec::new();
    while !text.is_empty() {
        let length = item_length(text);
        elements.push(context.ty(read_kind(context, text[..length].trim_ascii(), depth + 1)?));
        text = &text[length..];
        text = text.strip_prefix(b",").unwrap_or(text);
    }
    Some(TypeKind::Vec(elements.into()))
}

fn read_dist(text: &[u8]) -> Option<DistTensorType> {
    let (global, placement) = text.split_at(item_length(text));
    let placement = str::from_utf8(placement).ok()?.strip_prefix(", ")?;
    Some(DistTensorType { global: read_tensor(global)?, placement: placement.into(), local: None })
}

/// A type of another dialect: a dotted name, whatever brackets follow it.
fn read_opaque(text: &[u8]) -> Option<TypeKind> {
    let text = str::from_utf8(text).ok()?;
    let head = text.split(['<', '[', '(']).next()?;
    let is_dotted = head.contains('.')
        && head.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    let is_known =
        ["builtin.", "pd_op.", "pd_dist.", "cf."].iter().any(|dialect| head.starts_with(dialect));
    let is_whole = item_length(text.as_bytes()) == text.len();
    (is_dotted && is_whole && !is_known).then(|| TypeKind::Opaque(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::type_text;

    #[track_caller]
    fn comes_back(text: &str) {
        let context = Context::new();
        let ty = read_type(&context, text.as_bytes()).expect(text);
        assert_eq!(type_text(&context, ty), text);
    }

    #[test]
    fn types_come_back_as_they_were_spelled() {
        for text in [
            "tensor<2x-1xf32>",
            "tensor<f8e4m3fn>",
            "vec[tensor<2xf32>,f32,<<NULL TYPE>>]",
            "vec[]",
            "vec[vec[f32]]",
            "builtin.tensor<1xi32>",
            "pd_dist.tensor<32x32xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]>",
            "my_dialect.handle<3>",
        ] {
            comes_back(text);
        }
    }

    #[test]
    fn an_old_spelling_is_the_same_type() {
        let context = Context::new();
        let read = |text: &str| read_type(&context, text.as_bytes()).expect(text);
        assert!(context.same_type(read("builtin.tensor<1xi32>"), read("tensor<1xi32>")));
        assert!(!context.same_type(read("tensor<1xi32>"), read("tensor<1xi64>")));
    }

    #[test]
    fn what_is_no_type_is_refused() {
        let context = Context::new();
        for text in [
            "",
            "tensor<",
            "tensor<2x>",
            "tensor<axf32>",
            "f33",
            "vec[f32",
            "pd_op.whatever",
            "99999999999999999999xf32",
        ] {
            assert_eq!(read_type(&context, text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_very_deep_type_is_refused() {
        let context = Context::new();
        let text = format!("{}f32{}", "vec[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read_type(&context, text.as_bytes()), None);
    }
}
