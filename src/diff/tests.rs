//! Each kind of difference, on programs of a few ops.

use std::sync::Arc;

use super::{Counts, Diff, DiffOptions, Entry, GeneratedNames, LineKind, Place, diff};
use crate::ir::{Context, Numbers, Part, Program, import};
use crate::text::read_program;

/// A program of these ops. A line such as `%1 = relu %0 {a:1}` stands for an op of the dialect `my`
/// with a tensor as result; any other is taken as it is.
fn program(context: &Arc<Context>, ops: &str) -> Program {
    let lines = ops.lines().map(|line| format!("    {}\n", op(line.trim())));
    let source = format!("{{\n{}}}\n", lines.collect::<String>());
    let read = read_program(context, "test.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

fn op(line: &str) -> String {
    let Some((results, rest)) = line.split_once(" = ").filter(|_| line.starts_with('%')) else {
        return line.to_owned();
    };
    let (rest, attrs) = rest.split_once(" {").unwrap_or((rest, "}"));
    let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let types = |values: &str| {
        let count = values.split(", ").filter(|value| !value.is_empty()).count();
        vec!["tensor<f32>"; count].join(", ")
    };
    let signature = format!("({}) -> {}", types(operands), types(results));
    format!("({results}) = \"my.{name}\" ({operands}) {{{attrs} : {signature}")
}

/// What is shown of a difference, without context.
fn shown(first: &str, second: &str) -> String {
    let context = Context::new();
    let [first, second] = [first, second].map(|ops| program(&context, ops));
    let found = diff(&first, &second, DiffOptions::default());
    let back = diff(&second, &first, DiffOptions::default());
    let Counts { added, removed, .. } = found.counts();
    assert_eq!(back.counts(), Counts { added: removed, removed: added, ..found.counts() });
    found.unified(0)
}

const CHAIN: &str = "%0 = in\n%1 = relu %0\n%2 = scale %1 {by:2}\n%3 = out %2";

#[test]
fn other_numbers_are_no_difference() {
    let renumbered = "%9 = in\n%4 = relu %9\n%7 = scale %4 {by:2}\n%0 = out %7";
    assert_eq!(shown(CHAIN, renumbered), "");
}

#[test]
fn an_op_that_is_inserted_is_added_and_what_reads_it_is_changed() {
    let longer = "%0 = in\n%1 = relu %0\n%2 = tanh %1\n%3 = scale %2 {by:2}\n%4 = out %3";
    assert_eq!(
        shown(CHAIN, longer),
        "@@ op 2 @@
+ (%+0) = \"my.tanh\" (%1) {} : (tensor<f32>) -> tensor<f32>
~ (%2) = \"my.scale\" (%+0)
~     operand 0: %1 => %+0
"
    );
}

#[test]
fn an_op_that_is_erased_is_removed() {
    let shorter = "%0 = in\n%1 = scale %0 {by:2}\n%2 = out %1";
    assert_eq!(
        shown(CHAIN, shorter),
        "@@ op 1 @@
- (%1) = \"my.relu\" (%0) {} : (tensor<f32>) -> tensor<f32>
~ (%2) = \"my.scale\" (%0)
~     operand 0: %1 => %0
"
    );
}

#[test]
fn attributes_are_added_removed_and_changed() {
    let first = "%0 = in {a:1,b:1,op_role:0}\n%1 = out %0";
    let second = "%0 = in {b:2,c:1,chunk_id:3,op_role:1}\n%1 = out %0";
    assert_eq!(
        shown(first, second),
        "@@ op 0 @@
~ (%0) = \"my.in\" ()
~     attribute `a`: 1 => (none)
~     attribute `b`: 1 => 2
~     attribute `c`: (none) => 1
~     attribute `chunk_id`: (none) => 3
~     attribute `op_role`: 0 => 1
"
    );
}

#[test]
fn operands_and_results_are_compared_one_by_one() {
    let first = "%0, %1 = in\n%2 = add %0, %1\n%3 = out %2";
    let second = "%0, %1, %2 = in
        (%3) = \"my.add\" (%1, %1, <<NULL VALUE>>) {} : \
        (tensor<f32>, tensor<f32>, <<NULL TYPE>>) -> tensor<f64>
        (%4) = \"my.out\" (%3) {} : (tensor<f64>) -> tensor<f32>";
    assert_eq!(
        shown(first, second),
        "@@ op 0 @@
~ (%0, %1, %+0) = \"my.in\" ()
~     the type of result 2: (none) => tensor<f32>
~ (%2) = \"my.add\" (%1, %1, <<NULL VALUE>>)
~     operand 0: %0 => %1
~     operand 2: (none) => <<NULL VALUE>>
~     the type of result 0: tensor<f32> => tensor<f64>
"
    );
}

#[test]
fn an_op_that_reads_the_same_under_another_name_is_renamed() {
    assert_eq!(
        shown(CHAIN, &CHAIN.replace("relu", "relu_")),
        "@@ op 1 @@
~ (%1) = \"my.relu_\" (%0)
~     the name: my.relu => my.relu_
"
    );
}

#[test]
fn an_op_that_stands_elsewhere_is_moved() {
    let first = "%0 = in\n%1 = a %0\n%2 = b %0\n%3 = c %0\n%4 = out %1";
    let second = "%0 = in\n%1 = b %0\n%2 = c %0\n%3 = a %0 {op_role:1}\n%4 = out %3";
    assert_eq!(
        shown(first, second),
        "@@ op 1 @@
< (%1) = \"my.a\" (%0)
@@ op 4 @@
> (%1) = \"my.a\" (%0)
~     attribute `op_role`: (none) => 1
"
    );
}

/// Which of two equal ops is gone shows in who reads them.
#[test]
fn of_duplicates_the_one_that_is_gone_is_removed() {
    let first = "%0 = in\n%1 = relu %0\n%2 = relu %0\n%3 = a %1\n%4 = b %2";
    let second = "%0 = in\n%1 = relu %0\n%2 = b %1";
    assert_eq!(
        shown(first, second),
        "@@ op 1 @@
- (%1) = \"my.relu\" (%0) {} : (tensor<f32>) -> tensor<f32>
@@ op 3 @@
- (%3) = \"my.a\" (%1) {} : (tensor<f32>) -> tensor<f32>
"
    );
}

/// Nothing tells the first two from the last two, so the first are aligned with the first; what reads
/// the last two must not be taken for what reads the first.
#[test]
fn of_interleaved_twins_those_that_stay_read_what_they_read() {
    let context = Context::new();
    let twins = |count: usize| {
        let made = (0..count).map(|value| format!("%{value} = in"));
        let read = (0..count).map(|value| format!("%{} = a %{value}", count + value));
        program(&context, &made.chain(read).collect::<Vec<_>>().join("\n"))
    };
    let [first, second] = [3, 2].map(twins);
    let found = diff(&first, &second, DiffOptions::default());
    assert_eq!(found.counts(), Counts { removed: 2, ..Counts::default() }, "{}", found.unified(9));
}

#[test]
fn a_chain_in_place_stays_a_chain_where_a_link_is_gone() {
    let first = "%0 = in\n%1 = add_ %0\n%2 = add_ %1\n%3 = add_ %2\n%4 = add_ %3\n%5 = out %4";
    let second = "%0 = in\n%1 = add_ %0\n%2 = add_ %1\n%3 = add_ %2\n%4 = out %3";
    let lines = shown(first, second);
    let marks: String = lines.lines().filter_map(|line| line.chars().next()).collect();
    assert_eq!(marks, "@-~~", "{lines}");
}

const BRANCHES: &str = "(%0) = \"my.in\" () {} : () -> tensor<b>
(%1) = \"pd_op.if\" (%0) {} -> tensor<f32> {
    %2 = a
    %3 = b %2
    () = \"cf.yield\" (%3) {} : (tensor<f32>) ->\u{20}
} else {
    %4 = c
    () = \"cf.yield\" (%4) {} : (tensor<f32>) ->\u{20}
}
%5 = out %1";

#[test]
fn edits_in_regions_are_found_where_they_are() {
    let second = BRANCHES.replace("%4 = c", "%4 = c {x:1}").replace("%2 = a\n", "%2 = a\n%9 = d\n");
    assert_eq!(
        shown(BRANCHES, &second),
        "@@ op 1 in op 1 @@
+     (%+0) = \"my.d\" () {} : () -> tensor<f32>
@@ op 0 in op 1 @@
~     (%4) = \"my.c\" ()
~         attribute `x`: (none) => 1
"
    );
}

#[test]
fn what_leaves_its_region_is_moved() {
    let second = "(%0) = \"my.in\" () {} : () -> tensor<b>\n%1 = a\n%2 = b %1\n%3 = out %2";
    assert_eq!(
        shown(BRANCHES, second),
        "@@ op 1 @@
- (%1) = \"pd_op.if\" (%0) {} -> tensor<f32> {
<     (%2) = \"my.a\" ()
<     (%3) = \"my.b\" (%2)
-     () = \"cf.yield\" (%3) {} : (tensor<f32>) ->
@@ op 0 in op 1 @@
-     (%4) = \"my.c\" () {} : () -> tensor<f32>
-     () = \"cf.yield\" (%4) {} : (tensor<f32>) ->
> (%2) = \"my.a\" ()
> (%3) = \"my.b\" (%2)
~ (%5) = \"my.out\" (%3)
~     operand 0: %1 => %3
"
    );
}

/// Deeper than there are rounds of search.
#[test]
fn an_edit_many_regions_deep_is_one_change() {
    let nest = |bias: &str| {
        let mut lines = vec!["(%0) = \"my.in\" () {} : () -> tensor<b>".to_owned()];
        lines.extend(vec!["() = \"pd_op.if\" (%0) {} ->  {".to_owned(); 30]);
        lines.push(format!("%1 = deep {bias}"));
        lines.extend(vec!["}".to_owned(); 30]);
        lines.join("\n")
    };
    let lines = shown(&nest("{b:1}"), &nest("{b:2}"));
    assert_eq!(lines.lines().count(), 3, "{lines}");
}

fn kwargs(context: &Arc<Context>, keywords: &[&str]) -> Program {
    let kwargs = keywords.iter().map(|keyword| format!("        %kwarg_{keyword}\n"));
    let readers = keywords.iter().enumerate().map(|(index, keyword)| {
        let (keyword, _) = keyword.split_once(' ').expect("it has attributes");
        format!(
            "    (%{index}) = \"my.use\" (%kwarg_{keyword}) {{}} : (tensor<f32>) -> tensor<f32>\n"
        )
    });
    let kwargs: String = kwargs.collect();
    let source = format!("{{\n    ^kw:\n{kwargs}{}}}\n", readers.collect::<String>());
    let read = read_program(context, "test.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

#[test]
fn kwargs_are_compared_as_a_set() {
    let context = Context::new();
    let first = kwargs(&context, &["a {place:1}", "b {place:1}"]);
    let second = kwargs(&context, &["b {place:1}", "a {place:2}", "c {place:1}"]);
    let found = diff(&first, &second, DiffOptions::default());
    assert_eq!(
        found.unified(0),
        "@@ op 0 @@
~ arguments
~     attribute `place` of argument `a`: 1 => 2
~     keyword argument `c`: (none) => tensor<f32> {place:1}
> (%1) = \"my.use\" (%kwarg_b)
@@ op 1 @@
< (%1) = \"my.use\" (%kwarg_b)
+ (%+0) = \"my.use\" (%kwarg_c) {} : (tensor<f32>) -> tensor<f32>
"
    );
    assert_eq!(found.counts().to_string(), "1 added, 1 moved, 1 block with other arguments");
}

/// The index may be another one, and one may be there for the first time.
#[test]
fn an_index_in_a_generated_name_can_be_left_out() {
    let context = Context::new();
    let options = DiffOptions { names: GeneratedNames::AnyIndex, ..DiffOptions::default() };
    let first = kwargs(&context, &["var_6_a_0 {name:\"var_6_a_0\"}", "var_10_a_0 {p:1}"]);
    let shifted = kwargs(&context, &["var_7_a_0 {name:\"var_7_a_0\"}", "var_11_a_0 {p:1}"]);
    assert_eq!(diff(&first, &shifted, options).unified(0), "");
    assert_eq!(diff(&first, &shifted, DiffOptions::default()).counts().arguments, 1);
    let more = ["var_6_a_0 {name:\"var_6_a_0\"}", "var_8_a_0 {p:2}", "var_10_a_0 {p:1}"];
    assert_eq!(
        diff(&first, &kwargs(&context, &more), options).unified(0),
        "@@ op 0 @@
~ arguments
~     keyword argument `var_N_a_0`: (none) => tensor<f32> {p:2}
@@ op 1 @@
+ (%+0) = \"my.use\" (%kwarg_var_N_a_0) {} : (tensor<f32>) -> tensor<f32>
"
    );
}

#[test]
fn kinds_of_numbers_count_where_they_are_said() {
    let context = Context::new();
    let with = |value: crate::ir::AttrValue| {
        let mut program = program(&context, CHAIN);
        let op = program.top_ops().next().expect("there are ops");
        let (name, attr) = (context.name("n"), context.attr(value));
        crate::ir::Rewriter::new(&mut program).set_attr(op, name, attr);
        program
    };
    let narrow = with(crate::ir::AttrValue::int32(1));
    let wide = with(crate::ir::AttrValue::Int(1, crate::ir::IntKind::I64));
    let found = diff(&narrow, &wide, DiffOptions::default());
    let [Entry::Kept { place: Place::Stays, changes, .. }] = found.entries() else {
        panic!("{found:?}");
    };
    assert_eq!(changes[0].part, Part::Attr("n".to_owned()));
    assert_ne!(changes[0].first, changes[0].second);
    let as_printed = DiffOptions { numbers: Numbers::AsPrinted, ..DiffOptions::default() };
    assert!(diff(&narrow, &wide, as_printed).is_empty());
}

#[test]
fn programs_of_two_contexts_are_compared_by_what_handles_mean() {
    let other = Context::new();
    other.name("my.tanh");
    let first = program(&Context::new(), CHAIN);
    assert!(diff(&first, &program(&other, CHAIN), DiffOptions::default()).is_empty());
    let changed = program(&other, &CHAIN.replace("by:2", "by:3"));
    let here = import(&changed, first.context());
    let text = |found: Diff<'_>| found.unified(9);
    assert_eq!(
        text(diff(&first, &changed, DiffOptions::default())),
        text(diff(&first, &here, DiffOptions::default()))
    );
}

/// More than a gap is searched for, more edits than are searched at once, and nothing to tell ops
/// apart by.
#[test]
fn many_ops_that_are_all_alike_are_aligned() {
    let context = Context::new();
    let alike = |count: usize| {
        let ops: Vec<String> = (0..count).map(|value| format!("%{value} = in")).collect();
        program(&context, &ops.join("\n"))
    };
    let found = diff(&alike(3000), &alike(2000), DiffOptions::default()).counts();
    assert_eq!(found, Counts { removed: 1000, ..Counts::default() });
}

#[test]
fn context_is_shown_around_what_differs() {
    let context = Context::new();
    let [first, second] = [CHAIN, &CHAIN.replace("by:2", "by:3")].map(|ops| program(&context, ops));
    let found = diff(&first, &second, DiffOptions::default());
    let kinds: Vec<LineKind> = found.unified_lines(1).iter().map(|line| line.kind).collect();
    use LineKind::{Change, Changed, Place, Same};
    assert_eq!(kinds, [Place, Same, Changed, Change, Same]);
    assert_eq!(found.unified_lines(usize::MAX).len(), 6);
}

#[test]
fn side_by_side_long_lines_are_cut_or_wrapped() {
    let context = Context::new();
    let second = "%0 = in\n%1 = relu %0\n%2 = tanh %1\n%3 = scale %2 {by:2}\n%4 = out %3";
    let [first, second] = [CHAIN, second].map(|ops| program(&context, ops));
    let found = diff(&first, &second, DiffOptions::default());
    assert_eq!(
        found.side_by_side(47, 1),
        "@@ op 1 @@
(%1) = \"my.relu\" (%0)    (%1) = \"my.relu\" (%0)
                       + (%+0) = \"my.tanh\" (%1)
                       +  {} : (tensor<f32>) ->
                       +  tensor<f32>
(%2) = \"my.scale\" (%1) ~ (%2) = \"my.scale\" (%+0
                       ~ )
    operand 0: %1      ~     operand 0: %+0
(%3) = \"my.out\" (%2)     (%3) = \"my.out\" (%2)
"
    );
}
