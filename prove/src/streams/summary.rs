//! What a program does on streams, found once and replayed for each of its jobs.

use hashbrown::HashMap;
use pirogue::dialect::OpFacts;
use pirogue::ir::{AttrValue, Context, Dict, Name, Op, Program, Value, names};
use pirogue_plan::Plan;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::world::FxIndexSet;

/// A stream, as a position in [`Summaries::streams`]; 0 is that of computations.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StreamId(pub(super) u32);

const COMPUTATIONS: StreamId = StreamId(0);

/// One thing that a program does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Wait {
        stream: StreamId,
        event: Name,
        op: Op,
    },
    /// `stream` comes after what `other` has done in this program.
    Join {
        stream: StreamId,
        other: StreamId,
    },
    Advance {
        stream: StreamId,
        by: u64,
    },
    Record {
        stream: StreamId,
        event: Name,
    },
    Read {
        stream: StreamId,
        name: Name,
        is_variable: bool,
        op: Op,
    },
    Write {
        stream: StreamId,
        name: Name,
        is_variable: bool,
        op: Op,
    },
}

/// What all programs of a plan do.
pub(super) struct Summaries {
    pub(super) streams: FxIndexSet<Name>,
    pub(super) of_program: Vec<Vec<Act>>,
}

impl Summaries {
    /// Nothing if all programs run on one stream and no event is used.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let mut said = Said::new(plan.context());
        let programs: Vec<&Program> = plan.programs().map(|program| program.1).collect();
        if !programs.iter().any(|program| uses_streams(program, &mut said)) {
            return None;
        }
        let acts = programs.iter().map(|program| Scan::new(program, &mut said).acts());
        let mut of_program: Vec<Vec<Act>> = acts.collect();
        let relevant = relevant_names(&of_program);
        of_program.iter_mut().for_each(|acts| shorten(acts, &relevant));
        Some(Self { streams: said.streams, of_program })
    }
}

fn uses_streams(program: &Program, said: &mut Said<'_>) -> bool {
    program.top_ops().any(|op| {
        let said = said.of(program, op);
        said.stream != COMPUTATIONS || !said.waits.is_empty() || said.records.is_some()
    })
}

/// The names of values that another stream than that of computations writes or reads.
fn relevant_names(programs: &[Vec<Act>]) -> FxIndexSet<Name> {
    let names = programs.iter().flatten().filter_map(|act| match *act {
        Act::Read { stream, name, .. } | Act::Write { stream, name, .. } => {
            (stream != COMPUTATIONS).then_some(name)
        }
        _ => None,
    });
    names.collect()
}

/// Leaves out what cannot race, and makes one of advances in a row.
fn shorten(acts: &mut Vec<Act>, relevant: &FxIndexSet<Name>) {
    acts.retain(|act| match act {
        Act::Read { name, .. } | Act::Write { name, .. } => relevant.contains(name),
        _ => true,
    });
    acts.dedup_by(|next, kept| match (next, kept) {
        (Act::Advance { stream, by }, Act::Advance { stream: before, by: sum })
            if stream == before =>
        {
            *sum += *by;
            true
        }
        _ => false,
    });
}

/// What the attributes of an op say of streams.
#[derive(Clone, Debug)]
struct OpSaid {
    stream: StreamId,
    waits: SmallVec<[Name; 2]>,
    records: Option<Name>,
}

/// What dictionaries say of streams.
struct Said<'c> {
    context: &'c Context,
    streams: FxIndexSet<Name>,
    by_dict: HashMap<Dict, OpSaid, FxBuildHasher>,
}

impl<'c> Said<'c> {
    fn new(context: &'c Context) -> Self {
        let streams = [context.name("calc")].into_iter().collect();
        Self { context, streams, by_dict: HashMap::default() }
    }

    fn of(&mut self, program: &Program, op: Op) -> &OpSaid {
        let Self { context, streams, by_dict } = self;
        by_dict.entry(program.dict(op)).or_insert_with(|| {
            let text = |name| program.attr_str(op, name).map(|text| context.name(text));
            let stream = text(names::EXECUTION_STREAM).unwrap_or(streams[0]);
            let stream = StreamId(streams.insert_full(stream).0 as u32);
            let is_forced = program.attr_value(op, names::FORCE_RECORD_EVENT);
            let is_forced = is_forced.and_then(AttrValue::as_bool) == Some(true);
            let records = text(names::EVENT_TO_RECORD).filter(|_| is_forced);
            let waits = match program.attr_value(op, names::EVENTS_TO_WAIT) {
                Some(AttrValue::Array(events)) => {
                    let texts = events.iter().map(|&event| context.attr_value(event).as_str());
                    texts.flatten().map(|text| context.name(text)).collect()
                }
                _ => SmallVec::new(),
            };
            OpSaid { stream, waits, records }
        })
    }
}

/// A piece of memory of a program, by position.
type Cell = u32;

/// Under which name other programs know a cell.
#[derive(Copy, Clone)]
struct Known {
    name: Name,
    is_variable: bool,
}

/// A pass over a program.
struct Scan<'p, 's, 'c> {
    program: &'p Program,
    said: &'s mut Said<'c>,
    /// By value: the cells that it names.
    cells_of: Vec<SmallVec<[Cell; 1]>>,
    /// By cell.
    known: Vec<Option<Known>>,
    /// By cell: the stream that wrote it in this program.
    writer: Vec<Option<StreamId>>,
    acts: Vec<Act>,
}

impl<'p, 's, 'c> Scan<'p, 's, 'c> {
    fn new(program: &'p Program, said: &'s mut Said<'c>) -> Self {
        Self {
            program,
            said,
            cells_of: vec![SmallVec::new(); program.value_capacity()],
            known: Vec::new(),
            writer: Vec::new(),
            acts: Vec::new(),
        }
    }

    fn acts(mut self) -> Vec<Act> {
        self.find_cells();
        self.writer = vec![None; self.known.len()];
        self.program.top_ops().for_each(|op| self.op(op));
        self.acts
    }

    fn new_cell(&mut self, value: Value, known: Option<Known>) {
        self.cells_of[value.index()] = SmallVec::from_elem(self.known.len() as Cell, 1);
        self.known.push(known);
    }

    /// Which values are one piece of memory, and how others know it.
    fn find_cells(&mut self) {
        let program = self.program;
        for (name, argument) in program.kwargs(program.top()) {
            let flag = program.context().dict_get(argument.attrs, names::PERSISTABLE);
            let is_variable =
                flag.is_some_and(|flag| program.context().attr_value(flag).as_bool() == Some(true));
            self.new_cell(argument.value, Some(Known { name, is_variable }));
        }
        for top in program.top_ops() {
            program.nest(top).for_each(|op| self.cells_of_results(op));
        }
        for op in program.top_ops().filter(|&op| program.name(op) == names::SHADOW_OUTPUT) {
            let name = program.attr_name(op, names::OUTPUT_NAME);
            let (Some(value), Some(name)) = (program.operand(op, 0), name) else { continue };
            for &cell in &self.cells_of[value.index()] {
                self.known[cell as usize] = Some(Known { name, is_variable: false });
            }
        }
    }

    fn cells_of_results(&mut self, op: Op) {
        let program = self.program;
        let facts = program.context().facts(program.name(op));
        let operand_cells = |scan: &Self, index: usize| match program.operand(op, index) {
            Some(value) => scan.cells_of[value.index()].clone(),
            None => SmallVec::new(),
        };
        let name = program.name(op);
        for (index, result) in program.results(op).enumerate() {
            let alias = facts.and_then(|facts| {
                facts.aliases().find(|alias| alias.result == index).map(|alias| alias.operand)
            });
            let cells = match (name, alias) {
                (names::COMBINE, _) => {
                    let operands = 0..program.operands(op).len();
                    operands.flat_map(|operand| operand_cells(self, operand)).collect()
                }
                (names::SPLIT, _) => {
                    operand_cells(self, 0).get(index).copied().into_iter().collect()
                }
                (names::SLICE, _) => operand_cells(self, 0),
                (_, Some(operand)) => operand_cells(self, operand),
                _ => SmallVec::new(),
            };
            if cells.is_empty() {
                let known = self.source(op);
                self.new_cell(result, known);
            } else {
                self.cells_of[result.index()] = cells;
            }
        }
    }

    /// How others know what a source gives.
    fn source(&self, op: Op) -> Option<Known> {
        let program = self.program;
        let (attr, is_variable) = match program.name(op) {
            names::DATA => {
                (names::NAME, program.result_flag(op, names::PERSISTABLE, 0) == Some(true))
            }
            names::PARAMETER => (names::PARAMETER_NAME, true),
            _ => return None,
        };
        Some(Known { name: program.attr_name(op, attr)?, is_variable })
    }

    fn op(&mut self, op: Op) {
        let program = self.program;
        let name = program.name(op);
        let moves_names = matches!(
            name,
            names::SHADOW_OUTPUT
                | names::COMBINE
                | names::SPLIT
                | names::SLICE
                | names::DATA
                | names::PARAMETER
        );
        if moves_names {
            return;
        }
        let said = self.said.of(program, op).clone();
        let stream = said.stream;
        for event in said.waits {
            self.acts.push(Act::Wait { stream, event, op });
        }
        program.nest(op).for_each(|nested| self.reads(stream, op, nested));
        self.acts.push(Act::Advance { stream, by: 1 });
        program.nest(op).for_each(|nested| self.writes(stream, op, nested));
        if let Some(event) = said.records {
            self.acts.push(Act::Record { stream, event });
        }
    }

    /// What an op of the top block reads; `nested` is it or an op inside of it.
    fn reads(&mut self, stream: StreamId, op: Op, nested: Op) {
        let program = self.program;
        let facts = program.context().facts(program.name(nested));
        for (index, &operand) in program.operands(nested).iter().enumerate() {
            let is_read = facts.is_none_or(|facts: &OpFacts| facts.needs_buffer(index));
            let Some(value) = operand.filter(|_| is_read) else { continue };
            for cell in self.cells_of[value.index()].clone() {
                match (self.writer[cell as usize], self.known[cell as usize]) {
                    (Some(other), _) if other != stream => {
                        self.acts.push(Act::Join { stream, other });
                    }
                    (None, Some(Known { name, is_variable })) => {
                        self.acts.push(Act::Read { stream, name, is_variable, op });
                    }
                    _ => {}
                }
            }
        }
    }

    fn writes(&mut self, stream: StreamId, op: Op, nested: Op) {
        for result in self.program.results(nested) {
            for cell in self.cells_of[result.index()].clone() {
                self.writer[cell as usize] = Some(stream);
                if let Some(Known { name, is_variable }) = self.known[cell as usize] {
                    self.acts.push(Act::Write { stream, name, is_variable, op });
                }
            }
        }
    }
}
