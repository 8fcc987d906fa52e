//! Pipelines as text: what is read prints, and reads back the same.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pirogue::pass::{Pipeline, Registry};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::new();
    pirogue_passes::register(&mut registry).expect("names differ");
    registry
});

fuzz_target!(|text: &str| {
    match Pipeline::parse(&REGISTRY, text) {
        Ok(pipeline) => {
            let printed = pipeline.to_string();
            let again = Pipeline::parse(&REGISTRY, &printed);
            let again = again.unwrap_or_else(|errors| panic!("`{printed}`: {}", errors[0]));
            assert_eq!(again.to_string(), printed);
            let _ = pipeline.broken_rules();
        }
        Err(errors) => {
            assert!(errors.iter().all(|error| !error.to_string().is_empty()) && !errors.is_empty());
        }
    }
});
