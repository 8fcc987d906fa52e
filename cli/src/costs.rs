//! The file that says what jobs and messages take: TOML, read strictly.
//!
//! ```toml
//! forward = 10
//! backward-input = 12
//! backward-weight = 6        # a whole backward takes both, unless `backward` says otherwise
//! latency = 2                # of a message between two stages
//! memory = { activation = 4, residue = 1 }
//! limit = 64                 # the memory of each stage, or a list with one number for each
//!
//! [[chunk]]                  # what is different on some chunk
//! stage = 3
//! chunk = 1
//! forward = 14
//! ```

use std::path::Path;

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue_schedule::check::Receives;
use pirogue_schedule::simulate::{ChunkCosts, ChunkMemory, Costs, Link, Transfers};
use pirogue_schedule::{Chunk, Counts, Stage};
use serde::Deserialize;

use crate::input;

/// What a file of costs says.
#[derive(Debug, Default)]
pub struct GivenCosts {
    pub costs: Costs,
    /// The memory of each stage.
    pub limit: Option<Limit>,
}

/// The memory of stages.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Limit {
    /// The same on all.
    Same(u64),
    /// One number for each.
    Each(Vec<u64>),
}

impl GivenCosts {
    /// The memory of each of so many stages.
    pub fn limits(&self, counts: Counts) -> Option<Vec<u64>> {
        self.limit.as_ref().map(|limit| match limit {
            Limit::Same(limit) => vec![*limit; counts.stages() as usize],
            Limit::Each(limits) => limits.clone(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CostFile {
    #[serde(default)]
    optimizer: u64,
    #[serde(default)]
    latency: u64,
    #[serde(default)]
    occupancy: u64,
    #[serde(default)]
    transfers: TransfersWord,
    #[serde(default)]
    receives: ReceivesWord,
    limit: Option<Limit>,
    // What is the same for all chunks; flattening would let unknown keys pass.
    forward: Option<u64>,
    backward: Option<u64>,
    backward_input: Option<u64>,
    backward_weight: Option<u64>,
    fused: Option<u64>,
    reduction: Option<u64>,
    memory: Option<MemoryTable>,
    #[serde(default)]
    chunk: Vec<ChunkTable>,
    #[serde(default)]
    link: Vec<LinkTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ChunkTable {
    stage: u32,
    #[serde(default)]
    chunk: u16,
    forward: Option<u64>,
    backward: Option<u64>,
    backward_input: Option<u64>,
    backward_weight: Option<u64>,
    fused: Option<u64>,
    reduction: Option<u64>,
    memory: Option<MemoryTable>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(deny_unknown_fields)]
struct MemoryTable {
    activation: Option<u64>,
    residue: Option<u64>,
    parameters: Option<u64>,
    gradients: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkTable {
    from: u32,
    to: u32,
    #[serde(default)]
    latency: u64,
    #[serde(default)]
    occupancy: u64,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum TransfersWord {
    #[default]
    Overlapped,
    OnSender,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum ReceivesWord {
    #[default]
    NonBlocking,
    OwnStream,
    Blocking,
}

/// The costs of a file; the default ones without a file.
///
/// # Errors
/// The file cannot be read, or says something else (`E0656`).
pub fn load(path: Option<&Path>) -> Result<GivenCosts, Diagnostic> {
    let Some(path) = path else { return Ok(GivenCosts::default()) };
    let bytes = input::bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    toml::from_str::<CostFile>(&text).map(given).map_err(|error| unread(path, &text, &error))
}

fn unread(path: &Path, text: &str, error: &toml::de::Error) -> Diagnostic {
    let message = error.message().trim().replace('\n', "; ");
    let fault = Diagnostic::error("E0656", format!("this is no file of costs: {message}"))
        .help("`pirogue schedule --help` shows what a file of costs may say");
    let Some(span) = error.span() else { return fault };
    let before = &text[..span.start.min(text.len())];
    let number = before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    let line = text.split('\n').nth(number).unwrap_or_default();
    let end = (column + span.len()).clamp(column + 1, line.len().max(column + 1));
    let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
    fault.at(Place::in_text(&input::shown(path), number, line, column..end))
}

fn given(file: CostFile) -> GivenCosts {
    let common = ChunkTable {
        stage: 0,
        chunk: 0,
        forward: file.forward,
        backward: file.backward,
        backward_input: file.backward_input,
        backward_weight: file.backward_weight,
        fused: file.fused,
        reduction: file.reduction,
        memory: file.memory,
    };
    let chunk = chunk_costs(&common, ChunkCosts::default());
    let exceptions = file
        .chunk
        .iter()
        .map(|table| (Stage(table.stage), Chunk(table.chunk), chunk_costs(table, chunk)));
    let links = file.link.iter().map(|table| {
        let link = Link { occupancy: table.occupancy, latency: table.latency };
        (Stage(table.from), Stage(table.to), link)
    });
    let costs = Costs {
        chunk,
        exceptions: exceptions.collect(),
        optimizer: file.optimizer,
        link: Link { occupancy: file.occupancy, latency: file.latency },
        links: links.collect(),
        transfers: match file.transfers {
            TransfersWord::Overlapped => Transfers::Overlapped,
            TransfersWord::OnSender => Transfers::OnSender,
        },
        receives: match file.receives {
            ReceivesWord::NonBlocking => Receives::NonBlocking,
            ReceivesWord::OwnStream => Receives::OwnStream,
            ReceivesWord::Blocking => Receives::Blocking,
        },
    };
    GivenCosts { costs, limit: file.limit }
}

/// What a table says, and for the rest what is said elsewhere.
fn chunk_costs(table: &ChunkTable, other: ChunkCosts) -> ChunkCosts {
    let memory = table.memory.map_or(other.memory, |memory| ChunkMemory {
        activation: memory.activation.unwrap_or(other.memory.activation),
        residue: memory.residue.unwrap_or(other.memory.residue),
        parameters: memory.parameters.unwrap_or(other.memory.parameters),
        gradients: memory.gradients.unwrap_or(other.memory.gradients),
    });
    ChunkCosts {
        forward: table.forward.unwrap_or(other.forward),
        backward: table.backward.or(other.backward),
        backward_input: table.backward_input.unwrap_or(other.backward_input),
        backward_weight: table.backward_weight.unwrap_or(other.backward_weight),
        fused: table.fused.or(other.fused),
        reduction: table.reduction.unwrap_or(other.reduction),
        memory,
    }
}
