//! The names of a plan, numbered in the order of their bytes.
//!
//! A set of names is then a set of bits whose order is the order of the names.

use pirogue::ir::{Context, Name};

const NO_NUMBER: u32 = u32::MAX;

/// Numbers names from 0, in the order of their bytes.
pub(crate) struct NameTable {
    sorted: Vec<Name>,
    /// By the index of a name in its context.
    numbers: Vec<u32>,
}

impl NameTable {
    pub(crate) fn new(context: &Context, names: impl Iterator<Item = Name> + Clone) -> Self {
        let capacity = names.clone().map(|name| name.index() + 1).max().unwrap_or(0);
        let mut numbers = vec![NO_NUMBER; capacity];
        let mut distinct = Vec::new();
        for name in names {
            if numbers[name.index()] == NO_NUMBER {
                numbers[name.index()] = 0;
                distinct.push(name);
            }
        }
        let sorted = sorted_by_bytes(context, distinct);
        for (number, name) in sorted.iter().enumerate() {
            numbers[name.index()] = number as u32;
        }
        Self { sorted, numbers }
    }

    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }

    pub(crate) fn number(&self, name: Name) -> usize {
        self.numbers[name.index()] as usize
    }

    pub(crate) fn name(&self, number: usize) -> Name {
        self.sorted[number]
    }
}

/// Compares the first 16 bytes as one integer, which decides nearly always and looks no text up.
fn sorted_by_bytes(context: &Context, names: Vec<Name>) -> Vec<Name> {
    let text = |name: Name| context.name_text(name).as_bytes();
    let head = |name: Name| {
        let mut head = [0; 16];
        let length = text(name).len().min(16);
        head[..length].copy_from_slice(&text(name)[..length]);
        u128::from_be_bytes(head)
    };
    let mut keyed: Vec<(u128, Name)> = names.into_iter().map(|name| (head(name), name)).collect();
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| text(a.1).cmp(text(b.1))));
    keyed.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They differ in the first bytes, only behind the 16th, only in length, and by a zero byte.
    #[test]
    fn numbers_follow_the_bytes_of_the_names() {
        let context = Context::new();
        let in_order =
            ["", "\0", "a", "b", "var_1_pd_op.matmul_0", "var_1_pd_op.matmul_1", "var_2", "é"];
        let names = in_order.map(|text| context.name(text));
        let table = NameTable::new(&context, names.iter().rev().chain(&names).copied());
        assert_eq!(table.len(), in_order.len());
        assert_eq!(names.map(|name| table.number(name)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(table.name(4), names[4]);
    }
}
