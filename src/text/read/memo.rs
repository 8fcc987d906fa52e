//! What was read before, by its bytes. A program repeats a few hundred attribute dictionaries and
//! signatures thousands of times; each is read once.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table from stretches of the text, each with a small number beside it, to what they mean.
pub(super) struct Memo<'t, T> {
    table: HashTable<Entry<'t, T>>,
}

struct Entry<'t, T> {
    hash: u64,
    bytes: &'t [u8],
    tag: u32,
    meaning: T,
}

impl<'t, T: Copy> Memo<'t, T> {
    pub(super) fn new() -> Self {
        Self { table: HashTable::new() }
    }

    /// The meaning of `bytes` under `tag`, from `read` if they are new.
    #[inline]
    pub(super) fn get_or<E>(
        &mut self,
        bytes: &'t [u8],
        tag: u32,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let hash = FxBuildHasher.hash_one((bytes, tag));
        let is_same = |entry: &Entry<'_, T>| entry.tag == tag && entry.bytes == bytes;
        if let Some(entry) = self.table.find(hash, is_same) {
            return Ok(entry.meaning);
        }
        let meaning = read()?;
        self.table.insert_unique(hash, Entry { hash, bytes, tag, meaning }, |entry| entry.hash);
        Ok(meaning)
    }
}
