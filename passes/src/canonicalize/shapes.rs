//! Transposes and shapes: no number changes, only where it stands.

use pirogue::ir::{Attr, AttrValue, Context, IntKind};
use pirogue::rewrite::{Bound, RuleBuilder, rule};

pub(super) fn rules() -> Vec<RuleBuilder> {
    vec![
        rule(
            "transpose that moves nothing",
            "pd_op.transpose(x){perm=p} ==> x where p is 0, 1, 2, ...",
        )
        .when(["p"], |[p]| axes(p).is_some_and(|p| p.iter().copied().eq(0..p.len()))),
        // Axis i of `transpose(x, p)` is axis p[i] of x. So axis i of the second is axis q[i] of the
        // first, which is axis p[q[i]] of x.
        rule(
            "transpose of transpose",
            "pd_op.transpose(pd_op.transpose(x){perm=p}){perm=q} ==> pd_op.transpose(x){perm=r} \
             where r[i] = p[q[i]]",
        )
        .derive("r", ["p", "q"], |[p, q]| {
            let (first, second) = (axes(p)?, axes(q)?);
            let composed: Option<Vec<usize>> =
                second.iter().map(|&axis| first.get(axis).copied()).collect();
            Some(permutation(p.program().context(), &composed?))
        }),
        // Both keep the elements in order, and the last shape counts. A 0 in it copies a dim of what
        // is reshaped, which is another one; a -1 is what is left of the same number of elements.
        rule(
            "reshape of reshape",
            "pd_op.reshape(pd_op.reshape(x, _), s) ==> pd_op.reshape(x, s) \
             where s is constant, without a 0",
        )
        .when(["s"], |[s]| s.integers().is_some_and(|s| !s.contains(&0))),
        // Of one type, so of one shape, if no dim is left open.
        rule(
            "reshape to the same shape",
            "pd_op.reshape(x, _) ==> x where all dims of x are known",
        )
        .when(["x"], |[x]| x.known_dims().is_some()),
        rule("flatten to the same shape", "pd_op.flatten(x) ==> x where all dims of x are known")
            .when(["x"], |[x]| x.known_dims().is_some()),
        rule("expand to the same shape", "pd_op.expand(x, _) ==> x where all dims of x are known")
            .when(["x"], |[x]| x.known_dims().is_some()),
    ]
}

/// The axes of a permutation, counted from 0; nothing if it is none.
fn axes(perm: Bound<'_>) -> Option<Vec<usize>> {
    let perm = perm.integers()?;
    let rank = i64::try_from(perm.len()).ok()?;
    let axis = |&axis: &i64| {
        let from_front = if axis < 0 { axis + rank } else { axis };
        usize::try_from(from_front).ok().filter(|&axis| axis < perm.len())
    };
    let axes: Vec<usize> = perm.iter().map(axis).collect::<Option<_>>()?;
    let is_permutation = (0..perm.len()).all(|axis| axes.contains(&axis));
    is_permutation.then_some(axes)
}

fn permutation(context: &Context, axes: &[usize]) -> AttrValue {
    let attr = |&axis: &usize| context.attr(AttrValue::Int(axis as i64, IntKind::I32));
    AttrValue::Array(axes.iter().map(attr).collect::<Vec<Attr>>().into())
}
