//! The data flow of a program, to look at: as DOT, and as SVG.
//!
//! A [`Graph`] has a node for each op of the top block, and for each argument of the block that is
//! read; or, for a program too large to look at, one for each [`Place`], the role and chunk of an
//! op. An op in a region belongs to the op of the top block that holds it. Edges say what flows:
//! the values, and their [`Amount`].
//!
//! 1. [`Graph::of_places`]: a program by role and chunk, with what [`stats`](crate::stats) counts.
//! 2. [`Graph::of_ops`]: op by op. [`Graph::around`]: the ops some steps around a value, which
//!    [`find_values`] finds by what a person calls it.
//! 3. [`Graph::to_dot`], [`Graph::to_svg`]: the pictures. The SVG is laid out here, with nothing
//!    else to install, and takes its colour from where it is shown.
//!
//! Nodes are in the order of the program, edges in that of who reads; so the same program gives the
//! same bytes.
//!
//! ```
//! use pirogue::graph::{Graph, find_values};
//! use pirogue::{ir::Context, text};
//! let source = "{
//!     (%0) = \"my.load\" () {} : () -> tensor<2xf32>
//!     (%1) = \"my.left\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     (%2) = \"my.right\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
//!     () = \"my.store\" (%1, %2) {} : (tensor<2xf32>, tensor<2xf32>) -> \n}\n";
//! let program = text::read_program(&Context::new(), "", source.as_bytes()).expect("it is well formed").program;
//! let left = find_values(&program, "%1").expect("the program has it");
//! let slice = Graph::around(&program, &left, 1);
//! let names: Vec<&str> = slice.nodes().iter().map(|node| node.lines[0].as_str()).collect();
//! assert_eq!(names, ["my.load", "my.left", "my.store"]);
//! assert!(slice.to_dot().starts_with("digraph"));
//! ```

mod build;
mod dot;
mod find;
mod flow;
mod layout;
mod svg;
#[cfg(test)]
mod tests;

use crate::stats::{Amount, Place};

pub use find::find_values;

/// A picture of more ops than this is a wall: [`Graph::of_places`] shows such a program.
pub const MOST_OPS: usize = 300;

/// What flows in a program; see the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A place, an op, or an argument of the top block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What is written in it: first what it is called, then more about it.
    pub lines: Vec<String>,
    /// What it is, and so what it is drawn within.
    pub kind: NodeKind,
    /// Whether it stands out.
    pub emphasis: Emphasis,
}

/// What a node is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// All ops of a role and chunk.
    Place,
    /// An op of the top block, in its place.
    Op(Place),
    /// An argument of the top block: a kwarg, as a rule.
    Argument,
}

/// Whether a node stands out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// All that it reads, and all who read it, are in the picture.
    None,
    /// What the picture is around.
    Centre,
    /// The picture ends here: it reads, or is read by, what is left out.
    Open,
}

/// What flows from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node where it is made.
    pub from: usize,
    /// The node that reads it.
    pub to: usize,
    /// What the values are called, if they are told one by one.
    pub values: Vec<String>,
    /// How much it is; a value counts once.
    pub amount: Amount,
}

impl Graph {
    /// The nodes, in the order of the program, or of their places.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The edges; no two lead from and to the same nodes.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// What the nodes are drawn within, in the order of their first nodes, with their nodes.
    /// A place that is a node itself is drawn within nothing.
    fn clusters(&self) -> Vec<(String, Vec<usize>)> {
        let mut kinds: Vec<NodeKind> = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if node.kind == NodeKind::Place {
                continue;
            }
            let at = kinds.iter().position(|&kind| kind == node.kind).unwrap_or_else(|| {
                kinds.push(node.kind);
                members.push(Vec::new());
                kinds.len() - 1
            });
            members[at].push(index);
        }
        kinds.iter().map(NodeKind::title).zip(members).collect()
    }
}

impl NodeKind {
    fn title(&self) -> String {
        match self {
            Self::Place => "places".to_owned(),
            Self::Op(place) => place.to_string(),
            Self::Argument => "arguments".to_owned(),
        }
    }
}

impl Edge {
    /// What is written at the edge.
    fn label(&self) -> String {
        if !self.values.is_empty() {
            return self.values.join(", ");
        }
        let Amount { values, bytes, unknown, .. } = self.amount;
        let s = if values == 1 { "" } else { "s" };
        let size = match (unknown, bytes) {
            (0, bytes) => size_text(bytes),
            (unknown, _) if unknown == values => "of unknown size".to_owned(),
            (unknown, bytes) => format!("{} and {unknown} of unknown size", size_text(bytes)),
        };
        format!("{values} value{s}, {size}")
    }
}

/// `49.6 KiB`: a number of bytes to three or four digits, rounded down.
fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let steps = bytes.checked_ilog2().unwrap_or(0) / 10;
    let Some(unit) = (steps as usize).checked_sub(1).map(|step| UNITS[step]) else {
        return format!("{bytes} B");
    };
    // Of the last step, 10 bits are kept for the digit behind the point.
    let tenths = (bytes >> (10 * (steps - 1))) * 10 / 1024;
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}
