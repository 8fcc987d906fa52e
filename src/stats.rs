//! What a program consists of: ops by name, role and chunk; parameters; what crosses.
//!
//! Ops in regions count. Bytes are those of dense tensors, dims times the size of an element; of a
//! tensor that is spread over a mesh, those of the whole. A value whose size is not known (a dim
//! that is known at run time only, a list, a tensor array) is counted apart.
//!
//! A value *crosses* where an op of the top block reads what an op of another place made, and counts
//! once for each place that reads it. A nested op belongs to the op of the top block that holds it.

use std::fmt;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use crate::ir::{Context, Name, Op, Program, ScalarType, TensorType, Type, TypeKind, Value, names};

/// What a program consists of; see the [module](self).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramStats {
    /// All ops, nested ones included.
    pub ops: usize,
    /// How many ops have each name; the most frequent first, then by name.
    pub by_name: Vec<(String, usize)>,
    /// How many ops of the top block, with what they hold, each place has; in the order of places.
    pub by_place: Vec<(Place, usize)>,
    /// The results of `builtin.parameter`.
    pub parameters: Amount,
    /// What crosses from one place to another, in the order of places.
    pub crossing: Vec<Crossing>,
}

/// Where an op belongs: its role without the bit that marks the loss, and its chunk.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// `op_role`: 0 forward, 1 backward, 2 optimize.
    pub role: Option<i32>,
    /// `chunk_id`.
    pub chunk: Option<i32>,
}

/// How many values there are, and how large.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// How many.
    pub values: usize,
    /// The elements of those whose size is known.
    pub elements: u64,
    /// The bytes of those whose size is known.
    pub bytes: u64,
    /// How many have a size that is not known.
    pub unknown: usize,
}

/// What crosses from one place to another.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crossing {
    /// Where it is made.
    pub from: Place,
    /// Where it is read.
    pub to: Place,
    /// How much it is.
    pub amount: Amount,
}

/// The bit of `op_role` that marks the loss.
const LOSS: i32 = 256;

impl Place {
    /// Where an op belongs.
    pub fn of(program: &Program, op: Op) -> Self {
        let role = program.role(op).map(|role| if role < 0 { role } else { role & !LOSS });
        Self { role, chunk: program.chunk(op) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            Some(0) => write!(f, "forward")?,
            Some(1) => write!(f, "backward")?,
            Some(2) => write!(f, "optimize")?,
            Some(role) => write!(f, "role {role}")?,
            None => write!(f, "no role")?,
        }
        match self.chunk {
            Some(chunk) => write!(f, ", chunk {chunk}"),
            None => Ok(()),
        }
    }
}

impl Amount {
    pub(crate) fn add(&mut self, context: &Context, ty: Type) {
        self.values += 1;
        match size(context, ty) {
            Some((elements, bytes)) => {
                self.elements = self.elements.saturating_add(elements);
                self.bytes = self.bytes.saturating_add(bytes);
            }
            None => self.unknown += 1,
        }
    }
}

/// Elements and bytes of a value, where its type tells.
fn size(context: &Context, ty: Type) -> Option<(u64, u64)> {
    let tensor: &TensorType = match context.type_kind(ty) {
        TypeKind::Tensor(tensor) => tensor,
        TypeKind::Dist(dist) => &dist.global,
        _ => return None,
    };
    let mut dims = tensor.dims.iter().map(|&dim| u64::try_from(dim).ok());
    let elements = dims.try_fold(1_u64, |product, dim| product.checked_mul(dim?))?;
    Some((elements, elements.checked_mul(bytes_of(tensor.element)?)?))
}

fn bytes_of(element: ScalarType) -> Option<u64> {
    let spelling = element.spelling();
    match element {
        ScalarType::Bool => Some(1),
        ScalarType::BF16 => Some(2),
        _ => {
            // `f32`, `i64`, `ui8`, `c128`, `f8e4m3fn`: the number behind the letters is that of bits.
            let digits = spelling.trim_start_matches(|c: char| !c.is_ascii_digit());
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            digits[..end].parse::<u64>().ok().filter(|bits| bits % 8 == 0).map(|bits| bits / 8)
        }
    }
}

type Counts<K, V> = IndexMap<K, V, FxBuildHasher>;

impl ProgramStats {
    /// Counts what is in a program: O(ops + operands).
    pub fn of(program: &Program) -> Self {
        let mut by_name: Counts<Name, usize> = Counts::default();
        let mut by_place: Counts<Place, usize> = Counts::default();
        let mut parameters = Amount::default();
        for op in program.top_ops() {
            for nested in program.nest(op) {
                *by_name.entry(program.name(nested)).or_default() += 1;
                *by_place.entry(Place::of(program, op)).or_default() += 1;
                if program.name(nested) == names::PARAMETER {
                    let results = program.results(nested);
                    results.for_each(|value| parameters.add(program.context(), program.ty(value)));
                }
            }
        }
        let text = |(name, count)| (program.context().name_text(name).to_owned(), count);
        let mut by_name: Vec<(String, usize)> = by_name.into_iter().map(text).collect();
        by_name.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut by_place: Vec<(Place, usize)> = by_place.into_iter().collect();
        by_place.sort_unstable();
        let ops = by_name.iter().map(|(_, count)| count).sum();
        Self { ops, by_name, by_place, parameters, crossing: crossing(program) }
    }
}

fn crossing(program: &Program) -> Vec<Crossing> {
    // Where each value of the top block is made, and the places it was counted for.
    let mut made_in: Vec<Option<Place>> = vec![None; program.value_capacity()];
    let mut counted: Counts<(Value, Place), ()> = Counts::default();
    let mut amounts: Counts<(Place, Place), Amount> = Counts::default();
    for op in program.top_ops() {
        let place = Place::of(program, op);
        for nested in program.nest(op) {
            for &value in program.operands(nested).iter().flatten() {
                let Some(from) = made_in[value.index()].filter(|&from| from != place) else {
                    continue;
                };
                if counted.insert((value, place), ()).is_none() {
                    let amount = amounts.entry((from, place)).or_default();
                    amount.add(program.context(), program.ty(value));
                }
            }
        }
        program.results(op).for_each(|value| made_in[value.index()] = Some(place));
    }
    let mut crossing: Vec<Crossing> =
        amounts.into_iter().map(|((from, to), amount)| Crossing { from, to, amount }).collect();
    crossing.sort_unstable_by_key(|crossing| (crossing.from, crossing.to));
    crossing
}

impl fmt::Display for ProgramStats {
    /// Tables, for a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ops\n", self.ops)?;
        let count = |(name, count): &(String, usize)| (name.clone(), vec![count.to_string()]);
        table(f, "name", &["ops"], self.by_name.iter().map(count))?;
        writeln!(f)?;
        let place = |(place, count): &(Place, usize)| (place.to_string(), vec![count.to_string()]);
        table(f, "role and chunk", &["ops"], self.by_place.iter().map(place))?;
        if self.parameters.values > 0 {
            writeln!(f)?;
            let row = ("all".to_owned(), columns(&self.parameters));
            table(f, "parameters", &AMOUNTS, [row].into_iter())?;
        }
        if !self.crossing.is_empty() {
            writeln!(f)?;
            let row = |crossing: &Crossing| {
                let ends = format!("{} -> {}", crossing.from, crossing.to);
                (ends, columns(&crossing.amount))
            };
            table(f, "what crosses", &AMOUNTS, self.crossing.iter().map(row))?;
        }
        Ok(())
    }
}

const AMOUNTS: [&str; 4] = ["values", "elements", "bytes", "of unknown size"];

fn columns(amount: &Amount) -> Vec<String> {
    let Amount { values, elements, bytes, unknown } = amount;
    vec![values.to_string(), elements.to_string(), bytes.to_string(), unknown.to_string()]
}

/// A column of words to the left, columns of numbers to the right.
fn table(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    titles: &[&str],
    rows: impl Iterator<Item = (String, Vec<String>)>,
) -> fmt::Result {
    let head = titles.iter().map(|&title| title.to_owned()).collect();
    let rows: Vec<(String, Vec<String>)> =
        [(title.to_owned(), head)].into_iter().chain(rows).collect();
    let first = rows.iter().map(|(word, _)| word.chars().count()).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|(_, cells)| cells[column].len()).max();
    for (word, cells) in &rows {
        write!(f, "{word:first$}")?;
        for (column, cell) in cells.iter().enumerate() {
            write!(f, "  {cell:>width$}", width = width(column).unwrap_or(0))?;
        }
        writeln!(f)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    const SOURCE: &str = r#"{
    (%0) = "builtin.parameter" () {chunk_id:0,op_role:0,parameter_name:"w"} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {chunk_id:0,name:"x",op_role:0} : () -> tensor<-1x3xbf16>
    (%2) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.add" (%2, %2) {chunk_id:1,op_role:256} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.add" (%2, %3) {chunk_id:1,op_role:1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.relu" (%1) {chunk_id:1,op_role:1} : (tensor<-1x3xbf16>) -> tensor<-1x3xbf16>
}
"#;

    fn stats() -> ProgramStats {
        let read = text::read_program(&Context::new(), "stats.pir", SOURCE.as_bytes());
        ProgramStats::of(&read.unwrap_or_else(|errors| panic!("{}", errors[0])).program)
    }

    #[test]
    fn ops_are_counted_by_name_and_place() {
        let stats = stats();
        assert_eq!(stats.ops, 6);
        let names: Vec<&str> = stats.by_name.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["pd_op.add", "pd_op.relu", "builtin.parameter", "pd_op.data"]);
        let places: Vec<(String, usize)> =
            stats.by_place.iter().map(|(place, count)| (place.to_string(), *count)).collect();
        let expected = [("forward, chunk 0", 3), ("forward, chunk 1", 1), ("backward, chunk 1", 2)];
        assert_eq!(places, expected.map(|(place, count)| (place.to_owned(), count)));
        let parameters = Amount { values: 1, elements: 6, bytes: 24, unknown: 0 };
        assert_eq!(stats.parameters, parameters);
    }

    #[test]
    fn a_value_crosses_once_to_each_place_that_reads_it() {
        let crossing: Vec<(String, Amount)> = stats()
            .crossing
            .iter()
            .map(|crossing| (format!("{} -> {}", crossing.from, crossing.to), crossing.amount))
            .collect();
        let one = Amount { values: 1, elements: 6, bytes: 24, unknown: 0 };
        let expected = [
            ("forward, chunk 0 -> forward, chunk 1", one),
            (
                "forward, chunk 0 -> backward, chunk 1",
                Amount { values: 2, elements: 6, bytes: 24, unknown: 1 },
            ),
            ("forward, chunk 1 -> backward, chunk 1", one),
        ];
        assert_eq!(crossing, expected.map(|(ends, amount)| (ends.to_owned(), amount)));
    }

    #[test]
    fn every_element_type_has_a_size() {
        for (spelling, bytes) in [("f32", 4), ("bf16", 2), ("b", 1), ("u8", 1), ("c128", 16)] {
            let element = ScalarType::from_spelling(spelling.as_bytes()).expect("it is one");
            assert_eq!(bytes_of(element), Some(bytes), "{spelling}");
        }
        assert_eq!(bytes_of(ScalarType::Undefined), None);
    }
}
