//! The `pirogue` command.
fn main() {}
