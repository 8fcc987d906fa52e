//! `petgraph`'s traits, for [`DataFlow`].
//!
//! They are implemented for the view itself, which is two words to copy; `petgraph` adds them for
//! references to it.

use fixedbitset::FixedBitSet;
use petgraph::visit::{
    Data, EdgeRef, GraphBase, GraphProp, GraphRef, IntoEdgeReferences, IntoEdges,
    IntoEdgesDirected, IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers,
    IntoNodeReferences, NodeCount, NodeIndexable, NodeRef, VisitMap, Visitable,
};
use petgraph::{Directed, Direction};
use smallvec::SmallVec;

use super::{DataEdge, DataFlow};
use crate::ir::program::BlockOps;
use crate::ir::{Op, Use};

/// Edges of one op.
pub struct DataEdges(smallvec::IntoIter<[DataEdge; 4]>);

impl DataEdges {
    pub(super) fn gather(edges: impl Iterator<Item = DataEdge>) -> Self {
        Self(SmallVec::<[DataEdge; 4]>::from_iter(edges).into_iter())
    }
}

impl Iterator for DataEdges {
    type Item = DataEdge;

    fn next(&mut self) -> Option<DataEdge> {
        self.0.next()
    }
}

/// The ops at the other ends of the edges of one op.
pub struct Neighbours {
    edges: DataEdges,
    direction: Direction,
}

impl Iterator for Neighbours {
    type Item = Op;

    fn next(&mut self) -> Option<Op> {
        let edge = self.edges.next()?;
        Some(match self.direction {
            Direction::Outgoing => edge.user,
            Direction::Incoming => edge.producer,
        })
    }
}

/// The edges of all ops of a block.
pub struct AllEdges<'p> {
    flow: DataFlow<'p>,
    users: BlockOps<'p>,
    edges: DataEdges,
}

impl Iterator for AllEdges<'_> {
    type Item = DataEdge;

    fn next(&mut self) -> Option<DataEdge> {
        loop {
            if let Some(edge) = self.edges.next() {
                return Some(edge);
            }
            self.edges = self.flow.incoming(self.users.next()?);
        }
    }
}

/// An op with its name, as a node of a graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OpNode<'p> {
    op: Op,
    name: &'p str,
}

/// The ops of a block, with their names.
pub struct OpNodes<'p> {
    flow: DataFlow<'p>,
    ops: BlockOps<'p>,
}

impl<'p> Iterator for OpNodes<'p> {
    type Item = OpNode<'p>;

    fn next(&mut self) -> Option<OpNode<'p>> {
        let op = self.ops.next()?;
        Some(OpNode { op, name: self.flow.program().name_text(op) })
    }
}

/// A set of ops: those that a walk has visited.
#[derive(Clone, Debug, Default)]
pub struct OpSet(FixedBitSet);

impl VisitMap<Op> for OpSet {
    fn visit(&mut self, op: Op) -> bool {
        self.0.grow(op.index() + 1);
        !self.0.put(op.index())
    }

    fn is_visited(&self, op: &Op) -> bool {
        self.0.contains(op.index())
    }

    fn unvisit(&mut self, op: Op) -> bool {
        let was_visited = self.is_visited(&op);
        if was_visited {
            self.0.remove(op.index());
        }
        was_visited
    }
}

impl GraphBase for DataFlow<'_> {
    type NodeId = Op;
    type EdgeId = Use;
}

impl GraphRef for DataFlow<'_> {}

impl GraphProp for DataFlow<'_> {
    type EdgeType = Directed;
}

/// Nodes weigh their names, edges the index of the operand that reads.
impl<'p> Data for DataFlow<'p> {
    type NodeWeight = &'p str;
    type EdgeWeight = u32;
}

/// # Nodes
impl<'p> NodeRef for OpNode<'p> {
    type NodeId = Op;
    type Weight = &'p str;

    fn id(&self) -> Op {
        self.op
    }

    fn weight(&self) -> &&'p str {
        &self.name
    }
}

impl<'p> IntoNodeIdentifiers for DataFlow<'p> {
    type NodeIdentifiers = BlockOps<'p>;

    fn node_identifiers(self) -> BlockOps<'p> {
        self.program().block_ops(self.block())
    }
}

impl<'p> IntoNodeReferences for DataFlow<'p> {
    type NodeRef = OpNode<'p>;
    type NodeReferences = OpNodes<'p>;

    fn node_references(self) -> OpNodes<'p> {
        OpNodes { flow: self, ops: self.node_identifiers() }
    }
}

impl NodeCount for DataFlow<'_> {
    fn node_count(&self) -> usize {
        self.node_identifiers().count()
    }
}

/// By the index of the op: tables by node are tables by op, erased and nested ones included.
impl NodeIndexable for DataFlow<'_> {
    fn node_bound(&self) -> usize {
        self.program().op_capacity()
    }

    fn to_index(&self, op: Op) -> usize {
        op.index()
    }

    fn from_index(&self, index: usize) -> Op {
        Op::from_index(index)
    }
}

impl Visitable for DataFlow<'_> {
    type Map = OpSet;

    fn visit_map(&self) -> OpSet {
        OpSet(FixedBitSet::with_capacity(self.node_bound()))
    }

    fn reset_map(&self, map: &mut OpSet) {
        map.0.clear();
        map.0.grow(self.node_bound());
    }
}

/// # Edges
impl EdgeRef for DataEdge {
    type NodeId = Op;
    type EdgeId = Use;
    type Weight = u32;

    fn source(&self) -> Op {
        self.producer
    }

    fn target(&self) -> Op {
        self.user
    }

    fn weight(&self) -> &u32 {
        &self.used.index
    }

    fn id(&self) -> Use {
        self.used
    }
}

impl IntoNeighbors for DataFlow<'_> {
    type Neighbors = Neighbours;

    fn neighbors(self, op: Op) -> Neighbours {
        self.neighbors_directed(op, Direction::Outgoing)
    }
}

impl IntoNeighborsDirected for DataFlow<'_> {
    type NeighborsDirected = Neighbours;

    fn neighbors_directed(self, op: Op, direction: Direction) -> Neighbours {
        Neighbours { edges: self.edges_directed(op, direction), direction }
    }
}

impl<'p> IntoEdgeReferences for DataFlow<'p> {
    type EdgeRef = DataEdge;
    type EdgeReferences = AllEdges<'p>;

    fn edge_references(self) -> AllEdges<'p> {
        AllEdges {
            flow: self,
            users: self.node_identifiers(),
            edges: DataEdges::gather(std::iter::empty()),
        }
    }
}

impl IntoEdges for DataFlow<'_> {
    type Edges = DataEdges;

    fn edges(self, op: Op) -> DataEdges {
        self.outgoing(op)
    }
}

impl IntoEdgesDirected for DataFlow<'_> {
    type EdgesDirected = DataEdges;

    fn edges_directed(self, op: Op, direction: Direction) -> DataEdges {
        match direction {
            Direction::Outgoing => self.outgoing(op),
            Direction::Incoming => self.incoming(op),
        }
    }
}
