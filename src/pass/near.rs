//! "Did you mean": the names that are near to one that does not exist.

/// Longer names are not compared: nobody mistypes one, and the cost is quadratic.
const LONGEST: usize = 80;

/// Up to three names that `wanted` may be a slip of, the nearest first.
pub(crate) fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let short_names = names.into_iter().filter(|name| name.len() <= LONGEST);
    let mut near: Vec<(usize, &str)> = short_names
        .map(|name| (distance(wanted, name), name))
        .filter(|near| near.0 < FAR)
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// No slip is this far.
const FAR: usize = usize::MAX;

/// How far a slip is: a third of the letters may differ, and what is only longer or shorter at an
/// end comes behind.
fn distance(wanted: &str, name: &str) -> usize {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    let letters = wanted.chars().count().max(name.chars().count());
    let edits = strsim::damerau_levenshtein(&wanted, &name);
    if edits <= (letters / 3).max(1) {
        return edits;
    }
    let is_part = wanted.len() >= 3 && (name.contains(&wanted) || wanted.contains(&name));
    if is_part { letters + edits } else { FAR }
}

/// `` `a`, `b` or `c` ``.
pub(crate) fn either(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name_and_a_stranger_finds_none() {
        let names = ["infer_chunk_ids", "infer_op_roles", "split_matmul_grad"];
        assert_eq!(nearest("infer_chunk_id", names), ["infer_chunk_ids"]);
        assert_eq!(nearest("INFER_CHUNK_IDS", names), ["infer_chunk_ids"]);
        assert_eq!(nearest("matmul", names), ["split_matmul_grad"]);
        assert!(nearest("zzz", names).is_empty());
        assert!(nearest(&"x".repeat(100_000), names).is_empty());
    }

    #[test]
    fn alternatives_read_as_a_sentence() {
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
