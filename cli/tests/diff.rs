//! What a pass did to the example, as `pirogue diff` tells it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn pirogue(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pirogue"));
    command.args(arguments).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

const EXAMPLE: &str = "examples/gpt_stage0.pir";

/// What `pirogue opt` makes of the example, compared with the example.
fn example_and(opt: &[&str]) -> Output {
    let mut opt = pirogue(&[&["opt", EXAMPLE, "--quiet"], opt].concat())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let program = opt.stdout.take().expect("it is piped");
    let output = pirogue(&["diff", EXAMPLE, "-"]).stdin(program).output();
    assert!(opt.wait().expect("it ends").success());
    output.expect("the command runs")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// 16 products have a gradient; each becomes a product for the left operand, and for the right one a
/// product between reshapes. What read the gradients reads the new products.
#[test]
fn split_products_show_as_ops_removed_and_added_and_their_readers_as_changed() {
    let output = example_and(&["-p", "split_matmul_grad"]);
    assert_eq!(output.status.code(), Some(1));
    let text = printed(&output);
    let gone: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(gone.len(), 16);
    assert!(gone.iter().all(|line| line.contains("pd_op.matmul_grad")), "{gone:?}");
    assert_eq!(text.lines().last(), Some("116 added, 16 removed, 28 changed"));
    let changes = text.lines().filter(|line| line.starts_with("~     "));
    assert!(changes.clone().all(|line| line.starts_with("~     operand ")), "{text}");
    assert!(changes.clone().all(|line| line.contains(" => %+")), "{text}");
}

#[test]
fn what_is_saved_is_what_is_printed() {
    let output = example_and(&["--emit", "json"]);
    assert_eq!(printed(&output), "no differences\n");
    assert_eq!(output.status.code(), Some(0));
}
