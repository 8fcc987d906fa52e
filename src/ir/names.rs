//! Names that the framework itself knows. Every context interns them first and in this order, so
//! that each is a constant to compare with.

use super::Name;

macro_rules! known_names {
    ($($constant:ident = $text:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($constant,)* }

        /// The known names, in the order in which a context interns them.
        pub(crate) const ALL: &[&str] = &[$($text,)*];

        $(
            #[doc = concat!("`", $text, "`")]
            pub const $constant: Name = Name::new(Index::$constant as u32);
        )*
    };
}

known_names! {
    OP_ROLE = "op_role";
    CHUNK_ID = "chunk_id";
    STOP_GRADIENT = "stop_gradient";
    PERSISTABLE = "persistable";
    PLACE = "place";
    NAME = "name";
    PARAMETER_NAME = "parameter_name";
    OUTPUT_NAME = "output_name";
    STRUCT_NAME = "struct_name";
    GRAD_MERGE_ADD = "grad_merge_add";
    EXECUTION_STREAM = "execution_stream";
    SCHEDULING_PRIORITY = "scheduling_priority";
    FORCE_RECORD_EVENT = "force_record_event";
    EVENT_TO_RECORD = "event_to_record";
    EVENTS_TO_WAIT = "events_to_wait";
    DYNAMIC_SHAPE = "dynamic_shape";
    USE_CALC_STREAM = "use_calc_stream";
    RING_ID = "ring_id";
    TRANSPOSE_X = "transpose_x";
    TRANSPOSE_Y = "transpose_y";
    DTYPE = "dtype";
    VALUE = "value";
    OP_DIST_ATTR = "op_dist_attr";
    DATA = "pd_op.data";
    PARAMETER = "builtin.parameter";
    SHADOW_OUTPUT = "builtin.shadow_output";
    SET_PARAMETER = "builtin.set_parameter";
    COMBINE = "builtin.combine";
    SPLIT = "builtin.split";
    SLICE = "builtin.slice";
    IF = "pd_op.if";
    WHILE = "pd_op.while";
    PYLAYER = "pd_op.pylayer";
    YIELD = "cf.yield";
    STACK_CREATE = "cf.stack_create";
    TUPLE_PUSH = "cf.tuple_push";
    TUPLE_POP = "cf.tuple_pop";
    HAS_ELEMENTS = "cf.has_elements";
    SEND_V2 = "pd_op.send_v2";
    RECV_V2 = "pd_op.recv_v2";
    MATMUL = "pd_op.matmul";
    MATMUL_GRAD = "pd_op.matmul_grad";
    FULL_INT_ARRAY = "pd_op.full_int_array";
    RESHAPE = "pd_op.reshape";
    ADD_INPLACE = "pd_op.add_";
    SUM = "pd_op.sum";
}
