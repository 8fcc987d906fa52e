//! Hostile input: cut anywhere, absurdly large, deep, doubled. Every input ends in a coded diagnostic
//! or in success.
//!
//! The very large ones are ignored; `cargo test --release -p pirogue-system-tests --test hostile --
//! --ignored --test-threads 1 --nocapture` runs them and says what each took.

mod cut;
mod deep;
mod doubled;
mod large;
mod numbers;
