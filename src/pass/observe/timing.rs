//! Where the time goes: a tree that mirrors the pipeline.
//!
//! ```text
//!       wall       cpu    ops in   ops out    edits
//!    12.4 ms   12.3 ms       497       509      120  pipeline
//!     2.1 ms    2.1 ms                               . verify
//!     9.0 ms    9.0 ms       497       509      120  . split_matmul_grad
//!     1.1 ms                                         . . (analysis) Positions
//! ```

use std::any::Any;
use std::fmt;
use std::time::Duration;

use super::clock::{Clock, Spent};
use super::{Branch, Change, Observer, StepInfo};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use crate::pass::Pipeline;

/// A line of the tree.
#[derive(Clone, Debug, Default)]
pub struct TimingNode {
    /// A pass, `jobs`, the name of a program, `verify`, or the name of an analysis.
    pub name: String,
    /// How long it took.
    pub wall: Duration,
    /// How long its thread had a processor, where the system tells it; with `jobs`, the sum of the
    /// threads.
    pub cpu: Option<Duration>,
    /// Ops before and after, for passes and pipelines.
    pub ops: Option<(usize, usize)>,
    /// How many edits were made, for passes and pipelines.
    pub edits: u64,
    /// What it consists of; what is left is its own.
    pub children: Vec<TimingNode>,
}

/// Measures every step; print it when the run is over.
#[derive(Default)]
pub struct Timing {
    done: Vec<TimingNode>,
    open: Vec<Open>,
    /// What a child's pipeline is called.
    branch: Option<String>,
}

struct Open {
    node: TimingNode,
    start: Clock,
}

impl Timing {
    /// Nothing measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A tree for each run.
    pub fn trees(&self) -> &[TimingNode] {
        &self.done
    }

    fn begin(&mut self, name: &str, program: &Program) {
        let ops = Some((program.op_count(), 0));
        let node = TimingNode { name: name.to_owned(), ops, ..TimingNode::default() };
        self.open.push(Open { node, start: Clock::now() });
    }

    fn end(&mut self, program: &Program, edits: Option<u64>) {
        let Some(Open { mut node, start }) = self.open.pop() else { return };
        let Spent { wall, cpu } = start.elapsed();
        let of_branches =
            node.children.iter().filter(|child| child.is_branch()).filter_map(|c| c.cpu);
        node.wall = wall;
        node.cpu = cpu.map(|own| own + of_branches.sum::<Duration>());
        node.ops = node.ops.map(|(before, _)| (before, program.op_count()));
        node.edits = edits.unwrap_or_else(|| node.children.iter().map(|child| child.edits).sum());
        self.add(node);
    }

    fn add(&mut self, node: TimingNode) {
        match self.open.last_mut() {
            Some(parent) => parent.node.children.push(node),
            None => self.done.push(node),
        }
    }
}

/// What the name of a branch begins with: it ran on a thread of its own.
const BRANCH: &str = "on ";

impl TimingNode {
    fn is_branch(&self) -> bool {
        self.name.starts_with(BRANCH)
    }
}

impl Observer for Timing {
    fn before_pipeline(&mut self, _: &Pipeline, program: &Program) {
        let name = self.branch.clone().unwrap_or_else(|| "pipeline".to_owned());
        self.begin(&name, program);
    }

    fn after_pipeline(&mut self, _: &Pipeline, program: &Program) {
        self.end(program, None);
    }

    fn before_pass(&mut self, step: &StepInfo<'_>, program: &Program) {
        self.begin(step.name(), program);
    }

    fn after_pass(&mut self, _: &StepInfo<'_>, program: &Program, change: Change) {
        self.end(program, Some(change.edits));
    }

    fn pass_failed(&mut self, _: &StepInfo<'_>, program: &Program, _: &Diagnostic) {
        if let Some(open) = self.open.last_mut() {
            open.node.name.push_str(" (failed)");
        }
        self.end(program, Some(0));
    }

    fn analysis_computed(&mut self, name: &'static str, wall: Duration) {
        let name = format!("(analysis) {name}");
        self.add(TimingNode { name, wall, ..TimingNode::default() });
    }

    fn verified(&mut self, wall: Duration) {
        self.add(TimingNode { name: "verify".to_owned(), wall, ..TimingNode::default() });
    }

    fn fork(&mut self, branch: Branch<'_>) -> Option<Box<dyn Observer>> {
        let branch = Some(format!("{BRANCH}{}", branch.name));
        Some(Box::new(Self { branch, ..Self::default() }))
    }

    fn join(&mut self, child: Box<dyn Any>) {
        let Ok(child) = child.downcast::<Self>() else { return };
        child.done.into_iter().for_each(|tree| self.add(tree));
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>10} {:>10} {:>9} {:>9} {:>9}",
            "wall", "cpu", "ops in", "ops out", "edits"
        )?;
        self.done.iter().try_for_each(|tree| write_node(f, tree, 0))
    }
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &TimingNode, depth: usize) -> fmt::Result {
    let (wall, cpu) = (time_text(node.wall), node.cpu.map(time_text).unwrap_or_default());
    write!(f, "{wall:>10} {cpu:>10} ")?;
    match node.ops {
        Some((before, after)) => write!(f, "{before:>9} {after:>9} {:>9}", node.edits)?,
        None => write!(f, "{:>9} {:>9} {:>9}", "", "", "")?,
    }
    writeln!(f, "  {}{}", ". ".repeat(depth), node.name)?;
    node.children.iter().try_for_each(|child| write_node(f, child, depth + 1))
}

fn time_text(time: Duration) -> String {
    let microseconds = time.as_secs_f64() * 1e6;
    if microseconds < 1e3 {
        format!("{microseconds:.1} us")
    } else if microseconds < 1e6 {
        format!("{:.1} ms", microseconds / 1e3)
    } else {
        format!("{:.2} s", microseconds / 1e6)
    }
}
