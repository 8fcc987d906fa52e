//! The first difference of two programs, as it is told.

use std::fmt;

use crate::diagnostic::{Diagnostic, Place};
use crate::ir::{Block, Op, Program};

/// What differs: of an op, or of a block where it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The name of the op.
    Name,
    /// The op is there in one program only.
    Presence,
    /// The attribute of this name.
    Attr(String),
    /// The number of operands.
    OperandCount,
    /// The operand of this index.
    Operand(usize),
    /// The number of results.
    ResultCount,
    /// The type of the result of this index.
    ResultType(usize),
    /// The result of this index is not what the op stands for that reads it, earlier, in the other
    /// program.
    Result(usize),
    /// The number of regions.
    RegionCount,
    /// The number of blocks in the region of this index.
    BlockCount(usize),
    /// The number of positional arguments of a block.
    ArgumentCount,
    /// The type of an argument of a block: its index or keyword.
    ArgumentType(String),
    /// An attribute of an argument of a block: its index or keyword, and the name of the attribute.
    ArgumentAttr(String, String),
    /// The keyword argument is there in one program only.
    Kwarg(String),
}

/// The first difference of two programs: what differs, where, and what each has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference(Box<Told>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    part: Part,
    /// What each program has there, if it has anything.
    values: [Option<String>; 2],
    /// `op 0, `pd_op.scale`, in region 1 of op 3, `pd_op.if``, or `the program`.
    whose: String,
    top_index: Option<usize>,
    places: [Option<Place>; 2],
}

/// Where in two programs something differs.
#[derive(Copy, Clone)]
pub(super) enum Site {
    /// At an op, in one program or in both.
    Ops(Option<Op>, Option<Op>),
    /// At two blocks.
    Blocks(Block, Block),
}

impl Difference {
    pub(super) fn new(
        programs: [&Program; 2],
        site: Site,
        part: Part,
        values: [Option<String>; 2],
    ) -> Self {
        let ops = match site {
            Site::Ops(first, second) => [first, second],
            Site::Blocks(first, second) => {
                [programs[0].parent_op(first), programs[1].parent_op(second)]
            }
        };
        let known = programs.into_iter().zip(ops).find_map(|(program, op)| Some((program, op?)));
        let whose = match (known, site) {
            (None, _) => "the program".to_owned(),
            (Some((program, op)), Site::Ops(..)) => op_path(program, op),
            (Some((program, _)), Site::Blocks(block, _)) => block_path(program, block),
        };
        let place = |side: usize| ops[side].map(|op| Place::op(programs[side], op));
        Self(Box::new(Told {
            part,
            values,
            whose,
            top_index: known.and_then(|(program, op)| top_index(program, op)),
            places: [place(0), place(1)],
        }))
    }

    /// What differs.
    pub fn part(&self) -> &Part {
        &self.0.part
    }

    /// What the first program has there, if it has anything.
    pub fn first(&self) -> Option<&str> {
        self.0.values[0].as_deref()
    }

    /// What the second program has there, if it has anything.
    pub fn second(&self) -> Option<&str> {
        self.0.values[1].as_deref()
    }

    /// The index, among the ops of the top block, of the op that differs or that holds what
    /// differs.
    pub fn top_index(&self) -> Option<usize> {
        self.0.top_index
    }

    /// As an error that shows both places.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error("E0450", self.message());
        let [first, second] = &self.0.places;
        if let Some(place) = first {
            diagnostic = diagnostic.at(place.clone().label("in the first program"));
        }
        match second {
            Some(place) if first.is_none() => {
                diagnostic.at(place.clone().label("in the second program"))
            }
            Some(place) => diagnostic.see(place.clone().label("in the second program")),
            None => diagnostic,
        }
    }

    /// What differs, on one line.
    fn message(&self) -> String {
        let Told { part, values, whose, .. } = &*self.0;
        let subject = match part {
            Part::Presence => whose.clone(),
            part => format!("{part} of {whose}"),
        };
        // A name in the middle of a sentence ends in a comma if a comma goes before it.
        let comma = if subject.contains(", ") { "," } else { "" };
        match values {
            [Some(first), Some(second)] => {
                format!("{subject}{comma} differs: `{first}` and `{second}`")
            }
            [first, second] => {
                let side = if first.is_some() { "first" } else { "second" };
                let value = first.as_ref().or(second.as_ref()).filter(|_| *part != Part::Presence);
                let value = value.map_or(String::new(), |value| format!(": `{value}`"));
                format!("{subject}{comma} is in the {side} program only{value}")
            }
        }
    }
}

/// How many ops around one are told.
const MOST_LEVELS: usize = 3;

/// An op among those of its block, and what is around it.
fn op_path(program: &Program, op: Op) -> String {
    let around = around(program, program.block_of(op));
    let path = format!("op {}, `{}`", index_in_block(program, op), program.name_text(op));
    if around.is_empty() { path } else { format!("{path}, in {around}") }
}

fn block_path(program: &Program, block: Block) -> String {
    let around = around(program, block);
    if around.is_empty() { "the program".to_owned() } else { around }
}

/// The regions around what stands in a block, from the inside out; empty for the top block.
fn around(program: &Program, mut block: Block) -> String {
    let mut levels = Vec::new();
    while let Some(op) = program.parent_op(block) {
        if levels.len() == MOST_LEVELS {
            let top = top_index(program, op).unwrap_or(0);
            levels.push(format!("the nest of op {top} of the program"));
            break;
        }
        let mut regions = program.regions(op).iter();
        let region =
            regions.position(|&region| program.region_blocks(region).contains(&block)).unwrap_or(0);
        let index = index_in_block(program, op);
        levels.push(format!("region {region} of op {index}, `{}`", program.name_text(op)));
        block = program.block_of(op);
    }
    levels.join(", in ")
}

fn index_in_block(program: &Program, op: Op) -> usize {
    std::iter::successors(program.prev_op(op), |&op| program.prev_op(op)).count()
}

fn top_index(program: &Program, op: Op) -> Option<usize> {
    program.ancestor_in(program.top(), op).map(|op| index_in_block(program, op))
}

/// A line of a program is cut behind so many characters.
const LONGEST_LINE: usize = 240;

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        for (side, place) in ["first: ", "second:"].into_iter().zip(&self.0.places) {
            let Some(place) = place else { continue };
            write!(f, "\n  {side} ")?;
            if let Some(line) = place.line {
                write!(f, "{}:{line}: ", place.file)?;
            }
            let line: String = place.text.chars().take(LONGEST_LINE).collect();
            let more = if line.len() < place.text.len() { " ..." } else { "" };
            write!(f, "{}{more}", line.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for Difference {}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => write!(f, "the name"),
            Self::Presence => write!(f, "the op"),
            Self::Attr(name) => write!(f, "attribute `{name}`"),
            Self::OperandCount => write!(f, "the number of operands"),
            Self::Operand(index) => write!(f, "operand {index}"),
            Self::ResultCount => write!(f, "the number of results"),
            Self::ResultType(index) => write!(f, "the type of result {index}"),
            Self::Result(index) => write!(f, "result {index}"),
            Self::RegionCount => write!(f, "the number of regions"),
            Self::BlockCount(region) => write!(f, "the number of blocks in region {region}"),
            Self::ArgumentCount => write!(f, "the number of arguments"),
            Self::ArgumentType(argument) => write!(f, "the type of argument `{argument}`"),
            Self::ArgumentAttr(argument, name) => {
                write!(f, "attribute `{name}` of argument `{argument}`")
            }
            Self::Kwarg(keyword) => write!(f, "keyword argument `{keyword}`"),
        }
    }
}
