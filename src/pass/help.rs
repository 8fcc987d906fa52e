//! The text for a person who asks about a pass.

use super::value::value_text;
use super::{Choice, Demand, OptionInfo, OptionKind, PassInfo, Rule};

/// The text for a person who asks about a pass.
pub(super) fn help_text(info: &PassInfo) -> String {
    let mut text = format!("{}\n", info.name);
    paragraph(&mut text, &info.summary);
    paragraph(&mut text, &info.details);
    section(&mut text, "options", info.options.iter().map(option_text));
    let counts =
        info.statistics.iter().map(|count| format!("{}: {}", count.name, count.description));
    section(&mut text, "counts", counts);
    section(&mut text, "rules", info.rules.iter().map(rule_text));
    section(&mut text, "laws", info.laws.iter().map(|law| law.text().to_owned()));
    section(&mut text, "example", [format!("pirogue opt -p '{}' program.pir", info.example)]);
    text
}

fn paragraph(text: &mut String, lines: &str) {
    if lines.is_empty() {
        return;
    }
    text.push('\n');
    for line in lines.lines() {
        text.push_str(&format!("  {line}").trim_end().replace('\r', ""));
        text.push('\n');
    }
}

fn section(text: &mut String, title: &str, items: impl IntoIterator<Item = String>) {
    let items: Vec<String> = items.into_iter().collect();
    if items.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}:\n"));
    for line in items.iter().flat_map(|item| item.lines()) {
        text.push_str(&format!("  {line}\n"));
    }
}

fn option_text(option: &OptionInfo) -> String {
    let presence = match (&option.default, option.required) {
        (_, true) => ", required".to_owned(),
        (Some(value), _) if !value.is_null() => format!(", default {}", value_text(value)),
        _ => ", optional".to_owned(),
    };
    let mut text = format!("{}={}{presence}", option.name, option.kind);
    for line in option.doc.lines() {
        text.push_str(&format!("\n    {line}"));
    }
    for choice in documented_choices(&option.kind) {
        text.push_str(&format!("\n      {}: {}", choice.word, choice.doc.replace('\n', " ")));
    }
    text
}

fn documented_choices(kind: &OptionKind) -> impl Iterator<Item = &Choice> {
    let choices = match kind {
        OptionKind::Choice(choices) => choices.as_slice(),
        _ => &[],
    };
    choices.iter().filter(|choice| !choice.doc.is_empty())
}

fn rule_text(rule: &Rule) -> String {
    let demand = match &rule.demand {
        Demand::Before(other) => format!("comes before `{other}`"),
        Demand::After(other) => format!("comes after `{other}`"),
        Demand::Needs(other) => format!("needs `{other}`"),
        Demand::Conflicts(other) => format!("does not go with `{other}`"),
        Demand::AtMostOnce => "stands once in a pipeline".to_owned(),
    };
    format!("{demand}: {}", rule.because)
}
