//! Random damage to real inputs: a coded diagnostic or success, never a panic, and what is read comes
//! back equal.
//!
//! `MUTATION_SECONDS` (default 2) and `MUTATION_SEED` (default 1) set how long and from where. A run
//! says how many inputs it tried; the seed and the number of an input name it.

use std::time::{Duration, Instant};

use pirogue_system_tests::corpus;
use pirogue_system_tests::damage::{Damage, Random};
use pirogue_system_tests::ordeal::{Reached, survives};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn damaged_inputs_end_in_a_coded_diagnostic_or_in_success() {
    let inputs = inputs();
    let until = Instant::now() + Duration::from_secs(number("MUTATION_SECONDS", 2));
    let seed = number("MUTATION_SEED", 1);
    let mut random = Random::new(seed);
    let (mut tried, mut read, mut planned) = (0u64, 0u64, 0u64);
    while Instant::now() < until {
        let input = &inputs[random.below(inputs.len())];
        let other = &inputs[random.below(inputs.len())];
        let damaged = Damage::any(&mut random).apply(input, other, &mut random);
        tried += 1;
        match std::panic::catch_unwind(|| survives(&damaged)) {
            Ok(reached) => {
                read += u64::from(reached >= Reached::Read);
                planned += u64::from(reached == Reached::Planned);
            }
            Err(_) => {
                let text = String::from_utf8_lossy(&damaged);
                let shown: String = text.chars().take(2000).collect();
                panic!("input {tried} of seed {seed} fails; it begins\n{shown}");
            }
        }
    }
    println!("{tried} damaged inputs, {read} read all the same, {planned} planned");
    assert!(tried > 10 && read > 0 && read < tried, "{tried} tried, {read} read");
}

/// Programs small enough to try many of.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = corpus::programs().into_iter().map(|(_, bytes)| bytes).collect();
    inputs
        .extend(corpus::cases().iter().filter_map(|case| case.input.get()).map(String::into_bytes));
    inputs.extend(corpus::json_programs());
    inputs.retain(|input| input.len() < 120_000);
    inputs
}
