//! JSON: what is read verifies or says why not, and prints as text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pirogue::ir::{Context, verify};
use pirogue::{json, text};

fuzz_target!(|bytes: &[u8]| {
    match json::read_program(&Context::new(), "fuzz.json", bytes) {
        Ok(read) => {
            let _ = verify(&read.program);
            let _ = text::to_bytes(&read.program);
        }
        Err(errors) => {
            assert!(errors.iter().all(|error| !error.to_string().is_empty()) && !errors.is_empty());
        }
    }
});
