//! One cell of torch's CSV.

use crate::format::FormatFault;
use crate::format::source::{number, shown, split_digits};
use crate::job::JobKind;

/// What a rank does to a part of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) part: u32,
    pub(super) kind: JobKind,
    /// 0 for what is done once a step.
    pub(super) micro_batch: u32,
}

/// What stands between two commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    /// Nothing.
    Idle,
    /// One action.
    One(Action),
    /// A forward and a backward at the same time.
    Pair([Action; 2]),
}

/// What torch calls the kinds of job that it has.
const NAMES: [(&str, JobKind); 12] = [
    ("F", JobKind::Forward),
    ("B", JobKind::Backward),
    ("I", JobKind::BackwardInput),
    ("W", JobKind::BackwardWeight),
    ("SEND_F", JobKind::SendForward),
    ("RECV_F", JobKind::RecvForward),
    ("SEND_B", JobKind::SendBackward),
    ("RECV_B", JobKind::RecvBackward),
    ("WAIT_SEND_F", JobKind::WaitSendForward),
    ("WAIT_SEND_B", JobKind::WaitSendBackward),
    ("REDUCE_GRAD", JobKind::ReduceGradient),
    ("WAIT_REDUCE_GRAD", JobKind::WaitReduceGradient),
];

/// What torch calls a kind of job, if it has it.
pub(super) fn name(kind: JobKind) -> Option<&'static str> {
    NAMES.iter().find(|&&(_, known)| known == kind).map(|&(name, _)| name)
}

impl Cell {
    /// Reads a cell without the spaces around it.
    pub(super) fn parse(word: &str) -> Result<Self, FormatFault> {
        // csv.writer spells a single empty cell `""`.
        if word.is_empty() || word == "\"\"" {
            return Ok(Self::Idle);
        }
        let Some(rest) = word.strip_prefix('(') else {
            return Ok(Self::One(Action::parse(word)?));
        };
        let pair = rest.strip_suffix(")OVERLAP_F_B").and_then(|pair| pair.split_once(';'));
        let Some((forward, backward)) = pair else {
            return Err(wrong(word, "a pair is `(1F2;6B0)OVERLAP_F_B`"));
        };
        let pair = [Action::parse(forward)?, Action::parse(backward)?];
        match pair.map(|action| action.kind) {
            [JobKind::Forward, JobKind::Backward] => Ok(Self::Pair(pair)),
            _ => Err(wrong(word, "a pair is a forward (F) and then a whole backward (B)")),
        }
    }
}

impl Action {
    fn parse(word: &str) -> Result<Self, FormatFault> {
        let (part, rest) = split_digits(word);
        let is_of_name = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
        let (name, rest) = rest.split_at(rest.bytes().take_while(is_of_name).count());
        let (micro_batch, left_over) = split_digits(rest);
        if part.is_empty() {
            return Err(wrong(word, "expected a part first, as the 2 of `2F0`"));
        }
        if matches!(name, "UNSHARD" | "RESHARD") {
            return Err(FormatFault::Unshard { text: shown(word) });
        }
        let Some(&(_, kind)) = NAMES.iter().find(|(known, _)| *known == name) else {
            return Err(wrong(word, &format!("torch has no type `{}`", shown(name))));
        };
        if !left_over.is_empty() {
            let action = &word[..word.len() - left_over.len()];
            let said = format!("`{}` is left over behind `{}`", shown(left_over), shown(action));
            return Err(wrong(word, &said));
        }
        let (Some(part), Some(micro_batch)) = (number(part), micro_batch_of(kind, micro_batch))
        else {
            return Err(wrong(word, numbers_of(kind)));
        };
        Ok(Self { part, kind, micro_batch })
    }
}

/// The micro-batch of an action, 0 for what is done once a step and has none.
fn micro_batch_of(kind: JobKind, digits: &str) -> Option<u32> {
    match (kind.is_per_micro_batch(), digits.is_empty()) {
        (true, false) => number(digits),
        (false, true) => Some(0),
        _ => None,
    }
}

fn numbers_of(kind: JobKind) -> &'static str {
    if kind.is_per_micro_batch() {
        "expected a part and a micro-batch below 4294967296 without leading zeros"
    } else {
        "expected a part below 4294967296 without leading zeros, and no micro-batch"
    }
}

fn wrong(word: &str, wrong: &str) -> FormatFault {
    FormatFault::Action { text: shown(word), wrong: wrong.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(word: &str) -> String {
        Cell::parse(word).unwrap_err().to_string()
    }

    #[test]
    fn every_type_reads_back() {
        for (name, kind) in NAMES {
            let micro_batch = if kind.is_per_micro_batch() { "7" } else { "" };
            let action = Action { part: 12, kind, micro_batch: micro_batch.parse().unwrap_or(0) };
            assert_eq!(Cell::parse(&format!("12{name}{micro_batch}")), Ok(Cell::One(action)));
            assert_eq!(super::name(kind), Some(name));
        }
    }

    #[test]
    fn near_misses_are_refused_each_for_its_reason() {
        assert_eq!(said("2F0xyz"), "`2F0xyz` is not an action: `xyz` is left over behind `2F0`");
        assert_eq!(said("2X0"), "`2X0` is not an action: torch has no type `X`");
        assert_eq!(said("2f0"), "`2f0` is not an action: torch has no type ``");
        assert!(said("F0").ends_with("expected a part first, as the 2 of `2F0`"));
        for word in ["02F0", "2F00", "2F", "4294967296F0", "2F4294967296"] {
            assert!(said(word).ends_with("below 4294967296 without leading zeros"), "{word}");
        }
        assert!(said("0REDUCE_GRAD1").ends_with("and no micro-batch"));
        assert!(said("-1F0").contains("expected a part first"));
        for word in ["(0F0;0B0)", "(0F0,0B0)OVERLAP_F_B", "(0F0;0B0)OVERLAP_F_B1"] {
            assert!(said(word).ends_with("a pair is `(1F2;6B0)OVERLAP_F_B`"), "{word}");
        }
        for word in ["(0B0;0F0)OVERLAP_F_B", "(0F0;0I0)OVERLAP_F_B"] {
            assert!(said(word).ends_with("a pair is a forward (F) and then a whole backward (B)"));
        }
        assert_eq!(
            said("0UNSHARD"),
            "`0UNSHARD` cannot be read: a schedule does not say when parameters are gathered and freed"
        );
    }
}
