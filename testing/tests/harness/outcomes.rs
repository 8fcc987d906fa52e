//! What comes of cases, good ones and bad ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::world::World;

type Test = (&'static str, fn());

/// All tests, with their names.
pub const ALL: &[Test] = &[
    ("every case is a test by its name", every_case_is_a_test_by_its_name),
    ("an unused expectation fails", an_unused_expectation_fails),
    ("a wrong code fails and the right one is told", a_wrong_code_fails),
    ("an unexpected error fails, and the line that is told makes it pass", the_line_to_add),
    ("an unexpected warning fails", an_unexpected_warning_fails),
    ("a slip in a header is told what was meant", a_slip_in_a_header),
    ("a missing snapshot fails, is written, and passes", a_missing_snapshot),
    ("the numbers of values change no snapshot", the_numbers_of_values),
    ("a changed attribute is told op by op", a_changed_attribute),
    ("a pending snapshot is written beside, for review", a_pending_snapshot),
    ("a difference passes where all are to be reviewed", differences_are_collected),
    ("a program that prints otherwise fails", prints_otherwise),
    ("a result that depends on the order of uses fails", depends_on_uses),
    ("a law that a pass declares and breaks fails", breaks_laws),
    ("what a failed run cannot show is told", a_failed_run_shows_nothing),
    ("a folder without cases fails", a_folder_without_cases),
    ("a case with faults does not hide the others", one_bad_case),
    ("a separator in a string separates nothing", a_separator_in_a_string),
];

const GOOD: &str = "\
// case: all in one chunk
// run: -p 'set_chunk{chunk=1}'
// show: program, stats
{
    (%0) = \"my.make\" () {n:1} : () -> f32
    (%1) = \"my.take\" (%0) {} : (f32) -> f32
}
";

const SNAPSHOT: &str = "tests/cases/snapshots/x/all_in_one_chunk.snap";

fn complaint(op: &str, comment: &str) -> World {
    let text = format!(
        "// run: -p complain\n{{\n    (%0) = \"{op}\" () {{}} : () -> f32\n    {comment}\n}}\n"
    );
    World::with_cases(&text)
}

fn every_case_is_a_test_by_its_name() {
    let world = World::with_cases("// case: one\n{\n}\n// -----\n// case: two\n{\n}\n");
    world.write("tests/cases/deep/y.pir", "{\n}\n");
    let said = world.test();
    said.passes(3);
    for name in ["test x::one ", "test x::two ", "test deep/y::y "] {
        assert!(said.text.contains(name), "{}", said.text);
    }
    world.test_with("no", &["two"]).passes(1);
}

fn an_unused_expectation_fails() {
    complaint("my.good", "// expect-error@above E9002: bad").test().fails_with(&[
        "error[E0682]: an error `E9002` of line 3 is expected and not said: bad",
        "tests/cases/x.pir:4:8",
    ]);
}

fn a_wrong_code_fails() {
    complaint("my.odd", "// expect-warning@-2 W9001: odd").test().fails_with(&[
        "a warning `W9001` of line 2 is expected and not said: odd",
        "`W9001` is said of line 3: `my.odd` is odd",
        "error[E0683]: a warning is not expected",
    ]);
}

fn the_line_to_add() {
    let said = complaint("my.bad", "").test();
    let line = "// expect-error@above E9002: `my.bad` is bad";
    said.fails_with(&["error[E0683]: an error is not expected", "below line 3", line]);
    said.fails_with(&["error[E9002]: `my.bad` is bad", "tests/cases/x.pir:3:8"]);
    complaint("my.bad", line).test().passes(1);
}

fn an_unexpected_warning_fails() {
    complaint("my.odd", "").test().fails_with(&["error[E0683]: a warning is not expected"]);
    complaint("my.odd", "// expect-warning@above W9001").test().passes(1);
}

fn a_slip_in_a_header() {
    World::with_cases("// shwo: diff\n{\n}\n").test().fails_with(&[
        "error[E0680]: there is no header `shwo`",
        "tests/cases/x.pir:1:4",
        "did you mean `show`?",
    ]);
    World::with_cases("// show: pictures\n{\n}\n")
        .test()
        .fails_with(&["`pictures` is nothing that a case can show", "there are `diff`"]);
}

fn a_missing_snapshot() {
    let world = World::with_cases(GOOD);
    world.test().fails_with(&["error[E0684]: there is no snapshot", "chunk_id:1,n:1"]);
    assert_eq!(world.read(SNAPSHOT), None, "nothing was to be written");
    world.test_with("always", &[]).passes(1);
    let expected = "---
source: cases/x.pir
description: all in one chunk
---
// show: program
{
    (%0) = \"my.make\" () {chunk_id:1,n:1} : () -> f32
    (%1) = \"my.take\" (%0) {chunk_id:1} : (f32) -> f32
}
// show: stats
1 set_chunk
         2 set: ops that were put into the chunk
";
    assert_eq!(world.read(SNAPSHOT).as_deref(), Some(expected));
    world.test().passes(1);
}

fn the_numbers_of_values() {
    let world = World::with_cases(GOOD);
    world.test_with("always", &[]).passes(1);
    let renumbered = world.read(SNAPSHOT).unwrap().replace("%1", "%9").replace("%0", "%4");
    world.write(SNAPSHOT, &renumbered);
    world.test_with("always", &[]).passes(1);
    assert_eq!(world.read(SNAPSHOT), Some(renumbered), "it says the same, so it is left alone");
    world.test_with("force", &[]).passes(1);
    assert!(world.read(SNAPSHOT).unwrap().contains("(%1) = \"my.take\" (%0)"));
}

fn a_changed_attribute() {
    let world = World::with_cases(GOOD);
    world.test_with("always", &[]).passes(1);
    world.write("tests/cases/x.pir", &GOOD.replace("n:1", "n:2"));
    let said = world.test();
    said.fails_with(&[
        "error[E0684]: the case shows something else than its snapshot",
        "@@ op 0 @@",
    ]);
    assert!(!said.text.contains("// show: stats"), "the counts are the same:\n{}", said.text);
}

fn a_pending_snapshot() {
    let world = World::with_cases(GOOD);
    let pending = format!("{SNAPSHOT}.new");
    world.test_with("new", &[]).fails_with(&["cargo insta review"]);
    assert!(world.read(&pending).is_some() && world.read(SNAPSHOT).is_none());
    std::fs::rename(world.path(&pending), world.path(SNAPSHOT)).unwrap();
    world.write(&pending, "left over");
    world.test_with("new", &[]).passes(1);
    assert_eq!(world.read(&pending), None, "there is nothing to review");
    let insta = insta::Snapshot::from_file(&world.path(SNAPSHOT)).expect("insta reads it");
    assert_eq!(insta.metadata().description(), Some("all in one chunk"));
}

fn differences_are_collected() {
    let world = World::with_cases(GOOD);
    let list = world.path("list").display().to_string();
    let variables = [
        ("INSTA_UPDATE", "new"),
        ("INSTA_FORCE_PASS", "1"),
        ("INSTA_SNAPSHOT_REFERENCES_FILE", &list),
    ];
    world.test_in(&variables, &[]).passes(1);
    let listed = world.read("list").expect("cargo-insta wants the list");
    assert!(listed.trim_end().ends_with("all_in_one_chunk.snap"), "{listed}");
}

fn prints_otherwise() {
    World::with_cases("{\n    (%0) = \"my.make\" () {n:1,a:2} : () -> f32\n}\n").test().fails_with(
        &[
            "error[E0685]: the program prints otherwise than it is written",
            "tests/cases/x.pir:2:1",
            "{a:2,n:1}",
        ],
    );
}

fn depends_on_uses() {
    let uses = "    (%1) = \"my.use\" (%0) {} : (f32) -> f32\n";
    let uses: String = (1..9).map(|n| uses.replace("%1", &format!("%{n}"))).collect();
    let text = format!(
        "// run: -p mark_first_use\n{{\n    (%0) = \"my.make\" () {{}} : () -> f32\n{uses}}}\n"
    );
    World::with_cases(&text)
        .test()
        .fails_with(&["error[E0686]: the result depends on the order of uses", "+    (%"]);
}

fn breaks_laws() {
    let text = "// run: -p count_up\n{\n    (%0) = \"my.make\" () {op_role:0} : () -> f32\n}\n";
    World::with_cases(text).test().fails_with(&[
        "error[E0687]: `count_up` breaks a law that it declares: running it twice",
        "it keeps the `op_role`",
        "it keeps the `chunk_id`",
        "before 0, now 1",
    ]);
}

fn a_failed_run_shows_nothing() {
    let text = "// run: -p complain\n// show: diff\n{\n    (%0) = \"my.bad\" () {} : () -> f32\n    \
                // expect-error@above E9002\n}\n";
    let said = World::with_cases(text).test();
    said.fails_with(&["there is no `diff` to show", "x.pir:2:1", "show `diagnostics`"]);
    let shown = text.replace("diff", "diagnostics");
    World::with_cases(&shown).test_with("always", &[]).passes(1);
    let jobs = "// run: -p 'set_chunk{chunk=1}'\n// show: jobs\n{\n}\n";
    World::with_cases(jobs).test().fails_with(&["the run leaves no programs to show"]);
}

fn a_folder_without_cases() {
    let world = World::with_cases("{\n}\n");
    std::fs::remove_file(world.path("tests/cases/x.pir")).unwrap();
    world.test().fails_with(&["error[E0688]: there is no case in", ".pir"]);
    let none = World::with_cases("// Only prose.\n");
    none.test().fails_with(&["`x.pir` holds no case"]);
}

fn one_bad_case() {
    let world = World::with_cases("// cse: one\n{\n}\n// -----\n// case: two\n{\n}\n");
    let said = world.test();
    said.fails_with(&["1 passed; 1 failed", "did you mean `case`?"]);
}

fn a_separator_in_a_string() {
    let text = "// case: one\n{\n    (%0) = \"my.make\" () {a:\"x\n// -----\ny\"} : () -> f32\n}\n";
    World::with_cases(text).test().passes(1);
}
