//! What is wrong in a JSON file is told with its place.

mod changed;
mod kinds;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::{Context, Program};
use pirogue::json::{self, WriteOptions};
use pirogue::text;

/// A file whose top block has these entries behind `args`.
fn file(block: &str) -> String {
    format!(
        r##"{{"base_code":{{"magic":"pir","trainable":true,"version":4}},"program":{{"regions":[{{"#":"region_0","blocks":[{{"#":"block_0","args":[],{block}}}]}}]}}}}"##
    )
}

const FULL: &str = r##"{"#":"1.full","A":[{"AT":{"#":"0.a_f64","D":1.0},"N":"value"}],"I":[],"O":[{"%":1,"TT":{"#":"0.t_f32"}}],"OA":[]}"##;
const PARAMETER: &str =
    r##"{"#":"p","A":[0,1,1,"w"],"DA":[],"O":{"%":2,"TT":{"#":"0.t_f32"}},"OA":[1,0,1],"QA":[]}"##;

/// A file of the two ops above, with one thing replaced by another.
fn with(old: &str, new: &str) -> String {
    let whole = file(&format!(r#""ops":[{FULL},{PARAMETER}]"#));
    assert_eq!(whole.matches(old).count(), 1, "`{old}` stands there once");
    whole.replace(old, new)
}

fn read(source: &str) -> Result<json::Read, Vec<Diagnostic>> {
    json::read_program(&Context::new(), "a.json", source.as_bytes())
}

/// There is one error, with this code, message and path.
#[track_caller]
fn is_refused(source: &str, code: &str, message: &str, path: &str) {
    let errors = read(source).err().unwrap_or_else(|| panic!("it is read: {source}"));
    let [error] = errors.as_slice() else { panic!("{} errors", errors.len()) };
    assert_eq!((&*error.code, error.message.as_str()), (code, message));
    let remark = error.notes.first().expect("the path is noted");
    assert!(remark.starts_with(&format!("`{path}`, line 1, column ")), "{remark}");
    assert!(error.primary.is_some() && error.help.is_some());
}

#[track_caller]
fn warns(source: &str, code: &str) -> Program {
    let read = read(source).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let [warning] = read.warnings.as_slice() else { panic!("{} warnings", read.warnings.len()) };
    assert_eq!(warning.code, code);
    read.program
}

const OPS: &str = "program.regions[0].blocks[0].ops";

#[test]
fn a_file_that_is_not_of_pir_is_refused() {
    let path = "base_code.magic";
    let not_pir = "this is not a PIR file: `base_code.magic` is not `pir`";
    is_refused(&with(r#""magic":"pir""#, r#""magic":"onnx""#), "E0152", not_pir, path);
    is_refused(&with(r#""magic":"pir","#, ""), "E0152", not_pir, "base_code");
    let errors = read(r#"{"a":1}"#).err().expect("it is refused");
    assert_eq!(errors[0].message, not_pir);
    let version = "`base_code.version` is 0, but versions begin at 1";
    is_refused(&with(r#""version":4"#, r#""version":0"#), "E0152", version, "base_code.version");
}

#[test]
fn other_versions_are_read_with_a_warning() {
    warns(&with(r#""version":4"#, r#""version":99"#), "W0150");
    warns(&with(r#""version":4"#, r#""version":1"#), "W0151");
}

#[test]
fn what_is_missing_is_named() {
    for key in ["A", "I", "O"] {
        let old = match key {
            "A" => r##""A":[{"AT":{"#":"0.a_f64","D":1.0},"N":"value"}],"##,
            "I" => r#""I":[],"#,
            _ => r##""O":[{"%":1,"TT":{"#":"0.t_f32"}}],"##,
        };
        let message = format!("the key `{key}` is missing");
        is_refused(&with(old, ""), "E0153", &message, &format!("{OPS}[0]"));
    }
    let path = format!("{OPS}[0].A[0].AT");
    is_refused(&with(r#","D":1.0"#, ""), "E0153", "the key `D` is missing", &path);
    is_refused(
        &with(r##","TT":{"#":"0.t_f32"}}],"OA""##, r#"}],"OA""#),
        "E0153",
        "the key `TT` is missing",
        &format!("{OPS}[0].O[0]"),
    );
    is_refused(
        &file(r#""kwargs":[]"#),
        "E0153",
        "the key `ops` is missing",
        "program.regions[0].blocks[0]",
    );
}

#[test]
fn what_is_of_another_kind_is_told() {
    let attr = format!("{OPS}[0].A[0].AT");
    is_refused(
        &with(r#""D":1.0"#, r#""D":"1""#),
        "E0154",
        "expected a number, found a string",
        &format!("{attr}.D"),
    );
    is_refused(
        &with(r#""0.a_f64""#, "7"),
        "E0154",
        "expected a string, found an integer",
        &format!("{attr}.#"),
    );
    is_refused(
        &with(r#""0.a_f64","D":1.0"#, r#""0.a_i64","D":1.5"#),
        "E0154",
        "expected an integer, found a number with a fraction",
        &format!("{attr}.D"),
    );
    is_refused(
        &with(r#""I":[]"#, r#""I":{}"#),
        "E0154",
        "expected a list, found an object",
        &format!("{OPS}[0].I"),
    );
    is_refused(
        &with("[0,1,1,", "[0,1,2,"),
        "E0154",
        "expected 0 or 1, found an integer",
        &format!("{OPS}[1].A[2]"),
    );
    is_refused(
        &with(r#"[0,1,1,"w"]"#, r#"[0,1,"w"]"#),
        "E0154",
        "expected `[is_distributed, is_parameter, need_clip, parameter_name]`",
        &format!("{OPS}[1].A"),
    );
    is_refused(
        &with(r#""1.full""#, r#""full""#),
        "E0154",
        "expected a name with its dialect, such as `1.add`, found `full`",
        &format!("{OPS}[0].#"),
    );
    is_refused(
        &with("\"blocks\":[", "\"blocks\":[{},"),
        "E0154",
        "expected a list of one block",
        "program.regions[0].blocks",
    );
}

#[test]
fn absurd_numbers_are_refused_where_paddle_reads_others() {
    let data = format!("{OPS}[0].A[0].AT.D");
    let message = |kind: &str| format!("the number does not fit into {kind}");
    is_refused(
        &with(r#""0.a_f64","D":1.0"#, r#""0.a_i32","D":99999999999"#),
        "E0156",
        &message("a 32-bit integer"),
        &data,
    );
    is_refused(&with("1.0", "1e999"), "E0156", &message("a double"), &data);
    is_refused(
        &with(r#""0.a_f64","D":1.0"#, r#""0.a_f32","D":1e300"#),
        "E0156",
        &message("a float"),
        &data,
    );
    let id = &"9".repeat(400);
    is_refused(
        &with(r#""%":1"#, &format!(r#""%":{id}"#)),
        "E0156",
        &message("a 64-bit integer"),
        &format!("{OPS}[0].O[0].%"),
    );
    let tensor = r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2],"NCHW",[[-1]],0]}"##;
    is_refused(
        &with(r##""%":1,"TT":{"#":"0.t_f32"}"##, &format!(r#""%":1,"TT":{tensor}"#)),
        "E0156",
        &message("an unsigned 64-bit integer"),
        &format!("{OPS}[0].O[0].TT.D[3][0][0]"),
    );
}

#[test]
fn ids_are_defined_once_and_before_their_use() {
    is_refused(
        &with(r#""I":[]"#, r#""I":[{"%":1}]"#),
        "E0157",
        "value 1 is used, but nothing before defines it",
        &format!("{OPS}[0].I[0].%"),
    );
    is_refused(
        &with(r#""%":2"#, r#""%":1"#),
        "E0158",
        "value 1 is defined twice",
        &format!("{OPS}[1].O.%"),
    );
    is_refused(
        &with(r#""%":2"#, r#""%":0"#),
        "E0158",
        "the id 0 stands for an absent value, and cannot be defined",
        &format!("{OPS}[1].O.%"),
    );
    let kwarg = r##"{"#":-1,"TT":{"#":"0.t_f32"},"key":"x"}"##;
    let twice = file(&format!(r#""kwargs":[{kwarg},{}],"ops":[]"#, kwarg.replace("-1", "-2")));
    is_refused(
        &twice,
        "E0159",
        "the block already has a keyword argument `x`",
        "program.regions[0].blocks[0].kwargs[1].key",
    );
}

#[test]
fn of_two_equal_keys_or_attributes_none_is_dropped() {
    is_refused(
        &with(r#""I":[]"#, r#""I":[],"I":[]"#),
        "E0155",
        "`I` is given twice",
        &format!("{OPS}[0].I"),
    );
    let value = r##"{"AT":{"#":"0.a_f64","D":1.0},"N":"value"}"##;
    is_refused(
        &with(value, &format!("{value},{value}")),
        "E0155",
        "`value` is given twice",
        &format!("{OPS}[0]"),
    );
    let role = r##"{"AT":{"#":"0.a_i32","D":1},"N":"op_role"}"##;
    is_refused(
        &with(value, &format!("{role},{role}")),
        "E0155",
        "`op_role` is given twice",
        &format!("{OPS}[0]"),
    );
}

#[test]
fn several_faults_are_reported_and_what_follows_from_them_is_not() {
    let bad = FULL.replace("1.0", "null");
    let user = FULL.replace(r#""I":[]"#, r#""I":[{"%":1}]"#).replace(r#"[{"%":1,"#, r#"[{"%":7,"#);
    let errors =
        read(&file(&format!(r#""ops":[{bad},{user},{}]"#, bad.replace(r#""%":1"#, r#""%":9"#))));
    assert_eq!(errors.err().expect("it is refused").len(), 2);
    let many = vec![bad.as_str(); 50].join(",");
    assert_eq!(read(&file(&format!(r#""ops":[{many}]"#))).err().expect("it is refused").len(), 20);
}

#[test]
fn what_is_not_known_is_warned_of() {
    let program = warns(&with(r#""I":[]"#, r#""I":[],"newer":1"#), "W0153");
    assert_eq!(program.op_count(), 2);
    let program =
        warns(&with(r##"{"#":"0.a_f64","D":1.0}"##, r##"{"#":"9.a_new","D":[1, 2]}"##), "W0155");
    let mut written = Vec::new();
    json::write_program(&program, &mut written, WriteOptions::default())
        .expect("it can be written");
    assert!(
        String::from_utf8_lossy(&written).contains(r##"{"#":"9.a_new","D":[1,2]}"##),
        "it is kept"
    );
    warns(
        &with(
            r##"{"#":"0.a_f64","D":1.0},"N":"value""##,
            r##"{"#":"0.a_i64","D":1},"N":"op_role""##,
        ),
        "W0154",
    );
}

/// A `switch_case` nests an op for each case, more than `serde_json` would read.
#[test]
fn regions_may_nest_as_deep_as_in_text() {
    let context = Context::new();
    let depth = 200;
    let mut source = "{\n(%0) = \"pd_op.data\" () {} : () -> tensor<b>\n".to_owned();
    (0..depth).for_each(|_| source += "() = \"pd_op.if\" (%0) {} ->  {\n} else {\n");
    (0..depth).for_each(|_| source += "}\n");
    source += "}\n";
    let program = text::read_program(&context, "deep.pir", source.as_bytes())
        .unwrap_or_else(|e| panic!("{}", e[0]))
        .program;
    let mut written = Vec::new();
    json::write_program(&program, &mut written, WriteOptions::default())
        .expect("it can be written");
    let read =
        json::read_program(&context, "deep.json", &written).unwrap_or_else(|e| panic!("{}", e[0]));
    assert_eq!(text::to_text(&read.program), text::to_text(&program));
    let deeper = file(&format!(r#""ops":{}"#, "[".repeat(100_000)));
    assert_eq!(
        json::read_program(&context, "deep.json", deeper.as_bytes()).err().expect("it is refused")
            [0]
        .code,
        "E0151"
    );
    let nested = r##"{"#":"0.a_array","D":["##.repeat(300) + &"]}".repeat(300);
    let deep_attr = with(r##"{"#":"0.a_f64","D":1.0}"##, &nested);
    assert_eq!(
        json::read_program(&context, "deep.json", deep_attr.as_bytes())
            .err()
            .expect("it is refused")[0]
            .code,
        "E0151"
    );
}

#[test]
fn json_is_told_from_text() {
    for json in ["{\"a\":1}", " \n{ \"base_code\"", "\u{feff}{\"program\""] {
        assert!(json::is_json(json.as_bytes()), "{json}");
    }
    for text in ["", "{\n    (%0) = \"pd_op.full\"", "{\n}\n", "// a comment\n{", "[1]"] {
        assert!(!json::is_json(text.as_bytes()), "{text}");
    }
}
