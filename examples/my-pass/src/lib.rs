//! An example of a crate with a pass of its own.
//!
//! [`registry`] has the passes that ship and those of this crate; `main` runs a pipeline of them, and
//! `tests/cases.rs` runs the cases of `tests/cases`.

use pirogue::pass::{Registry, RegistryError};

pub mod rematerialize_constants;

/// The passes that ship, and those of this crate.
///
/// # Errors
/// If two passes have one name.
pub fn registry() -> Result<Registry, RegistryError> {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry)?;
    registry.register::<rematerialize_constants::RematerializeConstants>()?;
    Ok(registry)
}
