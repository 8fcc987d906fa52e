//! Paddle's schedules under Paddle's names, job for job as PaddlePaddle 3.3.1 lists them.
//!
//! Their jobs have no chunks but for `VPP` and `ZBVPP`. Where Paddle's stages refuse differently (`Eager1F1B`
//! asks on stage r for m ≥ 2(p-r)-1, so that some stages would wait for ever for the others), all refuse here.

mod eager;
mod fthenb;
mod one_forward_one_backward;
mod vpp;
mod zbh1;
mod zbvpp;

pub(super) use eager::EAGER;
pub(super) use fthenb::FTHENB;
pub(super) use one_forward_one_backward::ONE_FORWARD_ONE_BACKWARD;
pub(super) use vpp::VPP;
pub(super) use zbh1::ZBH1;
pub(super) use zbvpp::ZBVPP;

use super::{MicroBatchRule, Refusal, Request};

/// Refuses other numbers of micro-batches than the rule takes.
fn require(family: &'static str, request: &Request, rule: MicroBatchRule) -> Result<(), Refusal> {
    let counts = request.counts;
    if rule.takes(counts.micro_batches()) {
        return Ok(());
    }
    Err(Refusal::MicroBatches { family, rule, counts })
}
