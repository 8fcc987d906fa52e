//! Rules, and what must hold of one before it may fire.

use std::fmt;

use super::NAME_FAULT;
use super::matching::{Bound, Match};
use super::parse::{fault, parse};
use super::syntax::{AttrSource, Call, Named, Span, Term, Tree, Var, VarKind};
use crate::diagnostic::Diagnostic;
use crate::dialect::{OpFacts, common_attr, facts, is_pure, op_names};
use crate::ir::AttrValue;
use crate::pass::near;

/// A condition of a rule.
type Test = Box<dyn Fn(&Match<'_>) -> bool + Send + Sync>;
/// Makes an attribute, if the rule is to fire.
type Make = Box<dyn Fn(&Match<'_>) -> Option<AttrValue> + Send + Sync>;

/// What is done behind a match, in the order it was said.
pub(super) enum Step {
    When(Test),
    Derive(Var, Make),
}

/// One rule of a [`RuleSet`].
pub struct Rule {
    name: &'static str,
    text: &'static str,
    pub(super) tree: Tree,
    pub(super) steps: Vec<Step>,
}

impl Rule {
    /// Its name, for reports.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it does: `before ==> after where ...`.
    pub fn text(&self) -> &'static str {
        self.text
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.text)
    }
}

/// A rule in the making; see [`rule`].
#[must_use = "a rule does nothing before it is in a `RuleSet`"]
pub struct RuleBuilder {
    name: &'static str,
    text: &'static str,
    tree: Result<Tree, Box<Diagnostic>>,
    steps: Vec<Step>,
    pure: Vec<&'static str>,
    faults: Vec<Diagnostic>,
}

/// Begins a rule; the [module](super) says how the text is written.
pub fn rule(name: &'static str, text: &'static str) -> RuleBuilder {
    let (steps, pure, faults) = (Vec::new(), Vec::new(), Vec::new());
    RuleBuilder { name, text, tree: parse(name, text), steps, pure, faults }
}

/// # Conditions
impl RuleBuilder {
    /// The rule fires only where `test` holds of what the names stand for. The `where` of the text
    /// says it in words.
    pub fn when<const N: usize>(
        mut self,
        names: [&'static str; N],
        test: impl Fn([Bound<'_>; N]) -> bool + Send + Sync + 'static,
    ) -> Self {
        if let Some(vars) = self.vars(names) {
            let test = move |found: &Match<'_>| test(vars.map(|var| found.bound(var)));
            self.steps.push(Step::When(Box::new(test)));
        }
        self
    }

    /// Makes an attribute for the right side out of what the names stand for; where it makes none
    /// the rule does not fire. The `where` of the text says it in words.
    pub fn derive<const N: usize>(
        mut self,
        attr: &'static str,
        names: [&'static str; N],
        make: impl Fn([Bound<'_>; N]) -> Option<AttrValue> + Send + Sync + 'static,
    ) -> Self {
        let Some(vars) = self.vars(names) else { return self };
        if let Some(var) = self.derived(attr) {
            let make = move |found: &Match<'_>| make(vars.map(|var| found.bound(var)));
            self.steps.push(Step::Derive(var, Box::new(make)));
        }
        self
    }

    /// Lets the rule match and make ops of a name of which it is not known that they are pure: that
    /// they do nothing but compute their results from operands and attributes, in memory of their
    /// own.
    pub fn assume_pure(mut self, op: &'static str) -> Self {
        self.pure.push(op);
        self
    }

    fn vars<const N: usize>(&mut self, names: [&'static str; N]) -> Option<[Var; N]> {
        let tree = self.tree.as_ref().ok()?;
        let mut vars = [Var(0); N];
        for (var, name) in vars.iter_mut().zip(names) {
            match tree.var(name).filter(|&found| is_set(tree, &self.steps, found)) {
                Some(found) => *var = found,
                None => {
                    let message =
                        format!("a condition asks for `{name}`, which the left does not name");
                    let fault = self.whole(message, NAME_FAULT);
                    self.faults.push(fault.help("name it on the left, or derive it before"));
                    return None;
                }
            }
        }
        Some(vars)
    }

    fn derived(&mut self, name: &'static str) -> Option<Var> {
        let tree = self.tree.as_mut().ok()?;
        match tree.var(name) {
            Some(var) if is_set(tree, &self.steps, var) => {
                let fault = self
                    .whole(format!("`{name}` is derived, and there is one already"), NAME_FAULT);
                self.faults.push(fault.help("call the two by two names"));
                None
            }
            Some(var) => Some(var),
            None => {
                tree.names.push(Named { name: name.to_owned(), kind: VarKind::Attr });
                Some(Var(tree.names.len() - 1))
            }
        }
    }

    fn whole(&self, message: String, code: &'static str) -> Diagnostic {
        fault(self.name, self.text, code, 0..self.text.len(), message)
    }
}

/// Whether a name stands for something once the left is matched and the steps are done.
fn is_set(tree: &Tree, steps: &[Step], var: Var) -> bool {
    var.0 < tree.left_names
        || steps.iter().any(|step| matches!(step, Step::Derive(derived, _) if *derived == var))
}

/// # Checking
impl RuleBuilder {
    /// The rule, and the ops it assumes to be pure; or all its faults.
    fn build(self) -> Result<(Rule, Vec<&'static str>), Vec<Diagnostic>> {
        let Self { name, text, tree, steps, pure, mut faults } = self;
        let tree = tree.map_err(|fault| vec![*fault])?;
        let checks = Checks { name, text, tree: &tree, steps: &steps, pure: &pure };
        // A condition with a fault is not among the steps.
        if faults.is_empty() {
            faults.extend(checks.words());
        }
        faults.extend(checks.ops());
        if faults.is_empty() { Ok((Rule { name, text, tree, steps }, pure)) } else { Err(faults) }
    }
}

struct Checks<'r> {
    name: &'static str,
    text: &'static str,
    tree: &'r Tree,
    steps: &'r [Step],
    pure: &'r [&'static str],
}

impl Checks<'_> {
    fn ops(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for call in self.tree.before.calls() {
            faults.extend(self.call(call));
        }
        faults.extend(self.results(&self.tree.before));
        faults.extend(self.reads_itself());
        if let Term::Call(after) = &self.tree.after {
            for call in after.calls() {
                faults.extend(self.call(call));
                faults.extend(self.results(call));
                faults.extend(self.new_attrs(call, call.span == after.span));
                if call.span != after.span && call.type_of.is_none() {
                    let message =
                        format!("nothing says of which type the result of `{}` is", call.op);
                    let help = "write the name of a value of that type behind it: `op.name(x): x`";
                    faults.push(self.fault("E0223", &call.span, message).help(help));
                }
            }
        }
        faults
    }

    fn fault(&self, code: &'static str, span: &Span, message: String) -> Diagnostic {
        fault(self.name, self.text, code, span.clone(), message)
    }

    /// That an op is known and pure, and has such operands and attributes.
    fn call(&self, call: &Call) -> Vec<Diagnostic> {
        if self.pure.contains(&&*call.op) {
            return Vec::new();
        }
        let Some(facts) = facts(&call.op).filter(|facts| facts.is_described()) else {
            return vec![self.unknown(call)];
        };
        let mut faults = Vec::new();
        if !is_pure(&call.op) {
            let message =
                format!("`{}` is not pure: it does more than compute its results", call.op);
            let help = "rules are about pure ops; write a pass for others";
            faults.push(self.fault("E0223", &call.span, message).help(help));
        }
        let (expected, given) = (facts.operand_count(), call.operands.len());
        if !expected.contains(&given) {
            let message =
                format!("`{}` has {} operands, and here {given}", call.op, expected.start());
            let help = "write `_` for an operand that does not matter, `null` for an absent one";
            faults.push(self.fault("E0223", &call.span, message).help(help));
        }
        for attr in &call.attrs {
            if facts.attr(&attr.name).is_none() && common_attr(&attr.name).is_none() {
                faults.push(self.unknown_attr(facts, &attr.name, &attr.span));
            }
        }
        faults
    }

    fn unknown(&self, call: &Call) -> Diagnostic {
        let error =
            self.fault("E0223", &call.span, format!("nothing is known of an op `{}`", call.op));
        match near::nearest(&call.op, op_names()) {
            near if near.is_empty() => {
                error.help("say that it is pure, by `assume_pure`, if it is an op of your own")
            }
            near => error.help(format!("did you mean {}?", near::either(&near))),
        }
    }

    fn unknown_attr(&self, facts: &OpFacts, name: &str, span: &Span) -> Diagnostic {
        let message = format!("`{}` has no attribute `{name}`", facts.name);
        let declared: Vec<&str> = facts.attrs.iter().map(|attr| attr.name).collect();
        let help = match declared.as_slice() {
            [] => "it has none of its own".to_owned(),
            declared => format!("it has {}", near::either(declared).replace(" or ", " and ")),
        };
        self.fault("E0223", span, message).help(help)
    }

    /// That an op has one result, as what is replaced and what is made must.
    fn results(&self, call: &Call) -> Option<Diagnostic> {
        let facts = facts(&call.op)?;
        let has_one = !facts.is_described() || facts.result_count() == (1..=1);
        let message = format!("`{}` does not have one result", call.op);
        let help = "a rule replaces one value, by one value";
        (!has_one).then(|| self.fault("E0223", &call.span, message).help(help))
    }

    /// That what is replaced is not read by what replaces it.
    fn reads_itself(&self) -> Option<Diagnostic> {
        let root = self.tree.before.bound_to?;
        let is_root = |term: &Term| matches!(term, Term::Value(var) if *var == root);
        let is_read = match &self.tree.after {
            Term::Call(call) => call.calls().iter().any(|call| call.operands.iter().any(is_root)),
            after => is_root(after),
        };
        let message = format!("`{}` is what is replaced", self.tree.names[root.0].name);
        let help = "read an operand of it instead; for a type, `: name` may stand behind an op";
        is_read.then(|| self.fault(NAME_FAULT, &(0..self.text.len()), message).help(help))
    }

    /// That a new op gets all the attributes that every such op carries. The outermost has those of
    /// what it replaces, if that is of the same name.
    fn new_attrs(&self, call: &Call, is_outermost: bool) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for attr in &call.attrs {
            let AttrSource::Var(var) = attr.value else { continue };
            if !is_set(self.tree, self.steps, var) {
                let name = &self.tree.names[var.0].name;
                let message =
                    format!("`{name}` stands on the right, and nothing on the left is called so");
                let help = format!("name an attribute of the left, or `derive` `{name}`");
                faults.push(self.fault(NAME_FAULT, &attr.span, message).help(help));
            }
        }
        if is_outermost && call.op == self.tree.before.op {
            return faults;
        }
        let declared = facts(&call.op).map_or(&[][..], |facts| &facts.attrs);
        let is_given = |name: &str| call.attrs.iter().any(|attr| attr.name == name);
        for missing in declared.iter().filter(|declared| !is_given(declared.name)) {
            let message = format!("the new `{}` has no `{}`", call.op, missing.name);
            let help = format!("every such op carries it: `{{{}=...}}`", missing.name);
            faults.push(self.fault("E0223", &call.span, message).help(help));
        }
        faults
    }

    /// That `where` and conditions go together: the text of a rule says all it asks.
    fn words(&self) -> Option<Diagnostic> {
        let (message, help) = match (self.tree.has_where, self.steps.is_empty()) {
            (true, true) => {
                ("the text has a `where`, and the rule no condition", "add `when` or `derive`")
            }
            (false, false) => {
                ("the rule has a condition that its text does not say", "end it with `where ...`")
            }
            _ => return None,
        };
        Some(self.fault("E0224", &(0..self.text.len()), message.to_owned()).help(help))
    }
}

/// Rules that are applied together.
pub struct RuleSet {
    pub(super) rules: Vec<Rule>,
    pub(super) pure: Vec<&'static str>,
}

impl RuleSet {
    /// A set of rules; where two could fire, the first does.
    ///
    /// # Errors
    /// All faults of all rules.
    pub fn new(rules: impl IntoIterator<Item = RuleBuilder>) -> Result<Self, Vec<Diagnostic>> {
        let mut set = Self { rules: Vec::new(), pure: Vec::new() };
        let mut faults = Vec::new();
        for rule in rules {
            if set.rules.iter().any(|other| other.name == rule.name) {
                let message = format!("two rules are called `{}`", rule.name);
                faults.push(rule.whole(message, "E0225").help("reports tell rules by their names"));
            }
            match rule.build() {
                Ok((rule, pure)) => {
                    set.rules.push(rule);
                    set.pure.extend(pure);
                }
                Err(of_rule) => faults.extend(of_rule),
            }
        }
        if faults.is_empty() { Ok(set) } else { Err(faults) }
    }

    /// The rules, in their order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(super) fn is_pure(&self, op: &str) -> bool {
        is_pure(op) || self.pure.contains(&op)
    }
}

impl fmt::Display for RuleSet {
    /// A rule a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.iter().try_for_each(|rule| writeln!(f, "{rule}"))
    }
}
