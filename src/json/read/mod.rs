//! Reading.
//!
//! 1. [`fields`]: taking objects apart; what is unknown is warned of.
//! 2. [`types`], [`attrs`]: types and attributes, each distinct text of one read once.
//! 3. [`op`], [`block`]: ops, blocks, and the values they define.
//!
//! After a fault in an op reading goes on at the next one. The results of the op are lost then, so
//! what uses them is not reported.

mod attrs;
mod block;
mod fields;
mod op;
mod types;

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::codes::ADDED;
use super::document::{Document, Items, Json};
use super::fault::{Fault, Flaw, ReadError};
use crate::diagnostic::Diagnostic;
use crate::ir::{Attr, Block, Context, Name, Origins, Program, Rewriter, Type, Value};

use fields::Coded;
pub(super) use types::USUAL_LAYOUT;

/// How many errors are reported before reading stops.
const MOST_ERRORS: usize = 20;
/// How deep types and attributes may nest; those of real programs nest three deep.
const DEPTH: usize = 64;
/// The version that Paddle 3.3 writes.
const VERSION: i64 = 4;

/// A program that was read, and what is to be said about it.
#[derive(Clone)]
pub struct Read {
    /// The program.
    pub program: Program,
    /// What the file says of itself: give it to the writer to write such a file again.
    pub header: Header,
    /// Warnings: what the file has lost, and what in it is not known here.
    pub warnings: Vec<Diagnostic>,
}

/// What a file says of itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of the format. Paddle changes some ops of older files while it loads them.
    pub version: u32,
    /// Whether it holds what training needs: `stop_gradient`, `persistable`, `trainable`.
    pub trainable: bool,
}

impl Default for Header {
    /// What Paddle 3.3 writes.
    fn default() -> Self {
        Self { version: VERSION as u32, trainable: true }
    }
}

/// Whether a file looks like JSON and not like text: both begin with `{`, but JSON then has a key.
pub fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes).trim_ascii_start();
    bytes.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""))
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reads the program of a file. `file` is what diagnostics and origins call it.
///
/// # Errors
/// All faults that were found, up to 20.
pub fn read_program(
    context: &Arc<Context>,
    file: &str,
    bytes: &[u8],
) -> Result<Read, Vec<Diagnostic>> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text),
        Err(error) => {
            let (good, _) = bytes.split_at(error.valid_up_to());
            let flaw = Flaw { span: good.len()..good.len(), error: ReadError::NotUtf8 };
            return Err(vec![flaw.diagnostic(file, str::from_utf8(good).unwrap_or_default())]);
        }
    };
    let document = Document::parse(text).map_err(|flaw| vec![flaw.diagnostic(file, text)])?;
    let mut reader = Reader::new(context, file, &document);
    let mut program = Program::new(context);
    let header = reader.file(&mut Rewriter::new(&mut program));
    match header {
        Ok(header) if reader.errors.is_empty() => {
            Ok(Read { program, header, warnings: reader.warnings })
        }
        Ok(_) => Err(reader.errors),
        Err(fault) => {
            reader.report(fault);
            Err(reader.errors)
        }
    }
}

struct Reader<'d> {
    context: &'d Context,
    file: &'d str,
    document: &'d Document<'d>,
    types: HashMap<&'d str, Type, FxBuildHasher>,
    attrs: HashMap<&'d str, Attr, FxBuildHasher>,
    /// Results have positive ids, arguments negative ones.
    values: HashMap<i64, Value, FxBuildHasher>,
    /// Blocks that are still to be read, the next one last, and how far each was read.
    pending: Vec<(Block, Items<'d>)>,
    /// Whether an op was left out, so that values may be undefined for no fault of their own.
    has_losses: bool,
    lines: Lines,
    unknown: HashSet<String, FxBuildHasher>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// The line of each op, counted as reading goes on.
#[derive(Default)]
struct Lines {
    of_ops: Vec<u32>,
    passed: u32,
    at: usize,
}

/// The attributes of an op, with `chunk_id` and `op_role` taken out.
#[derive(Default)]
struct OpAttrs {
    entries: Vec<(Name, Attr)>,
    chunk: Option<i32>,
    role: Option<i32>,
    /// Whether one of the two is there as another kind than a 32-bit integer.
    odd_column: bool,
    /// One of the two, if it is there twice.
    twice: Option<Name>,
}

impl<'d> Reader<'d> {
    fn new(context: &'d Context, file: &'d str, document: &'d Document<'d>) -> Self {
        Self {
            context,
            file,
            document,
            types: HashMap::default(),
            attrs: HashMap::default(),
            values: HashMap::default(),
            pending: Vec::new(),
            has_losses: false,
            lines: Lines::default(),
            unknown: HashSet::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn report(&mut self, fault: Fault) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(fault.diagnostic(self.file, self.document));
        }
    }

    /// Reads the file into an empty program.
    fn file(&mut self, rewriter: &mut Rewriter<'_>) -> Result<Header, Fault> {
        let root = self.document.root();
        let [base, program] = self.fields(root, ["base_code", "program"])?;
        let header = self.header(root, base)?;
        let program = self.need(root, program, "program")?;
        let [regions] = self.fields(program, ["regions"])?;
        let regions = self.need(program, regions, "regions")?;
        let [region] = regions.list_of("a list of one region")?;
        let blocks = self.blocks_of(region)?;
        let [block] = blocks.list_of("a list of one block")?;
        let top = rewriter.program().top();
        self.begin_block(rewriter, block, top)?;
        self.pending_blocks(rewriter);
        let lines = std::mem::take(&mut self.lines.of_ops);
        rewriter.set_origins(Arc::new(Origins { file: self.file.to_owned(), lines }));
        Ok(header)
    }

    fn header(&mut self, root: Json<'d>, base: Option<Json<'d>>) -> Result<Header, Fault> {
        let Some(base) = base else { return Err(root.fault(ReadError::NotPir)) };
        let [magic, trainable, version] = self.fields(base, ["magic", "trainable", "version"])?;
        if magic.and_then(|magic| magic.text().ok()).as_deref() != Some("pir") {
            return Err(magic.unwrap_or(base).fault(ReadError::NotPir));
        }
        let version = self.need(base, version, "version")?;
        let trainable = trainable.map_or(Ok(false), Json::truth)?;
        Ok(Header { version: self.version(version)?, trainable })
    }

    fn version(&mut self, json: Json<'d>) -> Result<u32, Fault> {
        let version = json.integer()?;
        if version < 1 {
            return Err(json.fault(ReadError::BadVersion { version }));
        }
        if version > VERSION {
            let message = format!(
                "version {version} of the format is newer than {VERSION}, the last one known"
            );
            let warning =
                Diagnostic::warning("W0150", message).help("what is new in it may be read wrong");
            self.warn(json, warning);
        }
        if version < VERSION {
            let message = format!(
                "version {version} of the format is older than {VERSION}; the ops are read as they stand"
            );
            let help = "Paddle changes some ops of older files as it loads them; load and save the program with Paddle 3.3";
            self.warn(json, Diagnostic::warning("W0151", message).help(help));
        }
        u32::try_from(version).map_err(|_| json.fault(ReadError::OutOfRange { kind: "a version" }))
    }

    /// The list of blocks of a region.
    fn blocks_of(&mut self, region: Json<'d>) -> Result<Json<'d>, Fault> {
        let [_, blocks] = self.fields(region, ["#", "blocks"])?;
        self.need(region, blocks, "blocks")
    }
}
