//! Text: what is read verifies or says why not, prints, and reads back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pirogue::ir::{CompareOptions, Context, Numbers, compare_with, verify};
use pirogue::text;

fuzz_target!(|bytes: &[u8]| {
    let read = match text::read_program(&Context::new(), "fuzz.pir", bytes) {
        Ok(read) => read.program,
        Err(errors) => {
            assert!(errors.iter().all(|error| !error.to_string().is_empty()) && !errors.is_empty());
            return;
        }
    };
    let _ = verify(&read);
    let printed = text::to_bytes(&read);
    let again = text::read_program(&Context::new(), "again.pir", &printed);
    let again = again.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    assert!(text::to_bytes(&again) == printed, "it does not print back");
    let options = CompareOptions { numbers: Numbers::AsPrinted };
    if let Err(difference) = compare_with(&read, &again, options) {
        panic!("it comes back as another program: {difference}");
    }
});
