//! `zb-h2`: no idle time between the first and the last job of a stage, for about twice the activations.
//!
//! # The law
//!
//! The rule of [`zero-bubble`](super::zero_bubble) with a limit of 2p-1.
//!
//! Span bubble 0 for m ≥ 2p, makespan bubble (p-1)tF, in units of tF = tI = tW. Live: min(2p-1, m). Any m.
//! Source: ZB-H2 of Qi et al., "Zero Bubble Pipeline Parallelism" (2023).

use super::zero_bubble::within;
use super::{ChunkRule, Family};

pub(super) const FAMILY: Family = Family {
    name: "zb-h2",
    summary: "no idle time between the first and the last job of a stage, for twice the activations",
    bubble: "span 0, makespan (p-1)tF, for m >= 2p and tF = tI = tW",
    memory: "min(2p-1, m)",
    conditions: "any m; best for m >= 2p",
    chunks: ChunkRule::One,
    options: &[],
    law: |request| {
        let counts = request.counts;
        Ok(within(counts, 2 * counts.stages() - 1).into_schedule())
    },
};
