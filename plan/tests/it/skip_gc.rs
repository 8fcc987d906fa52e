//! Which names a job keeps, by either rule, and why.

use pirogue::ir::Context;
use pirogue_plan::{Plan, SkipGcRule};

use super::{jobs, kept, options, programs};

/// What each job keeps by Paddle's rule and by the exact one, jobs that keep nothing left out.
/// Whatever the programs: the exact set lies within Paddle's, and both are sorted.
fn both(texts: &[(&str, &str)], job_list: &str) -> [String; 2] {
    let context = Context::new();
    let programs = programs(&context, texts);
    let plan = |rule| Plan::new(options(), programs.clone(), jobs(job_list), rule).unwrap();
    let [paddle, exact] = [SkipGcRule::Paddle, SkipGcRule::Exact].map(plan);
    for job in job_list.split_whitespace() {
        let (wide, least) = (kept(&paddle, job), kept(&exact, job));
        assert!(least.iter().all(|name| wide.contains(name)), "{job}: {least:?} in {wide:?}");
        assert!(wide.is_sorted() && least.is_sorted());
    }
    [paddle, exact].map(|plan| {
        let line = |job: &str| {
            Some(kept(&plan, job))
                .filter(|names| !names.is_empty())
                .map(|names| format!("{job} {}", names.join(" ")))
        };
        job_list.split_whitespace().filter_map(line).collect::<Vec<_>>().join(", ")
    })
}

fn same(text: &str) -> [String; 2] {
    [text, text].map(str::to_owned)
}

const FORWARD: &str = r#"(%0) = "pd_op.data" () {name:"x",op_role:0} : () -> f32
    (%1) = "pd_op.relu" (%0) {op_role:0} : (f32) -> f32
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (f32) -> "#;

/// Reads the memory of `y`.
const READS: &str = r#"^kw:
    %kwarg_y {persistable:false}
    (%0) = "pd_op.tanh" (%kwarg_y) {} : (f32) -> f32"#;

/// Reads the shape of `y` only: the first two operands of `add_grad` need no memory.
const READS_SHAPE: &str = r#"^kw:
    %kwarg_y {persistable:false}
    (%0, %1) = "pd_op.add_grad" (%kwarg_y, %kwarg_y, <<NULL VALUE>>) {} : (f32, f32, <<NULL TYPE>>) -> f32, f32"#;

#[test]
fn a_value_is_kept_until_the_last_job_that_reads_it_and_no_longer() {
    let texts = [("forward0", FORWARD), ("forward1", READS), ("backward1", READS)];
    let found = both(&texts, "forward0:0 forward1:0 backward1:0");
    // `x` is read by forward0 alone, and backward1 is the last to read `y`.
    assert_eq!(found, same("forward0:0 y, forward1:0 y"));
}

#[test]
fn a_micro_batch_keeps_nothing_for_another() {
    let texts = [("forward0", FORWARD), ("backward0", READS)];
    let found = both(&texts, "forward0:0 forward0:1 backward0:0");
    assert_eq!(found, same("forward0:0 y"));
}

#[test]
fn the_optimizer_awaits_the_values_of_micro_batch_0() {
    let texts = [("forward0", FORWARD), ("optimizer", READS)];
    let found = both(&texts, "forward0:0 forward0:1 optimizer:0");
    assert_eq!(found, same("forward0:0 y"));
}

#[test]
fn a_value_of_which_all_readers_need_the_shape_only_is_freed_by_its_producer() {
    let texts = [("forward0", FORWARD), ("forward1", READS_SHAPE), ("backward1", READS_SHAPE)];
    let [paddle, exact] = both(&texts, "forward0:0 forward1:0 backward1:0");
    // Paddle's rule takes the name from the producer, never from a consumer.
    assert_eq!(paddle, "forward1:0 y");
    assert_eq!(exact, "");
}

// Whether `y` may be freed is asked of programs, not of jobs.
#[test]
fn a_reader_that_needs_the_memory_counts_for_paddle_even_if_it_never_runs() {
    let texts = [("forward0", FORWARD), ("forward1", READS_SHAPE), ("backward1", READS)];
    let found = both(&texts, "forward0:0 forward1:0");
    assert_eq!(found, ["forward0:0 y", ""].map(str::to_owned));
}

#[test]
fn an_unused_kwarg_is_kept_by_paddle_alone() {
    let unused = "^kw:\n%kwarg_y {persistable:false}";
    let texts = [("forward0", FORWARD), ("forward1", unused), ("backward1", READS)];
    let found = both(&texts, "forward0:0 forward1:0 backward1:0");
    assert_eq!(found, ["forward0:0 y, forward1:0 y", "forward0:0 y"].map(str::to_owned));
}

// Paddle lets the last reader that it visits decide, in the order of a hash table.
#[test]
fn one_reader_that_needs_the_memory_decides_wherever_it_stands() {
    for readers in [[READS, READS_SHAPE], [READS_SHAPE, READS]] {
        let texts = [("forward0", FORWARD), ("forward1", readers[0]), ("backward1", readers[1])];
        let [paddle, exact] = both(&texts, "forward0:0 forward1:0 backward1:0");
        assert_eq!(paddle, "forward0:0 y, forward1:0 y");
        let last_needs = readers[1] == READS;
        assert_eq!(exact, if last_needs { "forward0:0 y, forward1:0 y" } else { "forward0:0 y" });
    }
}

#[test]
fn an_op_that_reads_a_value_both_ways_needs_it() {
    let reads_twice = r#"^kw:
        %kwarg_y {persistable:false}
        (%0, %1) = "pd_op.add_grad" (%kwarg_y, <<NULL VALUE>>, %kwarg_y) {} : (f32, <<NULL TYPE>>, f32) -> f32, f32"#;
    let texts = [("forward0", FORWARD), ("backward0", reads_twice)];
    assert_eq!(both(&texts, "forward0:0 backward0:0"), same("forward0:0 y"));
}

#[test]
fn a_read_in_a_region_counts() {
    let nested = r#"^kw:
        %kwarg_y {persistable:false}
        (%0) = "pd_op.full" () {} : () -> b
        (%1) = "pd_op.if" (%0) {} -> f32 {
            (%2) = "pd_op.tanh" (%kwarg_y) {} : (f32) -> f32
            () = "cf.yield" (%2) {} : (f32) -> 
        } else {
            (%3) = "pd_op.tanh" (%kwarg_y) {} : (f32) -> f32
            () = "cf.yield" (%3) {} : (f32) -> 
        }"#;
    let texts = [("forward0", FORWARD), ("backward0", nested)];
    assert_eq!(both(&texts, "forward0:0 backward0:0"), same("forward0:0 y"));
}

// The gradient sums, which every program has as a kwarg: those not used stay in Paddle's sets.
#[test]
fn persistable_values_are_never_needed_but_paddle_lists_unused_kwargs() {
    let unused = "^kw:\n%kwarg_w@GRAD@MERGE {persistable:true}";
    let used = r#"^kw:
        %kwarg_w@GRAD@MERGE {persistable:true}
        (%0) = "pd_op.relu" (%kwarg_w@GRAD@MERGE) {} : (f32) -> f32"#;
    let texts = [("forward0", unused), ("backward0", used), ("optimizer", unused)];
    let found = both(&texts, "forward0:0 backward0:0 optimizer:0");
    // backward0 uses it, so it neither keeps the name nor awaits it; the optimizer awaits it.
    assert_eq!(found, ["forward0:0 w@GRAD@MERGE", ""].map(str::to_owned));
}

// Paddle's rule looks at the top block for what a program uses.
#[test]
fn a_persistable_kwarg_that_only_a_region_reads_counts_as_unused() {
    let unused = "^kw:\n%kwarg_w {persistable:true}";
    let nested = r#"^kw:
        %kwarg_w {persistable:true}
        (%0) = "pd_op.full" () {} : () -> b
        () = "pd_op.if" (%0) {} ->  {
            (%1) = "pd_op.tanh" (%kwarg_w) {} : (f32) -> f32
        } else {
        }"#;
    let found = both(&[("backward0", nested), ("optimizer", unused)], "backward0:0 optimizer:0");
    assert_eq!(found, ["backward0:0 w", ""].map(str::to_owned));
}

#[test]
fn persistable_results_are_neither_kept_nor_awaited() {
    let forward = r#"(%0) = "pd_op.data" () {name:"rate",persistable:[true]} : () -> f32
        (%1) = "builtin.parameter" () {parameter_name:"w",persistable:[true]} : () -> f32
        (%2) = "pd_op.add" (%0, %1) {persistable:[true]} : (f32, f32) -> f32
        () = "builtin.shadow_output" (%2) {output_name:"sum"} : (f32) -> "#;
    let reads = r#"^kw:
        %kwarg_rate {persistable:true}
        %kwarg_sum {persistable:true}
        %kwarg_w {persistable:true}
        (%0) = "pd_op.add" (%kwarg_rate, %kwarg_w) {} : (f32, f32) -> f32
        (%1) = "pd_op.add" (%0, %kwarg_sum) {} : (f32, f32) -> f32"#;
    let texts = [("forward0", forward), ("backward0", reads)];
    assert_eq!(both(&texts, "forward0:0 backward0:0"), same(""));
}

#[test]
fn data_and_values_that_set_parameter_names_go_by_these_names() {
    let forward = r#"(%0) = "pd_op.data" () {name:"x"} : () -> f32
        (%1) = "pd_op.relu" (%0) {} : (f32) -> f32
        () = "builtin.set_parameter" (%1) {parameter_name:"p"} : (f32) -> "#;
    let reads = r#"^kw:
        %kwarg_x {persistable:false}
        %kwarg_p {persistable:false}
        (%0) = "pd_op.add" (%kwarg_x, %kwarg_p) {} : (f32, f32) -> f32"#;
    let texts = [("forward0", forward), ("backward0", reads)];
    assert_eq!(both(&texts, "forward0:0 backward0:0"), same("forward0:0 p x"));
}

// The name that a split put in (it has no role) is awaited; `other` is the input's own.
#[test]
fn of_two_names_the_one_that_a_later_job_needs_is_kept() {
    let two_names = r#"(%0) = "pd_op.full" () {op_role:0} : () -> f32
        () = "builtin.shadow_output" (%0) {output_name:"y"} : (f32) -> 
        () = "builtin.shadow_output" (%0) {op_role:0,output_name:"other"} : (f32) -> "#;
    let texts = [("forward0", two_names), ("backward0", READS)];
    assert_eq!(both(&texts, "forward0:0 backward0:0"), same("forward0:0 y"));
}

// Nothing needs either name, so what is kept is what Paddle's rule takes for the name of the value.
#[test]
fn paddle_goes_by_the_name_that_a_split_put_in_else_by_the_last() {
    let names = |lines: &str| {
        let forward = format!(
            r#"(%0) = "pd_op.full" () {{op_role:0}} : () -> f32
            {lines}"#
        );
        let unused = "^kw:\n%kwarg_a {persistable:false}\n%kwarg_b {persistable:false}";
        both(&[("forward0", &forward), ("backward0", unused)], "forward0:0 backward0:0")
    };
    let inserted = r#"() = "builtin.shadow_output" (%0) {output_name:"a"} : (f32) -> "#;
    let own = |name| {
        format!(
            r#"() = "builtin.shadow_output" (%0) {{op_role:0,output_name:"{name}"}} : (f32) -> "#
        )
    };
    let (a, b) = (own("a"), own("b"));
    for (lines, name) in [
        (format!("{inserted}\n{b}"), "a"),
        (format!("{b}\n{inserted}"), "a"),
        (format!("{a}\n{b}"), "b"),
        (format!("{b}\n{a}"), "a"),
    ] {
        assert_eq!(names(&lines), [format!("forward0:0 {name}"), String::new()], "{lines}");
    }
}

// Paddle's rule alone goes by the last name, so it would free `y` before backward0 reads it.
#[test]
fn a_name_that_paddle_overlooks_is_kept_where_a_later_job_needs_it() {
    let two_names = r#"(%0) = "pd_op.full" () {op_role:0} : () -> f32
        () = "builtin.shadow_output" (%0) {op_role:0,output_name:"y"} : (f32) -> 
        () = "builtin.shadow_output" (%0) {op_role:0,output_name:"other"} : (f32) -> "#;
    let reads_shape_of_other = READS_SHAPE.replace("kwarg_y", "kwarg_other");
    let texts =
        [("forward0", two_names), ("backward1", READS), ("backward0", &reads_shape_of_other)];
    assert_eq!(both(&texts, "forward0:0 backward1:0 backward0:0"), same("forward0:0 y"));
}

#[test]
fn a_kwarg_that_is_renamed_keeps_both_names() {
    let renames = r#"^kw:
        %kwarg_y {persistable:false}
        () = "builtin.shadow_output" (%kwarg_y) {output_name:"z"} : (f32) -> "#;
    let reads_z = READS.replace("kwarg_y", "kwarg_z");
    let texts = [("forward0", FORWARD), ("forward1", renames), ("backward1", &reads_z)];
    let found = both(&texts, "forward0:0 forward1:0 backward1:0");
    assert_eq!(found, same("forward0:0 y, forward1:0 z"));
}

#[test]
fn an_op_without_facts_needs_all_that_it_reads() {
    let custom = READS_SHAPE.replace("pd_op.add_grad", "custom_op.mine");
    let texts = [("forward0", FORWARD), ("backward0", &custom)];
    assert_eq!(both(&texts, "forward0:0 backward0:0"), same("forward0:0 y"));
}

#[test]
fn jobs_share_their_sets_which_are_numbered_as_jobs_first_have_them() {
    let context = Context::new();
    let texts = [("forward0", FORWARD), ("backward0", READS)];
    let list = jobs("forward0:0 forward0:1 backward0:0 backward0:1");
    let plan = Plan::new(options(), programs(&context, &texts), list, SkipGcRule::Paddle).unwrap();
    let sets: Vec<usize> = (0..4).map(|job| plan.skip_gc_set(job)).collect();
    assert_eq!(sets, [0, 0, 1, 1]);
    let y = [context.name("y")];
    assert_eq!(plan.skip_gc_sets().collect::<Vec<_>>(), [y.as_slice(), &[]]);
}
