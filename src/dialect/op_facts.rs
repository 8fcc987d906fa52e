//! The facts of one op, and the questions one may ask of them.
//!
//! Operands, attributes and results stand in declared order. That is the order of the SSA operands and results, and the
//! order in which Paddle's JSON writes the attributes.

use std::ops::RangeInclusive;

use super::kinds::{AttrKind, Multiplicity, ValueKind};

/// Where the facts of an op come from, and so how far to trust them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Paddle's own description.
    Declared,
    /// Written by hand from what Paddle's programs show, for an op that does not describe itself.
    Observed,
    /// The op is registered; no more is known, and its lists are empty.
    NameOnly,
}

/// One declared operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandFact {
    /// Its name; empty for the three `dist_op`s whose operand has none.
    pub name: &'static str,
    /// What it is.
    pub kind: ValueKind,
    /// How many values it stands for.
    pub multiplicity: Multiplicity,
    /// Whether a null value may stand in its place.
    pub optional: bool,
    /// Whether only its shape and type are needed, so that its memory may be gone when the op runs.
    pub no_need_buffer: bool,
}

impl OperandFact {
    /// Whether it is an attribute of the API that is passed as a value, such as `shape` of `pd_op.reshape`.
    pub fn is_mutable_attribute(&self) -> bool {
        matches!(self.kind, ValueKind::Scalar | ValueKind::IntArray)
    }
}

/// One declared attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttrFact {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: AttrKind,
}

/// One declared result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultFact {
    /// Its name; empty for the three `dist_op`s whose result has none.
    pub name: &'static str,
    /// What it is.
    pub kind: ValueKind,
    /// How many values it stands for.
    pub multiplicity: Multiplicity,
    /// Whether the op is complete without it. A result that is not optional may have the null type all the same.
    pub optional: bool,
    /// Whether it is there only for the op's gradient.
    pub intermediate: bool,
}

/// A result that uses the memory of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The index of the result.
    pub result: usize,
    /// The index of the operand.
    pub operand: usize,
}

/// What is known about one registered op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpFacts {
    /// The name, with the dialect: `pd_op.matmul`.
    pub name: &'static str,
    /// Where the facts come from.
    pub source: Source,
    /// The operands.
    pub operands: Box<[OperandFact]>,
    /// The attributes that every such op carries.
    pub attrs: Box<[AttrFact]>,
    /// The results.
    pub results: Box<[ResultFact]>,
    /// The results that are written over an operand.
    pub inplace: Box<[Alias]>,
    /// The results that share memory with an operand without being written over it. Some pairs are of both lists.
    pub view: Box<[Alias]>,
}

/// The numbers of values, and the parts by name and by index.
impl OpFacts {
    /// Whether anything but the name is known.
    pub fn is_described(&self) -> bool {
        self.source != Source::NameOnly
    }

    /// How many operands an op of this name can have, nulls included.
    pub fn operand_count(&self) -> RangeInclusive<usize> {
        self.count(self.operands.len(), self.operands.last().map(|last| last.multiplicity))
    }

    /// How many results an op of this name can have, those of null type included.
    pub fn result_count(&self) -> RangeInclusive<usize> {
        self.count(self.results.len(), self.results.last().map(|last| last.multiplicity))
    }

    fn count(&self, declared: usize, last: Option<Multiplicity>) -> RangeInclusive<usize> {
        match last {
            _ if !self.is_described() => 0..=usize::MAX,
            Some(Multiplicity::Variadic) => declared - 1..=usize::MAX,
            _ => declared..=declared,
        }
    }

    /// The fact for the SSA operand at `index`.
    pub fn operand(&self, index: usize) -> Option<&OperandFact> {
        let variadic =
            self.operands.last().filter(|last| last.multiplicity == Multiplicity::Variadic);
        self.operands.get(index).or(variadic)
    }

    /// The fact for the SSA result at `index`.
    pub fn result(&self, index: usize) -> Option<&ResultFact> {
        let variadic =
            self.results.last().filter(|last| last.multiplicity == Multiplicity::Variadic);
        self.results.get(index).or(variadic)
    }

    /// The index of the operand of this name.
    pub fn operand_index(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|operand| operand.name == name)
    }

    /// The index of the result of this name.
    pub fn result_index(&self, name: &str) -> Option<usize> {
        self.results.iter().position(|result| result.name == name)
    }

    /// The kind of the declared attribute of this name.
    pub fn attr(&self, name: &str) -> Option<AttrKind> {
        self.attrs.iter().find(|attr| attr.name == name).map(|attr| attr.kind)
    }
}

/// Memory: what is written over, what is shared, what is not needed.
impl OpFacts {
    /// Whether the op writes a result over an operand.
    pub fn is_inplace(&self) -> bool {
        !self.inplace.is_empty()
    }

    /// Every pair of a result and the operand whose memory it uses, in place or as a view, each pair once.
    pub fn aliases(&self) -> impl Iterator<Item = Alias> {
        let views = self.view.iter().filter(|pair| !self.inplace.contains(pair));
        self.inplace.iter().chain(views).copied()
    }

    /// Whether the op reads the memory of the operand at `index`, and not only its shape.
    pub fn needs_buffer(&self, index: usize) -> bool {
        self.operand(index).is_none_or(|operand| !operand.no_need_buffer)
    }

    /// Whether the operand at `index` is a vector: one value that `builtin.combine` made of several.
    pub fn is_vector(&self, index: usize) -> bool {
        self.operand(index).is_some_and(|operand| operand.multiplicity == Multiplicity::Vector)
    }
}

#[cfg(test)]
mod tests {
    use super::{Alias, OpFacts, Source};
    use crate::dialect::{AttrKind, ValueKind, facts, op_names};

    fn registered(name: &str) -> &'static OpFacts {
        facts(name).expect("a registered op")
    }

    fn alias(result: usize, operand: usize) -> Alias {
        Alias { result, operand }
    }

    // Wide, with optional operands in the middle, numbers passed as values, and a write over almost every operand.
    #[test]
    fn adamw_writes_its_parameter_and_moments_in_place() {
        let op = registered("pd_op.adamw_");
        assert_eq!((op.operand_count(), op.result_count()), (13..=13, 7..=7));
        let pairs = op
            .inplace
            .iter()
            .map(|pair| (op.results[pair.result].name, op.operands[pair.operand].name));
        assert_eq!(
            pairs.collect::<Vec<_>>(),
            [
                ("param_out", "param"),
                ("moment1_out", "moment1"),
                ("moment2_out", "moment2"),
                ("moment2_max_out", "moment2_max"),
                ("beta1_pow_out", "beta1_pow"),
                ("beta2_pow_out", "beta2_pow"),
                ("master_param_out", "master_param"),
            ]
        );
        let optional =
            op.operands.iter().filter(|operand| operand.optional).map(|operand| operand.name);
        assert_eq!(optional.collect::<Vec<_>>(), ["moment2_max", "master_param", "skip_update"]);
        assert!(op.operands[op.operand_index("beta1").expect("an operand")].is_mutable_attribute());
        assert_eq!(op.attr("beta1"), None, "it is an operand");
        assert_eq!(op.attr("min_row_size_to_use_multithread"), Some(AttrKind::Int64));
    }

    // The op for which the rule of no-need-buffer matters most: it keeps no activation alive.
    #[test]
    fn add_grad_needs_only_the_shapes_of_its_forward_operands() {
        let op = registered("pd_op.add_grad");
        assert_eq!(
            (0..4).map(|index| op.needs_buffer(index)).collect::<Vec<_>>(),
            [false, false, true, true]
        );
        assert!(!op.is_inplace());
        assert_eq!(
            op_names()
                .filter_map(facts)
                .flat_map(|op| &op.operands)
                .filter(|operand| operand.no_need_buffer)
                .count(),
            133
        );
    }

    // Three neighbours: no alias, one in place, and one that is both lists' and must be told once.
    #[test]
    fn reshape_takes_its_shape_as_a_value_and_reshape_in_place_is_one_alias() {
        let reshape = registered("pd_op.reshape");
        assert_eq!(reshape.operands[1].kind, ValueKind::IntArray);
        assert!(reshape.operands[1].is_mutable_attribute());
        assert_eq!(reshape.aliases().count(), 0);

        let in_place = registered("pd_op.reshape_");
        let pair = alias(0, 0);
        assert_eq!((&*in_place.inplace, &*in_place.view), (&[pair][..], &[pair][..]));
        assert_eq!(in_place.aliases().collect::<Vec<_>>(), [pair]);
        assert!(registered("pd_op.add_").is_inplace());
    }

    // Views without a write: the statistics of the training step live in the operands' memory.
    #[test]
    fn batch_norm_has_views_and_is_not_in_place() {
        let op = registered("pd_op.batch_norm_");
        assert!(!op.is_inplace());
        let views = [alias(1, 1), alias(2, 2)];
        assert_eq!(op.aliases().collect::<Vec<_>>(), views);
        assert_eq!(op.result_index("mean_out"), Some(1));
        assert!(op.results[op.result_index("reserve_space").expect("a result")].optional);
    }

    #[test]
    fn a_vector_operand_is_one_value_and_a_variadic_one_is_many() {
        let add_n = registered("pd_op.add_n");
        assert!(add_n.is_vector(0));
        assert_eq!(add_n.operand_count(), 1..=1);

        let combine = registered("builtin.combine");
        assert!(!combine.is_vector(0));
        assert_eq!((combine.operand_count(), combine.result_count()), (0..=usize::MAX, 1..=1));
        assert_eq!(combine.operand(291).map(|operand| operand.name), Some("inputs"));

        let tuple_push = registered("cf.tuple_push");
        assert_eq!(
            (tuple_push.operand_count(), tuple_push.result_count()),
            (1..=usize::MAX, 0..=0)
        );
        assert_eq!(tuple_push.operand(0).map(|operand| operand.name), Some("inlet"));
    }

    #[test]
    fn an_op_of_which_only_the_name_is_known_may_have_any_counts() {
        let op = registered("pd_op.share_var");
        assert!(!op.is_described());
        assert_eq!((op.operand_count(), op.result_count()), (0..=usize::MAX, 0..=usize::MAX));
        assert!(op.needs_buffer(0), "nothing is known, so nothing may be freed");
    }

    // One of the three ops that describe themselves without names.
    #[test]
    fn a_value_without_a_name_has_the_empty_name() {
        let op = registered("dist_op.reshard");
        assert_eq!((op.operands[0].name, op.operands[0].kind), ("", ValueKind::Any));
        assert_eq!(op.source, Source::Declared);
    }
}
