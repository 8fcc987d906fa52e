//! "Did you mean": the word that another one may be a slip of.

/// The nearest of some words, if it is near: a third of the letters may differ.
pub fn nearest<'n>(wanted: &str, words: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let distance = |word: &&str| strsim::damerau_levenshtein(wanted, word);
    let is_near = |word: &&str| distance(word) <= (wanted.len().max(word.len()) / 3).max(1);
    words.into_iter().filter(is_near).min_by_key(distance)
}

/// `` `a`, `b`, `c` ``.
pub fn quoted<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_none() {
        let words = ["case", "run", "show"];
        assert_eq!(nearest("shwo", words), Some("show"));
        assert_eq!(nearest("rnu", words), Some("run"));
        assert_eq!(nearest("pipeline", words), None);
    }
}
