//! Reading attribute dictionaries and values.
//!
//! The dialect facts say which kind a number has. Where they are silent the kind is not said, and
//! where the text does not fit what they say the text counts.

use crate::dialect::{self, AttrKind, OpFacts};
use crate::ir::{
    Attr, AttrValue, Context, Dict, FloatBits, FloatKind, IntKind, Name, OpDist, Place, ScalarType,
    names,
};

use super::error::ReadError;
use super::memo::Memo;
use super::scan::{Quote, Scanner, item_length};
use super::types::{DEPTH, read_type};
use crate::text::spell::write_attr_value;

/// A dictionary that was read, with `chunk_id` and `op_role` taken out.
#[derive(Copy, Clone)]
pub(super) struct ReadDict {
    pub(super) dict: Dict,
    pub(super) chunk: Option<i32>,
    pub(super) role: Option<i32>,
    /// Whether one of the two is there and no 32-bit integer, and so stays in the dictionary.
    pub(super) odd_column: bool,
}

/// The empty dictionary of an op that prints none.
impl Default for ReadDict {
    fn default() -> Self {
        Self { dict: Dict::EMPTY, chunk: None, role: None, odd_column: false }
    }
}

/// Whose attributes are read.
#[derive(Copy, Clone)]
pub(super) enum Owner {
    /// An op, of which something may be known.
    Op(Option<&'static OpFacts>),
    /// A block argument; its entries keep their order.
    Argument,
}

/// Entries that were read before. Of most new dictionaries only one entry is new.
pub(super) type EntryMemo<'t> = Memo<'t, (Name, Attr)>;

/// Reads `{name:value,...}`. `tag` says whose entries `memo` may share.
pub(super) fn read_dict<'t>(
    context: &Context,
    text: &'t [u8],
    owner: Owner,
    quote: Quote,
    memo: &mut EntryMemo<'t>,
    tag: u32,
) -> Result<ReadDict, ReadError> {
    let mut scanner = Scanner::new(&text[..text.len() - 1]);
    scanner.pos = 1;
    let (mut entries, mut given) = (Vec::new(), Vec::new());
    let mut read = ReadDict { dict: Dict::EMPTY, chunk: None, role: None, odd_column: false };
    scanner.skip_blanks();
    while !scanner.at_end() {
        let entry = &scanner.rest()[..entry_length(scanner.rest(), quote)];
        let (name, attr) = memo.get_or(entry, tag, || read_entry(context, entry, owner, quote))?;
        scanner.pos += entry.len();
        given.push(name);
        match (owner, name, column_value(context, attr)) {
            (Owner::Op(_), names::CHUNK_ID, Some(value)) => read.chunk = Some(value),
            (Owner::Op(_), names::OP_ROLE, Some(value)) => read.role = Some(value),
            _ => {
                read.odd_column |= matches!(owner, Owner::Op(_))
                    && matches!(name, names::CHUNK_ID | names::OP_ROLE);
                entries.push((name, attr));
            }
        }
        scanner.eat(b",");
        scanner.skip_blanks();
    }
    if let Some(name) = given_twice(given) {
        return Err(ReadError::AttrTwice { name: context.name_text(name).to_owned() });
    }
    read.dict = match owner {
        Owner::Op(_) => context.dict(entries),
        Owner::Argument => context.dict_in_order(entries),
    };
    Ok(read)
}

fn given_twice(mut names: Vec<Name>) -> Option<Name> {
    names.sort_unstable();
    names.windows(2).find(|two| two[0] == two[1]).map(|two| two[0])
}

fn column_value(context: &Context, attr: Attr) -> Option<i32> {
    match context.attr_value(attr) {
        AttrValue::Int(value, _) => i32::try_from(*value).ok().filter(|&value| value != i32::MIN),
        _ => None,
    }
}

fn bad_attr(context: &Context, name: Name, text: &[u8]) -> ReadError {
    let text = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
    ReadError::BadAttr { name: context.name_text(name).to_owned(), text }
}

/// How far the entry that `text` begins with reaches.
fn entry_length(text: &[u8], quote: Quote) -> usize {
    let Some(colon) = memchr::memchr(b':', text) else { return text.len() };
    let mut scanner = Scanner::new(text);
    scanner.pos = colon + 1;
    let mut depth = 0usize;
    loop {
        match scanner.peek() {
            _ if scanner.at_end() => return text.len(),
            b'"' if scanner.string(quote).is_some() => continue,
            b'<' | b'[' | b'(' | b'{' => depth += 1,
            b'>' | b']' | b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return scanner.pos,
            _ => {}
        }
        scanner.pos += 1;
    }
}

fn read_entry(
    context: &Context,
    entry: &[u8],
    owner: Owner,
    quote: Quote,
) -> Result<(Name, Attr), ReadError> {
    let Some(colon) = memchr::memchr(b':', entry) else {
        let name = String::from_utf8_lossy(&entry[..entry.len().min(60)]).into_owned();
        return Err(ReadError::Unexpected { expected: "`name:value`", found: format!("`{name}`") });
    };
    let Ok(text) = str::from_utf8(&entry[..colon]) else {
        let name = String::from_utf8_lossy(&entry[..colon]).into_owned();
        return Err(ReadError::NotUtf8 { name });
    };
    let mut scanner = Scanner::new(entry);
    scanner.pos = colon + 1;
    let kind = match owner {
        Owner::Op(facts) => {
            facts.and_then(|facts| facts.attr(text)).or_else(|| dialect::common_attr(text))
        }
        Owner::Argument => None,
    };
    let name = context.name(text);
    scanner.skip_blanks();
    match read_attr(context, &mut scanner, kind, quote, 0) {
        Some(attr) if scanner.rest().trim_ascii().is_empty() => Ok((name, attr)),
        _ => Err(bad_attr(context, name, &entry[colon + 1..])),
    }
}

/// Reads one value, and keeps its spelling where Paddle would print another.
fn read_attr(
    context: &Context,
    scanner: &mut Scanner<'_>,
    kind: Option<AttrKind>,
    quote: Quote,
    depth: usize,
) -> Option<Attr> {
    let start = scanner.pos;
    let value = read_value(context, scanner, kind, quote, depth)?;
    let spelling = &scanner.text[start..scanner.pos];
    let mut plain = Vec::with_capacity(spelling.len());
    write_attr_value(context, &value, &mut plain);
    Some(if plain == spelling {
        context.attr(value)
    } else {
        context.attr_spelled(value, spelling)
    })
}

fn read_value(
    context: &Context,
    scanner: &mut Scanner<'_>,
    kind: Option<AttrKind>,
    quote: Quote,
    depth: usize,
) -> Option<AttrValue> {
    if depth > DEPTH {
        return None;
    }
    match scanner.peek() {
        b'"' => scanner.string(quote).map(|raw| AttrValue::Str(unescape(raw, quote))),
        b'[' => read_array(context, scanner, kind, quote, depth),
        b'{' => scanner
            .braces(quote)
            .map(|text| AttrValue::OpDist(OpDist { printed: text.into(), json: None })),
        b'(' => read_typed_literal(context, scanner, quote, depth),
        _ => {
            let rest = scanner.rest();
            let word = &rest[..item_length(rest)];
            scanner.pos += word.len();
            read_word(context, word, kind)
        }
    }
}

fn unescape(raw: &[u8], quote: Quote) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(raw.len());
    for (at, &byte) in raw.iter().enumerate() {
        let escapes = byte == b'\\' && raw.get(at + 1) == Some(&b'"');
        if !(escapes && quote == Quote::Escaped) {
            bytes.push(byte);
        }
    }
    bytes.into()
}

fn read_array(
    context: &Context,
    scanner: &mut Scanner<'_>,
    kind: Option<AttrKind>,
    quote: Quote,
    depth: usize,
) -> Option<AttrValue> {
    scanner.pos += 1;
    let element = kind.and_then(AttrKind::element);
    let mut elements = Vec::new();
    scanner.skip_blanks();
    while !scanner.eat(b"]") {
        if !elements.is_empty() {
            scanner.eat(b",").then_some(())?;
            scanner.skip_blanks();
        }
        let attr = read_attr(context, scanner, element, quote, depth + 1)?;
        elements.push(context.plain_attr(attr));
        scanner.skip_blanks();
    }
    if kind == Some(AttrKind::IntArray) {
        let integers = elements.iter().map(|&attr| context.attr_value(attr).as_int());
        if let Some(integers) = integers.collect::<Option<Box<[i64]>>>() {
            return Some(AttrValue::IntArray(integers));
        }
    }
    Some(AttrValue::Array(elements.into()))
}

/// Older printers write the kind before a literal: `(Int32)1`, `(pd_op.DataType)float32`.
fn read_typed_literal(
    context: &Context,
    scanner: &mut Scanner<'_>,
    quote: Quote,
    depth: usize,
) -> Option<AttrValue> {
    let length = scanner.rest().iter().position(|&byte| byte == b')')?;
    let word = str::from_utf8(&scanner.rest()[1..length]).ok()?;
    let kind = match word.rsplit('.').next()? {
        "Bool" => Some(AttrKind::Bool),
        "Int32" => Some(AttrKind::Int32),
        "Int64" => Some(AttrKind::Int64),
        "Float" => Some(AttrKind::Float),
        "Double" => Some(AttrKind::Double),
        "String" | "Str" => Some(AttrKind::Str),
        "DataType" => Some(AttrKind::DataType),
        "Place" => Some(AttrKind::Place),
        "Scalar" => Some(AttrKind::Scalar),
        "IntArray" => Some(AttrKind::IntArray),
        "Array" => Some(AttrKind::Array),
        "Index" | "DataLayout" | "Type" | "Pointer" | "Complex64" | "Complex128" => None,
        _ => return None,
    };
    scanner.pos += length + 1;
    if scanner.peek() == b'(' {
        return None;
    }
    read_value(context, scanner, kind, quote, depth + 1)
}

/// Reads what is neither quoted nor bracketed.
fn read_word(context: &Context, word: &[u8], kind: Option<AttrKind>) -> Option<AttrValue> {
    let text = str::from_utf8(word).ok()?;
    match text {
        "" => return None,
        "true" => return Some(AttrValue::Bool(true)),
        "false" => return Some(AttrValue::Bool(false)),
        "<#AttrNull>" => return Some(AttrValue::Null),
        _ => {}
    }
    read_number(text, kind)
        .or_else(|| read_place(text))
        .or_else(|| read_complex(text))
        .or_else(|| read_pointer(text))
        .or_else(|| read_named(text))
        .or_else(|| read_type(context, word).map(AttrValue::Type))
        .or_else(|| is_word(text).then(|| AttrValue::Opaque(word.into())))
}

fn read_number(text: &str, kind: Option<AttrKind>) -> Option<AttrValue> {
    let first = text.trim_start_matches('-').as_bytes().first()?;
    if !first.is_ascii_digit() && !matches!(text, "inf" | "-inf" | "nan" | "-nan") {
        return None;
    }
    let float = |kind| Some(AttrValue::Float(FloatBits::new(read_float(text, kind)?), kind));
    match kind {
        Some(AttrKind::Float) => return float(FloatKind::F32),
        Some(AttrKind::Double) => return float(FloatKind::F64),
        _ => {}
    }
    let int_kind = match kind {
        Some(AttrKind::Int32) => IntKind::I32,
        Some(AttrKind::Int64) => IntKind::I64,
        _ => IntKind::NotSaid,
    };
    match text.parse::<i64>() {
        Ok(_) if text == "-0" => float(FloatKind::NotSaid),
        Ok(value) if int_kind == IntKind::I32 && i32::try_from(value).is_err() => {
            Some(AttrValue::Int(value, IntKind::NotSaid))
        }
        Ok(value) => Some(AttrValue::Int(value, int_kind)),
        Err(_) => float(FloatKind::NotSaid),
    }
}

fn read_float(text: &str, kind: FloatKind) -> Option<f64> {
    match text {
        "nan" => return Some(f64::NAN),
        "-nan" => return Some(-f64::NAN),
        _ => {}
    }
    match kind {
        FloatKind::F32 => text.parse::<f32>().ok().map(f64::from),
        _ => text.parse::<f64>().ok(),
    }
}

fn read_place(text: &str) -> Option<AttrValue> {
    let inside = text.strip_prefix("Place(")?.strip_suffix(')')?;
    Place::parse(inside).map(AttrValue::Place)
}

/// `real:1.5 imag:-2`
fn read_complex(text: &str) -> Option<AttrValue> {
    let (re, im) = text.strip_prefix("real:")?.split_once(" imag:")?;
    let part = |text| read_float(text, FloatKind::NotSaid).map(FloatBits::new);
    Some(AttrValue::Complex(part(re)?, part(im)?, FloatKind::NotSaid))
}

fn read_pointer(text: &str) -> Option<AttrValue> {
    let digits = text.strip_prefix("0x")?;
    u64::from_str_radix(digits, 16).ok().map(AttrValue::Pointer)
}

/// Element types that no tensor type has.
const OTHER_DTYPES: [&str; 4] = ["uint16", "uint32", "uint64", "pstring"];
const LAYOUTS: [&str; 10] = [
    "Undefined(AnyLayout)",
    "NHWC",
    "NCHW",
    "NCDHW",
    "NDHWC",
    "ONEDNN",
    "SPARSE_COO",
    "SPARSE_CSR",
    "PSTRING_UNION",
    "STRIDED",
];

/// Element types by their long names, and layouts.
fn read_named(text: &str) -> Option<AttrValue> {
    if OTHER_DTYPES.contains(&text) || ScalarType::from_dtype(text).is_some() {
        return Some(AttrValue::DataType(text.into()));
    }
    LAYOUTS.contains(&text).then(|| AttrValue::DataLayout(text.into()))
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-' | b'+')
    })
}
