//! Reading attributes: `{"AT":{"#":"0.a_i32","D":1},"N":"axis"}`.

use crate::ir::{Attr, AttrValue, FloatBits, FloatKind, IntKind, Name, OpDist, Scalar, names};
use crate::json::codes::{self, KIND_NOT_SAID, LOCAL_NOT_SAID, NEGATIVE, NULL, UNDEFINED_DTYPE};
use crate::json::dist::OpSpread;
use crate::json::document::{Json, Kind};
use crate::json::fault::{Fault, ReadError};

use super::{Coded, DEPTH, OpAttrs, Reader};

/// # Named attributes
impl<'d> Reader<'d> {
    /// Adds the attributes of a list to those of an op; `chunk_id` and `op_role` go apart.
    pub(super) fn op_attrs(&mut self, list: Json<'d>, attrs: &mut OpAttrs) -> Result<(), Fault> {
        for json in list.list()? {
            let (name, attr) = self.named_attr(json)?;
            self.put(name, attr, attrs);
        }
        Ok(())
    }

    /// Adds one attribute to those of an op.
    pub(super) fn put(&mut self, name: Name, attr: Attr, attrs: &mut OpAttrs) {
        let column = match self.context.attr_value(attr) {
            // The lowest number stands for "absent" in a column.
            AttrValue::Int(value, IntKind::I32 | IntKind::NotSaid) => {
                i32::try_from(*value).ok().filter(|&value| value != i32::MIN)
            }
            _ => None,
        };
        let replaced = match (name, column) {
            (names::CHUNK_ID, Some(chunk)) => attrs.chunk.replace(chunk),
            (names::OP_ROLE, Some(role)) => attrs.role.replace(role),
            _ => {
                attrs.odd_column |= matches!(name, names::CHUNK_ID | names::OP_ROLE);
                attrs.entries.push((name, attr));
                None
            }
        };
        if replaced.is_some() {
            attrs.twice = Some(name);
        }
    }

    /// Of two attributes of one name one would be lost.
    pub(super) fn check_distinct(
        &self,
        json: Json<'d>,
        entries: &[(Name, Attr)],
        twice: Option<Name>,
    ) -> Result<(), Fault> {
        let mut names: Vec<Name> = entries.iter().map(|&(name, _)| name).collect();
        names.sort_unstable();
        let repeated = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        match twice.or(repeated) {
            None => Ok(()),
            Some(name) => {
                let name = self.context.name_text(name).to_owned();
                Err(json.fault(ReadError::Twice { name }))
            }
        }
    }

    pub(super) fn named_attr(&mut self, json: Json<'d>) -> Result<(Name, Attr), Fault> {
        let [name, attr] = self.fields(json, ["N", "AT"])?;
        let name = self.need(json, name, "N")?.text()?;
        let attr = self.need(json, attr, "AT")?;
        Ok((self.context.name(&name), self.attr(attr)?))
    }

    /// Reads a value; the same text is the same value.
    fn attr(&mut self, json: Json<'d>) -> Result<Attr, Fault> {
        if let Some(&attr) = self.attrs.get(json.raw()) {
            return Ok(attr);
        }
        let attr = self.new_attr(json, 0)?;
        self.attrs.insert(json.raw(), attr);
        Ok(attr)
    }
}

/// # Values
impl<'d> Reader<'d> {
    fn new_attr(&mut self, json: Json<'d>, depth: usize) -> Result<Attr, Fault> {
        if depth > DEPTH {
            return Err(json.fault(ReadError::DeepValue { limit: DEPTH }));
        }
        let coded = self.coded(json)?;
        let value = match &*coded.code {
            NULL => AttrValue::Null,
            "0.a_bool" => AttrValue::Bool(coded.data()?.truth()?),
            "0.a_i32" | "0.a_i64" | "0.a_index" | "0.a_f32" | "0.a_f64" => self.number(&coded)?,
            "0.a_c64" | "0.a_c128" => self.complex(&coded)?,
            "0.a_str" => AttrValue::Str(bytes(coded.data()?)?),
            "0.a_tensorname" => AttrValue::TensorName(bytes(coded.data()?)?),
            "0.a_array" => {
                let elements =
                    coded.data()?.list()?.map(|element| self.new_attr(element, depth + 1));
                AttrValue::Array(elements.collect::<Result<_, Fault>>()?)
            }
            "0.a_type" => AttrValue::Type(self.ty(coded.data()?)?),
            "1.a_intarray" => AttrValue::IntArray(coded.data()?.integers()?.into()),
            "1.a_scalar" => AttrValue::Scalar(scalar(coded.data()?)?),
            "1.a_dtype" => AttrValue::DataType(dtype(&coded.data()?.text()?).into()),
            "1.a_layout" => AttrValue::DataLayout(coded.data()?.text()?.into()),
            "1.a_place" => return self.place(coded.data()?),
            "4.a_op_dist" => AttrValue::OpDist(op_dist(&coded)?),
            "pirogue.a_pointer" => AttrValue::Pointer(pointer(coded.data()?)?),
            "pirogue.a_opaque" => match bytes(coded.data()?)? {
                // The kind that the text reader gives to what stands in braces.
                printed if printed.starts_with(b"{") => {
                    AttrValue::OpDist(OpDist { printed, json: None })
                }
                bytes => AttrValue::Opaque(bytes),
            },
            code => {
                self.warn_of_foreign(json, code);
                AttrValue::Opaque(json.compact().into_bytes().into())
            }
        };
        Ok(self.context.attr(value))
    }

    fn number(&mut self, coded: &Coded<'d>) -> Result<AttrValue, Fault> {
        let is_said = !coded.says(KIND_NOT_SAID);
        let Some(data) = coded.data else {
            let kind = if is_said { float_kind(&coded.code) } else { FloatKind::NotSaid };
            return Ok(AttrValue::Float(FloatBits::new(void_number(coded)?), kind));
        };
        if !is_said {
            return match data.kind() {
                Kind::Integer => Ok(AttrValue::Int(data.integer()?, IntKind::NotSaid)),
                _ => Ok(AttrValue::Float(FloatBits::new(data.number()?), FloatKind::NotSaid)),
            };
        }
        match &*coded.code {
            "0.a_i32" => Ok(AttrValue::Int(i64::from(int32(data)?), IntKind::I32)),
            "0.a_i64" => Ok(AttrValue::Int(data.integer()?, IntKind::I64)),
            "0.a_index" => Ok(AttrValue::Int(data.integer()?, IntKind::Index)),
            "0.a_f32" => Ok(AttrValue::Float(FloatBits::new(single(data)?), FloatKind::F32)),
            _ => Ok(AttrValue::Float(FloatBits::new(data.number()?), FloatKind::F64)),
        }
    }

    fn complex(&mut self, coded: &Coded<'d>) -> Result<AttrValue, Fault> {
        let [re, im] = coded.data()?.list_of("`[real part, imaginary part]`")?;
        let kind = match (coded.says(KIND_NOT_SAID), &*coded.code) {
            (true, _) => FloatKind::NotSaid,
            (false, "0.a_c64") => FloatKind::F32,
            _ => FloatKind::F64,
        };
        let part = |json| if kind == FloatKind::F32 { single(json) } else { json.number() };
        Ok(AttrValue::Complex(FloatBits::new(part(re)?), FloatBits::new(part(im)?), kind))
    }

    fn place(&mut self, data: Json<'d>) -> Result<Attr, Fault> {
        let expected = "`[device type, device id, name of the device type]`";
        let [kind, device, name] = data.list_of(expected)?;
        let place = codes::place(kind.integer()?, device.integer()?, &name.text()?);
        let Some((place, spelling)) = place else {
            return Err(data
                .fault(ReadError::BadWord { expected: "a known device", found: data.compact() }));
        };
        let value = AttrValue::Place(place);
        Ok(match spelling {
            None => self.context.attr(value),
            Some(spelling) => self.context.attr_spelled(value, spelling.as_bytes()),
        })
    }
}

/// Mesh dim names that are made up are not kept.
fn op_dist(coded: &Coded<'_>) -> Result<OpDist, Fault> {
    let printed = OpSpread::from_json(coded.json)?.to_string().into_bytes().into();
    let json = (!coded.says(LOCAL_NOT_SAID)).then(|| coded.json.compact().into());
    Ok(OpDist { printed, json })
}

/// `"VD":"INF"`: JSON has no such numbers. Paddle 3.3.1 writes `NaN` and reads `NAN`.
fn void_number(coded: &Coded<'_>) -> Result<f64, Fault> {
    let Some(void) = coded.void.filter(|_| matches!(&*coded.code, "0.a_f32" | "0.a_f64")) else {
        return Err(coded.json.fault(ReadError::Missing { key: "D" }));
    };
    let text = void.text()?;
    match &*text {
        "INF" => Ok(f64::INFINITY),
        "-INF" => Ok(f64::NEG_INFINITY),
        "NaN" | "NAN" if coded.says(NEGATIVE) => Ok(-f64::NAN),
        "NaN" | "NAN" => Ok(f64::NAN),
        _ => {
            let expected = "`INF`, `-INF` or `NaN`";
            Err(void.fault(ReadError::BadWord { expected, found: text.into_owned() }))
        }
    }
}

fn float_kind(code: &str) -> FloatKind {
    if code == "0.a_f32" { FloatKind::F32 } else { FloatKind::F64 }
}

fn bytes(json: Json<'_>) -> Result<Box<[u8]>, Fault> {
    Ok(json.text()?.as_bytes().into())
}

pub(super) fn int32(json: Json<'_>) -> Result<i32, Fault> {
    let error = ReadError::OutOfRange { kind: "a 32-bit integer" };
    i32::try_from(json.integer()?).map_err(|_| json.fault(error))
}

/// A number as a `float` holds it.
fn single(json: Json<'_>) -> Result<f64, Fault> {
    let value = json.number()? as f32;
    match value.is_finite() {
        true => Ok(f64::from(value)),
        false => Err(json.fault(ReadError::OutOfRange { kind: "a float" })),
    }
}

fn pointer(json: Json<'_>) -> Result<u64, Fault> {
    let text = json.text()?;
    let digits = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    digits.ok_or_else(|| {
        json.fault(ReadError::BadWord { expected: "an address", found: text.into_owned() })
    })
}

/// Text has `Undefined` for JSON's longer word.
fn dtype(text: &str) -> &str {
    let (long, short) = UNDEFINED_DTYPE;
    if text == long { short } else { text }
}

/// `["int64",5]`; a complex number has two parts.
fn scalar(json: Json<'_>) -> Result<Scalar, Fault> {
    let mut items = json.list()?;
    let expected = "`[dtype, value]`";
    let mut next = || items.next().ok_or_else(|| json.fault(ReadError::Length { expected }));
    let dtype = next()?;
    let value = next()?;
    let double = |json: Json<'_>| Ok(FloatBits::new(json.number()?));
    let float = |json: Json<'_>| Ok(FloatBits::new(single(json)?));
    let scalar = match &*dtype.text()? {
        "bool" => Scalar::Bool(value.truth()?),
        "int32" => Scalar::Int(i64::from(int32(value)?), IntKind::I32),
        "int64" => Scalar::Int(value.integer()?, IntKind::I64),
        "float32" => Scalar::Float(float(value)?, FloatKind::F32),
        "float64" => Scalar::Float(double(value)?, FloatKind::F64),
        "complex64" => Scalar::Complex(float(value)?, float(next()?)?, FloatKind::F32),
        "complex128" => Scalar::Complex(double(value)?, double(next()?)?, FloatKind::F64),
        found => {
            let expected = "a dtype that a scalar attribute can have";
            return Err(dtype.fault(ReadError::BadWord { expected, found: found.to_owned() }));
        }
    };
    match items.next() {
        None => Ok(scalar),
        Some(_) => Err(json.fault(ReadError::Length { expected })),
    }
}
