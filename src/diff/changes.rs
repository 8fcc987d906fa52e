//! What differs between two ops, or two blocks, that are taken for each other.

use std::fmt;

use super::GeneratedNames;
use super::pairs::{Pairs, Side};
use crate::ir::compare::{Alike, attributes};
use crate::ir::{
    Attr, Block, BlockArgument, Name, Numbers, Op, Part, Program, Type, Value, ValueDef, names,
};
use crate::text::{Labels, attr_text, type_text};

/// Something of an op or a block that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is.
    pub part: Part,
    /// What the first program has there, if it has anything.
    pub first: Option<String>,
    /// What the second program has there, if it has anything.
    pub second: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |side: &Option<String>| side.clone().unwrap_or_else(|| "(none)".to_owned());
        write!(f, "{}: {} => {}", self.part, told(&self.first), told(&self.second))
    }
}

/// Finds changes between what is paired.
pub(super) struct Changes<'p> {
    pub(super) programs: [&'p Program; 2],
    pub(super) pairs: &'p Pairs,
    pub(super) labels: &'p [Labels; 2],
    pub(super) names: GeneratedNames,
    pub(super) alike: Alike<'p>,
}

/// # Ops
impl Changes<'_> {
    /// What differs between two ops; empty if nothing does.
    pub(super) fn of_ops(&mut self, x: Op, y: Op) -> Vec<Change> {
        let mut found = Vec::new();
        let [a, b] = self.programs;
        if a.name(x) != b.name(y) {
            found.push(change(Part::Name, [a.name_text(x), b.name_text(y)]));
        }
        self.attributes(x, y, &mut found);
        self.operands(x, y, &mut found);
        self.results(x, y, &mut found);
        let (regions, others) = (a.regions(x), b.regions(y));
        count(Part::RegionCount, [regions.len(), others.len()], &mut found);
        for (index, (&region, &other)) in regions.iter().zip(others).enumerate() {
            let counts = [a.region_blocks(region).len(), b.region_blocks(other).len()];
            count(Part::BlockCount(index), counts, &mut found);
        }
        found
    }

    fn attributes(&mut self, x: Op, y: Op, found: &mut Vec<Change>) {
        let [a, b] = self.programs;
        let is_loop = a.name(x) == names::WHILE || b.name(y) == names::WHILE;
        let columns = [(a.role(x), a.chunk(x)), (b.role(y), b.chunk(y))];
        if is_loop && self.alike.numbers == Numbers::AsPrinted
            || columns[0] == columns[1] && self.alike.dicts([a.dict(x), b.dict(y)])
        {
            return;
        }
        let entries = [attributes(a, x), attributes(b, y)];
        self.entries([&entries[0], &entries[1]], Part::Attr, found);
    }

    fn entries(
        &self,
        entries: [&[(Name, Attr)]; 2],
        part: impl Fn(String) -> Part,
        found: &mut Vec<Change>,
    ) {
        let context = self.programs[0].context();
        for (name, attrs) in self.alike.differences(entries) {
            let texts = self.alike.attr_texts(attrs);
            if !self.is_told_alike(&texts) {
                let [first, second] = texts;
                found.push(Change {
                    part: part(context.name_text(name).to_owned()),
                    first,
                    second,
                });
            }
        }
    }

    fn is_told_alike(&self, texts: &[Option<String>; 2]) -> bool {
        let [Some(x), Some(y)] = texts else { return false };
        self.names == GeneratedNames::AnyIndex && self.names.told(x) == self.names.told(y)
    }

    fn operands(&self, x: Op, y: Op, found: &mut Vec<Change>) {
        let [a, b] = self.programs;
        let (xs, ys) = (a.operands(x), b.operands(y));
        for index in 0..xs.len().max(ys.len()) {
            let sides = (xs.get(index).copied(), ys.get(index).copied());
            let is_same = match sides {
                (Some(Some(x)), Some(Some(y))) => self.pairs.value(Side::First, x) == Some(y),
                (x, y) => x == y,
            };
            if !is_same {
                let first = sides.0.map(|value| self.label(Side::First, value));
                let second = sides.1.map(|value| self.label(Side::Second, value));
                found.push(Change { part: Part::Operand(index), first, second });
            }
        }
    }

    fn label(&self, side: Side, value: Option<Value>) -> String {
        let Some(value) = value else { return "<<NULL VALUE>>".to_owned() };
        self.labels[side as usize].text(self.programs[side as usize], value)
    }

    fn results(&mut self, x: Op, y: Op, found: &mut Vec<Change>) {
        let [a, b] = self.programs;
        let (mut xs, mut ys) = (a.results(x), b.results(y));
        for index in 0..a.result_count(x).max(b.result_count(y)) {
            let types = [xs.next().map(|x| a.ty(x)), ys.next().map(|y| b.ty(y))];
            self.types(types, Part::ResultType(index), found);
        }
    }

    fn types(&mut self, types: [Option<Type>; 2], part: Part, found: &mut Vec<Change>) {
        let [first, second] = match types {
            [Some(x), Some(y)] if self.alike.types([x, y]) => return,
            [Some(x), Some(y)] => self.alike.type_texts([x, y]),
            types => types.map(|ty| Some(type_text(self.programs[0].context(), ty?))),
        };
        found.push(Change { part, first, second });
    }
}

/// # Blocks
impl Changes<'_> {
    /// What differs between the arguments of two blocks; empty if nothing does.
    pub(super) fn of_blocks(&mut self, x: Block, y: Block) -> Vec<Change> {
        let mut found = Vec::new();
        let [a, b] = self.programs;
        let (xs, ys) = (a.arguments(x), b.arguments(y));
        count(Part::ArgumentCount, [xs.len(), ys.len()], &mut found);
        for (index, (&x, &y)) in xs.iter().zip(ys).enumerate() {
            self.argument(x, y, &index.to_string(), &mut found);
        }
        let context = a.context();
        for (keyword, argument) in a.kwargs(x) {
            let partner = self.pairs.value(Side::First, argument.value);
            let keyword = context.name_text(keyword);
            match partner.and_then(|value| kwarg_of(b, value)) {
                Some(other) => self.argument(argument, other, keyword, &mut found),
                None => {
                    let first = Some(argument_text(a, argument));
                    let part = Part::Kwarg(keyword.to_owned());
                    found.push(Change { part, first, second: None });
                }
            }
        }
        for (keyword, argument) in b.kwargs(y) {
            if self.pairs.value(Side::Second, argument.value).is_none() {
                let second = Some(argument_text(b, argument));
                let part = Part::Kwarg(context.name_text(keyword).to_owned());
                found.push(Change { part, first: None, second });
            }
        }
        found
    }

    fn argument(
        &mut self,
        x: BlockArgument,
        y: BlockArgument,
        name: &str,
        found: &mut Vec<Change>,
    ) {
        let [a, b] = self.programs;
        let part = Part::ArgumentType(name.to_owned());
        self.types([Some(a.ty(x.value)), Some(b.ty(y.value))], part, found);
        if !self.alike.dicts([x.attrs, y.attrs]) {
            let context = a.context();
            let entries =
                [x.attrs, y.attrs].map(|dict| context.dict_entries(context.plain_dict(dict)));
            self.entries(entries, |attr| Part::ArgumentAttr(name.to_owned(), attr), found);
        }
    }
}

fn kwarg_of(program: &Program, value: Value) -> Option<BlockArgument> {
    match program.def(value) {
        ValueDef::Kwarg { block, keyword } => program.kwarg(block, keyword),
        _ => None,
    }
}

/// `tensor<2xf32> {persistable:true}`
fn argument_text(program: &Program, argument: BlockArgument) -> String {
    let context = program.context();
    let entries = context.dict_entries(argument.attrs).iter();
    let entries: Vec<_> = entries
        .map(|&(name, attr)| format!("{}:{}", context.name_text(name), attr_text(context, attr)))
        .collect();
    format!("{} {{{}}}", type_text(context, program.ty(argument.value)), entries.join(","))
}

fn change(part: Part, texts: [impl ToString; 2]) -> Change {
    let [first, second] = texts.map(|text| Some(text.to_string()));
    Change { part, first, second }
}

fn count(part: Part, counts: [usize; 2], found: &mut Vec<Change>) {
    if counts[0] != counts[1] {
        found.push(change(part, counts));
    }
}
