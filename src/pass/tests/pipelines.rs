use super::support::{SetChunk, Which, faults, parse, registry};
use crate::pass::{Pipeline, Step};

#[test]
fn a_pipeline_prints_as_it_was_written() {
    for text in [
        "",
        "erase_sinks",
        "set_chunk{chunk=1}",
        "set_chunk{which=missing chunk=1},erase_sinks",
        "set_chunk{chunk=0 except=[test.map, \"a b\", \"7\", \"true\", \"\\\"\\\\\\n\\u{7}\"] limit=65535}",
        "make_plan{names=[forward0, backward0]},jobs[forward*](erase_sinks),jobs(set_chunk{chunk=2},erase_sinks)",
        "make_plan,jobs[forward*,backward?]()",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
}

#[test]
fn white_space_and_defaults_are_left_out() {
    let text = " set_chunk {\n  which = all\tchunk=1 except=[ ] limit=null } ,\n erase_sinks { } ";
    assert_eq!(parse(text).to_string(), "set_chunk{chunk=1},erase_sinks");
}

#[test]
fn a_pipeline_made_in_code_prints_as_its_text() {
    let pass =
        SetChunk { chunk: 4, which: Which::Missing, except: vec!["a b".into()], limit: None };
    let pipeline = Pipeline::new().then(pass).then_jobs(&["f*"], parse("erase_sinks"));
    let text = "set_chunk{chunk=4 which=missing except=[\"a b\"]},jobs[f*](erase_sinks)";
    assert_eq!(pipeline.to_string(), text);
    assert_eq!(parse(text).to_string(), text);
}

#[test]
fn an_option_at_its_limits_is_taken() {
    assert_eq!(parse("set_chunk{chunk=255 limit=0}").to_string(), "set_chunk{chunk=255 limit=0}");
    assert_eq!(faults("set_chunk{chunk=256}").0, ["E0504"]);
    assert_eq!(faults("set_chunk{chunk=-1}").0, ["E0504"]);
}

#[test]
fn faults_of_spelling_point_at_the_place() {
    for (text, caret, says) in [
        ("set_chunk{chunk=1", 18, "ends where an option or `}`"),
        ("erase_sinks,", 13, "ends where a pass"),
        ("erase_sinks,,erase_sinks", 13, "unexpected `,`"),
        ("erase_sinks}", 12, "unexpected `}`"),
        ("set_chunk{chunk 1}", 17, "unexpected `1`"),
        ("set_chunk{chunk=1,limit=2}", 18, "white space and another option"),
        ("set_chunk{chunk=\"a}", 17, "a string has no end"),
        ("set_chunk{chunk=\"\\q\"}", 18, "unknown escape"),
        ("set_chunk{chunk=99999999999999999999}", 17, "fits 64 bits"),
        ("set_chunk{chunk=[1,[2]", 23, "ends where `,` or `]`"),
        ("jobs[](erase_sinks)", 6, "a pattern of job types"),
        ("jobs erase_sinks", 6, "`(` and the passes"),
        ("jobs(erase_sinks", 17, "ends where `,` or `)`"),
        ("é", 1, "no pass `é`"),
        ("'erase_sinks'", 1, "unexpected `\\'`"),
    ] {
        let (codes, said) = faults(text);
        assert_eq!(codes.len(), 1, "{text}: {said}");
        assert!(said.contains(&format!("pipeline:1:{caret}")), "{text}: {said}");
        assert!(said.contains(says), "{text}: {said}");
    }
}

#[test]
fn a_fault_in_a_later_line_shows_that_line() {
    let (codes, said) = faults("erase_sinks,\nerase_sink,\nerase_sinks");
    assert_eq!(codes, ["E0502"]);
    assert!(said.contains("pipeline:2:1") && said.contains("2 | erase_sink,"), "{said}");
}

#[test]
fn all_faults_of_names_and_options_are_told_with_what_was_meant() {
    let text =
        "erase_sink,set_chunk{chunks=1 which=mising},set_chunk,fail{how=3},erase_sinks{all=true}";
    let (codes, said) = faults(text);
    assert_eq!(codes, ["E0502", "E0503", "E0504", "E0505", "E0504", "E0503"], "{said}");
    for hint in [
        "did you mean `erase_sinks`?",
        "did you mean `chunk`?",
        "did you mean `missing`?",
        "`set_chunk` has no default for `chunk`",
        "such as `set_chunk{chunk=3}`",
        "expected return|report|panic|break, found an integer `3`",
        "it has no options",
    ] {
        assert!(said.contains(hint), "{hint}: {said}");
    }
}

#[test]
fn an_option_given_twice_is_a_fault() {
    assert_eq!(faults("set_chunk{chunk=1 chunk=2}").0, ["E0506"]);
}

#[test]
fn broken_rules_are_told_with_both_places() {
    let (codes, said) = faults("erase_sinks,set_chunk{chunk=1}");
    assert_eq!(codes, ["E0510"]);
    assert!(
        said.contains("sinks are to have chunks") && said.contains("the other is here"),
        "{said}"
    );
    assert_eq!(faults("make_plan,make_plan").0, ["E0512"]);
    assert_eq!(faults("fail,make_plan").0, ["E0511"]);
    assert_eq!(faults("make_plan,fail").0, ["E0511"]);
    // What is in `jobs(...)` is a pipeline of its own.
    assert_eq!(faults("erase_sinks,make_plan,jobs(set_chunk{chunk=1})").0, [""; 0]);
    assert_eq!(faults("make_plan,jobs(erase_sinks,set_chunk{chunk=1})").0, ["E0510"]);
}

#[test]
fn what_is_needed_and_not_there_is_a_note() {
    let notes = parse("use_plan").broken_rules();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].code, "N0513");
    assert!(parse("make_plan,use_plan").broken_rules().is_empty());
}

#[test]
fn nesting_without_end_is_refused() {
    for text in ["jobs(".repeat(10_000), format!("set_chunk{{chunk={}", "[".repeat(60_000))] {
        assert!(faults(&text).1.contains("at most 16 levels"));
    }
}

/// Every prefix and every deletion of a pipeline that has all there is: a pipeline or a fault.
#[test]
fn a_damaged_pipeline_never_panics() {
    let text = "set_chunk{which=missing chunk=1 except=[a, \"é\\n\\u{7}\"]},make_plan{names=[f0]},jobs[f*](erase_sinks)";
    let registry = registry();
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        let _ = Pipeline::parse(&registry, &text[..at]);
        let _ = Pipeline::parse(&registry, &text[at..]);
        for other in ["", "{", "\"", "\\", "[", "\u{0}", "9"] {
            let damaged: String = [&text[..at], other, text[at..].get(1..).unwrap_or("")].concat();
            if let Ok(pipeline) = Pipeline::parse(&registry, &damaged) {
                let again =
                    Pipeline::parse(&registry, &pipeline.to_string()).map(|p| p.to_string());
                assert_eq!(again.ok(), Some(pipeline.to_string()), "{damaged}");
            }
        }
    }
}

#[test]
fn globs_match_whole_names() {
    let matches = |glob: &str, name: &str| {
        let pipeline = parse(&format!("make_plan,jobs[{glob}](erase_sinks)"));
        let Step::Jobs(jobs) = &pipeline.steps()[1] else { panic!("the second step is jobs") };
        jobs.matches(name)
    };
    assert!(matches("forward*", "forward12"));
    assert!(matches("*ward?", "backward0"));
    assert!(matches("*a*b*c*", "xxaxbabxcx"));
    assert!(!matches("forward", "forward0"));
    assert!(!matches("*ward", "forward0"));
    assert!(!matches("f?", "f"));
    assert!(!matches(&"*a".repeat(30), &"a".repeat(29)));
}

#[test]
fn a_pipeline_without_end_is_refused() {
    let (codes, said) = faults(&"erase_sinks,".repeat(1 << 20));
    assert_eq!(codes, ["E0501"]);
    assert!(said.contains("at most 65536 bytes"));
    assert_eq!(faults(&format!("{}x", "x,".repeat(30_000))).0.len(), 20);
    assert_eq!(faults(&format!("{}make_plan", "make_plan,".repeat(6_000))).0.len(), 20);
}
