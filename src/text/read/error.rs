//! What can be wrong with a text.

use thiserror::Error;

/// A fault of a text. Where it is stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum ReadError {
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("{what} is not closed before the end of the text")]
    Unclosed { what: &'static str },
    #[error("`{name}` is used, but nothing before it defines it")]
    Undefined { name: String },
    #[error("`{name}` is defined twice")]
    DefinedTwice { name: String },
    #[error("`{op}` has {have} {what}, but there are {types} types for them")]
    Count { op: String, what: &'static str, have: usize, types: usize },
    #[error("`{name}` is used with the type `{used}`, but it was defined with `{defined}`")]
    TypeMismatch { name: String, used: String, defined: String },
    #[error("malformed type `{text}`")]
    BadType { text: String },
    #[error("malformed attribute value `{text}` of `{name}`")]
    BadAttr { name: String, text: String },
    #[error("regions, types or attributes are nested more than {limit} deep")]
    TooDeep { limit: usize },
    #[error("the block already has a keyword argument `{keyword}`")]
    KwargTwice { keyword: String },
    #[error("the attribute `{name}` is given twice")]
    AttrTwice { name: String },
    #[error("there is no program in the text")]
    NoProgram,
    #[error("the text is larger than 4 GiB")]
    TooLarge,
    #[error("the name `{name}` is not UTF-8")]
    NotUtf8 { name: String },
    #[error("`pd_op.while` has {results} results, but its `cf.yield` gives {yields} values")]
    LoopYield { results: usize, yields: usize },
    #[error("the text holds {count} programs where one is expected")]
    SeveralPrograms { count: usize },
}

impl ReadError {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Unexpected { .. } => "E0101",
            Self::Unclosed { .. } => "E0102",
            Self::Undefined { .. } => "E0103",
            Self::DefinedTwice { .. } => "E0104",
            Self::Count { .. } => "E0105",
            Self::TypeMismatch { .. } => "E0106",
            Self::BadType { .. } => "E0107",
            Self::BadAttr { .. } => "E0108",
            Self::TooDeep { .. } => "E0109",
            Self::KwargTwice { .. } => "E0110",
            Self::NoProgram => "E0111",
            Self::AttrTwice { .. } => "E0112",
            Self::TooLarge => "E0113",
            Self::NotUtf8 { .. } => "E0114",
            Self::LoopYield { .. } => "E0115",
            Self::SeveralPrograms { .. } => "E0116",
        }
    }

    pub(super) fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unexpected { .. } => {
                "an op is `(%0, %1) = \"dialect.name\" (%2) {attr:value} : (type) -> type, type`, on one line"
            }
            Self::Unclosed { .. } => "the text may be cut; print the program again",
            Self::Undefined { .. } => {
                "values are defined by the results of an op, `^kw:` or `^%arg_0` lines above"
            }
            Self::DefinedTwice { .. } => "give each result a name of its own",
            Self::Count { .. } => {
                "write one type for each value, `<<NULL TYPE>>` for an absent one"
            }
            Self::TypeMismatch { .. } => "a value has one type; mend the definition or the use",
            Self::BadType { .. } => {
                "types look like `tensor<2x-1xf32>`, `vec[f32,f32]`, `<<NULL TYPE>>`"
            }
            Self::BadAttr { .. } => {
                "values are numbers, `true`, `\"text\"`, `[a,b]`, `Place(cpu)`, or a word such as `float32`"
            }
            Self::TooDeep { .. } => "no program that Paddle prints comes near this depth",
            Self::KwargTwice { .. } => "remove one of the lines",
            Self::AttrTwice { .. } => "leave one of the two",
            Self::NoProgram => "a program is `{`, a line for each op, and `}`",
            Self::TooLarge => "split the file at lines of `// -----`",
            Self::NotUtf8 { .. } => "only string attributes may hold other bytes",
            Self::LoopYield { .. } => {
                "its last op is `cf.yield` with the condition and then one value for each result"
            }
            Self::SeveralPrograms { .. } => "give each program a file of its own",
        })
    }
}
