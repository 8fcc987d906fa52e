//! How `ops.txt` is made from Paddle's own description of its ops.
//!
//! The input has one JSON object a line, one per registered op:
//! ```json
//! {"op":"pd_op.add_","inputs":[{"name":"x","type":"DenseTensorType","optional":false,"no_need_buffer":false,
//!  "mutable_attribute":false}],"attributes":[{"name":"axis","type":"Int32Attribute"}],
//!  "outputs":[{"name":"out","type":"DenseTensorType","optional":false,"intermediate":false}],
//!  "inplace":[["out","x"]],"view":[]}
//! {"op":"cf.yield","yaml":false}
//! ```
//! This is what an op's `GetOpInfo` returns, with C++ namespaces and the wrappers `VectorType<` and `ArrayAttribute<` cut
//! off the front of a type (so a trailing `>` is what is left of a wrapper). An op without such a description has
//! `"yaml": false`; its line is written by hand in `ops.txt`, and is kept when the table is rewritten.
//!
//! With the path of that file in `PIROGUE_OPS_JSONL`, the test below compares the table with it, and
//! ```text
//! cargo test -p pirogue rewrite_the_table -- --ignored
//! ```
//! writes the table anew.

use serde::Deserialize;

use super::table::TEXT;

const HEADER: &str = "# The ops of Paddle 3.3.1; the syntax is explained in table.rs. Only lines with ` ~` or without a signature are written by hand.";

#[derive(Deserialize)]
struct Registered {
    op: String,
    #[serde(flatten)]
    description: Option<Description>,
}

#[derive(Deserialize)]
struct Description {
    inputs: Vec<Value>,
    attributes: Vec<Attribute>,
    outputs: Vec<Value>,
    inplace: Vec<(String, String)>,
    view: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Value {
    name: String,
    r#type: String,
    optional: bool,
    #[serde(default)]
    no_need_buffer: bool,
    #[serde(default)]
    mutable_attribute: bool,
    #[serde(default)]
    intermediate: bool,
}

#[derive(Deserialize)]
struct Attribute {
    name: String,
    r#type: String,
}

/// The text of the table for the ops described in `jsonl`.
fn table_from(jsonl: &str) -> String {
    let mut lines = Vec::new();
    for line in jsonl.lines() {
        let registered: Registered =
            serde_json::from_str(line).expect("a line is one described op");
        lines.push(match &registered.description {
            Some(description) => described(&registered.op, description),
            None => by_hand(&registered.op),
        });
    }
    lines.sort_by(|left, right| left.split(' ').next().cmp(&right.split(' ').next()));
    lines.insert(0, HEADER.to_owned());
    lines.join("\n") + "\n"
}

/// The line that the table has for an op without a description, or only its name.
fn by_hand(op: &str) -> String {
    let observed = format!("{op} ~ ");
    TEXT.lines().find(|line| line.starts_with(&observed)).unwrap_or(op).to_owned()
}

fn described(op: &str, description: &Description) -> String {
    let attrs = description
        .attributes
        .iter()
        .map(|attr| format!("{}:{}", attr.name, attr_kind(&attr.r#type)));
    let outputs = description.outputs.iter().map(|output| {
        let mut text = value(output);
        for (mark, pairs) in [('=', &description.inplace), ('@', &description.view)] {
            if let Some((_, operand)) = pairs.iter().find(|(result, _)| *result == output.name) {
                text.extend([String::from(mark), operand.clone()]);
            }
        }
        text
    });
    format!(
        "{op} ({}) {{{}}} -> ({})",
        join(description.inputs.iter().map(value)),
        join(attrs),
        join(outputs)
    )
}

fn join(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn value(value: &Value) -> String {
    let (element, vector) = match value.r#type.strip_suffix('>') {
        Some(element) => (element, "[]"),
        None => (value.r#type.as_str(), ""),
    };
    let kind = match element {
        "DenseTensorType" => "",
        "SparseCooTensorType" => ":coo",
        "SparseCsrTensorType" => ":csr",
        "SelectedRowsType" => ":rows",
        "DenseTensorArrayType" => ":array",
        "ScalarAttribute" => ":scalar",
        "IntArrayAttribute" => ":ints",
        "" => ":any",
        other => panic!("`{other}` is a value type that the table has no word for"),
    };
    assert_eq!(
        value.mutable_attribute,
        matches!(kind, ":scalar" | ":ints"),
        "the kind tells a mutable attribute"
    );
    let name = if value.name.is_empty() { "_" } else { &value.name };
    let marks = [(value.optional, '?'), (value.no_need_buffer, '!'), (value.intermediate, '~')];
    let marks = marks.into_iter().filter(|(set, _)| *set).map(|(_, mark)| mark).collect::<String>();
    format!("{name}{kind}{vector}{marks}")
}

fn attr_kind(declared: &str) -> String {
    let (element, array) = match declared.strip_suffix('>') {
        Some(element) => (element, "[]"),
        None => (declared, ""),
    };
    let kind = match element {
        "BoolAttribute" => "bool",
        "Int32Attribute" => "i32",
        "Int64Attribute" => "i64",
        "FloatAttribute" => "f32",
        "DoubleAttribute" => "f64",
        "StrAttribute" => "str",
        "DataTypeAttribute" => "dtype",
        "PlaceAttribute" => "place",
        "ScalarAttribute" => "scalar",
        "IntArrayAttribute" => "ints",
        "ArrayAttribute" => "any[]",
        other => panic!("`{other}` is an attribute type that the table has no word for"),
    };
    format!("{kind}{array}")
}

fn described_ops() -> Option<String> {
    let path = std::env::var_os("PIROGUE_OPS_JSONL")?;
    Some(std::fs::read_to_string(path).expect("PIROGUE_OPS_JSONL is the path of a readable file"))
}

#[test]
fn the_table_says_what_paddle_says() {
    let Some(jsonl) = described_ops() else {
        eprintln!("not compared: PIROGUE_OPS_JSONL is not set");
        return;
    };
    let expected = table_from(&jsonl);
    let difference = expected.lines().zip(TEXT.lines()).find(|(expected, found)| expected != found);
    assert_eq!(difference, None, "(what Paddle says, what the table says)");
    assert_eq!(expected.len(), TEXT.len());
}

#[test]
#[ignore = "writes src/dialect/ops.txt from the file named by PIROGUE_OPS_JSONL"]
fn rewrite_the_table() {
    let jsonl = described_ops().expect("PIROGUE_OPS_JSONL is set");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/dialect/ops.txt");
    std::fs::write(path, table_from(&jsonl)).expect("the table can be written");
}

// Every mark of the syntax once, so that the converter is tested where Paddle's file is not at hand.
#[test]
fn a_description_becomes_one_line() {
    let jsonl = r#"{"op":"z.op","inputs":[
        {"name":"x","type":"DenseTensorType","optional":false,"no_need_buffer":true,"mutable_attribute":false},
        {"name":"list","type":"SelectedRowsType>","optional":true,"no_need_buffer":false,"mutable_attribute":false},
        {"name":"shape","type":"IntArrayAttribute","optional":false,"no_need_buffer":false,"mutable_attribute":true}],
        "attributes":[{"name":"axes","type":"Int64Attribute>"},{"name":"names","type":"ArrayAttribute"}],
        "outputs":[{"name":"out","type":"DenseTensorType","optional":false,"intermediate":false},
        {"name":"mask","type":"DenseTensorType","optional":true,"intermediate":true}],
        "inplace":[["out","x"]],"view":[["out","x"],["mask","list"]]}"#
        .replace('\n', "");
    let table = table_from(&format!(
        "{jsonl}\n{{\"op\":\"a.op\",\"yaml\":false}}\n{{\"op\":\"cf.yield\",\"yaml\":false}}"
    ));
    assert_eq!(
        table.lines().skip(1).collect::<Vec<_>>(),
        [
            "a.op",
            "cf.yield ~ (values:any...) {} -> ()",
            "z.op (x! list:rows[]? shape:ints) {axes:i64[] names:any[]} -> (out=x@x mask?~@list)",
        ]
    );
}
