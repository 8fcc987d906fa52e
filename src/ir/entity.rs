//! Typed ids and the append-only storage behind shared handles.
//!
//! An id is a `u32` with a niche, so `Option<Id>` takes four bytes. Ids index plain `Vec`s of one
//! [`Program`](super::Program); handles index the tables of one
//! [`Context`](super::Context).

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// The one integer behind every id: an index, stored plus one so that zero is the niche.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RawId(NonZeroU32);

impl RawId {
    pub(crate) const fn new(index: u32) -> Self {
        match NonZeroU32::new(index.wrapping_add(1)) {
            Some(id) => Self(id),
            None => panic!("more than 4,294,967,294 entities of one kind"),
        }
    }

    pub(crate) fn from_index(index: usize) -> Self {
        Self::new(u32::try_from(index).expect("more than 4,294,967,294 entities of one kind"))
    }

    pub(crate) const fn index(self) -> usize {
        (self.0.get() - 1) as usize
    }
}

/// Defines id types, each a distinct wrapper of [`RawId`].
macro_rules! entities {
    ($($(#[$meta:meta])* $name:ident = $letter:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name($crate::ir::entity::RawId);

        #[allow(dead_code, reason = "not every kind of id needs every conversion")]
        impl $name {
            pub(crate) const fn new(index: u32) -> Self {
                Self($crate::ir::entity::RawId::new(index))
            }

            pub(crate) fn from_index(index: usize) -> Self {
                Self($crate::ir::entity::RawId::from_index(index))
            }

            /// The position of this entity in its table: dense, and good for side tables of the
            /// same program. Never print it, and never order output by it.
            pub const fn index(self) -> usize {
                self.0.index()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.index())
            }
        }
    )*};
}
pub(crate) use entities;

/// Uniques values to dense `u32` indices. Looking an index up takes no lock; interning takes one.
pub(crate) struct Interner<T> {
    /// Only appended to, by whoever holds the lock of the table.
    pool: boxcar::Vec<T>,
    table: Mutex<HashTable<Entry>>,
}

/// Where a value is. The hash is kept, since computing it anew, for each entry when the table grows,
/// would fetch each value; half of it, since a large table is as fast as it is small.
struct Entry {
    hash: Half,
    index: u32,
}

/// What is kept of a hash.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Half(u32);

impl Half {
    fn of(hash: u64) -> Self {
        Self((hash ^ (hash >> 32)) as u32)
    }

    /// The hash by which the table places and tags an entry: all of its bits matter there.
    fn spread(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl<T> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { pool: boxcar::Vec::new(), table: Mutex::new(HashTable::new()) }
    }

    pub(crate) fn get(&self, index: usize) -> &T {
        self.pool.get(index).expect("a handle is used with the context that made it")
    }

    /// How many distinct values there are.
    pub(crate) fn len(&self) -> usize {
        self.pool.count()
    }

    /// The index of the value that `is_same` says is `key`, making it of the key if it is new.
    ///
    /// `hash` is that of the key, the same for equal keys; `make` is told the index the value will
    /// have.
    pub(crate) fn intern<K>(
        &self,
        hash: u64,
        key: K,
        is_same: impl Fn(&T, &K) -> bool,
        make: impl FnOnce(K, u32) -> T,
    ) -> u32 {
        self.intern_in(&mut self.lock(), Half::of(hash), key, is_same, make)
    }

    /// Interns many keys, as [`intern`](Self::intern) would one by one.
    ///
    /// In a large table each look waits for memory. Here a block of keys is looked up before any of
    /// them is dealt with, so that they wait together.
    pub(crate) fn intern_all<K>(
        &self,
        keys: impl ExactSizeIterator<Item = (u64, K)>,
        is_same: impl Fn(&T, &K) -> bool,
        make: impl Fn(K, u32) -> T,
    ) -> Vec<u32> {
        const BLOCK: usize = 32;
        let mut keys = keys.map(|(hash, key)| (Half::of(hash), key));
        let mut indices = Vec::with_capacity(keys.len());
        let mut table = self.lock();
        table.reserve(keys.len(), |entry| entry.hash.spread());
        loop {
            let block: SmallVec<[(Half, K); BLOCK]> = keys.by_ref().take(BLOCK).collect();
            if block.is_empty() {
                return indices;
            }
            let likely: SmallVec<[Option<u32>; BLOCK]> = block
                .iter()
                .map(|&(hash, _)| table.find(hash.spread(), |entry| entry.hash == hash))
                .map(|found| found.map(|entry| entry.index))
                .collect();
            for ((hash, key), likely) in block.into_iter().zip(likely) {
                let known = likely.filter(|&index| is_same(self.get(index as usize), &key));
                let index =
                    known.unwrap_or_else(|| self.intern_in(&mut table, hash, key, &is_same, &make));
                indices.push(index);
            }
        }
    }

    /// Makes room for as many more values in the table.
    pub(crate) fn reserve(&self, count: usize) {
        self.lock().reserve(count, |entry| entry.hash.spread());
    }

    fn lock(&self) -> MutexGuard<'_, HashTable<Entry>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn intern_in<K>(
        &self,
        table: &mut HashTable<Entry>,
        hash: Half,
        key: K,
        is_same: impl Fn(&T, &K) -> bool,
        make: impl FnOnce(K, u32) -> T,
    ) -> u32 {
        let found = table.find(hash.spread(), |entry| {
            entry.hash == hash && is_same(self.get(entry.index as usize), &key)
        });
        if let Some(entry) = found {
            return entry.index;
        }
        let index = self.pool.push_with(|index| make(key, index as u32)) as u32;
        table.insert_unique(hash.spread(), Entry { hash, index }, |entry| entry.hash.spread());
        index
    }
}

/// The hash that [`Interner`]s are asked with.
pub(crate) fn hash_of(key: &(impl Hash + ?Sized)) -> u64 {
    FxBuildHasher.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_an_id_takes_four_bytes() {
        assert_eq!(size_of::<Option<RawId>>(), 4);
    }

    #[test]
    fn equal_values_get_one_index_from_any_thread() {
        let interner = Interner::<String>::new();
        let intern = |n: usize| {
            let text = n.to_string();
            interner.intern(hash_of(&text), text, |stored, key| stored == key, |key, _| key)
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|n| assert_eq!(intern(n), intern(n))));
            }
        });
        assert_eq!(interner.len(), 1000);
    }

    #[test]
    fn keys_interned_together_have_the_indices_they_have_alone() {
        let interner = Interner::<String>::new();
        let is_same = |stored: &String, key: &String| stored == key;
        let alone = |text: String| interner.intern(hash_of(&text), text, is_same, |key, _| key);
        (0..50).for_each(|n| _ = alone((3 * n).to_string()));
        // Some are known, some are new, and some come twice, in one block and far apart.
        let texts = || (0..200).flat_map(|n| [n.to_string(), (n / 2).to_string()]);
        let texts: Vec<String> = texts().collect();
        let keys = texts.iter().map(|text| (hash_of(text), text.clone()));
        let together = interner.intern_all(keys, is_same, |key, _| key);
        assert_eq!(interner.len(), 200);
        assert_eq!(together, texts.into_iter().map(alone).collect::<Vec<u32>>());
    }
}
