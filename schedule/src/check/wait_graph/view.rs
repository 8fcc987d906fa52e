//! What petgraph's algorithms ask of a graph, answered without storing one.

use fixedbitset::FixedBitSet;
use petgraph::visit::{
    Data, EdgeRef, GraphBase, IntoEdgeReferences, IntoEdges, IntoNeighbors, Visitable,
};
use smallvec::SmallVec;

use super::super::wait::Reason;
use super::{Edge, Node, PARTS, WaitGraph};

impl GraphBase for WaitGraph<'_> {
    type NodeId = Node;
    type EdgeId = (Node, Node);
}

impl Data for WaitGraph<'_> {
    type NodeWeight = ();
    type EdgeWeight = Reason;
}

impl EdgeRef for Edge {
    type NodeId = Node;
    type EdgeId = (Node, Node);
    type Weight = Reason;

    fn source(&self) -> Node {
        self.source
    }

    fn target(&self) -> Node {
        self.target
    }

    fn weight(&self) -> &Reason {
        &self.reason
    }

    fn id(&self) -> (Node, Node) {
        (self.source, self.target)
    }
}

impl IntoNeighbors for &WaitGraph<'_> {
    type Neighbors = smallvec::IntoIter<[Node; 2]>;

    fn neighbors(self, source: Node) -> Self::Neighbors {
        let targets: SmallVec<[Node; 2]> =
            self.waits_of(source).into_iter().map(|edge| edge.target).collect();
        targets.into_iter()
    }
}

impl IntoEdgeReferences for &WaitGraph<'_> {
    type EdgeRef = Edge;
    type EdgeReferences = std::vec::IntoIter<Edge>;

    fn edge_references(self) -> Self::EdgeReferences {
        self.pending_waits().into_iter()
    }
}

impl IntoEdges for &WaitGraph<'_> {
    type Edges = smallvec::IntoIter<[Edge; 2]>;

    fn edges(self, source: Node) -> Self::Edges {
        self.waits_of(source).into_iter()
    }
}

impl Visitable for WaitGraph<'_> {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(PARTS.len() * self.progress.schedule.jobs().len())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(PARTS.len() * self.progress.schedule.jobs().len());
    }
}
