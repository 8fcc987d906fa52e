//! Values made in code are spelled as Paddle spells them.

use pirogue::ir::{
    AttrValue, Context, FloatBits, FloatKind, IntKind, Place, Scalar, ScalarType, TensorType, Type,
    TypeKind,
};
use pirogue::text::{attr_text, type_text};
use pirogue_system_tests::corpus::fixtures;

fn float(value: f64, kind: FloatKind) -> AttrValue {
    AttrValue::Float(FloatBits::new(value), kind)
}

#[test]
fn every_recorded_float_is_spelled_as_paddle_does() {
    let context = Context::new();
    let table = std::fs::read_to_string(fixtures().join("float-format.tsv")).expect("it is there");
    let mut checked = 0;
    for line in table.lines() {
        let [kind, bits, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let bits = u64::from_str_radix(bits, 16).expect("bits are hexadecimal");
        let value = match kind {
            "f32" => float(f32::from_bits(bits as u32).into(), FloatKind::F32),
            _ => float(f64::from_bits(bits), FloatKind::F64),
        };
        // A zero prints with the sign of the zero that the recording process made first.
        let is_zero = matches!(text, "0" | "-0");
        if !is_zero {
            assert_eq!(attr_text(&context, context.attr(value)), text, "{line}");
            checked += 1;
        }
    }
    assert!(checked > 4000, "only {checked} numbers were checked");
}

/// The rows of the probe whose text is what a value made here must give.
fn probe() -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes = std::fs::read(fixtures().join("attr-type-probe.tsv")).expect("it is there");
    // One string holds a line feed: its row goes on on a line without a tab.
    let mut rows: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        match line.iter().position(|&byte| byte == b'\t') {
            Some(tab) if line[..tab].iter().all(|&b| b != b'"') => {
                rows.push((line[..tab].to_vec(), line[tab + 1..].to_vec()));
            }
            _ => {
                if let Some((_, text)) = rows.last_mut().filter(|_| !line.is_empty()) {
                    text.push(b'\n');
                    text.extend_from_slice(line);
                }
            }
        }
    }
    rows
}

#[test]
fn every_kind_of_attribute_is_spelled_as_paddle_does() {
    let context = Context::new();
    let rows = probe();
    let recorded = |label: &str| -> Vec<&[u8]> {
        let rows = rows.iter().filter(|(found, _)| found == label.as_bytes());
        rows.map(|(_, text)| text.as_slice()).collect()
    };
    let complex = |re, im, kind| AttrValue::Complex(FloatBits::new(re), FloatBits::new(im), kind);
    let scalar = |value| AttrValue::Scalar(value);
    let attr = |value| context.attr(value);
    let mixed = [
        attr(AttrValue::int32(1)),
        attr(AttrValue::Int(1, IntKind::I64)),
        attr(float(1.0, FloatKind::F32)),
        attr(float(1.0, FloatKind::F64)),
        attr(AttrValue::Bool(true)),
        attr(AttrValue::string("s")),
        attr(AttrValue::Null),
        attr(AttrValue::Array([attr(AttrValue::int32(2))].into())),
    ];
    let tensor = context.ty(TypeKind::Tensor(TensorType::new([2, 3], ScalarType::F32)));
    let cases = [
        ("bool", AttrValue::Bool(true)),
        ("f32 -nan", float(-f64::NAN, FloatKind::F32)),
        ("i32", AttrValue::int32(i32::MIN)),
        ("i64", AttrValue::Int(i64::MIN, IntKind::I64)),
        ("index", AttrValue::Int(i64::MAX, IntKind::Index)),
        ("pointer null", AttrValue::Pointer(0)),
        ("pointer 0x1234", AttrValue::Pointer(0x1234)),
        ("c64", complex(1.5, -2.0, FloatKind::F32)),
        ("c128", complex(1.0 / 3.0, f64::INFINITY, FloatKind::F64)),
        ("tensorname", AttrValue::TensorName((*b"t\"n").into())),
        ("null", AttrValue::Null),
        ("array empty", AttrValue::Array([].into())),
        ("array mixed", AttrValue::Array(mixed.into())),
        ("type attr f32", AttrValue::Type(context.ty(TypeKind::Scalar(ScalarType::F32)))),
        ("type attr null", AttrValue::Type(Type::NULL)),
        ("type attr tensor", AttrValue::Type(tensor)),
        ("intarray", AttrValue::IntArray([1, -2, 3].into())),
        ("intarray empty", AttrValue::IntArray([].into())),
        ("scalar f32", scalar(Scalar::Float(FloatBits::new(0.1f32.into()), FloatKind::F32))),
        ("scalar f64", scalar(Scalar::Float(FloatBits::new(1.0 / 3.0), FloatKind::F64))),
        ("scalar i64", scalar(Scalar::Int(9_007_199_254_740_993, IntKind::I64))),
        ("scalar i32", scalar(Scalar::Int(-7, IntKind::I32))),
        ("scalar bool", scalar(Scalar::Bool(true))),
        (
            "scalar c64",
            scalar(Scalar::Complex(FloatBits::new(1.0), FloatBits::new(2.0), FloatKind::F32)),
        ),
        ("scalar inf", scalar(Scalar::Float(FloatBits::new(f64::INFINITY), FloatKind::F64))),
        ("dtype 0", AttrValue::DataType("Undefined".into())),
        ("dtype 14", AttrValue::DataType("pstring".into())),
        ("layout 0", AttrValue::DataLayout("Undefined(AnyLayout)".into())),
        ("place undef", AttrValue::Place(Place { kind: "undefined".into(), device: Some(0) })),
        ("place cpu", AttrValue::Place(Place::cpu())),
        ("place gpu3", AttrValue::Place(Place::parse("gpu:3").expect("a device"))),
        ("place pinned", AttrValue::Place(Place::parse("gpu_pinned").expect("a device"))),
        ("place custom", AttrValue::Place(Place::parse("npu:2").expect("a device"))),
    ];
    for (label, value) in cases {
        let text = attr_text(&context, context.attr(value));
        assert_eq!(recorded(label), [text.as_bytes()], "{label}");
    }
    let strings: [&[u8]; 9] = [
        b"",
        b"plain",
        b"a\"b",
        b"a\\b",
        b"a\\\"b",
        b"tab\tx",
        b"nl\nx",
        b"}{:,()[]",
        "café".as_bytes(),
    ];
    let spelled =
        strings.map(|bytes| attr_text(&context, context.attr(AttrValue::Str(bytes.into()))));
    let recorded = recorded("str");
    assert_eq!(recorded[..9], spelled.iter().map(String::as_bytes).collect::<Vec<_>>());
    assert_eq!(recorded.len(), 10, "the last one is not UTF-8");
}

#[test]
fn every_kind_of_type_is_spelled_as_paddle_does() {
    let context = Context::new();
    let f32 = context.ty(TypeKind::Scalar(ScalarType::F32));
    let tensor = |dims: &[i64]| TensorType::new(dims, ScalarType::F32);
    let vec = |types: &[Type]| TypeKind::Vec(types.into());
    let tensor2 = context.ty(TypeKind::Tensor(tensor(&[2])));
    let cases = [
        ("T null", TypeKind::Null),
        ("T scalar tensor", TypeKind::Tensor(tensor(&[]))),
        ("T zero dim", TypeKind::Tensor(tensor(&[0]))),
        ("T dyn", TypeKind::Tensor(tensor(&[-1, -1]))),
        ("T vec empty", vec(&[])),
        ("T vec", vec(&[tensor2, f32, Type::NULL])),
        ("T vec nested", vec(&[context.ty(vec(&[f32]))])),
        ("T selected_rows", TypeKind::SelectedRows(tensor(&[2, -1]))),
        ("T tensor_array", TypeKind::TensorArray(tensor(&[2, 3]))),
        ("T coo", TypeKind::SparseCoo(tensor(&[2, 3]))),
        ("T csr", TypeKind::SparseCsr),
        ("T stack", TypeKind::Stack),
        ("T inlet", TypeKind::Inlet),
        ("T outlet", TypeKind::Outlet),
    ];
    let rows = probe();
    for (label, kind) in cases {
        let text = type_text(&context, context.ty(kind));
        let row = (label.as_bytes().to_vec(), text.into_bytes());
        assert!(rows.contains(&row), "{label}: {:?}", String::from_utf8_lossy(&row.1));
    }
    let scalars: Vec<&[u8]> =
        rows.iter().filter(|(label, _)| label == b"T").map(|(_, text)| text.as_slice()).collect();
    assert_eq!(scalars.len(), 16);
    for spelling in scalars {
        let scalar = ScalarType::from_spelling(spelling).expect("every element type is known");
        let text = type_text(&context, context.ty(TypeKind::Scalar(scalar)));
        assert_eq!(text.as_bytes(), spelling);
    }
}
