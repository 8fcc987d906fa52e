//! Branches, loops and the stacks that carry values from the ones of the forward to those of the
//! backward.
//!
//! Both branches of an `if` run on the same memory; each cell that one of them writes then holds the
//! choice between what they leave. The body of a loop runs once to see which cells it writes, and
//! once more with a leaf in each of them: the loop is one term of what goes in and what an iteration
//! makes of it.

use pirogue::ir::{Block, Op, Type};
use smallvec::SmallVec;

use super::Machine;
use super::cells::{Binding, CellId, Write};
use crate::findings::Fault;
use crate::ops::Kind;
use crate::terms::{Application, Symbol, Tag, Term};
use crate::world::FxIndexSet;

/// Regions nested deeper are not run.
const DEEPEST: u32 = 200;

type Terms = SmallVec<[Term; 4]>;

/// What a block left.
struct Ran {
    yields: Terms,
    /// Cells with what they hold now, in the order in which they were first written.
    written: Vec<(CellId, Term)>,
}

impl Ran {
    fn in_cell(&self, cell: CellId) -> Option<Term> {
        self.written.iter().find(|written| written.0 == cell).map(|written| written.1)
    }
}

/// # Blocks
impl Machine<'_> {
    /// Runs the ops of a block and gives what it yields.
    fn run_block(&mut self, block: Block) -> Terms {
        let mut yields = Terms::new();
        for op in self.program.block_ops(block) {
            let class = self.world.knowledge.class(self.program.name(op));
            if class.kind == Kind::Yield {
                yields = self.read_operands(op, &class).into_iter().collect();
            }
            self.step(op);
        }
        yields
    }

    /// Runs a block under a condition, and takes back what it has written.
    fn run_apart(&mut self, block: Option<Block>, branch: Option<Term>) -> Ran {
        let outer = std::mem::replace(&mut self.frame.branch, branch);
        self.frame.depth += 1;
        let mark = self.frame.writes.len();
        let yields = block.map_or_else(Terms::new, |block| self.run_block(block));
        let writes: Vec<Write> = self.frame.writes.split_off(mark);
        let mut written: Vec<(CellId, Term)> = Vec::new();
        for write in &writes {
            if !written.iter().any(|known| known.0 == write.cell) {
                written.push((write.cell, self.held(write.cell)));
            }
        }
        for write in writes.iter().rev() {
            self.put_back(write.cell, write.before);
        }
        self.frame.depth -= 1;
        self.frame.branch = outer;
        Ran { yields, written }
    }

    fn first_block(&self, op: Op, region: usize) -> Option<Block> {
        let region = *self.program.regions(op).get(region)?;
        self.program.region_blocks(region).first().copied()
    }

    /// Whether the regions of an op may be run.
    fn may_enter(&mut self, op: Op) -> bool {
        let may = self.frame.depth < DEEPEST;
        if !may {
            self.find_fault(Fault::TooDeep, Some(op));
        }
        may
    }

    fn branch(&mut self, condition: Term, index: u32) -> Term {
        let operands = [self.frame.branch.unwrap_or(Term::NULL), condition];
        let types = [Type::NULL];
        let branch = Application::new(Symbol::Branch, &operands, &types).extra(index);
        self.world.terms.apply(&branch)
    }

    fn bind_terms(&mut self, op: Op, terms: impl Fn(usize) -> Option<Term>) {
        for (index, result) in self.program.results(op).enumerate() {
            let ty = self.program.ty(result);
            if ty == Type::NULL {
                continue;
            }
            let plain = self.world.knowledge.shape(ty).plain;
            let term = terms(index)
                .unwrap_or_else(|| self.world.terms.leaf(Symbol::Unbound, Tag::NONE, plain));
            self.note_made(op, term);
            let cell = self.frame.new_cell(term, ty);
            self.frame.bind(result, Binding::Cell(cell));
        }
    }
}

/// # Branches and loops
impl Machine<'_> {
    pub(super) fn branches(&mut self, op: Op) {
        if !self.may_enter(op) {
            return;
        }
        let condition = self.read(op, self.program.operand(op, 0), true);
        let [then, otherwise] = [0, 1].map(|index| {
            let branch = self.branch(condition, index);
            self.run_apart(self.first_block(op, index as usize), Some(branch))
        });
        let cells = then.written.iter().chain(&otherwise.written).map(|written| written.0);
        let mut cells: Vec<CellId> = cells.collect();
        let mut met = FxIndexSet::default();
        cells.retain(|&cell| met.insert(cell));
        for cell in cells {
            let before = self.held(cell);
            let [then, otherwise] =
                [&then, &otherwise].map(|ran| ran.in_cell(cell).unwrap_or(before));
            let term = self.world.select(condition, then, otherwise);
            self.write(cell, term);
        }
        let count = self.program.result_count(op);
        let choices: Vec<Option<Term>> = (0..count)
            .map(|index| {
                let then = *then.yields.get(index)?;
                let otherwise = *otherwise.yields.get(index)?;
                Some(self.world.select(condition, then, otherwise))
            })
            .collect();
        self.bind_terms(op, |index| choices[index]);
    }

    pub(super) fn repeat(&mut self, op: Op) {
        if !self.may_enter(op) {
            return;
        }
        let class = self.world.knowledge.class(self.program.name(op));
        let inits = self.read_operands(op, &class);
        let condition = inits.first().copied().unwrap_or(Term::NULL);
        let body = self.first_block(op, 0);
        let branch = Some(self.branch(condition, 2));
        let counts = self.counts();
        let was_trial = std::mem::replace(&mut self.frame.is_trial, true);
        self.bind_arguments(body);
        let trial = self.run_apart(body, branch);
        self.frame.is_trial = was_trial;
        let written: Vec<CellId> = trial.written.iter().map(|written| written.0).collect();
        let mut ran = trial;
        // What is tried from outside will be run again.
        if !was_trial {
            self.restore(counts);
            self.bind_arguments(body);
            ran = self.iterate(body, branch, &written);
        }
        self.bind_loop(op, &inits, &ran, &written);
    }

    /// Runs the body of a loop with a leaf in each cell that it writes.
    fn iterate(&mut self, body: Option<Block>, branch: Option<Term>, written: &[CellId]) -> Ran {
        let before: Terms = written.iter().map(|&cell| self.held(cell)).collect();
        let types: SmallVec<[Type; 4]> =
            before.iter().map(|&term| self.world.terms.ty(term)).collect();
        if let Some(first) = self.leaves(Symbol::LoopCells, &types) {
            for (index, &cell) in written.iter().enumerate() {
                self.put_back(cell, first.result(index));
            }
        }
        let ran = self.run_apart(body, branch);
        for (&cell, before) in written.iter().zip(before) {
            self.put_back(cell, before);
        }
        ran
    }

    fn bind_loop(&mut self, op: Op, inits: &[Term], ran: &Ran, written: &[CellId]) {
        let before: Terms = written.iter().map(|&cell| self.held(cell)).collect();
        let after =
            written.iter().zip(&before).map(|(&cell, &term)| ran.in_cell(cell).unwrap_or(term));
        let after: Terms = after.collect();
        let operands: Vec<Term> =
            [inits, &ran.yields[..], &before, &after].into_iter().flatten().copied().collect();
        let count = self.program.result_count(op);
        let mut types: Vec<Type> = Vec::with_capacity(count + before.len() + 1);
        for result in self.program.results(op) {
            types.push(self.world.knowledge.shape(self.program.ty(result)).plain);
        }
        types.extend(before.iter().map(|&term| self.world.terms.ty(term)));
        types.push(Type::NULL);
        let application = Application::new(Symbol::Loop, &operands, &types);
        let first = self.world.terms.apply(&application.extra(written.len() as u32));
        for (index, &cell) in written.iter().enumerate() {
            self.write(cell, first.result(count + index));
        }
        self.bind_terms(op, |index| Some(first.result(index)));
    }

    fn bind_arguments(&mut self, block: Option<Block>) {
        let Some(block) = block else { return };
        let arguments = self.program.arguments(block);
        let mut types: SmallVec<[Type; 4]> = SmallVec::new();
        for argument in arguments {
            types.push(self.world.knowledge.shape(self.program.ty(argument.value)).plain);
        }
        let Some(first) = self.leaves(Symbol::LoopArguments, &types) else { return };
        for (index, argument) in arguments.iter().enumerate() {
            let cell = self.frame.new_cell(first.result(index), types[index]);
            self.frame.bind(argument.value, Binding::Cell(cell));
        }
    }

    /// Leaves that stand for whatever an iteration of the loop at this depth finds.
    fn leaves(&mut self, symbol: Symbol, types: &[Type]) -> Option<Term> {
        let leaves = Application::new(symbol, &[], types).extra(self.frame.depth);
        (!types.is_empty()).then(|| self.world.terms.apply(&leaves))
    }

    /// Runs the region of an op as if its ops stood there.
    pub(super) fn inline(&mut self, op: Op) {
        if !self.may_enter(op) {
            return;
        }
        self.frame.depth += 1;
        let block = self.first_block(op, 0);
        let yields = block.map_or_else(Terms::new, |block| self.run_block(block));
        self.frame.depth -= 1;
        self.bind_terms(op, |index| yields.get(index).copied());
    }
}

/// # Control-flow stacks
impl Machine<'_> {
    /// A stack and its two ends are one cell.
    pub(super) fn stack_create(&mut self, op: Op) {
        let types = [Type::NULL];
        let empty = Application::new(Symbol::Op(self.program.name(op)), &[], &types);
        let term = self.world.terms.apply(&empty);
        let Some(result) = self.program.results(op).next() else { return };
        let cell = self.frame.new_cell(term, self.program.ty(result));
        for result in self.program.results(op) {
            self.frame.bind(result, Binding::Cell(cell));
        }
    }

    fn stack(&self, op: Op) -> Option<CellId> {
        self.frame.binding(self.program.operand(op, 0)?).cell()
    }

    pub(super) fn tuple_push(&mut self, op: Op) {
        let class = self.world.knowledge.class(self.program.name(op));
        let operands = self.read_operands(op, &class);
        let types = [Type::NULL];
        let term = self.world.terms.apply(&Application::new(Symbol::Push, &operands, &types));
        if let Some(stack) = self.stack(op) {
            self.write(stack, term);
        }
    }

    /// What was pushed last, where that is known.
    pub(super) fn tuple_pop(&mut self, op: Op) {
        let stack = self.read(op, self.program.operand(op, 0), true);
        let count = self.program.result_count(op);
        let pushed: Terms = match self.world.terms.symbol(stack) {
            Symbol::Push => self.world.terms.operands(stack).iter().copied().collect(),
            _ => Terms::new(),
        };
        let (below, values) = match pushed.split_first() {
            Some((&below, values)) if values.len() == count => (below, Terms::from_slice(values)),
            _ => self.popped(op, stack, count),
        };
        if let Some(cell) = self.stack(op) {
            self.write(cell, below);
        }
        self.bind_terms(op, |index| values.get(index).copied());
    }

    fn popped(&mut self, op: Op, stack: Term, count: usize) -> (Term, Terms) {
        let mut types = self.result_types(op);
        types.push(Type::NULL);
        let operands = [stack];
        let pop = Application::new(Symbol::Op(self.program.name(op)), &operands, &types);
        let first = self.world.terms.apply(&pop);
        (first.result(types.len() - 1), (0..count).map(|index| first.result(index)).collect())
    }
}
