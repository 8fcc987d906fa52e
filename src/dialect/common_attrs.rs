//! The attributes that any op may carry.
//!
//! They are not in an op's description: the front end, the distributed planner and the pipeline passes put them on
//! whatever op they are about. Real programs have no others beyond what ops declare. (`op_callstack` is there in memory,
//! but is neither printed nor stored.)

use super::AttrKind;

/// Every common attribute, sorted by name.
const COMMON: [(&str, AttrKind); 12] = [
    ("chunk_id", AttrKind::Int32),
    ("event_to_record", AttrKind::Str),
    ("events_to_wait", AttrKind::StrArray),
    ("execution_stream", AttrKind::Str),
    ("force_record_event", AttrKind::Bool),
    ("grad_merge_add", AttrKind::Bool),
    ("op_dist_attr", AttrKind::OpDist),
    ("op_role", AttrKind::Int32),
    ("persistable", AttrKind::BoolArray),
    ("scheduling_priority", AttrKind::Int32),
    ("stop_gradient", AttrKind::BoolArray),
    ("struct_name", AttrKind::Str),
];

/// The kind of an attribute that any op may carry, such as `op_role` or `stop_gradient`.
///
/// `stop_gradient` and `persistable` hold one entry per result. On a block argument they are plain booleans.
pub fn common_attr(name: &str) -> Option<AttrKind> {
    let index = COMMON.binary_search_by_key(&name, |(common, _)| common).ok()?;
    Some(COMMON[index].1)
}

#[cfg(test)]
mod tests {
    use super::{COMMON, common_attr};
    use crate::dialect::AttrKind;

    #[test]
    fn common_attrs_are_found_and_others_are_not() {
        assert!(COMMON.is_sorted_by_key(|(name, _)| name));
        assert_eq!(common_attr("op_role"), Some(AttrKind::Int32));
        assert_eq!(common_attr("events_to_wait"), Some(AttrKind::StrArray));
        assert_eq!(common_attr("transpose_x"), None);
        assert_eq!(common_attr(""), None);
    }
}
