//! Runs a program on made-up numbers, to see whether a pass kept what it means.
//!
//! A tensor is one 64-bit number. An op makes a number of its name, its attributes and the numbers it
//! reads: an uninterpreted function, but for the few ops that rewrite rules know something about.
//! Memory is as in [`pirogue::ir::Memory`], but exact: a value is a cell or a list of cells, an op in
//! place writes the cells it reads, a branch is taken, a loop runs a few times. What is seen from
//! outside is the [`Meaning`]: effects in their order, and at the end what is under each name.
//!
//! It shares nothing with the passes but the dialect facts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use pirogue::dialect::{Effect, has_side_effects};
use pirogue::ir::{AttrValue, Block, Name, Op, Program, Type, TypeKind, Value, names};
use pirogue::text::attr_text;

/// What a run of a program shows to the outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// Effects in their order: an op and a digest of what it was given.
    pub effects: Vec<(String, u64)>,
    /// What is under each name in the end.
    pub named: BTreeMap<String, u64>,
}

/// Runs a program. Each `salt` gives it other inputs, and so other branches.
pub fn meaning(program: &Program, salt: u64) -> Meaning {
    let mut run = Run {
        program,
        salt,
        cells: Vec::new(),
        values: vec![Slot::Absent; program.value_capacity()],
        named: BTreeMap::new(),
        effects: Vec::new(),
    };
    for (keyword, argument) in program.kwargs(program.top()) {
        let cell = run.named_cell(program.context().name_text(keyword));
        run.values[argument.value.index()] = Slot::One(cell);
    }
    run.block(program.top());
    let named = run.named.iter().map(|(name, &cell)| (name.clone(), run.cells[cell]));
    Meaning { named: named.collect(), effects: run.effects }
}

/// The cells of a value.
#[derive(Clone)]
enum Slot {
    Absent,
    One(usize),
    List(Vec<usize>),
}

impl Slot {
    fn cells(&self) -> &[usize] {
        match self {
            Self::Absent => &[],
            Self::One(cell) => std::slice::from_ref(cell),
            Self::List(cells) => cells,
        }
    }
}

struct Run<'p> {
    program: &'p Program,
    salt: u64,
    /// What each cell holds.
    cells: Vec<u64>,
    values: Vec<Slot>,
    named: BTreeMap<String, usize>,
    effects: Vec<(String, u64)>,
}

/// What all elements of a constant are; other constants are a number like any other.
const ONE: u64 = 1;
/// Loops run at most so often.
const MOST_TURNS: usize = 3;

fn digest(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// # Memory
impl Run<'_> {
    fn fresh(&mut self, content: u64) -> usize {
        self.cells.push(content);
        self.cells.len() - 1
    }

    /// The cell of a name; at first it holds what the outside gave.
    fn named_cell(&mut self, name: &str) -> usize {
        if let Some(&cell) = self.named.get(name) {
            return cell;
        }
        let cell = self.fresh(digest((name, self.salt)));
        self.named.insert(name.to_owned(), cell);
        cell
    }

    fn slot(&self, value: Option<Value>) -> Slot {
        value.map_or(Slot::Absent, |value| self.values[value.index()].clone())
    }

    fn slots(&self, op: Op) -> Vec<Slot> {
        self.program.operands(op).iter().map(|&value| self.slot(value)).collect()
    }

    fn content(&self, slot: &Slot) -> u64 {
        match slot {
            Slot::One(cell) => self.cells[*cell],
            slot => digest(slot.cells().iter().map(|&cell| self.cells[cell]).collect::<Vec<_>>()),
        }
    }

    fn set(&mut self, op: Op, index: usize, slot: Slot) {
        let value = self.program.result(op, index);
        self.values[value.index()] = slot;
    }

    /// New cells for a value of a type.
    fn make(&mut self, ty: Type, content: u64) -> Slot {
        let program = self.program;
        match program.context().type_kind(ty) {
            TypeKind::Null => Slot::Absent,
            TypeKind::Vec(elements) => Slot::List(
                (0..elements.len()).map(|index| self.fresh(digest((content, index)))).collect(),
            ),
            _ => Slot::One(self.fresh(content)),
        }
    }
}

/// # Control flow
impl Run<'_> {
    /// Runs a block; what its `cf.yield` yields.
    fn block(&mut self, block: Block) -> Vec<Slot> {
        let program = self.program;
        for op in program.block_ops(block) {
            if program.name(op) == names::YIELD {
                return self.slots(op);
            }
            self.op(op);
        }
        Vec::new()
    }

    fn op(&mut self, op: Op) {
        let program = self.program;
        match program.name(op) {
            names::IF => self.branch(op),
            names::WHILE => self.repeat(op),
            names::COMBINE => {
                let cells = self.slots(op).iter().flat_map(|slot| slot.cells().to_vec()).collect();
                self.set(op, 0, Slot::List(cells));
            }
            names::SPLIT => {
                let cells = self.slots(op)[0].cells().to_vec();
                for (index, cell) in cells.into_iter().enumerate() {
                    self.set(op, index, Slot::One(cell));
                }
            }
            names::SLICE => {
                let index = program.attr_value(op, program.context().name("index"));
                let index = index.and_then(|index| index.as_int()).unwrap_or(0);
                let cell = self.slots(op)[0].cells()[usize::try_from(index).unwrap_or(0)];
                self.set(op, 0, Slot::One(cell));
            }
            names::SHADOW_OUTPUT => self.give_name(op),
            names::PARAMETER => self.take_name(op, names::PARAMETER_NAME),
            names::DATA => self.take_name(op, names::NAME),
            _ => self.compute(op),
        }
    }

    fn branch(&mut self, op: Op) {
        let program = self.program;
        let taken = usize::from(self.content(&self.slots(op)[0]) % 2 == 1);
        let yielded = self.block(program.region_blocks(program.regions(op)[taken])[0]);
        for (index, slot) in yielded.into_iter().enumerate() {
            self.set(op, index, slot);
        }
    }

    fn repeat(&mut self, op: Op) {
        let program = self.program;
        let mut state = self.slots(op);
        let block = program.region_blocks(program.regions(op)[0])[0];
        for _ in 0..MOST_TURNS {
            if self.content(&state[0]).is_multiple_of(2) {
                break;
            }
            for (argument, slot) in program.arguments(block).iter().zip(&state[1..]) {
                self.values[argument.value.index()] = slot.clone();
            }
            state = self.block(block);
        }
        for (index, slot) in state.into_iter().skip(1).enumerate() {
            self.set(op, index, slot);
        }
    }

    fn give_name(&mut self, op: Op) {
        let slot = self.slots(op)[0].clone();
        let name = self.program.attr_str(op, names::OUTPUT_NAME).unwrap_or_default().to_owned();
        self.effects.push((format!("name {name}"), self.content(&slot)));
        for (index, &cell) in slot.cells().iter().enumerate() {
            self.named.insert(format!("{name}{}", "'".repeat(index)), cell);
        }
    }

    fn take_name(&mut self, op: Op, attr: Name) {
        let name = self.program.attr_str(op, attr).unwrap_or_default().to_owned();
        let cell = self.named_cell(&name);
        self.set(op, 0, Slot::One(cell));
    }
}

/// # Computing
impl Run<'_> {
    fn compute(&mut self, op: Op) {
        let program = self.program;
        let operands = self.slots(op);
        let given: Vec<u64> = operands.iter().map(|slot| self.content(slot)).collect();
        let plain = self.plain(op, &given);
        let key = plain.unwrap_or_else(|| digest((self.identity(op), &given)));
        let text = program.name_text(op);
        if has_side_effects(text) {
            self.effects.push((text.to_owned(), key));
        }
        for (index, value) in program.results(op).enumerate() {
            let content = if index == 0 && plain.is_some() { key } else { digest((key, index)) };
            let slot = match self.in_place(op, index).map(|operand| operands[operand].clone()) {
                Some(slot) => self.write(slot, content),
                None => self.make(program.ty(value), content),
            };
            self.set(op, index, slot);
        }
        if !is_known(program, op) {
            for (index, slot) in operands.into_iter().enumerate() {
                self.write(slot, digest((key, "written", index)));
            }
        }
    }

    fn write(&mut self, slot: Slot, content: u64) -> Slot {
        match &slot {
            Slot::One(cell) => self.cells[*cell] = content,
            slot => {
                for (index, &cell) in slot.cells().iter().enumerate() {
                    self.cells[cell] = digest((content, index));
                }
            }
        }
        slot
    }

    /// The operand over which a result is written.
    fn in_place(&self, op: Op, result: usize) -> Option<usize> {
        let facts = self.program.context().facts(self.program.name(op))?;
        let pair = facts.aliases().find(|pair| pair.result == result)?;
        self.program.operand(op, pair.operand).map(|_| pair.operand)
    }

    /// What tells ops apart that read the same: name and attributes; of random numbers and messages
    /// the op itself.
    fn identity(&self, op: Op) -> u64 {
        let program = self.program;
        let context = program.context();
        let text = program.name_text(op);
        let entries = context.dict_entries(context.plain_dict(program.dict(op))).iter();
        let attrs: Vec<_> = entries
            .map(|&(name, attr)| (context.name_text(name), attr_text(context, attr)))
            .collect();
        let is_itself = Effect::Random.applies_to(text) || Effect::Communication.applies_to(text);
        digest((text, attrs, is_itself.then(|| program.origin(op)), self.salt))
    }

    /// The number that an op makes of which something is known.
    ///
    /// Ops of which twice is once set a bit; a permutation of axes moves three lanes of 21 bits; a
    /// copy, a new shape, a cast to the same type and a product with ones change nothing.
    fn plain(&self, op: Op, given: &[u64]) -> Option<u64> {
        let program = self.program;
        let text = program.name_text(op);
        let same_type = || {
            let [from, to] =
                [program.operand(op, 0)?, program.result(op, 0)].map(|v| program.ty(v));
            program.context().same_type(from, to).then_some(())
        };
        match (text.strip_prefix("pd_op.")?, given) {
            ("relu" | "relu_", &[x]) => Some(x | 1 << 63),
            ("abs", &[x]) => Some(x | 1 << 62),
            ("assign", &[x]) => Some(x),
            ("reshape", &[x, _]) => Some(x),
            ("cast", &[x]) => same_type().map(|()| x),
            ("transpose", &[x]) => Some(permuted(x, &self.permutation(op)?)),
            ("multiply", &[x, ONE] | &[ONE, x]) => Some(x),
            ("full", &[]) => {
                let value = program.attr_value(op, names::VALUE)?.as_int()?;
                (value == 1).then_some(ONE)
            }
            _ => None,
        }
    }

    fn permutation(&self, op: Op) -> Option<Vec<usize>> {
        let context = self.program.context();
        let perm = self.program.attr_value(op, context.name("perm"))?;
        let AttrValue::Array(axes) = perm else { return None };
        let axis = |&attr| usize::try_from(context.attr_value(attr).as_int()?).ok();
        axes.iter().map(axis).collect::<Option<Vec<_>>>().filter(|axes| axes.len() == 3)
    }
}

/// Lane i of the result is lane `axes[i]` of `x`; the top bit stays.
fn permuted(x: u64, axes: &[usize]) -> u64 {
    const LANE: u64 = (1 << 21) - 1;
    let lane = |index: usize| x >> (21 * index) & LANE;
    axes.iter().enumerate().fold(x & 1 << 63, |all, (to, &from)| all | lane(from) << (21 * to))
}

fn is_known(program: &Program, op: Op) -> bool {
    program.context().facts(program.name(op)).is_some_and(|facts| facts.is_described())
}
