//! Walking two programs of one context side by side.
//!
//! Values are equal by where they are defined: when two ops or two blocks are met, their results or
//! arguments become pairs, and from then on an operand must read the partner of what the other op
//! reads. Blocks wait on a stack, so that no depth of nesting is too deep.

use super::alike::{Alike, attributes};
use super::difference::{Difference, Part, Site};
use super::{CompareOptions, Numbers};
use crate::ir::{Block, BlockArgument, BlockOps, Context, Op, Program, Value, names};
use crate::text::{self, Labels};

/// Compares two programs of one context.
pub(super) fn compare(
    first: &Program,
    second: &Program,
    options: CompareOptions,
) -> Result<(), Difference> {
    let mut walk = Walk {
        first,
        second,
        context: first.context(),
        partners: vec![None; first.value_capacity()],
        alike: Alike::new(first.context(), options.numbers),
    };
    let mut pending = vec![Pending::Blocks(first.top(), second.top())];
    while let Some(next) = pending.pop() {
        match next {
            Pending::Blocks(a, b) => {
                walk.arguments(a, b)?;
                pending.push(Pending::Ops(first.block_ops(a), second.block_ops(b)));
            }
            Pending::Ops(a, b) => walk.ops(a, b, &mut pending)?,
        }
    }
    Ok(())
}

/// What is still to be compared.
enum Pending<'p> {
    Blocks(Block, Block),
    /// The rest of the ops of two blocks.
    Ops(BlockOps<'p>, BlockOps<'p>),
}

struct Walk<'p> {
    first: &'p Program,
    second: &'p Program,
    context: &'p Context,
    /// For each value of the first program the one of the second that stands for it, once it is
    /// known.
    partners: Vec<Option<Value>>,
    alike: Alike<'p>,
}

/// # Ops
impl<'p> Walk<'p> {
    /// Compares ops up to the first with regions, whose blocks come before what is left.
    fn ops(
        &mut self,
        mut a: BlockOps<'p>,
        mut b: BlockOps<'p>,
        pending: &mut Vec<Pending<'p>>,
    ) -> Result<(), Difference> {
        loop {
            let (op, other) = match (a.next(), b.next()) {
                (None, None) => return Ok(()),
                (Some(op), Some(other)) => (op, other),
                (op, other) => return Err(self.present_in_one(op, other)),
            };
            self.op(op, other)?;
            if !self.first.regions(op).is_empty() {
                pending.push(Pending::Ops(a, b));
                return self.regions(op, other, pending);
            }
        }
    }

    fn op(&mut self, a: Op, b: Op) -> Result<(), Difference> {
        let (first, second) = (self.first, self.second);
        if first.name(a) != second.name(b) {
            let names = [first.name_text(a), second.name_text(b)];
            return Err(self.differ(a, b, Part::Name, names.map(|name| Some(name.to_owned()))));
        }
        self.attributes(a, b)?;
        self.operands(a, b)?;
        self.count(a, b, Part::ResultCount, [first.result_count(a), second.result_count(b)])?;
        self.count(a, b, Part::RegionCount, [first.regions(a).len(), second.regions(b).len()])?;
        for (index, (x, y)) in first.results(a).zip(second.results(b)).enumerate() {
            let types = [first.ty(x), second.ty(y)];
            if !self.alike.types(types) {
                let types = self.alike.type_texts(types);
                return Err(self.differ(a, b, Part::ResultType(index), types));
            }
            if !self.stand_for_each_other(x, y) {
                let labels = [value_text(first, Some(x)), value_text(second, Some(y))];
                return Err(self.differ(a, b, Part::Result(index), labels));
            }
        }
        Ok(())
    }

    fn attributes(&mut self, a: Op, b: Op) -> Result<(), Difference> {
        let (first, second) = (self.first, self.second);
        let is_printed = first.name(a) != names::WHILE || self.alike.numbers == Numbers::Exact;
        let columns = [(first.role(a), first.chunk(a)), (second.role(b), second.chunk(b))];
        let dicts = [first.dict(a), second.dict(b)];
        if !is_printed || (columns[0] == columns[1] && self.alike.dicts(dicts)) {
            return Ok(());
        }
        // Columns are attributes too, and the first attribute that differs is the first by name.
        let entries = [attributes(first, a), attributes(second, b)];
        let Some((name, values)) = self.alike.first_difference(entries) else { return Ok(()) };
        let name = self.context.name_text(name).to_owned();
        Err(self.differ(a, b, Part::Attr(name), values))
    }

    fn operands(&mut self, a: Op, b: Op) -> Result<(), Difference> {
        let (xs, ys) = (self.first.operands(a), self.second.operands(b));
        self.count(a, b, Part::OperandCount, [xs.len(), ys.len()])?;
        for (index, (&x, &y)) in xs.iter().zip(ys).enumerate() {
            let equal = match (x, y) {
                (None, None) => true,
                (Some(x), Some(y)) => self.stand_for_each_other(x, y),
                _ => false,
            };
            if !equal {
                let labels = [value_text(self.first, x), value_text(self.second, y)];
                return Err(self.differ(a, b, Part::Operand(index), labels));
            }
        }
        Ok(())
    }
}

/// # Blocks
impl<'p> Walk<'p> {
    fn regions(&mut self, a: Op, b: Op, pending: &mut Vec<Pending<'p>>) -> Result<(), Difference> {
        let (first, second) = (self.first, self.second);
        let mut inner = Vec::new();
        for (index, (&region, &other)) in first.regions(a).iter().zip(second.regions(b)).enumerate()
        {
            let (blocks, others) = (first.region_blocks(region), second.region_blocks(other));
            self.count(a, b, Part::BlockCount(index), [blocks.len(), others.len()])?;
            inner.extend(blocks.iter().zip(others).map(|(&a, &b)| Pending::Blocks(a, b)));
        }
        pending.extend(inner.into_iter().rev());
        Ok(())
    }

    fn arguments(&mut self, a: Block, b: Block) -> Result<(), Difference> {
        let (first, second) = (self.first, self.second);
        let programs = [first, second];
        let site = Site::Blocks(a, b);
        let (xs, ys) = (first.arguments(a), second.arguments(b));
        if xs.len() != ys.len() {
            let counts = [xs.len(), ys.len()].map(|count| Some(count.to_string()));
            return Err(Difference::new(programs, site, Part::ArgumentCount, counts));
        }
        for (index, (&x, &y)) in xs.iter().zip(ys).enumerate() {
            self.argument(site, x, y, || index.to_string())?;
        }
        for (keyword, x) in first.kwargs(a) {
            let text = || self.context.name_text(keyword).to_owned();
            let Some(y) = second.kwarg(b, keyword) else {
                let ty = text::type_text(self.context, first.ty(x.value));
                return Err(Difference::new(programs, site, Part::Kwarg(text()), [Some(ty), None]));
            };
            self.argument(site, x, y, text)?;
        }
        let extra = second.kwargs(b).find(|&(keyword, _)| first.kwarg(a, keyword).is_none());
        let Some((keyword, y)) = extra else { return Ok(()) };
        let part = Part::Kwarg(self.context.name_text(keyword).to_owned());
        let ty = text::type_text(self.context, second.ty(y.value));
        Err(Difference::new(programs, site, part, [None, Some(ty)]))
    }

    fn argument(
        &mut self,
        site: Site,
        x: BlockArgument,
        y: BlockArgument,
        name: impl Fn() -> String,
    ) -> Result<(), Difference> {
        let programs = [self.first, self.second];
        let types = [self.first.ty(x.value), self.second.ty(y.value)];
        if !self.alike.types(types) {
            let types = self.alike.type_texts(types);
            return Err(Difference::new(programs, site, Part::ArgumentType(name()), types));
        }
        if !self.alike.dicts([x.attrs, y.attrs]) {
            let plain = [x.attrs, y.attrs]
                .map(|dict| self.context.dict_entries(self.context.plain_dict(dict)));
            if let Some((attr, values)) = self.alike.first_difference(plain) {
                let part = Part::ArgumentAttr(name(), self.context.name_text(attr).to_owned());
                return Err(Difference::new(programs, site, part, values));
            }
        }
        // Blocks come before all that reads their arguments, so nothing stands for these yet.
        self.stand_for_each_other(x.value, y.value);
        Ok(())
    }
}

/// # Parts
impl Walk<'_> {
    /// Whether `y` is the partner of `x`. Where `x` has none yet, `y` becomes it: for good, so that
    /// what is read before it is defined must be defined as it was read.
    fn stand_for_each_other(&mut self, x: Value, y: Value) -> bool {
        self.partners.get_mut(x.index()).is_some_and(|partner| *partner.get_or_insert(y) == y)
    }

    fn count(&self, a: Op, b: Op, part: Part, counts: [usize; 2]) -> Result<(), Difference> {
        if counts[0] == counts[1] {
            return Ok(());
        }
        Err(self.differ(a, b, part, counts.map(|count| Some(count.to_string()))))
    }

    fn differ(&self, a: Op, b: Op, part: Part, values: [Option<String>; 2]) -> Difference {
        Difference::new([self.first, self.second], Site::Ops(Some(a), Some(b)), part, values)
    }

    fn present_in_one(&self, a: Option<Op>, b: Option<Op>) -> Difference {
        let names = [a.map(|op| self.first.name_text(op)), b.map(|op| self.second.name_text(op))];
        let names = names.map(|name| name.map(str::to_owned));
        Difference::new([self.first, self.second], Site::Ops(a, b), Part::Presence, names)
    }
}

fn value_text(program: &Program, value: Option<Value>) -> Option<String> {
    value.map(|value| Labels::of(program).text(program, value))
}
