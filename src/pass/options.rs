//! What the options of a pass are, read from its JSON schema alone.
//!
//! Names, kinds, defaults, choices and docs come from the schema that schemars derives from the
//! pass struct, so that help text and checks cannot drift from the code.

use std::fmt;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use super::value::{kind_text, value_text};

/// Option values by name, in the order they were given.
pub type Options = Map<String, Value>;

/// One option of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionInfo {
    /// Its name in pipeline text.
    pub name: String,
    /// Its doc comment.
    pub doc: String,
    /// What values it takes.
    pub kind: OptionKind,
    /// Whether it must be given.
    pub required: bool,
    /// What it is where it is not given; `None` where that is nothing at all.
    pub default: Option<Value>,
    /// A value for the example.
    pub example: Option<Value>,
}

/// What values an option takes.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKind {
    /// An integer in a range.
    Integer {
        /// The least value, if there is one.
        min: Option<i64>,
        /// The greatest value, if there is one.
        max: Option<u64>,
    },
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A word or "string".
    Text,
    /// One of some words.
    Choice(Vec<Choice>),
    /// A list of values of one kind.
    List(Box<OptionKind>),
    /// Something the schema does not say.
    Any,
}

/// A word that an option may be, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word.
    pub word: String,
    /// Its doc comment; may be empty.
    pub doc: String,
}

impl OptionKind {
    /// Whether a value is of this kind. What the schema cannot say is left to serde.
    pub(super) fn admits(&self, value: &Value) -> bool {
        match self {
            Self::Integer { min, max } => {
                let is_above = |min| value.as_i64().is_none_or(|value| value >= min);
                let is_below = |max| value.as_u64().is_none_or(|value| value <= max);
                (value.is_i64() || value.is_u64())
                    && min.is_none_or(is_above)
                    && max.is_none_or(is_below)
            }
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Text => value.is_string(),
            Self::Choice(choices) => {
                value.as_str().is_some_and(|word| choices.iter().any(|choice| choice.word == word))
            }
            Self::List(item) => {
                value.as_array().is_some_and(|items| items.iter().all(|value| item.admits(value)))
            }
            Self::Any => true,
        }
    }

    /// A value of this kind that says nothing of what it stands for.
    fn placeholder(&self) -> Value {
        match self {
            Self::Integer { min, max } => Value::from(
                1.clamp(min.unwrap_or(1), max.map_or(i64::MAX, |max| max as i64).max(1)),
            ),
            Self::Number => Value::from(1.0),
            Self::Boolean => Value::Bool(true),
            Self::Choice(choices) => {
                choices.first().map_or(Value::Null, |c| c.word.as_str().into())
            }
            Self::List(item) => Value::Array(vec![item.placeholder()]),
            Self::Text | Self::Any => Value::from("text"),
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { min, max: Some(max) } if *max < u32::MAX.into() => {
                write!(f, "integer from {} to {max}", min.unwrap_or(0))
            }
            Self::Integer { min: Some(min), .. } if *min > i32::MIN.into() => {
                write!(f, "integer from {min}")
            }
            Self::Integer { .. } => f.write_str("integer"),
            Self::Number => f.write_str("number"),
            Self::Boolean => f.write_str("true or false"),
            Self::Text => f.write_str("word or \"string\""),
            Self::Choice(choices) => {
                let words: Vec<&str> = choices.iter().map(|choice| choice.word.as_str()).collect();
                f.write_str(&words.join("|"))
            }
            Self::List(item) => write!(f, "[{item}, ...]"),
            Self::Any => f.write_str("value"),
        }
    }
}

impl OptionInfo {
    /// An option that need not be given, of a pass that no struct describes.
    pub fn new(name: &str, kind: OptionKind, doc: &str) -> Self {
        let (name, doc) = (name.to_owned(), doc.to_owned());
        Self { name, doc, kind, required: false, default: None, example: None }
    }

    /// The same option, to be given always.
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The same option with a default.
    pub fn default_value(self, value: impl Into<Value>) -> Self {
        Self { default: Some(value.into()), ..self }
    }

    /// Whether giving `value` is the same as not giving the option.
    pub(super) fn is_default(&self, value: &Value) -> bool {
        !self.required && self.default.as_ref().unwrap_or(&Value::Null) == value
    }

    /// Why `value` is not for this option; `None` where it is.
    pub(super) fn refusal(&self, value: &Value) -> Option<String> {
        let is_absent = value.is_null() && self.is_default(value);
        (!is_absent && !self.kind.admits(value)).then(|| {
            format!("expected {}, found {} `{}`", self.kind, kind_text(value), value_text(value))
        })
    }

    pub(super) fn example_value(&self) -> Value {
        self.example.clone().unwrap_or_else(|| self.kind.placeholder())
    }
}

/// What a schema says of a pass.
pub(super) struct SchemaFacts {
    pub(super) doc: String,
    pub(super) options: Vec<OptionInfo>,
    /// The first example of the whole pass.
    pub(super) example: Option<Options>,
    /// Whether the pass is a struct without fields, which serde reads from nothing.
    pub(super) is_unit: bool,
}

/// Reads the schema of a pass struct.
pub(super) fn schema_facts<P: JsonSchema>() -> SchemaFacts {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<P>();
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = words(schema.get("required")).collect();
    let option =
        |(name, value): (&String, &Value)| option(name, value, required.contains(&name.as_str()));
    SchemaFacts {
        doc: text(schema.get("description")),
        options: properties.into_iter().flatten().map(option).collect(),
        example: first_example(&schema),
        is_unit: schema.get("type").and_then(Value::as_str) == Some("null"),
    }
}

fn first_example(schema: &Schema) -> Option<Options> {
    schema.get("examples")?.get(0)?.as_object().cloned()
}

fn option(name: &str, schema: &Value, required: bool) -> OptionInfo {
    OptionInfo {
        name: name.to_owned(),
        doc: text(schema.get("description")),
        kind: kind(schema),
        required,
        default: schema.get("default").cloned(),
        example: schema.get("examples").and_then(|examples| examples.get(0)).cloned(),
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn words(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn kind(schema: &Value) -> OptionKind {
    let branches = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key)?.as_array());
    if let Some(branches) = branches {
        return kind_of_branches(branches);
    }
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return OptionKind::Choice(vec![Choice {
            word: word.to_owned(),
            doc: text(schema.get("description")),
        }]);
    }
    if schema.get("enum").is_some() {
        let choice = |word: &str| Choice { word: word.to_owned(), doc: String::new() };
        return OptionKind::Choice(words(schema.get("enum")).map(choice).collect());
    }
    kind_of_type(schema)
}

/// Alternatives: words to choose from, or one kind besides null.
fn kind_of_branches(branches: &[Value]) -> OptionKind {
    let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
    let mut kinds = branches.iter().filter(|branch| !is_null(branch)).map(kind);
    let Some(mut all) = kinds.next() else { return OptionKind::Any };
    for kind in kinds {
        match (&mut all, kind) {
            (OptionKind::Choice(choices), OptionKind::Choice(more)) => choices.extend(more),
            _ => return OptionKind::Any,
        }
    }
    all
}

fn kind_of_type(schema: &Value) -> OptionKind {
    let of_type = match schema.get("type") {
        Some(Value::String(name)) => Some(name.as_str()),
        several => words(several).find(|&name| name != "null"),
    };
    match of_type {
        Some("integer") => OptionKind::Integer {
            min: schema.get("minimum").and_then(Value::as_i64),
            max: schema.get("maximum").and_then(Value::as_u64),
        },
        Some("number") => OptionKind::Number,
        Some("boolean") => OptionKind::Boolean,
        Some("string") => OptionKind::Text,
        Some("array") => {
            OptionKind::List(Box::new(schema.get("items").map_or(OptionKind::Any, kind)))
        }
        _ => OptionKind::Any,
    }
}
