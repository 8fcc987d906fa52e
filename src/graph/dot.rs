//! A graph in the language of Graphviz.

use std::fmt::Write as _;

use super::{Emphasis, Graph, Node};

impl Graph {
    /// The graph as DOT, a cluster for each role and chunk.
    pub fn to_dot(&self) -> String {
        let mut out = "digraph program {\n".to_owned();
        out += "  graph [fontname=\"monospace\"]\n";
        out += "  node [shape=box, fontname=\"monospace\"]\n";
        out += "  edge [fontname=\"monospace\"]\n";
        let clusters = self.clusters();
        if clusters.is_empty() {
            (0..self.nodes.len()).for_each(|index| out += &self.dot_node(index, "  "));
        }
        for (number, (title, members)) in clusters.iter().enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{number} {{");
            let _ = writeln!(out, "    label={}", quoted(title));
            members.iter().for_each(|&index| out += &self.dot_node(index, "    "));
            out += "  }\n";
        }
        for edge in &self.edges {
            let label = quoted(&edge.label());
            let _ = writeln!(out, "  n{} -> n{} [label={label}]", edge.from, edge.to);
        }
        out + "}\n"
    }

    fn dot_node(&self, index: usize, indent: &str) -> String {
        let Node { lines, emphasis, .. } = &self.nodes[index];
        let label = quoted(&lines.join("\n"));
        let style = match emphasis {
            Emphasis::None => "",
            Emphasis::Centre => ", style=bold",
            Emphasis::Open => ", style=dashed",
        };
        format!("{indent}n{index} [label={label}{style}]\n")
    }
}

/// A string of DOT: a backslash begins an escape there, a line ends with one.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.replace('\0', "\u{fffd}"))
}
