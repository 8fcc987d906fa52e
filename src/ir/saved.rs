//! Cells of a table as they were before edits, saved a cache line at a time.
//!
//! The first edit within a line saves all of it, those that follow find a bit set: a pass that edits
//! every cell pays for a copy of the table, one that edits few cells for as many lines, and none for
//! more than the table.
//!
//! Invariant: no cell of a line changes before the line is saved.

use fixedbitset::FixedBitSet;

/// How many cells of four bytes a line has.
const LINE: usize = 16;

/// Lines of a table; see the [module](self).
#[derive(Default)]
pub(super) struct SavedLines<T> {
    is_saved: FixedBitSet,
    lines: Vec<u32>,
    /// The cells of `lines`, one after the other. The last line of the table may be a short one.
    cells: Vec<T>,
}

impl<T: Copy> SavedLines<T> {
    /// Saves the line of a cell that is about to change. What the table holds behind `len` is new,
    /// and nothing to be put back.
    pub(super) fn save(&mut self, table: &[T], len: usize, cell: usize) {
        let line = cell / LINE;
        if cell >= len || self.is_saved.contains(line) {
            return;
        }
        if self.is_saved.is_empty() {
            self.is_saved = FixedBitSet::with_capacity(len.div_ceil(LINE));
        }
        self.is_saved.insert(line);
        self.lines.push(line as u32);
        self.cells.extend_from_slice(&table[line * LINE..len.min((line + 1) * LINE)]);
    }

    /// Puts the saved cells back into the table.
    pub(super) fn put_back(&self, table: &mut [T]) {
        let mut cells = self.cells.as_slice();
        for &line in &self.lines {
            let start = line as usize * LINE;
            let end = table.len().min(start + LINE);
            let (saved, rest) = cells.split_at(end - start);
            table[start..end].copy_from_slice(saved);
            cells = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table grew behind its first 41 cells, and its last line was a short one.
    #[test]
    fn cells_are_put_back_and_new_ones_are_not_saved() {
        let mut table: Vec<i32> = (0..41).collect();
        let before = table.clone();
        let mut saved = SavedLines::default();
        table.extend([7; 20]);
        for cell in [40, 3, 3, 50, 17, 40] {
            saved.save(&table, before.len(), cell);
            table[cell] = -1;
        }
        assert_eq!(saved.cells.len(), 9 + 16 + 16);
        table.truncate(before.len());
        saved.put_back(&mut table);
        assert_eq!(table, before);
    }
}
