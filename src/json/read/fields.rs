//! Taking objects apart by their keys. What is under an unknown key is left out, and said to be.

use std::borrow::Cow;

use crate::diagnostic::Diagnostic;
use crate::json::codes::ADDED;
use crate::json::document::Json;
use crate::json::fault::{Fault, ReadError, place};

use super::Reader;

/// The parts of a type or of the value of an attribute.
pub(super) struct Coded<'d> {
    pub(super) json: Json<'d>,
    /// Which kind it is: `0.a_i32`.
    pub(super) code: Cow<'d, str>,
    /// What it holds, if the kind holds anything.
    pub(super) data: Option<Json<'d>>,
    /// A number that JSON cannot write.
    pub(super) void: Option<Json<'d>>,
    words: Vec<Cow<'d, str>>,
}

impl<'d> Coded<'d> {
    pub(super) fn data(&self) -> Result<Json<'d>, Fault> {
        self.data.ok_or_else(|| self.json.fault(ReadError::Missing { key: "D" }))
    }

    /// Whether this crate put a word beside what Paddle reads.
    pub(super) fn says(&self, word: &str) -> bool {
        self.words.iter().any(|said| said == word)
    }
}

impl<'d> Reader<'d> {
    /// The values of known keys.
    pub(super) fn fields<const N: usize>(
        &mut self,
        json: Json<'d>,
        keys: [&'static str; N],
    ) -> Result<[Option<Json<'d>>; N], Fault> {
        let mut values = [None; N];
        for (key, value) in json.entries()? {
            let text = key.text()?;
            match keys.iter().position(|known| *known == text) {
                Some(index) if values[index].is_none() => values[index] = Some(value),
                Some(_) => return Err(key.fault(ReadError::Twice { name: text.into_owned() })),
                None => self.warn_of_unknown_key(key, &text),
            }
        }
        Ok(values)
    }

    pub(super) fn need(
        &self,
        json: Json<'d>,
        field: Option<Json<'d>>,
        key: &'static str,
    ) -> Result<Json<'d>, Fault> {
        field.ok_or_else(|| json.fault(ReadError::Missing { key }))
    }

    /// Takes a type or the value of an attribute apart.
    pub(super) fn coded(&mut self, json: Json<'d>) -> Result<Coded<'d>, Fault> {
        let [code, data, void, added] = self.fields(json, ["#", "D", "VD", ADDED])?;
        let code = self.need(json, code, "#")?.text()?;
        let words = match added {
            Some(words) => words.list()?.map(Json::text).collect::<Result<_, Fault>>()?,
            None => Vec::new(),
        };
        Ok(Coded { json, code, data, void, words })
    }
}

/// # Warnings
impl<'d> Reader<'d> {
    fn warn_of_unknown_key(&mut self, key: Json<'d>, text: &str) {
        if self.unknown.insert(format!("key {text}")) {
            let warning = Diagnostic::warning(
                "W0153",
                format!("unknown key `{text}`; it is left out"),
            )
            .remark(format!("`{}`; others of this name are not reported", key.path()))
            .help("a newer Paddle may have written the file; writing it again would lose this");
            self.warn(key, warning);
        }
    }

    pub(super) fn warn_of_foreign(&mut self, json: Json<'d>, code: &str) {
        if self.unknown.insert(format!("code {code}")) {
            let message =
                format!("the kind `{code}` is not known; its values are kept as they stand");
            let warning = Diagnostic::warning("W0155", message)
                .remark(format!("`{}`; others of this kind are not reported", json.path()))
                .help("text cannot hold it; keep the program in JSON");
            self.warn(json, warning);
        }
    }

    pub(super) fn warn(&mut self, at: Json<'d>, warning: Diagnostic) {
        let place = place(self.file, self.document.text, at.span());
        self.warnings.push(warning.at(place));
    }
}
