//! What the names of a text stand for while it is read.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::ir::Value;

/// What a name stands for.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Symbol {
    /// Nothing yet.
    Unknown,
    /// A value.
    Value(Value),
    /// The result of an op that could not be read. Its uses are no faults of their own.
    Lost,
}

/// The names of one text. `%12` goes by number in a table, all else by its bytes.
pub(super) struct Symbols<'t> {
    numbered: Vec<Symbol>,
    named: HashMap<&'t [u8], Symbol, FxBuildHasher>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new() -> Self {
        Self { numbered: Vec::new(), named: HashMap::default() }
    }

    pub(super) fn clear(&mut self) {
        self.numbered.clear();
        self.named.clear();
    }

    /// The number of a name that goes by number: what `%` is followed by, if the table is, or
    /// would be, densely filled. A lone `%4000000000` must not cost 16 GB.
    fn slot(&self, name: &[u8]) -> Option<usize> {
        let (first, rest) = name.split_first()?;
        if !first.is_ascii_digit() || (*first == b'0' && !rest.is_empty()) || name.len() > 9 {
            return None;
        }
        let digits = name.iter().try_fold(0usize, |value, byte| {
            byte.is_ascii_digit().then(|| value * 10 + usize::from(byte - b'0'))
        });
        digits.filter(|&number| number < 2 * self.numbered.len() + 4096)
    }

    /// What the name behind `%` stands for.
    #[inline]
    pub(super) fn get(&self, name: &'t [u8]) -> Symbol {
        let found = match self.slot(name) {
            Some(slot) => self.numbered.get(slot).copied().unwrap_or(Symbol::Unknown),
            None => Symbol::Unknown,
        };
        match found {
            Symbol::Unknown if !self.named.is_empty() => {
                self.named.get(name).copied().unwrap_or(Symbol::Unknown)
            }
            found => found,
        }
    }

    /// Makes the name behind `%` stand for something.
    #[inline]
    pub(super) fn set(&mut self, name: &'t [u8], symbol: Symbol) {
        let Some(slot) = self.slot(name) else {
            self.named.insert(name, symbol);
            return;
        };
        if slot >= self.numbered.len() {
            self.numbered.resize(slot + 1, Symbol::Unknown);
        }
        self.numbered[slot] = symbol;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_far_beyond_the_others_are_kept_by_name() {
        let mut symbols = Symbols::new();
        let value = |index| Symbol::Value(Value::new(index));
        symbols.set(b"999999999", value(1));
        symbols.set(b"0", value(2));
        symbols.set(b"00", value(3));
        symbols.set(b"arg_0", value(4));
        assert_eq!(symbols.numbered.len(), 1);
        for (name, index) in [(&b"999999999"[..], 1), (b"0", 2), (b"00", 3), (b"arg_0", 4)] {
            assert!(symbols.get(name) == value(index));
        }
        assert!(symbols.get(b"1") == Symbol::Unknown);
    }
}
