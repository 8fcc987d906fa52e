//! The codes of what is wrong with cases; `pirogue explain CODE` has a page on each.

/// A line of a case cannot be read, or asks for what there is not.
pub const MALFORMED: &str = "E0680";
/// Two cases of a file lead to one snapshot.
pub const SAME_NAME: &str = "E0681";
/// What is expected is not said.
pub const NOT_SAID: &str = "E0682";
/// What is said is not expected.
pub const NOT_EXPECTED: &str = "E0683";
/// A snapshot is not there, or says something else than its case.
pub const SNAPSHOT_DIFFERS: &str = "E0684";
/// A program prints otherwise than it is written, or than its text reads.
pub const PRINTS_OTHERWISE: &str = "E0685";
/// What comes of a run depends on what it must not depend on.
pub const DEPENDS: &str = "E0686";
/// A pass breaks a law that it declares.
pub const BROKEN_LAW: &str = "E0687";
/// There is no case in a folder, or none of a name.
pub const NO_CASE: &str = "E0688";
/// A file, or what the environment asks for, cannot be read, or a file not written.
pub const NO_ACCESS: &str = "E0689";
/// A case asks for a judgement, and there is no judge.
pub const NO_JUDGE: &str = "E0691";
