//! From the spelling of a pipeline to passes: names and options are looked up, checked and
//! turned into passes. All faults are reported, not only the first.

use super::parse::{Element, OptionText, Spanned};
use super::source::{Source, Spot};
use super::{JobsStep, MOST_FAULTS, PassStep, Pipeline, Step};
use crate::diagnostic::Diagnostic;
use crate::pass::near::{either, nearest};
use crate::pass::options::Options;
use crate::pass::registry::{Built, PassInfo, Registry};
use crate::pass::value::value_text;

pub(super) struct Resolver<'r> {
    pub(super) registry: &'r Registry,
    pub(super) source: Source,
    pub(super) faults: Vec<Diagnostic>,
}

impl Resolver<'_> {
    /// The pipeline of these elements, without those that have a fault.
    pub(super) fn pipeline(&mut self, elements: Vec<Element>) -> Pipeline {
        let mut steps = Vec::new();
        for element in elements {
            if self.faults.len() >= MOST_FAULTS {
                break;
            }
            steps.extend(self.step(element));
        }
        Pipeline { steps }
    }

    fn step(&mut self, element: Element) -> Option<Step> {
        match element {
            Element::Pass { name, options } => self.pass(&name, &options).map(Step::Pass),
            Element::Jobs { globs, inner, range } => {
                let spot = Some(Spot::new(&self.source, &range));
                Some(Step::Jobs(JobsStep { globs, pipeline: self.pipeline(inner), spot }))
            }
        }
    }

    fn pass(&mut self, name: &Spanned<String>, given: &[OptionText]) -> Option<PassStep> {
        let Some(info) = self.registry.info(&name.value) else {
            let unknown = self.registry.unknown(&name.value);
            self.faults.push(unknown.at(self.source.place(&name.range)));
            return None;
        };
        let before = self.faults.len();
        given.iter().take(MOST_FAULTS).for_each(|option| self.check_option(info, option));
        self.check_required(info, name, given);
        if self.faults.len() > before {
            return None;
        }
        let options = given.iter().map(|o| (o.name.value.clone(), o.value.value.clone())).collect();
        let built = self.build(name, given, &options)?;
        Some(PassStep {
            pass: built.pass,
            options: spoken(info, options, &built.options),
            spot: Some(Spot::new(&self.source, &name.range)),
        })
    }

    fn check_option(&mut self, info: &PassInfo, given: &OptionText) {
        let Some(option) = info.option(&given.name.value) else {
            let fault = unknown_option(info, &given.name.value);
            self.faults.push(fault.at(self.source.place(&given.name.range)));
            return;
        };
        let Some(refusal) = option.refusal(&given.value.value) else { return };
        let message =
            format!("option `{}` of `{}` does not take this value", option.name, info.name);
        let place = self.source.place(&given.value.range).label(refusal);
        let fault = Diagnostic::error("E0504", message).at(place);
        self.faults.push(match option.near_choice(&given.value.value) {
            Some(near) => fault.help(format!("did you mean {near}?")),
            None => fault,
        });
    }

    /// An option that is not there may be one whose name was misspelled: that fault is enough.
    fn check_required(&mut self, info: &PassInfo, name: &Spanned<String>, given: &[OptionText]) {
        let is_given = |wanted: &str| given.iter().any(|option| option.name.value == wanted);
        let missing =
            info.options.iter().filter(|option| option.required && !is_given(&option.name));
        let missing: Vec<String> = missing.map(|option| format!("`{}`", option.name)).collect();
        let has_unknown = given.iter().any(|option| info.option(&option.name.value).is_none());
        if missing.is_empty() || has_unknown {
            return;
        }
        let message = format!("`{}` has no default for {}", info.name, missing.join(", "));
        let fault = Diagnostic::error("E0505", message).at(self.source.place(&name.range));
        self.faults.push(fault.help(format!("such as `{}`", info.example)));
    }

    /// Makes the pass. What the schema could not say is refused here: the option that makes the
    /// difference is found by giving the options one by one.
    fn build(
        &mut self,
        name: &Spanned<String>,
        given: &[OptionText],
        options: &Options,
    ) -> Option<Built> {
        let refusal = match self.registry.build(&name.value, options)? {
            Ok(built) => return Some(built),
            Err(refusal) => refusal,
        };
        let culprit = given.iter().find(|option| {
            let others = || options.iter().filter(|(name, _)| **name != option.name.value);
            let without = others().map(|(name, value)| (name.clone(), value.clone())).collect();
            matches!(self.registry.build(&name.value, &without), Some(Ok(_)))
        });
        let range = culprit.map_or(&name.range, |option| &option.value.range);
        let message = format!("the options of `{}` are refused", name.value);
        let place = self.source.place(range).label(refusal);
        let help = format!("`pirogue passes {}` says what they may be", name.value);
        self.faults.push(Diagnostic::error("E0504", message).at(place).help(help));
        None
    }
}

fn unknown_option(info: &PassInfo, name: &str) -> Diagnostic {
    let fault = Diagnostic::error("E0503", format!("`{}` has no option `{name}`", info.name));
    let names: Vec<&str> = info.options.iter().map(|option| option.name.as_str()).collect();
    let near = nearest(name, names.iter().copied());
    match (near.is_empty(), names.is_empty()) {
        (false, _) => fault.help(format!("did you mean {}?", either(&near))),
        (true, false) => fault.help(format!("its options are {}", names.join(", "))),
        (true, true) => fault.help("it has no options"),
    }
}

/// The options that say something: in the order and with the values they were given, without
/// those that are so anyhow.
fn spoken(info: &PassInfo, given: Options, built: &Options) -> Options {
    let says = |name: &str| {
        let option = info.option(name);
        let is_default = |value| option.is_some_and(|option| option.is_default(value));
        !given.get(name).is_some_and(is_default) && !built.get(name).is_some_and(is_default)
    };
    given
        .iter()
        .filter(|(name, _)| says(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

impl crate::pass::OptionInfo {
    /// The choices that a word is a slip of.
    fn near_choice(&self, value: &serde_json::Value) -> Option<String> {
        let crate::pass::OptionKind::Choice(choices) = &self.kind else { return None };
        let near = nearest(&value_text(value), choices.iter().map(|choice| choice.word.as_str()));
        (!near.is_empty()).then(|| either(&near))
    }
}
