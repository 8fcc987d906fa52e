//! The table of ops: its syntax, and how a name is looked up.
//!
//! `ops.txt` is text, so that a change of Paddle's op set reads as a diff. One line is one op, and lines are sorted by the
//! bytes of the name. Lines that start with `#` may stand at the top.
//!
//! ```text
//! line    = NAME                                                            only the name is known
//!         | NAME [" ~"] " (" values ") {" attrs "} -> (" values ")"         "~": observed, written by hand
//! values  = [ value { " " value } ]
//! value   = NAME [":" KIND] ["[]" | "..."] ["?"] ["!"] ["~"] ["=" OPERAND] ["@" OPERAND]
//! attrs   = [ NAME ":" KIND { " " NAME ":" KIND } ]
//! ```
//!
//! | mark | meaning |
//! | --- | --- |
//! | `:KIND` | `coo`, `csr`, `rows`, `array`, `any`; `scalar` and `ints` are mutable attributes; none is a dense tensor |
//! | `[]` | one value of vector type |
//! | `...` | any number of values |
//! | `?` | optional |
//! | `!` | an operand that is needed for its shape only (no need of its buffer) |
//! | `~` | a result that is there only for the gradient (intermediate) |
//! | `=x` | a result that is written in place of the operand `x` |
//! | `@x` | a result that is a view of the operand `x` |
//! | `_` | a value without a name |
//!
//! The kinds of attributes are spelled as [`AttrKind::spelling`] says.
//!
//! ```text
//! pd_op.add_grad (x! y! out_grad) {axis:i32} -> (x_grad y_grad)
//! pd_op.reshape_ (x shape:ints) {} -> (out=x@x)
//! ```
//!
//! The table is not read at start-up. The first look-up cuts it into lines (about 0.1 ms); a look-up is a binary
//! search over these; a line is parsed when its op is first asked for, once, and kept for the life of the process.
//! The module `regenerate`, in tests, says how the table is made.

use std::sync::{LazyLock, OnceLock};

use memchr::{memchr, memchr_iter};

use super::kinds::{AttrKind, Multiplicity, ValueKind};
use super::op_facts::{Alias, AttrFact, OpFacts, OperandFact, ResultFact, Source};

pub(super) static TEXT: &str = include_str!("ops.txt");

static LINES: LazyLock<Box<[Line]>> = LazyLock::new(index_lines);

/// What is known about the op of this name, or `None` where Paddle 3.3.1 registers no such op.
pub fn facts(op_name: &str) -> Option<&'static OpFacts> {
    let index = LINES.binary_search_by(|line| line.name.cmp(op_name)).ok()?;
    Some(LINES[index].facts())
}

/// The names of all ops of the table, in byte order.
pub fn op_names() -> impl ExactSizeIterator<Item = &'static str> {
    LINES.iter().map(|line| line.name)
}

/// One line of the table, cut behind the name, with its facts once they were asked for.
struct Line {
    name: &'static str,
    signature: &'static str,
    // Boxed, since most lines are never asked for.
    facts: OnceLock<Box<OpFacts>>,
}

fn index_lines() -> Box<[Line]> {
    let mut lines = Vec::with_capacity(2048);
    let mut start = 0;
    for end in memchr_iter(b'\n', TEXT.as_bytes()) {
        let line = &TEXT[start..end];
        start = end + 1;
        if !line.starts_with('#') {
            lines.push(Line::new(line));
        }
    }
    lines.into()
}

impl Line {
    fn new(line: &'static str) -> Self {
        let (name, signature) = line.split_at(memchr(b' ', line.as_bytes()).unwrap_or(line.len()));
        Self { name, signature, facts: OnceLock::new() }
    }

    fn facts(&self) -> &OpFacts {
        self.facts.get_or_init(|| {
            let facts = parse_line(self.name, self.signature);
            Box::new(facts.expect("a test parses every line of the table"))
        })
    }
}

fn parse_line(name: &'static str, signature: &'static str) -> Option<OpFacts> {
    let Some(rest) = signature.strip_prefix(' ') else {
        return Some(name_only(name));
    };
    let (source, rest) = match rest.strip_prefix("~ ") {
        Some(rest) => (Source::Observed, rest),
        None => (Source::Declared, rest),
    };
    let (operands, rest) = rest.strip_prefix('(')?.split_once(") {")?;
    let (attrs, results) = rest.split_once("} -> (")?;

    let operands = words(operands).map(parse_operand).collect::<Option<Box<[_]>>>()?;
    let outputs =
        words(results.strip_suffix(')')?).map(Output::parse).collect::<Option<Vec<_>>>()?;
    Some(OpFacts {
        name,
        source,
        attrs: words(attrs).map(parse_attr).collect::<Option<_>>()?,
        inplace: aliases(&operands, outputs.iter().map(|output| output.inplace))?,
        view: aliases(&operands, outputs.iter().map(|output| output.view))?,
        results: outputs.into_iter().map(|output| output.fact).collect(),
        operands,
    })
}

fn name_only(name: &'static str) -> OpFacts {
    OpFacts {
        name,
        source: Source::NameOnly,
        operands: [].into(),
        attrs: [].into(),
        results: [].into(),
        inplace: [].into(),
        view: [].into(),
    }
}

/// The parts of a list, which may be empty.
fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ').filter(|word| !word.is_empty())
}

fn parse_attr(word: &'static str) -> Option<AttrFact> {
    let (name, kind) = word.split_once(':')?;
    Some(AttrFact { name, kind: AttrKind::from_spelling(kind)? })
}

fn parse_operand(word: &'static str) -> Option<OperandFact> {
    let (declared, flags) = split_before(word, &['?', '!']);
    let (name, kind, multiplicity) = parse_declared(declared)?;
    Some(OperandFact {
        name,
        kind,
        multiplicity,
        optional: flags.contains('?'),
        no_need_buffer: flags.contains('!'),
    })
}

/// A result with the names of the operands whose memory it uses.
struct Output {
    fact: ResultFact,
    inplace: Option<&'static str>,
    view: Option<&'static str>,
}

impl Output {
    fn parse(word: &'static str) -> Option<Self> {
        let (word, view) = split_before(word, &['@']);
        let (word, inplace) = split_before(word, &['=']);
        let (declared, flags) = split_before(word, &['?', '~']);
        let (name, kind, multiplicity) = parse_declared(declared)?;
        let (optional, intermediate) = (flags.contains('?'), flags.contains('~'));
        Some(Self {
            fact: ResultFact { name, kind, multiplicity, optional, intermediate },
            inplace: inplace.strip_prefix('='),
            view: view.strip_prefix('@'),
        })
    }
}

/// `NAME [":" KIND] ["[]" | "..."]`.
fn parse_declared(declared: &'static str) -> Option<(&'static str, ValueKind, Multiplicity)> {
    let (declared, multiplicity) = match (declared.strip_suffix("[]"), declared.strip_suffix("..."))
    {
        (Some(declared), _) => (declared, Multiplicity::Vector),
        (_, Some(declared)) => (declared, Multiplicity::Variadic),
        _ => (declared, Multiplicity::One),
    };
    let (name, kind) = declared.split_once(':').unwrap_or((declared, "dense"));
    let name = if name == "_" { "" } else { name };
    Some((name, ValueKind::from_spelling(kind)?, multiplicity))
}

/// Splits before the first of `marks`; the second part is empty where there is none.
fn split_before(word: &'static str, marks: &[char]) -> (&'static str, &'static str) {
    word.split_at(word.find(marks).unwrap_or(word.len()))
}

/// The pairs that the results' operand names stand for; `None` where a name is no operand's.
fn aliases(
    operands: &[OperandFact],
    named: impl Iterator<Item = Option<&'static str>>,
) -> Option<Box<[Alias]>> {
    let named = named.enumerate().filter_map(|(result, name)| Some((result, name?)));
    named
        .map(|(result, name)| {
            let operand = operands.iter().position(|operand| operand.name == name)?;
            Some(Alias { result, operand })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{TEXT, facts, op_names, parse_line};
    use crate::dialect::{Multiplicity, OpFacts, Source};

    fn all() -> impl Iterator<Item = &'static OpFacts> {
        op_names().map(|name| facts(name).expect("a name of the table is found"))
    }

    /// A total over the ops that describe themselves.
    fn declared(count: impl Fn(&OpFacts) -> usize) -> usize {
        all().filter(|op| op.source == Source::Declared).map(count).sum()
    }

    #[test]
    fn the_table_is_sorted_complete_and_small() {
        assert!(
            op_names().is_sorted_by(|left, right| left < right),
            "sorted by bytes, no name twice"
        );
        // Paddle 3.3.1 registers 1,639 ops; 25 of them do not describe themselves. The table has 157 kB.
        assert_eq!(op_names().len(), 1639);
        assert_eq!(all().filter(|op| op.source == Source::Declared).count(), 1614);
        assert_eq!(all().filter(|op| op.source == Source::Observed).count(), 15);
        assert_eq!(all().filter(|op| op.source == Source::NameOnly).count(), 10);
        assert_eq!(declared(|op| op.operands.len()), 4447);
        assert_eq!(declared(|op| op.attrs.len()), 3238);
        assert_eq!(declared(|op| op.results.len()), 2563);
        assert!(TEXT.len() < 250_000, "{} bytes", TEXT.len());
    }

    #[test]
    fn every_line_is_parsed_and_a_name_is_found_as_itself() {
        for op in all() {
            assert_eq!(facts(op.name).map(|found| found.name), Some(op.name));
            // Only the last may be variadic: `OpFacts::operand` relies on it.
            let operands = op.operands.iter().map(|operand| operand.multiplicity);
            let results = op.results.iter().map(|result| result.multiplicity);
            assert!(operands.rev().skip(1).all(|it| it != Multiplicity::Variadic), "{}", op.name);
            assert!(results.rev().skip(1).all(|it| it != Multiplicity::Variadic), "{}", op.name);
        }
    }

    #[test]
    fn names_that_are_not_ops_are_not_found() {
        let not_ops = [
            "",
            " ",
            "#",
            "a",
            "add",
            "pd_op",
            "pd_op.",
            "pd_op.ad",
            "pd_op.add_",
            "pd_op.add (",
            "zzz",
            "é",
        ];
        let found = not_ops.into_iter().filter(|name| facts(name).is_some()).collect::<Vec<_>>();
        assert_eq!(
            found,
            ["pd_op.add_"],
            "the one op among them: its neighbours are prefixes of it"
        );
    }

    #[test]
    fn a_malformed_line_is_refused() {
        for signature in [
            " (x)",
            " (x) {} -> (out",
            " (x:nothing) {} -> (out)",
            " (x) {a:int} -> (out)",
            " (x) {a} -> (out)",
            " (x) {} -> (out=y)",
            " (x) {} -> (out@y)",
        ] {
            assert_eq!(parse_line("op", signature), None, "{signature}");
        }
    }
}
