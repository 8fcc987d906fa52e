//! Typed ids and the append-only storage behind shared handles.
//!
//! An id is a `u32` with a niche, so `Option<Id>` takes four bytes. Ids index plain `Vec`s of one
//! [`Program`](super::Program); handles index the [`Pool`]s of one [`Context`](super::Context).

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

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

/// How many items the first bucket of a [`Pool`] holds; each further one doubles.
const FIRST_BUCKET: usize = 64;
/// Buckets enough for every `u32` index: 64 * (2^27 - 1) > 2^32.
const BUCKETS: usize = 27;

/// An append-only table whose reads take no lock: items never move, and an index is handed out
/// only after its item is written.
struct Pool<T> {
    buckets: [OnceLock<Box<[OnceLock<T>]>>; BUCKETS],
    len: AtomicU32,
}

impl<T> Pool<T> {
    fn new() -> Self {
        Self { buckets: [const { OnceLock::new() }; BUCKETS], len: AtomicU32::new(0) }
    }

    /// Bucket and offset of an index: bucket `b` starts at `64 * (2^b - 1)`.
    fn locate(index: usize) -> (usize, usize) {
        let shifted = index / FIRST_BUCKET + 1;
        let bucket = shifted.ilog2() as usize;
        (bucket, index - FIRST_BUCKET * ((1 << bucket) - 1))
    }

    fn get(&self, index: usize) -> &T {
        let (bucket, offset) = Self::locate(index);
        self.buckets[bucket]
            .get()
            .and_then(|items| items[offset].get())
            .expect("a handle is used with the context that made it")
    }

    /// Appends `value`. Callers hold the lock of the [`Interner`], so indices are dense.
    fn push(&self, value: T) -> u32 {
        let index = self.len.load(Ordering::Relaxed);
        let (bucket, offset) = Self::locate(index as usize);
        let items = self.buckets[bucket]
            .get_or_init(|| (0..FIRST_BUCKET << bucket).map(|_| OnceLock::new()).collect());
        assert!(items[offset].set(value).is_ok(), "the next index is free");
        self.len.store(index + 1, Ordering::Release);
        index
    }
}

/// Uniques values to dense `u32` indices. Looking an index up takes no lock; interning takes one.
pub(crate) struct Interner<T> {
    pool: Pool<T>,
    table: Mutex<HashTable<Entry>>,
}

/// Where a value is. The hash is kept, since computing it anew, for each entry when the table grows,
/// would fetch each value.
struct Entry {
    hash: u64,
    index: u32,
}

impl<T> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { pool: Pool::new(), table: Mutex::new(HashTable::new()) }
    }

    pub(crate) fn get(&self, index: usize) -> &T {
        self.pool.get(index)
    }

    /// How many distinct values there are.
    pub(crate) fn len(&self) -> usize {
        self.pool.len.load(Ordering::Acquire) as usize
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
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let found = table.find(hash, |entry| {
            entry.hash == hash && is_same(self.pool.get(entry.index as usize), &key)
        });
        if let Some(entry) = found {
            return entry.index;
        }
        let index = self.pool.push(make(key, self.pool.len.load(Ordering::Relaxed)));
        table.insert_unique(hash, Entry { hash, index }, |entry| entry.hash);
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

    /// 64 and 192 are the first indices of the second and third bucket.
    #[test]
    fn pool_indices_fall_into_doubling_buckets() {
        assert_eq!(Pool::<u8>::locate(63), (0, 63));
        assert_eq!(Pool::<u8>::locate(64), (1, 0));
        assert_eq!(Pool::<u8>::locate(191), (1, 127));
        assert_eq!(Pool::<u8>::locate(192), (2, 0));
        assert!(Pool::<u8>::locate(u32::MAX as usize).0 < BUCKETS);
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
}
