//! `plan.json`: a folder is a plan, or it is said why not.
//!
//! The programs of the folder are small and stay as they are.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pirogue::ir::Context;
use pirogue_plan::{read_folder, write_folder};
use tempfile::TempDir;

const PROGRAM: &str = "{\n    (%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",op_role:0,place:Place(cpu),shape:[1]} : () -> tensor<1xf32>\n}\n";

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["forward0", "backward0", "optimizer"] {
        let path = folder.path().join(name).with_extension("pir");
        std::fs::write(path, PROGRAM).expect("it can be written");
    }
    folder
});

fuzz_target!(|bytes: &[u8]| {
    let folder: &Path = FOLDER.path();
    std::fs::write(folder.join("plan.json"), bytes).expect("it can be written");
    match read_folder(&Context::new(), folder) {
        Ok(read) => {
            let target = tempfile::tempdir().expect("a temporary folder");
            let target = target.path().join("plan");
            write_folder(&read.plan, &target).expect("what was read can be written");
            let again = read_folder(&Context::new(), &target);
            assert!(again.is_ok(), "what was written can be read");
        }
        Err(errors) => {
            assert!(errors.iter().all(|error| !error.to_string().is_empty()) && !errors.is_empty());
        }
    }
});
