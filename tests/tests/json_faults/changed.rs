//! Files that were cut or changed: reading ends, without a panic.

use pirogue::ir::Context;
use pirogue::json::{self, WriteOptions};
use pirogue::text;
use pirogue_system_tests::corpus;

use crate::read;

#[test]
fn a_cut_file_is_an_error_at_every_length() {
    let source = std::fs::read(corpus::fixtures().join("programs/odd_strings.json"))
        .expect("the file is there");
    for length in 0..source.len() {
        let errors = json::read_program(&Context::new(), "cut.json", &source[..length])
            .err()
            .expect("it is refused");
        assert_eq!(errors[0].code, "E0150", "{length}");
    }
}

/// Reads, and where that succeeds prints and writes.
fn survives(source: &str) {
    match read(source) {
        Ok(read) => {
            text::to_bytes(&read.program);
            // What is of no known kind may have no form; that is said.
            _ = json::write_program(&read.program, &mut Vec::new(), WriteOptions::default());
        }
        Err(errors) => assert!(!errors.is_empty() && !errors[0].to_string().is_empty()),
    }
}

/// Where strings and numbers stand in a file that is well formed and has no escapes.
fn scalars(source: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let starts = source
        .char_indices()
        .filter(|&(at, _)| at > 0 && b":[,".contains(&source.as_bytes()[at - 1]));
    starts.filter_map(|(at, letter)| {
        let length = match letter {
            '"' => source[at + 1..].find('"')? + 2,
            '-' | '0'..='9' => source[at..].find([',', ']', '}'])?,
            _ => return None,
        };
        Some(at..at + length)
    })
}

/// Whatever stands in a file, reading ends, and what is read can be printed.
#[test]
fn changed_files_never_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "-1",
        "0",
        "1e999",
        "null",
        "true",
        "\"#\"",
        "\"p\"",
        "\\u0000",
        "é",
        "99999999999999999999",
    ];
    for name in ["odd_strings", "while_nested_if", "if_with_grad", "tensor_array"] {
        let source = std::fs::read(corpus::fixtures().join(format!("programs/{name}.json")))
            .expect("the file is there");
        for _ in 0..500 {
            let mut changed = source.clone();
            for _ in 0..=random(3) {
                let start = random(changed.len());
                let end = changed.len().min(start + random(20));
                let piece = pieces[random(pieces.len() * 2) % pieces.len()]
                    .bytes()
                    .filter(|_| start % 3 > 0);
                changed.splice(start..end, piece.collect::<Vec<u8>>());
            }
            survives(&String::from_utf8_lossy(&changed));
        }
        // Well-formed files that say something else.
        let source = String::from_utf8(source).expect("JSON is UTF-8");
        let scalars: Vec<_> = scalars(&source).collect();
        for _ in 0..1000 {
            let (from, to) =
                (scalars[random(scalars.len())].clone(), scalars[random(scalars.len())].clone());
            let others = [
                "-1",
                "0",
                "[]",
                "{}",
                "null",
                "[[1]]",
                "1e300",
                "9223372036854775807",
                "\"NULL\"",
                "\"p\"",
            ];
            let new = if random(2) == 0 { &source[to] } else { others[random(others.len())] };
            survives(&format!("{}{new}{}", &source[..from.start], &source[from.end..]));
        }
    }
}
