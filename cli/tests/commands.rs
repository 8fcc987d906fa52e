//! What a person types, and what is said in answer.

/// `TRYCMD=overwrite cargo test -p pirogue-cli` takes what the command says now as right.
#[test]
fn commands_say_what_is_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("tests/cmd/*.toml").run();
}
