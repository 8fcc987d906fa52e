//! What ops do besides computing their results.
//!
//! Paddle's descriptions do not say it, so the lists here are made by rule where there is one, and by hand where not; the
//! tests hold the rules against the table, so that an op of a later version cannot slip through:
//!
//! - **Communication**: every op with a `ring_id`, which names a group of ranks, except `c_identity` and `c_split`, which
//!   move nothing. By hand: the ops that wait for a stream, `sync_batch_norm` (it sums over ranks), and `dist_op.reshard`
//!   (a placeholder for the communication that will replace it). `send_u_recv` and its kin are not in it: they pass messages
//!   along the edges of a graph, inside one device.
//! - **Random**: every op that is no gradient and speaks of a seed, a generator or a dropout in its operands, attributes or
//!   results. By hand: the ops that draw from the default generator and say so only in their names.
//! - **Undeclared alias**: `add_n_`, the one op whose name ends in `_` (written in place) and that declares no pair, and by
//!   hand the ops whose kernels share memory.
//! - **The others**: by hand. They are few, and each is plain from its name.
//!
//! Writing over an operand as declared is not in these lists: it is in [`OpFacts::inplace`](super::OpFacts::inplace).

use super::{OpFacts, facts};

/// What an op may do besides computing its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// It sends, receives, or waits for other ranks or streams: leaving it out may hang another rank.
    Communication,
    /// It draws random numbers: two of them with the same operands differ.
    Random,
    /// It is seen from outside: it prints, checks and stops, reads or writes a file, switches a debugging mode.
    Host,
    /// It gives a name's value to the program: a parameter, a data input.
    NamedInput,
    /// It gives a value to the world outside of the program under a name.
    NamedOutput,
    /// It belongs to the control flow around it: it ends a region, or carries values from a forward to a backward region.
    ControlFlow,
    /// It does what the ops in its regions do; look there.
    Regions,
    /// It writes or shares the memory of an operand, and does not declare the pair.
    UndeclaredAlias,
}

impl Effect {
    /// Every effect.
    pub const ALL: [Self; 8] = [
        Self::Communication,
        Self::Random,
        Self::Host,
        Self::NamedInput,
        Self::NamedOutput,
        Self::ControlFlow,
        Self::Regions,
        Self::UndeclaredAlias,
    ];

    /// The names of the ops that have this effect, in byte order.
    pub fn ops(self) -> &'static [&'static str] {
        match self {
            Self::Communication => COMMUNICATION,
            Self::Random => RANDOM,
            Self::Host => HOST,
            Self::NamedInput => NAMED_INPUT,
            Self::NamedOutput => NAMED_OUTPUT,
            Self::ControlFlow => CONTROL_FLOW,
            Self::Regions => REGIONS,
            Self::UndeclaredAlias => UNDECLARED_ALIAS,
        }
    }

    /// Whether the op of this name is known to have this effect.
    pub fn applies_to(self, op_name: &str) -> bool {
        self.ops().binary_search(&op_name).is_ok()
    }

    /// Whether the effect is missed when the op is left out.
    ///
    /// Random numbers that nobody reads are not missed (the numbers drawn after them may change, as they do when Paddle
    /// removes such an op), nor is a named value that nobody reads.
    fn outlives_the_op(self) -> bool {
        !matches!(self, Self::Random | Self::NamedInput)
    }
}

/// Whether an op must stay although nobody uses its results.
///
/// In-place writes come on top: an op that writes over an operand is seen through every other use of that operand
/// ([`OpFacts::is_inplace`]). An op of which nothing is known must stay. An answer takes half a microsecond: a pass over
/// many ops asks once for each name.
pub fn has_side_effects(op_name: &str) -> bool {
    let known = facts(op_name).is_some_and(OpFacts::is_described);
    !known
        || Effect::ALL
            .into_iter()
            .any(|effect| effect.outlives_the_op() && effect.applies_to(op_name))
}

/// Whether an op is nothing but a function of its operands and attributes: two equal ones may become one, one may become
/// two, and an unused one may go.
///
/// A pure op's *result* may still be written over by an in-place op; whoever merges two ops asks that of the program.
pub fn is_pure(op_name: &str) -> bool {
    let Some(op) = facts(op_name).filter(|op| op.is_described()) else {
        return false;
    };
    op.aliases().next().is_none()
        && !Effect::ALL.into_iter().any(|effect| effect.applies_to(op_name))
}

const COMMUNICATION: &[&str] = &[
    "dist_op.reshard",
    "pd_op.all_gather",
    "pd_op.all_reduce",
    "pd_op.all_reduce_",
    "pd_op.all_to_all",
    "pd_op.barrier",
    "pd_op.broadcast",
    "pd_op.broadcast_",
    "pd_op.c_allreduce_sum",
    "pd_op.c_allreduce_sum_",
    "pd_op.c_concat",
    "pd_op.c_concat_grad",
    "pd_op.c_scatter",
    "pd_op.c_softmax_with_cross_entropy",
    "pd_op.c_softmax_with_cross_entropy_grad",
    "pd_op.c_softmax_with_cross_entropy_grad_",
    "pd_op.c_softmax_with_multi_label_cross_entropy",
    "pd_op.c_softmax_with_multi_label_cross_entropy_grad",
    "pd_op.class_center_sample",
    "pd_op.comm_init_all",
    "pd_op.fused_attention",
    "pd_op.fused_attention_grad",
    "pd_op.fused_feedforward",
    "pd_op.fused_feedforward_grad",
    "pd_op.fused_multi_transformer_",
    "pd_op.fused_multi_transformer_int8",
    "pd_op.fused_multi_transformer_int8_xpu",
    "pd_op.fused_multi_transformer_xpu",
    "pd_op.global_gather",
    "pd_op.global_gather_grad",
    "pd_op.global_scatter",
    "pd_op.global_scatter_grad",
    "pd_op.margin_cross_entropy",
    "pd_op.margin_cross_entropy_grad",
    "pd_op.margin_cross_entropy_grad_",
    "pd_op.mp_allreduce_sum",
    "pd_op.mp_allreduce_sum_",
    "pd_op.mp_allreduce_sum_grad",
    "pd_op.partial_allgather",
    "pd_op.partial_allgather_",
    "pd_op.partial_recv",
    "pd_op.partial_send",
    "pd_op.recv_v2",
    "pd_op.reduce",
    "pd_op.reduce_",
    "pd_op.reduce_scatter",
    "pd_op.send_v2",
    "pd_op.sync_batch_norm_",
    "pd_op.sync_batch_norm_grad",
    "pd_op.sync_batch_norm_grad_sp",
    "pd_op.sync_batch_norm_sp_",
    "pd_op.sync_calc_stream",
    "pd_op.sync_calc_stream_",
    "pd_op.sync_comm_stream",
    "pd_op.sync_comm_stream_",
];

const RANDOM: &[&str] = &[
    "pd_op.bernoulli",
    "pd_op.binomial",
    "pd_op.class_center_sample",
    "pd_op.cudnn_lstm",
    "pd_op.dirichlet",
    "pd_op.dpsgd",
    "pd_op.dropout",
    "pd_op.dropout_",
    "pd_op.exponential_",
    "pd_op.flash_attn",
    "pd_op.flash_attn_qkvpacked",
    "pd_op.flash_attn_unpadded",
    "pd_op.flash_attn_varlen_qkvpacked",
    "pd_op.flashmask_attention",
    "pd_op.fractional_max_pool2d",
    "pd_op.fractional_max_pool3d",
    "pd_op.fused_attention",
    "pd_op.fused_bias_dropout_residual_layer_norm",
    "pd_op.fused_dot_product_attention",
    "pd_op.fused_dropout_add",
    "pd_op.fused_feedforward",
    "pd_op.fused_multi_transformer_",
    "pd_op.fused_multi_transformer_int8",
    "pd_op.fused_multi_transformer_int8_xpu",
    "pd_op.fused_multi_transformer_xpu",
    "pd_op.gaussian",
    "pd_op.gaussian_inplace",
    "pd_op.gaussian_inplace_",
    "pd_op.graph_khop_sampler",
    "pd_op.graph_sample_neighbors",
    "pd_op.gumbel_softmax",
    "pd_op.memory_efficient_attention",
    "pd_op.multinomial",
    "pd_op.nce",
    "pd_op.poisson",
    "pd_op.pyramid_hash",
    "pd_op.randint",
    "pd_op.random",
    "pd_op.random_",
    "pd_op.randperm",
    "pd_op.rnn",
    "pd_op.rnn_",
    "pd_op.rrelu",
    "pd_op.seed",
    "pd_op.shuffle_batch",
    "pd_op.standard_gamma",
    "pd_op.tdm_sampler",
    "pd_op.top_p_sampling",
    "pd_op.truncated_gaussian_random",
    "pd_op.uniform",
    "pd_op.uniform_inplace",
    "pd_op.uniform_inplace_",
    "pd_op.uniform_random_batch_size_like",
    "pd_op.uniform_random_batch_size_like_sr",
    "pd_op.weighted_sample_neighbors",
];

const HOST: &[&str] = &[
    "pd_op.accuracy_check",
    "pd_op.assert",
    "pd_op.check_numerics",
    "pd_op.disable_check_model_nan_inf",
    "pd_op.disable_check_model_nan_inf_grad",
    "pd_op.enable_check_model_nan_inf",
    "pd_op.enable_check_model_nan_inf_grad",
    "pd_op.load_combine",
    "pd_op.print",
    "pd_op.print_grad",
    "pd_op.read_file",
    "pd_op.save_combine",
];

const NAMED_INPUT: &[&str] = &["builtin.parameter", "pd_op.data", "pd_op.feed"];

const NAMED_OUTPUT: &[&str] = &["builtin.set_parameter", "builtin.shadow_output", "pd_op.fetch"];

const CONTROL_FLOW: &[&str] =
    &["cf.has_elements", "cf.stack_create", "cf.tuple_pop", "cf.tuple_push", "cf.yield"];

const REGIONS: &[&str] = &["pd_op.if", "pd_op.pylayer", "pd_op.while"];

const UNDECLARED_ALIAS: &[&str] = &[
    "pd_op.add_n_",
    "pd_op.coalesce_tensor",
    "pd_op.shadow_feed",
    "pd_op.shadow_feed_tensors",
    "pd_op.share_data",
    "pd_op.share_data_sr",
];

#[cfg(test)]
mod tests {
    use super::{Effect, has_side_effects, is_pure};
    use crate::dialect::{OpFacts, facts, op_names};

    fn ops() -> impl Iterator<Item = &'static OpFacts> {
        op_names().filter_map(facts)
    }

    fn is_gradient(name: &str) -> bool {
        ["_grad", "_grad_", "_grad_sp"].iter().any(|suffix| name.ends_with(suffix))
    }

    #[test]
    fn every_listed_op_is_registered_and_lists_are_sorted() {
        for effect in Effect::ALL {
            assert!(effect.ops().is_sorted_by(|left, right| left < right), "{effect:?}");
            let strangers = effect.ops().iter().filter(|name| facts(name).is_none());
            assert_eq!(strangers.count(), 0, "{effect:?}");
        }
    }

    #[test]
    fn every_op_with_a_ring_communicates_but_the_two_that_move_nothing() {
        let silent = ops().filter(|op| {
            op.attr("ring_id").is_some() && !Effect::Communication.applies_to(op.name)
        });
        let silent = silent.map(|op| op.name).collect::<Vec<_>>();
        assert_eq!(silent, ["pd_op.c_identity", "pd_op.c_identity_", "pd_op.c_split"]);
    }

    #[test]
    fn every_op_that_speaks_of_a_seed_and_is_no_gradient_is_random() {
        let speaks = |name: &str| ["seed", "rng", "dropout"].iter().any(|word| name.contains(word));
        for op in ops().filter(|op| !is_gradient(op.name)) {
            let mut names = (op.operands.iter().map(|it| it.name))
                .chain(op.attrs.iter().map(|it| it.name))
                .chain(op.results.iter().map(|it| it.name));
            assert!(!names.any(speaks) || Effect::Random.applies_to(op.name), "{}", op.name);
        }
        assert!(
            Effect::Random.ops().iter().all(|name| !is_gradient(name)),
            "a gradient reuses the forward's numbers"
        );
    }

    // Such an op is there for nothing else, so one that has none was forgotten in the lists.
    #[test]
    fn every_op_without_results_has_side_effects() {
        let useless = ops().filter(|op| op.results.is_empty() && !has_side_effects(op.name));
        assert_eq!(useless.map(|op| op.name).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_op_named_as_in_place_has_an_alias_declared_or_listed() {
        let named = ops().filter(|op| op.name.ends_with('_') && op.aliases().next().is_none());
        assert!(named.map(|op| op.name).eq(["pd_op.add_n_"]));
        assert!(has_side_effects("pd_op.add_n_") && !is_pure("pd_op.add_n_"));
    }

    #[test]
    fn unknown_ops_are_kept_and_never_merged() {
        for name in ["custom_op.mine", "", "pd_op.share_var"] {
            assert!(has_side_effects(name) && !is_pure(name), "{name}");
        }
    }

    #[test]
    fn effects_tell_what_may_go_and_what_may_be_merged() {
        // (op, must stay when unused, may be merged with its equal)
        for (name, stays, merges) in [
            ("pd_op.matmul", false, true),
            ("pd_op.full", false, true),
            ("pd_op.dropout", false, false),
            ("pd_op.data", false, false),
            ("builtin.parameter", false, false),
            ("pd_op.add_", false, false),
            ("pd_op.batch_norm_", false, false),
            ("builtin.combine", false, true),
            ("builtin.shadow_output", true, false),
            ("builtin.set_parameter", true, false),
            ("pd_op.send_v2", true, false),
            ("pd_op.recv_v2", true, false),
            ("pd_op.all_reduce", true, false),
            ("pd_op.print", true, false),
            ("cf.yield", true, false),
            ("pd_op.while", true, false),
        ] {
            assert_eq!((has_side_effects(name), is_pure(name)), (stays, merges), "{name}");
        }
    }
}
