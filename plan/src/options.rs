//! What a plan was asked for.

use pirogue_schedule::{Counts, ScheduleError, Stage};
use serde::{Deserialize, Serialize};

/// What a plan was asked for, under the names that `plan.json` and Paddle use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanOptions {
    /// The name of the schedule, such as `VPP`.
    pub schedule: String,
    /// The number of pipeline stages.
    pub pp_degree: u32,
    /// The stage that the plan is for, counted from 0.
    pub pp_stage: u32,
    /// The number of model chunks on each stage.
    pub vpp_degree: u32,
    /// The number of micro-batches.
    pub num_micro_batches: u32,
    /// Whether the backward is split into gradients of inputs and gradients of weights.
    pub split_backward: bool,
}

impl PlanOptions {
    /// The numbers of stages, chunks and micro-batches.
    ///
    /// # Errors
    /// If there are no such counts, or the plan's stage is not among the stages.
    pub fn counts(&self) -> Result<Counts, ScheduleError> {
        let counts = Counts::new(
            self.pp_degree.into(),
            self.vpp_degree.into(),
            self.num_micro_batches.into(),
        )?;
        if self.pp_stage >= self.pp_degree {
            return Err(ScheduleError::NoSuchStage { stage: self.stage(), stages: self.pp_degree });
        }
        Ok(counts)
    }

    /// The stage that the plan is for.
    pub fn stage(&self) -> Stage {
        Stage(self.pp_stage)
    }
}
