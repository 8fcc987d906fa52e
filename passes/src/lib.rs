//! The passes that come with Pirogue, over Paddle training programs.
//!
//! - [`complete_op_roles`]: which phase of a step an op belongs to, where it does not say.
//! - [`infer_chunk_ids`]: which chunk of its stage an op belongs to, where it does not say.
//! - [`split_matmul_grad`]: a matmul's gradient as two products, so that the one of the weights can
//!   run later.
//! - [`overlap_send_recv`]: sends and receives on streams of their own.
//! - [`pipeline_scheduler_vpp`], [`pipeline_scheduler`]: the programs and the job list of a stage, by VPP or by
//!   any schedule.
//! - [`canonicalize`]: a plainer form, by rules that hold to the last bit.
//! - [`common_subexpression_elimination`]: one op for all that compute the same.
//! - [`dead_code_elimination`]: without the ops that nobody needs.
//! - [`strip_attributes`], [`set_attributes`]: attributes of chosen ops.
//!
//! They use the public interface of `pirogue` alone: what they can do, any pass can do.
//!
//! ```
//! let mut registry = pirogue::pass::Registry::new();
//! pirogue_passes::register(&mut registry).expect("the names are new");
//! ```

#![deny(missing_docs)]

pub mod canonicalize;
pub mod common_subexpression_elimination;
pub mod complete_op_roles;
pub mod dead_code_elimination;
pub mod infer_chunk_ids;
pub mod overlap_send_recv;
pub mod phase;
pub mod pipeline_scheduler;
pub mod pipeline_scheduler_vpp;
mod positions;
mod select;
pub mod set_attributes;
pub mod split;
pub mod split_matmul_grad;
mod stage_jobs;
pub mod strip_attributes;

use pirogue::pass::{Registry, RegistryError};
pub use select::RoleChoice;

/// Registers all of them.
///
/// # Errors
/// If a pass of one of their names is registered already.
pub fn register(registry: &mut Registry) -> Result<(), RegistryError> {
    registry.register::<canonicalize::Canonicalize>()?;
    registry.register::<complete_op_roles::CompleteOpRoles>()?;
    registry.register::<common_subexpression_elimination::CommonSubexpressionElimination>()?;
    registry.register::<dead_code_elimination::DeadCodeElimination>()?;
    registry.register::<infer_chunk_ids::InferChunkIds>()?;
    registry.register::<split_matmul_grad::SplitMatmulGrad>()?;
    registry.register::<overlap_send_recv::OverlapSendRecv>()?;
    registry.register::<strip_attributes::StripAttributes>()?;
    registry.register::<set_attributes::SetAttributes>()?;
    registry.register::<pipeline_scheduler::PipelineScheduler>()?;
    registry.register::<pipeline_scheduler::PipelineSchedulerFThenB>()?;
    registry.register::<pipeline_scheduler::PipelineScheduler1F1B>()?;
    registry.register::<pipeline_scheduler::PipelineSchedulerEager1F1B>()?;
    registry.register::<pipeline_scheduler::PipelineSchedulerZbh1>()?;
    registry.register::<pipeline_scheduler::PipelineSchedulerZbvpp>()?;
    registry.register::<pipeline_scheduler_vpp::PipelineSchedulerVpp>()
}
