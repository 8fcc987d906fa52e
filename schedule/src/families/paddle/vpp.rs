//! `VPP` as a family: [`Vpp`] with its options, where all stages can run it.

use crate::families::{ChunkRule, Family, FamilyOption, Refusal, Request};
use crate::schedule::Schedule;
use crate::vpp::Vpp;

pub(in crate::families) const VPP: Family = Family {
    name: "VPP",
    summary: "Paddle's: interleaved 1F1B in groups of p micro-batches",
    bubble: "(p-1)(tF+tB), 1/v of 1F1B's, where p divides m",
    memory: "min(2(p-1-r)+(v-1)p+1, m*v); m*v where m = p",
    conditions: "m >= p; m mod p left over only where all stages can run it",
    chunks: ChunkRule::Any,
    options: &[FamilyOption::SplitBackward, FamilyOption::Form, FamilyOption::ShardingReduce],
    law,
};

fn law(request: &Request) -> Result<Schedule, Refusal> {
    let vpp = Vpp::of(request.counts, request.backward)?
        .with_form(request.form)
        .with_sharding_reduce(request.sharding_reduce)
        .with_remainder(request.remainder);
    vpp.verdict()?;
    Ok(vpp.schedule())
}
