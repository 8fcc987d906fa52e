//! Reads the text of a rule.

use super::NAME_FAULT;
use super::syntax::{AttrSource, AttrTerm, Call, Literal, Named, Span, Term, Tree, Var, VarKind};
use crate::diagnostic::{Diagnostic, Place};

/// Deeper nesting is no rule, and would not fit the stack.
const DEEPEST: usize = 64;

/// A fault in the text of a rule, at a place in it.
pub(super) fn fault(
    rule: &str,
    text: &str,
    code: &'static str,
    span: Span,
    message: String,
) -> Diagnostic {
    Diagnostic::error(code, message).at(Place::in_text(&format!("rule `{rule}`"), 1, text, span))
}

/// Reads a rule; the error is the first fault.
pub(super) fn parse(rule: &str, text: &str) -> Result<Tree, Box<Diagnostic>> {
    let mut parser = Parser { rule, text, at: 0, names: Vec::new(), is_right: false, depth: 0 };
    parser.rule().map_err(Box::new)
}

struct Parser<'t> {
    rule: &'t str,
    text: &'t str,
    at: usize,
    names: Vec<Named>,
    /// Whether the `==>` is behind us: names must be known there.
    is_right: bool,
    depth: usize,
}

type Parsed<T> = Result<T, Diagnostic>;

/// # The grammar
impl Parser<'_> {
    fn rule(&mut self) -> Parsed<Tree> {
        let start = self.start();
        let before = match self.term()? {
            Term::Call(call) => *call,
            _ => return Err(self.unexpected_at(start..self.at, "the op that a rule begins with")),
        };
        self.expect("==>", "`==>` behind what is matched")?;
        self.is_right = true;
        let left_names = self.names.len();
        let start = self.start();
        let after = self.term()?;
        if matches!(after, Term::Any | Term::Absent) {
            return Err(self.unexpected_at(start..self.at, "a name or an op to put in its place"));
        }
        let rest = self.text[self.at..].trim();
        let has_where = rest.starts_with("where ");
        if !has_where && !rest.is_empty() {
            return Err(self.unexpected("`where`, or the end of the rule"));
        }
        let names = std::mem::take(&mut self.names);
        Ok(Tree { names, left_names, before, after, has_where })
    }

    fn term(&mut self) -> Parsed<Term> {
        let start = self.start();
        let word = self.word();
        match word {
            "" => Err(self.unexpected("an operand: a name, `_`, `null` or an op")),
            "_" if self.is_right => {
                Err(self
                    .unexpected_at(start..self.at, "a name; `_` stands for nothing on the right"))
            }
            "_" => Ok(Term::Any),
            "null" => Ok(Term::Absent),
            op if self.peek("(") => self.call(op, start, None),
            name if self.eat("@") => {
                if self.is_right {
                    return Err(
                        self.unexpected_at(start..self.at, "an op; names are bound on the left")
                    );
                }
                let var = self.bind(name, start..start + name.len(), VarKind::Value)?;
                let start = self.start();
                match self.word() {
                    "" => Err(self.unexpected("the name of an op")),
                    op => self.call(op, start, Some(var)),
                }
            }
            name => self.bind(name, start..self.at, VarKind::Value).map(Term::Value),
        }
    }

    fn call(&mut self, op: &str, start: usize, bound_to: Option<Var>) -> Parsed<Term> {
        let span = start..start + op.len();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.unexpected_at(span, "an op that is nested less deep"));
        }
        self.expect("(", "`(` and operands")?;
        let operands = self.list(")", Self::term)?;
        let attrs = if self.eat("{") { self.list("}", Self::attr)? } else { Vec::new() };
        let type_of = if self.is_right && self.eat(":") { Some(self.type_of()?) } else { None };
        self.depth -= 1;
        let op = op.to_owned();
        Ok(Term::Call(Box::new(Call { op, span, bound_to, operands, attrs, type_of })))
    }

    fn type_of(&mut self) -> Parsed<Var> {
        let start = self.start();
        let name = self.word();
        self.bind(name, start..self.at, VarKind::Value)
    }

    fn attr(&mut self) -> Parsed<AttrTerm> {
        let start = self.start();
        let name = self.word();
        if name.is_empty() {
            return Err(self.unexpected("the name of an attribute"));
        }
        let span = start..self.at;
        self.expect("=", "`=` and the value of the attribute")?;
        Ok(AttrTerm { name: name.to_owned(), span, value: self.attr_source()? })
    }

    fn attr_source(&mut self) -> Parsed<AttrSource> {
        let start = self.start();
        if self.eat("\"") {
            let rest = &self.text[self.at..];
            let Some(length) = rest.find('"') else {
                return Err(
                    self.unexpected_at(start..self.text.len(), "a string that ends in `\"`")
                );
            };
            self.at += length + 1;
            return Ok(AttrSource::Literal(Literal::Text(rest[..length].to_owned())));
        }
        let sign = if self.eat("-") { -1.0 } else { 1.0 };
        let word = self.word();
        let literal = match word {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                word.parse().ok().map(|number: f64| Literal::Number(sign * number))
            }
            _ => None,
        };
        match literal {
            Some(literal) => Ok(AttrSource::Literal(literal)),
            None if word.is_empty() || sign < 0.0 || word.starts_with(|c: char| !is_letter(c)) => {
                Err(self.unexpected_at(
                    start..self.at,
                    "a name, `true`, `false`, a number or a \"string\"",
                ))
            }
            None => self.bind(word, start..self.at, VarKind::Attr).map(AttrSource::Var),
        }
    }

    fn list<T>(&mut self, end: &str, item: fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(end) {
                return Ok(items);
            }
            self.expect(",", &format!("`,` or `{end}`"))?;
        }
    }
}

/// # Names
impl Parser<'_> {
    /// A name on the left, new or again; on the right, one of the left. What `derive` adds is not
    /// known here, so an attribute may be new on the right.
    fn bind(&mut self, name: &str, span: Span, kind: VarKind) -> Parsed<Var> {
        if name.contains('.') {
            return Err(self.unexpected_at(span, "`(` and operands behind the name of an op"));
        }
        let known = self.names.iter().position(|named| named.name == name);
        if let Some(index) = known {
            let found = self.names[index].kind;
            if found != kind {
                let message =
                    format!("`{name}` is {}, and here stands for {}", found.text(), kind.text());
                return Err(self
                    .fault(NAME_FAULT, span, message)
                    .help("give the two things two names"));
            }
            return Ok(Var(index));
        }
        if self.is_right && kind == VarKind::Value {
            let message = match name {
                "" => "expected a name".to_owned(),
                _ => format!("`{name}` stands on the right, and nothing on the left is called so"),
            };
            let help = "name a value of the left: an operand, or a result as in `y@pd_op.abs(x)`";
            return Err(self.fault(NAME_FAULT, span, message).help(help));
        }
        self.names.push(Named { name: name.to_owned(), kind });
        Ok(Var(self.names.len() - 1))
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// # Characters
impl<'t> Parser<'t> {
    /// Where the next word begins.
    fn start(&mut self) -> usize {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    fn word(&mut self) -> &'t str {
        let start = self.start();
        let rest = &self.text[start..];
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.');
        self.at = start + rest.find(is_end).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn peek(&mut self, token: &str) -> bool {
        let start = self.start();
        self.text[start..].starts_with(token)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str, what: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn unexpected(&mut self, what: &str) -> Diagnostic {
        let start = self.start();
        let length = self.text[start..].chars().next().map_or(0, char::len_utf8);
        self.unexpected_at(start..start + length, what)
    }

    fn unexpected_at(&self, span: Span, what: &str) -> Diagnostic {
        let found = self.text[span.clone()].trim_end();
        let span = span.start..span.start + found.len();
        let found = match found {
            "" => "the end of the rule".to_owned(),
            found => format!("`{found}`"),
        };
        let help = "a rule is `op.name(x){attribute=a} ==> x where ...`";
        self.fault("E0221", span, format!("expected {what}, found {found}")).help(help)
    }

    fn fault(&self, code: &'static str, span: Span, message: String) -> Diagnostic {
        fault(self.rule, self.text, code, span, message)
    }
}
