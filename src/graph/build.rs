//! Graphs of a program: its places, its ops, a slice around a value.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::flow::{Flow, Source};
use super::{Edge, Emphasis, Graph, Node, NodeKind};
use crate::ir::{Op, Program, Value, names};
use crate::stats::{Amount, Place, ProgramStats};
use crate::text::{Labels, type_text};

type Set<T> = IndexSet<T, FxBuildHasher>;
type Map<K, V> = IndexMap<K, V, FxBuildHasher>;

impl Graph {
    /// A node for each role and chunk, an edge for what crosses from one to another.
    pub fn of_places(program: &Program) -> Self {
        let stats = ProgramStats::of(program);
        let place_of = |place: Place| {
            let at = stats.by_place.binary_search_by_key(&place, |(place, _)| *place);
            at.expect("what crosses does so between places that have ops")
        };
        let nodes = stats.by_place.iter().map(|(place, ops)| Node {
            lines: vec![place.to_string(), plural(*ops, "op")],
            kind: NodeKind::Place,
            emphasis: Emphasis::None,
        });
        let edges = stats.crossing.iter().map(|crossing| Edge {
            from: place_of(crossing.from),
            to: place_of(crossing.to),
            values: Vec::new(),
            amount: crossing.amount,
        });
        Self { nodes: nodes.collect(), edges: edges.collect() }
    }

    /// A node for each op of the top block, and for each of its arguments that is read.
    pub fn of_ops(program: &Program) -> Self {
        let flow = Flow { program };
        graph(flow, flow.sources(), &Set::default())
    }

    /// What makes the values; what that was made from, `steps` back; and who reads the values,
    /// `steps` on. Of values in a region, the op of the top block that holds it is meant.
    pub fn around(program: &Program, values: &[Value], steps: usize) -> Self {
        let flow = Flow { program };
        let centres: Set<Source> = values.iter().filter_map(|&value| flow.holder(value)).collect();
        let mut chosen = centres.clone();
        chosen.extend(back(flow, &centres, steps));
        chosen.extend(onward(flow, values, steps));
        let mut sources = flow.sources();
        sources.retain(|source| chosen.contains(source));
        // An argument that nothing reads is in no other picture, but can be asked for.
        let unread = values.iter().filter(|&&value| program.is_unused(value));
        let unread = unread.filter_map(|&value| flow.maker(value));
        sources.splice(0..0, unread.filter(|source| matches!(source, Source::Argument(_))));
        graph(flow, sources, &centres)
    }
}

/// What sources were made from, so many steps back.
fn back(flow: Flow<'_>, from: &Set<Source>, steps: usize) -> Set<Source> {
    reach(from.clone(), steps, |source, found| {
        let makers = flow.reads(source).into_iter().filter_map(|value| flow.maker(value));
        found.extend(makers);
    })
}

/// What is made from values, so many steps on.
fn onward(flow: Flow<'_>, values: &[Value], steps: usize) -> Set<Source> {
    let Some(more) = steps.checked_sub(1) else { return Set::default() };
    let holder_gives = |value: Value| match (flow.maker(value), flow.holder(value)) {
        (None, Some(holder)) => flow.gives(holder),
        _ => vec![value],
    };
    let values = values.iter().flat_map(|&value| holder_gives(value));
    let readers: Set<Source> = values.flat_map(|value| flow.readers(value)).collect();
    reach(readers, more, |source, found| {
        found.extend(flow.gives(source).into_iter().flat_map(|value| flow.readers(value)));
    })
}

/// What is reached in so many steps, the start included.
fn reach(start: Set<Source>, steps: usize, step: impl Fn(Source, &mut Vec<Source>)) -> Set<Source> {
    let mut frontier: Vec<Source> = start.iter().copied().collect();
    let mut reached = start;
    for _ in 0..steps {
        let mut found = Vec::new();
        frontier.iter().for_each(|&source| step(source, &mut found));
        found.retain(|&source| reached.insert(source));
        frontier = found;
        if frontier.is_empty() {
            break;
        }
    }
    reached
}

/// The graph of sources that are in the order of the program.
fn graph(flow: Flow<'_>, sources: Vec<Source>, centres: &Set<Source>) -> Graph {
    let labels = Labels::of(flow.program);
    let index: Map<Source, usize> = sources.iter().copied().zip(0..).collect();
    let nodes = sources.iter().map(|&source| {
        let emphasis = match centres.contains(&source) {
            true => Emphasis::Centre,
            false if is_open(flow, source, &index) => Emphasis::Open,
            false => Emphasis::None,
        };
        node(flow.program, source, &labels, emphasis)
    });
    let nodes = nodes.collect();
    let mut found: Map<(usize, usize), (Vec<String>, Amount)> = Map::default();
    for (&source, &to) in &index {
        for value in flow.reads(source) {
            let maker = flow.maker(value).and_then(|maker| index.get(&maker));
            let Some(&from) = maker else { continue };
            let (values, amount) = found.entry((from, to)).or_default();
            values.push(labels.text(flow.program, value));
            amount.add(flow.program.context(), flow.program.ty(value));
        }
    }
    let edges = found.into_iter();
    let edges = edges.map(|((from, to), (values, amount))| Edge { from, to, values, amount });
    Graph { nodes, edges: edges.collect() }
}

/// Whether a source reads, or is read by, what is not in the picture.
fn is_open(flow: Flow<'_>, source: Source, index: &Map<Source, usize>) -> bool {
    let is_out = |source: Source| !index.contains_key(&source);
    flow.reads(source).into_iter().filter_map(|value| flow.maker(value)).any(is_out)
        || flow.gives(source).into_iter().any(|value| flow.readers(value).any(is_out))
}

fn node(program: &Program, source: Source, labels: &Labels, emphasis: Emphasis) -> Node {
    let typed = |value| type_text(program.context(), program.ty(value));
    match source {
        Source::Argument(value) => {
            let lines = vec![labels.text(program, value), typed(value)];
            Node { lines, kind: NodeKind::Argument, emphasis }
        }
        Source::Op(op) => {
            let mut lines = vec![program.name_text(op).to_owned()];
            lines.extend(variable_name(program, op).map(|name| format!("`{name}`")));
            if let Some(first) = program.results(op).next() {
                let more = match program.result_count(op) - 1 {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                lines.push(format!("{}: {}{more}", labels.text(program, first), typed(first)));
            }
            Node { lines, kind: NodeKind::Op(Place::of(program, op)), emphasis }
        }
    }
}

/// The variable that an op reads, gives or sets by name.
pub(super) fn variable_name(program: &Program, op: Op) -> Option<&str> {
    let attr = match program.name(op) {
        names::DATA => names::NAME,
        names::PARAMETER | names::SET_PARAMETER => names::PARAMETER_NAME,
        names::SHADOW_OUTPUT => names::OUTPUT_NAME,
        _ => return None,
    };
    program.attr_str(op, attr)
}

fn plural(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}
