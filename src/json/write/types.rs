//! Writing types.

use super::{Emitter, Unsayable};
use crate::ir::{Context, DistTensorType, TensorType, Type, TypeKind};
use crate::json::codes::{self, LOCAL_NOT_SAID, NULL, TYPE_NOT_SAID};
use crate::json::dist::Spread;
use crate::json::document::{Document, Kind};
use crate::json::read::USUAL_LAYOUT;
use crate::text::type_text;

/// Writes a type. If it has no form, the emitter holds a part of it.
pub(super) fn write_type(context: &Context, ty: Type, out: &mut Emitter) -> Result<(), Unsayable> {
    let refused = || Unsayable::Type(type_text(context, ty));
    match context.type_kind(ty) {
        TypeKind::Null => empty(NULL, &[], out),
        TypeKind::Unknown => empty(NULL, &[TYPE_NOT_SAID], out),
        TypeKind::Stack => empty("2.t_stack", &[], out),
        TypeKind::Inlet => empty("2.t_inlet", &[], out),
        TypeKind::Outlet => empty("2.t_outlet", &[], out),
        TypeKind::Scalar(scalar) => {
            empty(codes::scalar_code(*scalar).ok_or_else(refused)?, &[], out);
        }
        TypeKind::Tensor(tensor) => dense("0.t_dtensor", tensor, out).ok_or_else(refused)?,
        TypeKind::SelectedRows(tensor) => {
            dense("1.t_selected_rows", tensor, out).ok_or_else(refused)?;
        }
        TypeKind::TensorArray(tensor) => tensor_array(tensor, out).ok_or_else(refused)?,
        TypeKind::Dist(dist) => dist_tensor(dist, out).ok_or_else(refused)?,
        TypeKind::Vec(elements) => {
            out.open_coded("0.t_vec");
            out.key("D");
            out.open_list();
            for &element in elements {
                out.item();
                write_type(context, element, out)?;
            }
            out.close_list();
            out.close_object();
        }
        TypeKind::Opaque(text) => foreign(text, out).ok_or_else(refused)?,
        TypeKind::SparseCoo(_) | TypeKind::SparseCsr => return Err(refused()),
    }
    Ok(())
}

fn empty(code: &str, words: &[&str], out: &mut Emitter) {
    out.open_coded(code);
    out.added_words(words);
    out.close_object();
}

/// `[element type, dims, layout, lod, offset]`
fn dense(code: &str, tensor: &TensorType, out: &mut Emitter) -> Option<()> {
    out.open_coded(code);
    out.key("D");
    out.open_list();
    element_dims_layout(tensor, out)?;
    let storage = tensor.storage.as_deref();
    out.item();
    out.open_list();
    for level in storage.map_or(&[][..], |storage| &storage.lod) {
        out.item();
        out.open_list();
        for &offset in level {
            out.item();
            out.unsigned(offset);
        }
        out.close_list();
    }
    out.close_list();
    out.item();
    out.unsigned(storage.map_or(0, |storage| storage.offset));
    out.close_list();
    out.close_object();
    Some(())
}

/// `[element type, dims, layout]`
fn tensor_array(tensor: &TensorType, out: &mut Emitter) -> Option<()> {
    out.open_coded("1.t_dense_tensor_array");
    out.key("D");
    out.open_list();
    element_dims_layout(tensor, out)?;
    out.close_list();
    out.close_object();
    Some(())
}

fn element_dims_layout(tensor: &TensorType, out: &mut Emitter) -> Option<()> {
    out.item();
    empty(codes::scalar_code(tensor.element)?, &[], out);
    out.item();
    out.integers(&tensor.dims);
    out.item();
    out.string(tensor.storage.as_ref().map_or(USUAL_LAYOUT, |storage| &storage.layout));
    Some(())
}

/// `[global tensor, spread, local dims]`
fn dist_tensor(dist: &DistTensorType, out: &mut Emitter) -> Option<()> {
    let mut spread = Spread::from_printed(&dist.placement)?;
    let local_dims = match &dist.local {
        Some(local) => spread.take_local(local)?,
        None => spread.local_dims(&dist.global.dims),
    };
    out.open_coded("4.t_dist_dtensor");
    out.key("D");
    out.open_list();
    out.item();
    dense("0.t_dtensor", &dist.global, out)?;
    out.item();
    spread.write(out);
    out.item();
    out.integers(&local_dims);
    out.close_list();
    out.added_words(if dist.local.is_none() { &[LOCAL_NOT_SAID] } else { &[] });
    out.close_object();
    Some(())
}

/// A type that was read from JSON and kept as it stood.
fn foreign(text: &str, out: &mut Emitter) -> Option<()> {
    let document = Document::parse(text).ok()?;
    (document.root().kind() == Kind::Object).then(|| out.copy(document.root()))
}
