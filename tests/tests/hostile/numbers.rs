//! Numbers that nothing holds.

use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use pirogue_system_tests::ordeal::{Reached, are_coded, survives};

use std::num::NonZeroUsize;

use pirogue::ir::{Context, Program, Rewriter};

const ABSURD: [&str; 12] = [
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999999999999999999999999",
    "1e308",
    "1e309",
    "-1e999999999",
    "0.00000000000000000000000000000000000000000000000000000000001e-999999",
    "nan",
    "inf",
];

#[test]
fn absurd_numbers_in_text_are_read_or_refused() {
    for number in ABSURD {
        for source in [
            format!(
                "{{\n    (%0) = \"pd_op.full\" () {{value:{number}}} : () -> tensor<f32>\n}}\n"
            ),
            format!("{{\n    (%0) = \"my.op\" () {{a:[{number},1]}} : () -> tensor<f32>\n}}\n"),
            format!("{{\n    (%0) = \"my.op\" () {{chunk_id:{number}}} : () -> tensor<f32>\n}}\n"),
            format!("{{\n    (%0) = \"my.op\" () {{op_role:{number}}} : () -> tensor<f32>\n}}\n"),
            format!("{{\n    (%0) = \"my.op\" () {{}} : () -> tensor<{number}xf32>\n}}\n"),
            format!("{{\n    (%{number}) = \"my.op\" () {{}} : () -> tensor<f32>\n}}\n"),
            format!("{{\n    () = \"my.op\" (%{number}) {{}} : (tensor<f32>) -> \n}}\n"),
        ] {
            survives(source.as_bytes());
        }
    }
}

/// The label is far above the count of values, and no table is as long as it says.
#[test]
fn a_great_value_number_takes_no_great_table() {
    let source = "{\n    (%4000000000) = \"my.op\" () {} : () -> tensor<f32>\n    () = \"my.op\" (%4000000000) {} : (tensor<f32>) -> \n}\n";
    assert!(survives(source.as_bytes()) <= Reached::Read);
}

#[test]
fn absurd_counts_of_a_schedule_are_refused_without_making_it() {
    for (stages, chunks, micro_batches) in [
        (u32::MAX, u32::MAX, u32::MAX),
        (2, 2, u32::MAX),
        (2, u32::MAX, 2),
        (u32::MAX, 2, u32::MAX),
        (1 << 20, 1 << 20, 1 << 20),
        (0, 0, 0),
    ] {
        for split_backward in [false, true] {
            let pass = PipelineSchedulerVpp {
                pp_degree: stages,
                vpp_degree: chunks,
                num_micro_batches: micro_batches,
                split_backward,
                ..PipelineSchedulerVpp::default()
            };
            let mut program = Program::new(&Context::new());
            let planned = pass.plan(&mut Rewriter::new(&mut program), NonZeroUsize::MIN);
            are_coded(&planned.expect_err("nobody has so many"));
        }
    }
}
