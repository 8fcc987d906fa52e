//! The values of a program that have names, and how the program reads them.
//!
//! Values cross programs by name, so what one program does to another's values is all said by
//! these. Names given inside regions stay in the region's scope: no other program sees them, and
//! they are not here. *Reads* inside regions are.

use pirogue::ir::{AttrValue, Context, Dict, Name, Op, Program, Value, ValueDef, names};

/// How a value came to its name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// A keyword argument: the value comes from an earlier program.
    Kwarg,
    /// The result of `pd_op.data`.
    Data,
    /// The result of `builtin.parameter`.
    Parameter,
    /// `builtin.shadow_output` gives it.
    ShadowOutput,
    /// `builtin.set_parameter` gives it.
    SetParameter,
}

impl Naming {
    /// Whether the value was there under its name before the program reads it.
    pub(crate) fn is_source(self) -> bool {
        matches!(self, Self::Kwarg | Self::Data | Self::Parameter)
    }
}

/// How a program reads a value.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// An op of the top block does.
    pub(crate) at_top: bool,
    /// An op needs its memory.
    pub(crate) of_buffer: bool,
    /// An op needs its shape and type only.
    pub(crate) without_buffer: bool,
}

impl Reads {
    pub(crate) fn any(self) -> bool {
        self.of_buffer || self.without_buffer
    }
}

/// A value under one of its names.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NamedValue {
    pub(crate) name: Name,
    pub(crate) naming: Naming,
    pub(crate) is_persistable: bool,
    /// Whether Paddle's rule knows the value by this name. It takes one name of each value.
    pub(crate) is_primary: bool,
    /// Known of sources only.
    pub(crate) reads: Reads,
}

impl NamedValue {
    fn new(name: Name, naming: Naming, is_persistable: bool) -> Self {
        let (is_primary, reads) = (true, Reads::default());
        Self { name, naming, is_persistable, is_primary, reads }
    }
}

/// All named values of a program: O(ops + operands), and no use index.
pub(crate) fn named_values(program: &Program) -> Vec<NamedValue> {
    let mut scan = Scan::new(program);
    scan.kwargs();
    for op in program.top_ops() {
        scan.reads(op, Depth::Top);
        if !program.regions(op).is_empty() {
            program.nest(op).skip(1).for_each(|nested| scan.reads(nested, Depth::Nested));
        }
        scan.names(op);
    }
    scan.outputs();
    scan.found
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Depth {
    Top,
    Nested,
}

/// An op that gives a value a name beside what it is called anyway.
struct Output {
    value: Value,
    name: Name,
    naming: Naming,
    /// Whether a split put it in: those have no role, all others do.
    is_inserted: bool,
}

struct Scan<'p> {
    program: &'p Program,
    context: &'p Context,
    found: Vec<NamedValue>,
    /// By value: its place in `found`, or `UNNAMED`.
    place_of: Vec<u32>,
    outputs: Vec<Output>,
}

const UNNAMED: u32 = u32::MAX;

impl<'p> Scan<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            context: program.context(),
            found: Vec::new(),
            place_of: vec![UNNAMED; program.value_capacity()],
            outputs: Vec::new(),
        }
    }

    fn add(&mut self, value: Value, named: NamedValue) {
        if named.is_primary {
            self.place_of[value.index()] = self.found.len() as u32;
        }
        self.found.push(named);
    }

    fn kwargs(&mut self) {
        for (keyword, argument) in self.program.kwargs(self.program.top()) {
            let is_persistable = self.has_persistable(argument.attrs);
            let named = NamedValue::new(keyword, Naming::Kwarg, is_persistable);
            self.add(argument.value, named);
        }
    }

    /// Takes note of what an op reads.
    fn reads(&mut self, op: Op, depth: Depth) {
        for (index, &operand) in self.program.operands(op).iter().enumerate() {
            let Some(place) = operand.map(|value| self.place_of[value.index()]) else {
                continue;
            };
            let Some(named) = self.found.get_mut(place as usize) else {
                continue;
            };
            let facts = self.context.facts(self.program.name(op));
            let needs_buffer = facts.is_none_or(|facts| facts.needs_buffer(index));
            named.reads.at_top |= depth == Depth::Top;
            named.reads.of_buffer |= needs_buffer;
            named.reads.without_buffer |= !needs_buffer;
        }
    }

    /// Takes note of what an op names.
    fn names(&mut self, op: Op) {
        let naming = match self.program.name(op) {
            names::DATA => Naming::Data,
            names::PARAMETER => Naming::Parameter,
            names::SHADOW_OUTPUT => Naming::ShadowOutput,
            names::SET_PARAMETER => Naming::SetParameter,
            _ => return,
        };
        let attr = match naming {
            Naming::ShadowOutput => names::OUTPUT_NAME,
            Naming::Parameter | Naming::SetParameter => names::PARAMETER_NAME,
            Naming::Data | Naming::Kwarg => names::NAME,
        };
        let Some(name) = self.program.attr_name(op, attr) else {
            return;
        };
        if naming.is_source() {
            if let Some(value) = self.program.results(op).next() {
                let is_persistable = self.is_persistable(value);
                self.add(value, NamedValue::new(name, naming, is_persistable));
            }
        } else if let Some(value) = self.program.operand(op, 0) {
            let is_inserted = self.program.role(op).is_none();
            self.outputs.push(Output { value, name, naming, is_inserted });
        }
    }

    /// Adds the names that ops give to values. Paddle's rule knows a value by its own name, else by
    /// the one a split put in, else by the last.
    fn outputs(&mut self) {
        let outputs = std::mem::take(&mut self.outputs);
        let (inserted, given): (Vec<_>, Vec<_>) =
            outputs.into_iter().partition(|output| output.is_inserted);
        for output in inserted.into_iter().chain(given.into_iter().rev()) {
            let Output { value, name, naming, .. } = output;
            let is_primary = self.place_of[value.index()] == UNNAMED;
            let named = NamedValue::new(name, naming, self.is_persistable(value));
            self.add(value, NamedValue { is_primary, ..named });
        }
    }

    fn is_persistable(&self, value: Value) -> bool {
        let argument = match self.program.def(value) {
            ValueDef::Result { op, index } => {
                let flag = self.program.result_flag(op, names::PERSISTABLE, index as usize);
                return flag.unwrap_or(false);
            }
            ValueDef::Kwarg { block, keyword } => self.program.kwarg(block, keyword),
            ValueDef::Argument { block, index } => {
                self.program.arguments(block).get(index as usize).copied()
            }
        };
        argument.is_some_and(|argument| self.has_persistable(argument.attrs))
    }

    fn has_persistable(&self, attrs: Dict) -> bool {
        let attr = self.context.dict_get(attrs, names::PERSISTABLE);
        attr.and_then(|attr| AttrValue::as_bool(self.context.attr_value(attr))).unwrap_or(false)
    }
}
