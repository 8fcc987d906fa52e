//! The passes that pipelines can name.
//!
//! A registry is made by hand: nothing registers itself. It is kept in the order of the names, so
//! that what is listed does not depend on who registered first.
//!
//! ```
//! use pirogue::pass::Registry;
//! let registry = Registry::new();
//! assert!(registry.info("dead_code_elimination").is_none());
//! ```

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use super::options::{OptionInfo, Options, SchemaFacts, schema_facts};
use super::value::is_word_char;
use super::{Law, Pass, RegisteredPass, Rules, Statistic};
use crate::diagnostic::Diagnostic;

/// What is known of a pass without running it.
#[derive(Clone, Debug, PartialEq)]
pub struct PassInfo {
    /// The name it has in pipelines.
    pub name: String,
    /// What it does, in a line.
    pub summary: String,
    /// More about it; may be empty.
    pub details: String,
    /// Its options.
    pub options: Vec<OptionInfo>,
    /// A pipeline of this pass that runs.
    pub example: String,
    /// What it demands of other passes.
    pub rules: Rules,
    /// What it counts.
    pub statistics: Vec<Statistic>,
    /// What holds of it for every program.
    pub laws: Vec<Law>,
}

impl PassInfo {
    /// A pass without options, rules, statistics and laws.
    pub fn new(name: &str, summary: &str) -> Self {
        Self {
            name: name.to_owned(),
            summary: summary.to_owned(),
            details: String::new(),
            options: Vec::new(),
            example: name.to_owned(),
            rules: Rules::new(),
            statistics: Vec::new(),
            laws: Vec::new(),
        }
    }

    /// The option of a name.
    pub fn option(&self, name: &str) -> Option<&OptionInfo> {
        self.options.iter().find(|option| option.name == name)
    }

    /// `options` without those that say what is so anyhow.
    pub(super) fn without_defaults(&self, options: &Options) -> Options {
        let is_default = |name: &str, value: &Value| {
            self.option(name).is_some_and(|option| option.is_default(value))
        };
        let kept = options.iter().filter(|(name, value)| !is_default(name, value));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Why a pass cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RegistryError {
    /// There is a pass of this name.
    #[error("two passes are called `{name}`")]
    SameName {
        /// The name.
        name: String,
    },
    /// Pipeline text could not name it.
    #[error("a pass cannot be called `{name}`")]
    NotAName {
        /// The name.
        name: String,
    },
    /// The two ways to ask for the name disagree.
    #[error("a pass is registered as `{registered}` and calls itself `{own}`")]
    TwoNames {
        /// [`RegisteredPass::NAME`].
        registered: String,
        /// [`Pass::name`].
        own: String,
    },
}

impl From<RegistryError> for Diagnostic {
    fn from(error: RegistryError) -> Self {
        let help = match &error {
            RegistryError::SameName { .. } => "register a pass once, and give each its own name",
            RegistryError::NotAName { .. } => {
                "a name is made of letters, digits, `_`, `-` and `.`, begins with a letter and is not `jobs`"
            }
            RegistryError::TwoNames { .. } => "let `Pass::name` return `Self::NAME`",
        };
        Self::error("E0507", error.to_string()).help(help)
    }
}

/// A pass made from options, with all its options as it has them.
pub(super) struct Built {
    pub(super) pass: Box<dyn Pass>,
    pub(super) options: Options,
}

/// Makes a pass; an error is why its options are refused.
type Factory = Box<dyn Fn(&Options) -> Result<Built, String> + Send + Sync>;

struct Entry {
    info: PassInfo,
    factory: Factory,
}

/// The passes that pipelines can name, in the order of their names.
#[derive(Default)]
pub struct Registry {
    entries: BTreeMap<String, Entry>,
}

impl Registry {
    /// A registry without passes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pass whose struct describes it.
    ///
    /// # Errors
    /// If there is a pass of its name, or a pipeline could not spell it.
    pub fn register<P: RegisteredPass>(&mut self) -> Result<(), RegistryError> {
        let default = P::default();
        if default.name() != P::NAME {
            let (registered, own) = (P::NAME.to_owned(), default.name().to_owned());
            return Err(RegistryError::TwoNames { registered, own });
        }
        let facts = schema_facts::<P>();
        let is_unit = facts.is_unit;
        let factory = Box::new(move |options: &Options| build::<P>(options, is_unit));
        self.add(info_of(&default, facts), factory)
    }

    /// Adds a pass that `factory` makes from options, those not given left out; its error says why
    /// it refuses them.
    ///
    /// # Errors
    /// If there is a pass of its name, or a pipeline could not spell it.
    pub fn register_with<F>(&mut self, info: PassInfo, factory: F) -> Result<(), RegistryError>
    where
        F: Fn(&Options) -> Result<Box<dyn Pass>, String> + Send + Sync + 'static,
    {
        let build = move |options: &Options| {
            factory(options).map(|pass| Built { pass, options: options.clone() })
        };
        self.add(info, Box::new(build))
    }

    fn add(&mut self, info: PassInfo, factory: Factory) -> Result<(), RegistryError> {
        let name = info.name.clone();
        if !is_pass_name(&name) {
            return Err(RegistryError::NotAName { name });
        }
        if self.entries.contains_key(&name) {
            return Err(RegistryError::SameName { name });
        }
        self.entries.insert(name, Entry { info, factory });
        Ok(())
    }

    /// What is known of the passes, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &PassInfo> {
        self.entries.values().map(|entry| &entry.info)
    }

    /// A line for each pass: its name and what it does.
    pub fn list(&self) -> String {
        let width = self.entries.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        self.iter().map(|info| format!("{:width$}  {}\n", info.name, info.summary)).collect()
    }

    /// What is known of a pass.
    pub fn info(&self, name: &str) -> Option<&PassInfo> {
        self.entries.get(name).map(|entry| &entry.info)
    }

    /// The text for a person who asks about a pass.
    ///
    /// # Errors
    /// If there is none of that name; the diagnostic lists near ones.
    pub fn help(&self, name: &str) -> Result<String, Box<Diagnostic>> {
        self.info(name).map(super::help::help_text).ok_or_else(|| self.unknown(name).into())
    }

    /// That there is no pass of a name, and which ones are meant perhaps.
    pub(super) fn unknown(&self, name: &str) -> Diagnostic {
        let names = || self.entries.keys().map(String::as_str);
        let error = Diagnostic::error("E0502", format!("there is no pass `{name}`"));
        match super::near::nearest(name, names()) {
            near if near.is_empty() => error.help("`pirogue passes` lists the passes there are"),
            near => error.help(format!("did you mean {}?", super::near::either(&near))),
        }
    }

    pub(super) fn build(&self, name: &str, options: &Options) -> Option<Result<Built, String>> {
        self.entries.get(name).map(|entry| (entry.factory)(options))
    }
}

fn is_pass_name(name: &str) -> bool {
    name != "jobs"
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(is_name_char)
}

/// Whether a character may stand in the name of a pass or option.
pub(super) fn is_name_char(c: char) -> bool {
    is_word_char(c) && (c.is_alphanumeric() || "_-.".contains(c))
}

fn build<P: RegisteredPass>(options: &Options, is_unit: bool) -> Result<Built, String> {
    let given = if is_unit { Value::Null } else { Value::Object(options.clone()) };
    let pass: P = serde_json::from_value(given).map_err(|error| error.to_string())?;
    let options = options_of(&pass);
    Ok(Built { pass: Box::new(pass), options })
}

/// All options of a pass, as it has them.
pub(super) fn options_of<P: RegisteredPass>(pass: &P) -> Options {
    match serde_json::to_value(pass) {
        Ok(Value::Object(options)) => options,
        _ => Options::new(),
    }
}

/// What the struct of a pass and its declarations say.
pub(super) fn info_of<P: RegisteredPass>(pass: &P, facts: SchemaFacts) -> PassInfo {
    let (summary, details) = facts.doc.split_once("\n\n").unwrap_or((&facts.doc, ""));
    let mut info = PassInfo {
        details: details.to_owned(),
        options: facts.options,
        rules: pass.rules(),
        statistics: pass.statistics().to_vec(),
        laws: pass.laws().to_vec(),
        ..PassInfo::new(P::NAME, &summary.replace('\n', " "))
    };
    let example = facts.example.unwrap_or_else(|| {
        let required = info.options.iter().filter(|option| option.required);
        required.map(|option| (option.name.clone(), option.example_value())).collect()
    });
    info.example = super::pipeline::call_text(P::NAME, &info.without_defaults(&example));
    info
}
