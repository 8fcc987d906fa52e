//! What a person types, and what he sees.

/// `TRYCMD=overwrite cargo test -p pirogue-cli` takes what the command says now as right.
#[test]
fn commands_say_what_is_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").run();
}
