//! Runs a program on terms.
//!
//! A value names a *cell*, a piece of memory, and a cell holds a term. Reading an operand is reading
//! what its cell holds now; an op that works in place writes the cell of its operand, and every other
//! value that names the cell sees it. A list of values names a list of cells.
//!
//! 1. [`Machine`]: one run of one program; here is how an op is run.
//! 2. [`cells`]: cells and what values name.
//! 3. [`names`]: sources and names: data, parameters, keyword arguments, `shadow_output`.
//! 4. [`effects`]: what others see, and random numbers.
//! 5. [`regions`]: branches, loops and control-flow stacks.

mod cells;
mod effects;
mod names;
mod regions;

use std::rc::Rc;

use hashbrown::HashMap;
use pirogue::ir::{Name, Op, Program, Type, Value, names as known};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

pub(crate) use cells::Frame;
use cells::{Binding, CellId};
pub(crate) use names::Rules;

use crate::findings::{Fault, Finding, Findings, Side, Site};
use crate::lemma::{Lemma, Transposes};
use crate::normal::Gradients;
use crate::ops::{Kind, OpClass};
use crate::store::{Run, Store};
use crate::terms::{Application, Symbol, Tag, Term};
use crate::world::{Formed, Forms, World};

/// A value that later programs of the same micro-batch find by its name.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) term: Term,
    pub(crate) ty: Type,
    /// The type under which it was last seen: in-place ops may print another than its own.
    pub(crate) printed: Type,
    /// The cell that stands for it in the program that runs.
    pub(crate) cell: Option<CellId>,
}

/// An effect as it happened.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TraceEntry {
    pub(crate) channel: u32,
    pub(crate) term: Term,
    pub(crate) site: Site,
}

/// A named output as it was when its program ended.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Fetch {
    pub(crate) name: Name,
    pub(crate) term: Term,
    pub(crate) site: Site,
}

/// What belongs to one micro-batch, or to several that do the same.
#[derive(Clone)]
pub(crate) struct Thread {
    pub(crate) tag: Tag,
    scope: HashMap<Name, Entry, FxBuildHasher>,
    /// How often each random site has drawn.
    draws: HashMap<Term, u32, FxBuildHasher>,
    /// By channel: how many effects it has seen.
    occurrences: Vec<u32>,
    pub(crate) trace: Vec<TraceEntry>,
    pub(crate) fetches: Vec<Fetch>,
}

impl Thread {
    pub(crate) fn new(tag: Tag) -> Self {
        Self {
            tag,
            scope: HashMap::default(),
            draws: HashMap::default(),
            occurrences: Vec::new(),
            trace: Vec::new(),
            fetches: Vec::new(),
        }
    }
}

/// One run of a program.
pub(crate) struct Machine<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) store: &'a mut Store,
    pub(crate) thread: &'a mut Thread,
    pub(crate) findings: &'a mut Findings,
    pub(crate) frame: &'a mut Frame,
    pub(crate) program: &'a Program,
    pub(crate) side: Side,
    pub(crate) rules: Rules,
    /// The micro-batches of each run, as sets of the world.
    pub(crate) runs: &'a [u32],
    pub(crate) run: Run,
    pub(crate) job: Option<u32>,
}

impl Machine<'_> {
    /// Runs an op.
    pub(crate) fn step(&mut self, op: Op) {
        let class = self.world.knowledge.class(self.program.name(op));
        if !class.is_known {
            self.world.unknown_ops.insert(self.program.name(op));
        }
        match class.kind {
            Kind::Plain => self.plain(op, &class),
            Kind::AddInPlace => self.add_in_place(op, &class),
            Kind::Reshape => self.normalized(op, &class, Self::reshape),
            Kind::Matmul => self.normalized(op, &class, Self::matmul),
            Kind::Sum => self.normalized(op, &class, Self::sum),
            Kind::MatmulGrad => self.normalized(op, &class, Self::matmul_grad),
            Kind::Data => self.data(op),
            Kind::Parameter => self.parameter(op),
            Kind::ShadowOutput => self.shadow_output(op),
            Kind::SetParameter => self.set_parameter(op),
            Kind::Combine => self.combine(op),
            Kind::Split => self.split(op),
            Kind::Slice => self.slice(op),
            Kind::If => self.branches(op),
            Kind::While => self.repeat(op),
            Kind::PyLayer => self.inline(op),
            Kind::StackCreate => self.stack_create(op),
            Kind::TuplePush => self.tuple_push(op),
            Kind::TuplePop => self.tuple_pop(op),
            // Those of a region are read by what runs it.
            Kind::Yield => {}
        }
    }

    pub(crate) fn site(&self, op: Op) -> Site {
        Site { side: self.side, op: Some(op) }
    }

    fn find_fault(&mut self, fault: Fault, op: Option<Op>) {
        let site = Site { side: self.side, op };
        self.findings.add(Finding { fault, site, job: self.job });
    }

    /// The terms of all operands.
    fn read_operands(&mut self, op: Op, class: &OpClass) -> SmallVec<[Term; 6]> {
        let program = self.program;
        let operands = program.operands(op).iter().enumerate();
        operands
            .map(|(index, &operand)| self.read(op, operand, class.needs_buffer(index)))
            .collect()
    }

    /// The types of all results, those of a list's elements one by one; never none.
    fn result_types(&mut self, op: Op) -> SmallVec<[Type; 4]> {
        let mut types = SmallVec::new();
        for result in self.program.results(op) {
            let shape = self.world.knowledge.shape(self.program.ty(result));
            match &shape.elements {
                Some(elements) => types.extend_from_slice(elements),
                None => types.push(shape.plain),
            }
        }
        if types.is_empty() {
            types.push(Type::NULL);
        }
        types
    }

    fn plain(&mut self, op: Op, class: &OpClass) {
        let operands = self.read_operands(op, class);
        let term = self.apply(op, class, &operands);
        self.bind_results(op, class, term, &[]);
    }

    /// The application that an op is where nothing more is known of it.
    fn apply(&mut self, op: Op, class: &OpClass, operands: &[Term]) -> Term {
        let name = self.program.name(op);
        let attrs = self.world.knowledge.attrs(name, self.program.dict(op));
        let types = self.result_types(op);
        let mut application = Application::new(Symbol::Op(name), operands, &types).attrs(attrs);
        if class.is_random {
            application = self.drawn(application);
        }
        if class.has_effect {
            application = self.effect(op, application);
        }
        self.world.terms.apply(&application)
    }

    fn add_in_place(&mut self, op: Op, class: &OpClass) {
        if let &[Some(sum), Some(addend)] = self.program.operands(op)
            && let Binding::Cell(cell) = self.frame.binding(sum)
            && let Some(slot) = self.frame.cell(cell).slot
            && self.frame.is_unconditional()
            && self.has_type(addend, self.store.ty(slot))
        {
            let term = self.read(op, Some(addend), true);
            self.store.add(slot, term, self.run);
            let result = self.program.result(op, 0);
            self.frame.bind(result, Binding::Cell(cell));
        } else {
            self.plain(op, class);
        }
    }

    fn has_type(&mut self, value: Value, ty: Type) -> bool {
        let Binding::Cell(cell) = self.frame.binding(value) else { return false };
        self.world.context.same_type(self.frame.cell(cell).ty, ty)
    }
}

/// # Ops with normal forms
impl Machine<'_> {
    fn normalized(&mut self, op: Op, class: &OpClass, form: fn(&mut Self, Op, &[Term]) -> Forms) {
        let operands = self.read_operands(op, class);
        let application = self.apply(op, class, &operands);
        let forms = match self.world.forms.get(&application) {
            Some(&Formed { forms, next }) => {
                self.world.terms.expect(next);
                forms
            }
            None => {
                let forms = form(self, op, &operands);
                let next = self.world.terms.next();
                self.world.forms.insert(application, Formed { forms, next });
                forms
            }
        };
        if class.kind == Kind::MatmulGrad {
            self.note_gradient(op, application);
        }
        self.bind_results(op, class, application, &forms);
    }

    fn type_of_result(&self, op: Op, index: usize) -> Type {
        let has_it = index < self.program.result_count(op);
        if has_it { self.program.ty(self.program.result(op, index)) } else { Type::NULL }
    }

    fn reshape(&mut self, op: Op, operands: &[Term]) -> Forms {
        let &[x, shape] = operands else { return [None; 2] };
        [self.world.reshape_op(x, shape, self.type_of_result(op, 0)), None]
    }

    fn matmul(&mut self, op: Op, operands: &[Term]) -> Forms {
        let &[x, y] = operands else { return [None; 2] };
        let Some(transposed) = self.transposes(op) else { return [None; 2] };
        [self.world.matmul_op([x, y], transposed, self.type_of_result(op, 0)), None]
    }

    fn sum(&mut self, op: Op, operands: &[Term]) -> Forms {
        let &[x, axes] = operands else { return [None; 2] };
        let keepdim = self.world.context.name("keepdim");
        let keeps = self.program.attr_value(op, keepdim).and_then(|value| value.as_bool());
        let Some(keeps) = keeps else { return [None; 2] };
        [self.world.sum_op(x, axes, keeps, self.type_of_result(op, 0)), None]
    }

    fn matmul_grad(&mut self, op: Op, operands: &[Term]) -> Forms {
        let &[x, y, out] = operands else { return [None; 2] };
        let Some(transposed) = self.transposes(op) else { return [None; 2] };
        let gradients = Gradients { x, y, out, transposed };
        let types = [0, 1].map(|index| self.type_of_result(op, index));
        self.world.gradients(&gradients, types)
    }

    /// Takes note that it ran as such: a plan that does not has used the lemma.
    fn note_gradient(&mut self, op: Op, term: Term) {
        if let Side::Plan(_) = self.side {
            self.world.gradients.of_plan.insert(term);
            return;
        }
        let Some(transposed) = self.transposes(op) else { return };
        let transposes = match transposed {
            [false, false] => Transposes::NN,
            [false, true] => Transposes::NT,
            [true, false] => Transposes::TN,
            [true, true] => Transposes::TT,
        };
        let out = self.world.terms.operands(term).last().copied().unwrap_or(Term::NULL);
        let kind = self.world.context.type_kind(self.world.terms.ty(out));
        let rank = kind.as_tensor().map_or(0, |tensor| tensor.rank());
        let lemma = Lemma::MatmulGrad { transposes, rank };
        self.world.gradients.of_original.insert(op, (term, lemma));
    }

    fn transposes(&self, op: Op) -> Option<[bool; 2]> {
        let said = |name| match self.program.attr_value(op, name) {
            Some(value) => value.as_bool(),
            None => Some(false),
        };
        Some([said(known::TRANSPOSE_X)?, said(known::TRANSPOSE_Y)?])
    }
}

/// # Results
impl Machine<'_> {
    /// Gives the results of an op their cells: those of operands where it works in place. The terms
    /// are those that follow `first`, but for those that have `forms`.
    fn bind_results(&mut self, op: Op, class: &OpClass, first: Term, forms: &[Option<Term>]) {
        if class.aliases.is_empty()
            && self.program.result_count(op) == 1
            && self.bind_only_result(op, first, forms)
        {
            return;
        }
        let mut offset = 0;
        for (index, result) in self.program.results(op).enumerate() {
            let ty = self.program.ty(result);
            let shape = Rc::clone(self.world.knowledge.shape(ty));
            let count = shape.elements.as_ref().map_or(1, |elements| elements.len());
            let form = forms.get(index).copied().flatten();
            let terms = (offset..offset + count).map(|offset| first.result(offset));
            let alias = class.aliases.iter().find(|alias| alias.0 as usize == index);
            let place = alias
                .and_then(|alias| self.program.operands(op).get(alias.1 as usize).copied()?)
                .map_or(Binding::None, |operand| self.frame.binding(operand));
            offset += count;
            if ty == Type::NULL {
                continue;
            }
            let binding = match &shape.elements {
                None => {
                    let term = form.unwrap_or(first.result(offset - 1));
                    self.place_result(op, place, term, ty)
                }
                Some(elements) => self.place_list(op, place, terms, elements),
            };
            self.frame.bind(result, binding);
        }
    }

    /// The same for what most ops have: one new tensor. Whether it is one.
    fn bind_only_result(&mut self, op: Op, first: Term, forms: &[Option<Term>]) -> bool {
        let result = self.program.result(op, 0);
        let ty = self.program.ty(result);
        if ty == Type::NULL || self.world.knowledge.shape(ty).elements.is_some() {
            return false;
        }
        let term = forms.first().copied().flatten().unwrap_or(first);
        self.note_made(op, term);
        let cell = self.frame.new_cell(term, ty);
        self.frame.bind(result, Binding::Cell(cell));
        true
    }

    fn place_result(&mut self, op: Op, place: Binding, term: Term, ty: Type) -> Binding {
        self.note_made(op, term);
        match place {
            Binding::Cell(cell) => {
                self.write(cell, term);
                self.frame.cell_mut(cell).printed = ty;
                place
            }
            _ => Binding::Cell(self.frame.new_cell(term, ty)),
        }
    }

    fn place_list(
        &mut self,
        op: Op,
        place: Binding,
        terms: impl ExactSizeIterator<Item = Term>,
        elements: &[Type],
    ) -> Binding {
        let places: SmallVec<[Binding; 4]> = match place {
            Binding::List(list) if self.frame.list(list).len() == elements.len() => {
                self.frame.list(list).iter().map(|&cell| Binding::Cell(cell)).collect()
            }
            _ => elements.iter().map(|_| Binding::None).collect(),
        };
        let cells = terms.zip(elements).zip(places);
        let cells = cells.map(|((term, &ty), place)| self.place_result(op, place, term, ty));
        let cells: SmallVec<[CellId; 4]> = cells.filter_map(Binding::cell).collect();
        self.frame.new_list(cells)
    }

    /// Takes note of which op made a term.
    fn note_made(&mut self, op: Op, term: Term) {
        match self.side {
            Side::Original => self.world.results.push((term, op)),
            Side::Plan(_) => {
                if let Some(flag) = self.world.is_made_again.get_mut(term.index()) {
                    *flag = true;
                }
            }
        }
        let site = self.site(op);
        if let Some(makers) = &mut self.world.makers {
            makers.add(term, site);
        }
    }
}
