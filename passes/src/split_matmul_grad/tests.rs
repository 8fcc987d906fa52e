//! What becomes of single ops. That it is the right thing is told by numbers, in the system tests.

use pirogue::ir::{Context, Op, Program, Rewriter, names};
use pirogue::text;

use super::{SplitMatmulGrad, SplitReport, WholeReason, split_matmul_grads};

const TRANSPOSE_Y: &str =
    "{chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:true}";
const PLAIN: &str =
    "{chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false}";
const NULL: &str = "<<NULL TYPE>>";

fn read(source: &str) -> Program {
    let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}\n{source}", errors[0])).program
}

/// A matmul_grad with the given attributes and types of `x`, `y`, `g`, `dx` and `dy`.
fn one(attrs: &str, types: [&str; 5]) -> String {
    let [x, y, g, dx, dy] = types;
    let mut text = String::from("{\n");
    for (index, ty) in [x, y, g].into_iter().enumerate() {
        let attrs = format!("{{name:\"{index}\",stop_gradient:[false]}}");
        text += &format!("    (%{index}) = \"pd_op.data\" () {attrs} : () -> {ty}\n");
    }
    let signature = format!("({x}, {y}, {g}) -> {dx}, {dy}");
    text += &format!("    (%3, %4) = \"pd_op.matmul_grad\" (%0, %1, %2) {attrs} : {signature}\n");
    for (index, ty) in [(3, dx), (4, dy)].into_iter().filter(|(_, ty)| *ty != NULL) {
        let attrs = format!("{{output_name:\"{index}\"}}");
        text += &format!("    () = \"builtin.shadow_output\" (%{index}) {attrs} : ({ty}) -> \n");
    }
    text + "}\n"
}

/// `4x8`, all five as one string: `4x8 8x5 4x5 4x8 8x5`; a `-` is the null type.
fn floats(dims: &str) -> [String; 5] {
    let ty = |dims: &str| if dims == "-" { NULL.to_owned() } else { format!("tensor<{dims}xf32>") };
    let types: Vec<String> = dims.split(' ').map(ty).collect();
    types.try_into().expect("five types are given")
}

fn one_of_floats(attrs: &str, dims: &str) -> String {
    one(attrs, floats(dims).each_ref().map(String::as_str))
}

fn split(source: &str) -> (Program, SplitReport) {
    split_with(source, &SplitMatmulGrad::default())
}

fn split_with(source: &str, options: &SplitMatmulGrad) -> (Program, SplitReport) {
    let mut program = read(source);
    let report = split_matmul_grads(&mut Rewriter::new(&mut program), options);
    let printed = text::to_text(&program);
    assert_eq!(text::to_text(&read(&printed)), printed, "what was made can be read");
    (program, report)
}

/// The ops between the data and the outputs, without the numbers of their values: the name, what
/// the caller cares about of the attributes, and the type of the result.
fn ops(program: &Program) -> Vec<String> {
    let labels = text::Labels::of(program);
    let is_inner =
        |&op: &Op| !matches!(program.name_text(op), "pd_op.data" | "builtin.shadow_output");
    let describe = |op: Op| {
        let line = text::op_line(program, op, &labels);
        let (_, result) = line.rsplit_once("-> ").expect("an op line has an arrow");
        let name = program.name_text(op).trim_start_matches("pd_op.");
        let value = line.split_once("value:").and_then(|(_, rest)| rest.split_once('}'));
        match value {
            Some((value, _)) => format!("{name} {value}"),
            None => {
                let flag =
                    |key: &str| if line.contains(&format!("{key}:true")) { "T" } else { "N" };
                let transposes = match name {
                    "matmul" => format!(" {}{}", flag("transpose_x"), flag("transpose_y")),
                    _ => String::new(),
                };
                format!(
                    "{name}{transposes} {}",
                    result.trim_start_matches("tensor<").trim_end_matches("xf32>")
                )
            }
        }
    };
    program.top_ops().filter(is_inner).map(describe).collect()
}

fn codes(report: &SplitReport) -> Vec<&str> {
    report.notes.iter().map(|note| note.code.as_ref()).collect()
}

#[track_caller]
fn is_left_whole(source: &str, reason: WholeReason) {
    let before = text::to_text(&read(source));
    let (program, report) = split(source);
    assert_eq!(text::to_text(&program), before);
    assert_eq!(report.left_whole.iter().map(|whole| whole.1).collect::<Vec<_>>(), [reason]);
    assert_eq!(codes(&report), ["N0230"]);
    assert!(report.notes[0].message.ends_with(reason.text()));
}

#[track_caller]
fn becomes(attrs: &str, dims: &str, expected: &[&str], expected_codes: &[&str]) {
    let (program, report) = split(&one_of_floats(attrs, dims));
    assert_eq!(ops(&program), expected);
    assert_eq!(codes(&report), expected_codes);
    assert_eq!(report.split, 1);
}

#[test]
fn a_weight_gradient_of_rank_3_is_paddles_eight_ops_with_its_attributes() {
    let (program, report) = split(&one_of_floats(PLAIN, "4x3x8 8x6 4x3x6 4x3x8 8x6"));
    let expected = r#"    (%3) = "pd_op.matmul" (%2, %1) {chunk_id:0,op_role:1,stop_gradient:[false],transpose_x:false,transpose_y:true} : (tensor<4x3x6xf32>, tensor<8x6xf32>) -> tensor<4x3x8xf32>
    (%4) = "pd_op.full_int_array" () {chunk_id:0,dtype:int64,op_role:1,place:Place(cpu),stop_gradient:[true],value:[12,8]} : () -> tensor<2xi64>
    (%5) = "pd_op.reshape" (%0, %4) {chunk_id:0,op_role:1,stop_gradient:[false]} : (tensor<4x3x8xf32>, tensor<2xi64>) -> tensor<12x8xf32>
    (%6) = "pd_op.full_int_array" () {chunk_id:0,dtype:int64,op_role:1,place:Place(cpu),stop_gradient:[true],value:[12,6]} : () -> tensor<2xi64>
    (%7) = "pd_op.reshape" (%2, %6) {chunk_id:0,op_role:1,stop_gradient:[false]} : (tensor<4x3x6xf32>, tensor<2xi64>) -> tensor<12x6xf32>
    (%8) = "pd_op.matmul" (%5, %7) {chunk_id:0,op_role:1,stop_gradient:[false],transpose_x:true,transpose_y:false} : (tensor<12x8xf32>, tensor<12x6xf32>) -> tensor<8x6xf32>
    (%9) = "pd_op.full_int_array" () {chunk_id:0,dtype:int64,op_role:1,place:Place(cpu),stop_gradient:[true],value:[8,6]} : () -> tensor<2xi64>
    (%10) = "pd_op.reshape" (%8, %9) {chunk_id:0,op_role:1,stop_gradient:[false]} : (tensor<8x6xf32>, tensor<2xi64>) -> tensor<8x6xf32>
"#;
    let printed = text::to_text(&program);
    assert!(printed.contains(expected), "{printed}");
    assert!(
        printed.contains("(%3) {output_name:\"3\"}")
            && printed.contains("(%10) {output_name:\"4\"}")
    );
    assert!(report.notes.is_empty() && report.weight_chains.is_empty());
}

#[test]
fn a_batch_of_rank_4_is_folded_as_paddle_folds_it() {
    becomes(
        PLAIN,
        "2x3x4x8 2x3x8x6 2x3x4x6 2x3x4x8 2x3x8x6",
        &[
            "matmul NT 2x3x4x8",
            "full_int_array [6,4,8]",
            "reshape 6x4x8",
            "full_int_array [6,4,6]",
            "reshape 6x4x6",
            "matmul TN 6x8x6",
            "full_int_array [2,3,8,6]",
            "reshape 2x3x8x6",
        ],
        &[],
    );
}

#[test]
fn a_matrix_needs_no_fold() {
    becomes(PLAIN, "4x8 8x5 4x5 4x8 8x5", &["matmul NT 4x8", "matmul TN 8x5"], &["N0227"]);
}

#[test]
fn all_leading_dims_are_folded_for_a_weight() {
    let fold = [
        "full_int_array [24,8]",
        "reshape 24x8",
        "full_int_array [24,5]",
        "reshape 24x5",
        "matmul TN 8x5",
        "full_int_array [8,5]",
        "reshape 8x5",
    ];
    let ops = [&["matmul NT 2x3x4x8"], &fold[..]].concat();
    becomes(PLAIN, "2x3x4x8 8x5 2x3x4x5 2x3x4x8 8x5", &ops, &["N0228"]);
}

#[test]
fn the_gradient_of_a_transposed_weight_has_its_factors_the_other_way_round() {
    let ops = [
        "matmul NN 4x3x8",
        "full_int_array [12,6]",
        "reshape 12x6",
        "full_int_array [12,8]",
        "reshape 12x8",
        "matmul TN 6x8",
        "full_int_array [6,8]",
        "reshape 6x8",
    ];
    becomes(TRANSPOSE_Y, "4x3x8 6x8 4x3x6 4x3x8 6x8", &ops, &["N0220"]);
}

#[test]
fn a_gradient_is_summed_over_the_dims_in_which_its_operand_was_broadcast() {
    let ops = ["matmul NT 2x4x8", "full_int_array [0]", "sum 4x8", "matmul TN 2x8x5"];
    becomes(PLAIN, "4x8 2x8x5 2x4x5 4x8 2x8x5", &ops, &["N0222"]);
    let ops = [
        "matmul NT 3x2x4x8",
        "full_int_array [0]",
        "sum 2x4x8",
        "full_int_array [1,2,4,8]",
        "reshape 1x2x4x8",
        "matmul TN 3x2x8x5",
        "full_int_array [1]",
        "sum 3x8x5",
        "full_int_array [3,1,8,5]",
        "reshape 3x1x8x5",
    ];
    becomes(PLAIN, "1x2x4x8 3x1x8x5 3x2x4x5 1x2x4x8 3x1x8x5", &ops, &["N0222"]);
}

#[test]
fn a_sum_prints_as_paddles_does() {
    let (program, report) = split(&one_of_floats(PLAIN, "4x8 2x8x5 2x4x5 4x8 -"));
    let expected = "(%5) = \"pd_op.sum\" (%3, %4) {chunk_id:0,dtype:Undefined,keepdim:false,op_role:1,stop_gradient:[false]} : (tensor<2x4x8xf32>, tensor<1xi64>) -> tensor<4x8xf32>";
    assert!(text::to_text(&program).contains(expected), "{}", text::to_text(&program));
    assert_eq!(report.weight_chains.len(), 1);
    let chain = report.weight_chains[0].iter().map(|&op| program.name_text(op));
    assert_eq!(chain.collect::<Vec<_>>(), ["pd_op.matmul", "pd_op.full_int_array", "pd_op.sum"]);
}

#[test]
fn a_dynamic_batch_is_folded_to_a_dynamic_dim() {
    let fold = |folded: &str| {
        let ops = [
            "matmul NT -1x3x8",
            "full_int_array [-1,8]",
            "reshape -1x8",
            "full_int_array [-1,5]",
            "reshape -1x5",
            "matmul TN 8x5",
            "full_int_array [8,5]",
            "reshape 8x5",
        ];
        ops.map(|op| op.replace("-1x3x8", folded))
    };
    let ops = fold("-1x3x8");
    becomes(PLAIN, "-1x3x8 8x5 -1x3x5 -1x3x8 8x5", &ops.each_ref().map(String::as_str), &["N0223"]);
    let ops = fold("-1x-1x8");
    becomes(
        PLAIN,
        "-1x-1x8 8x5 -1x-1x5 -1x-1x8 8x5",
        &ops.each_ref().map(String::as_str),
        &["N0224"],
    );
}

/// Paddle infers 1 where a dynamic batch meets a batch of 1.
#[test]
fn a_gradient_typed_1_where_the_batch_is_dynamic_is_not_believed() {
    let (program, _) = split(&one_of_floats(PLAIN, "-1x3x8 1x8x5 1x3x5 -1x3x8 1x8x5"));
    assert!(ops(&program).contains(&"full_int_array [-1,5]".to_owned()), "{:?}", ops(&program));
}

#[test]
fn only_wanted_gradients_are_computed_where_paddle_fails() {
    becomes(PLAIN, "4x3x8 8x5 4x3x5 4x3x8 -", &["matmul NT 4x3x8"], &["N0221"]);
    becomes(PLAIN, "4x8 8x5 4x5 - 8x5", &["matmul TN 8x5"], &["N0227"]);
}

#[test]
fn the_dead_product_of_paddle_is_made_unless_it_is_dropped() {
    let source = one_of_floats(PLAIN, "4x3x8 8x5 4x3x5 - 8x5");
    let (program, report) = split(&source);
    assert_eq!((ops(&program).len(), codes(&report)), (8, vec!["N0225"]));
    assert_eq!(ops(&program)[0], "matmul NT 4x3x8");
    let (program, report) = split_with(&source, &SplitMatmulGrad { drop_dead_products: true });
    assert_eq!((ops(&program).len(), codes(&report)), (7, vec!["N0226"]));
    assert_eq!(ops(&program)[0], "full_int_array [12,8]");
}

#[test]
fn an_op_with_a_vector_stays_whole() {
    is_left_whole(&one_of_floats(PLAIN, "2x4x8 8 2x4 2x4x8 8"), WholeReason::Vector);
}

#[test]
fn an_op_of_which_nothing_is_wanted_stays_whole() {
    is_left_whole(&one_of_floats(PLAIN, "4x8 8x5 4x5 - -"), WholeReason::NothingWanted);
}

#[test]
fn an_op_without_elements_stays_whole() {
    is_left_whole(&one_of_floats(PLAIN, "3x0x8 8x5 3x0x5 3x0x8 8x5"), WholeReason::Empty);
}

#[test]
fn dims_that_do_not_fit_leave_an_op_whole() {
    for dims in [
        "4x8 7x5 4x5 4x8 7x5",
        "4x8 8x5 4x6 4x8 8x5",
        "4x8 8x5 4x5 4x9 8x5",
        "4x8 8x5 4x5 4x8 1x8x5",
        "2x4x8 3x8x5 2x4x5 2x4x8 3x8x5",
        // Paddle gives a product of unlike ranks the batch of the higher one, broadcast or not.
        "1x1x4x8 5x8x6 1x1x4x6 1x1x4x8 5x8x6",
    ] {
        is_left_whole(&one_of_floats(PLAIN, dims), WholeReason::Inconsistent);
    }
}

#[test]
fn a_batch_of_which_it_is_not_known_whether_it_was_broadcast_stays_whole() {
    let dims = "-1x4x8 -1x8x5 -1x4x5 -1x4x8 -1x8x5";
    is_left_whole(&one_of_floats(PLAIN, dims), WholeReason::UnknownBroadcast);
    let dims = "-1x4x8 3x8x5 3x4x5 -1x4x8 3x8x5";
    is_left_whole(&one_of_floats(PLAIN, dims), WholeReason::UnknownBroadcast);
}

#[test]
fn two_dims_that_a_reshape_would_have_to_find_leave_an_op_whole() {
    let dims = "-1x4x-1 -1x5 -1x4x5 -1x4x-1 -1x5";
    is_left_whole(&one_of_floats(PLAIN, dims), WholeReason::TwoUnknownDims);
    let dims = "1x-1x8 3x8x-1 3x-1x-1 1x-1x8 3x8x-1";
    assert_eq!(split(&one_of_floats(PLAIN, dims)).1.split, 1, "one dim can be found");
    let dims = "1x-1x-1 3x-1x5 3x-1x5 1x-1x-1 3x-1x5";
    is_left_whole(&one_of_floats(PLAIN, dims), WholeReason::TwoUnknownDims);
}

#[test]
fn other_elements_than_real_ones_of_one_type_leave_an_op_whole() {
    for element in ["c64", "i64"] {
        let source =
            one_of_floats(PLAIN, "4x8 8x5 4x5 4x8 8x5").replace("xf32", &format!("x{element}"));
        is_left_whole(&source, WholeReason::Elements);
    }
    let types = [
        "tensor<4x8xf16>",
        "tensor<8x5xf16>",
        "tensor<4x5xf32>",
        "tensor<4x8xf16>",
        "tensor<8x5xf16>",
    ];
    is_left_whole(&one(PLAIN, types), WholeReason::Elements);
    let types = [
        "tensor<4x8xf16>",
        "tensor<8x5xf16>",
        "tensor<4x5xf16>",
        "tensor<4x8xf32>",
        "tensor<8x5xf16>",
    ];
    is_left_whole(&one(PLAIN, types), WholeReason::Elements);
}

#[test]
fn what_is_not_a_dense_tensor_leaves_an_op_whole() {
    let rows = "pd_op.selectedrows<8x5xf32>";
    let types = ["tensor<4x8xf32>", "tensor<8x5xf32>", "tensor<4x5xf32>", "tensor<4x8xf32>", rows];
    is_left_whole(&one(PLAIN, types), WholeReason::NotDense);
}

#[test]
fn a_malformed_op_stays_whole() {
    let source = one_of_floats(PLAIN, "4x8 8x5 4x5 4x8 8x5");
    is_left_whole(
        &source.replace("transpose_x:false", "transpose_x:\"no\""),
        WholeReason::Malformed,
    );
    let few =
        source.replace("(%0, %1, %2)", "(%0, %1)").replace("xf32>, tensor<4x5xf32>)", "xf32>)");
    is_left_whole(&few, WholeReason::Malformed);
    let null = source
        .replace("(%0, %1, %2)", "(%0, %1, <<NULL VALUE>>)")
        .replace("tensor<4x5xf32>) ->", "<<NULL TYPE>>) ->");
    is_left_whole(&null, WholeReason::Malformed);
    let read = one_of_floats(PLAIN, "4x8 8x5 4x5 - 8x5");
    let read = read.replace("() = \"builtin.shadow_output\" (%4)", "() = \"builtin.combine\" (%3) {} : (<<NULL TYPE>>) -> \n    () = \"builtin.shadow_output\" (%4)");
    is_left_whole(&read, WholeReason::Malformed);
}

#[test]
fn absent_attributes_count_as_untransposed_and_as_minus_one() {
    let (program, _) = split(&one_of_floats("{}", "4x8 8x5 4x5 4x8 8x5"));
    let printed = text::to_text(&program);
    assert_eq!(ops(&program), ["matmul NT 4x8", "matmul TN 8x5"]);
    assert_eq!(printed.matches("chunk_id:-1,op_role:-1,").count(), 2, "{printed}");
}

/// The receives say that they stop gradients, and the first two kwargs do not say that they do not.
/// `%2` is made of such values only, but says otherwise while its user is rewritten, which is first.
#[test]
fn a_product_stops_gradients_where_both_operands_do() {
    let source = r#"{
    ^kw:
        %kwarg_w {place:Place(cpu)}
        %kwarg_v {place:Place(cpu)}
        %kwarg_u {stop_gradient:false}
    (%0) = "pd_op.recv_v2" () {stop_gradient:[true]} : () -> tensor<4x8xf32>
    (%1) = "pd_op.recv_v2" () {stop_gradient:[true]} : () -> tensor<4x5xf32>
    (%2, %3) = "pd_op.matmul_grad" (%0, %kwarg_w, %1) {stop_gradient:[false,false]} : (tensor<4x8xf32>, tensor<8x5xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>, tensor<8x5xf32>
    (%4, %5) = "pd_op.matmul_grad" (%0, %kwarg_v, %2) {} : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, tensor<8x8xf32>
    (%6, %7) = "pd_op.matmul_grad" (%0, %kwarg_u, %1) {} : (tensor<4x8xf32>, tensor<8x5xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>, tensor<8x5xf32>
}
"#;
    let (program, _) = split(source);
    let products = program.top_ops().filter(|&op| program.name(op) == names::MATMUL);
    let stops = products.map(|op| program.result_flag(op, names::STOP_GRADIENT, 0).unwrap());
    assert_eq!(stops.collect::<Vec<_>>(), [true, true, false, false, false, true]);
}

#[test]
fn notes_of_one_kind_are_one_note_at_the_first_op() {
    let lines: Vec<String> =
        one_of_floats(TRANSPOSE_Y, "4x8 5x8 4x5 4x8 5x8").lines().map(str::to_owned).collect();
    let twice =
        format!("{}\n{}\n}}\n", lines[..5].join("\n"), lines[4].replace("%3, %4", "%8, %9"));
    let (program, report) = split(&twice);
    assert_eq!(ops(&program).len(), 4);
    let [note] = report.notes.as_slice() else { panic!("{:?}", report.notes) };
    assert_eq!(note.code, "N0220");
    assert!(note.message.starts_with("2 `pd_op.matmul_grad`"), "{}", note.message);
    assert_eq!(note.primary.as_ref().and_then(|place| place.line), Some(5));
}

#[test]
fn a_type_keeps_its_old_spelling() {
    let source =
        one_of_floats(PLAIN, "4x8 8x5 4x5 4x8 8x5").replace("tensor<4x8", "builtin.tensor<4x8");
    let (program, _) = split(&source);
    assert_eq!(text::to_text(&program).matches("builtin.tensor<4x8xf32>").count(), 4);
}
