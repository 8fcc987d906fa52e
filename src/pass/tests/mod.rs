//! Tests of the framework as a whole, by what a person does: write a pipeline, run it, watch it.

mod jobs;
mod pipelines;
mod registry;
mod running;
mod sharing;
mod support;
mod watching;
