//! Printed programs as lines that can be compared.
//!
//! The order of `^kw:` lines and of the attributes of block arguments is hash order in Paddle, so it
//! does not count.

/// The lines of a printed program, those of kwargs sorted, their attributes too.
pub fn comparable_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_kwarg = |line: &String| line.trim_start().starts_with("%kwarg_");
    lines.iter_mut().filter(|line| is_kwarg(line)).for_each(|line| *line = sorted_attrs(line));
    let first = lines.iter().position(is_kwarg);
    if let Some(first) = first {
        let count = lines[first..].iter().take_while(|line| is_kwarg(line)).count();
        lines[first..first + count].sort();
    }
    lines
}

fn sorted_attrs(line: &str) -> String {
    let Some((head, attrs)) = line.split_once(" {") else { return line.to_owned() };
    let mut attrs: Vec<&str> = attrs.trim_end_matches('}').split(',').collect();
    attrs.sort_unstable();
    format!("{head} {{{}}}", attrs.join(","))
}

/// The ops of a printed program without the numbers of values.
pub fn blind_lines(text: &str) -> Vec<String> {
    let ops = text.lines().filter(|line| line.trim_start().starts_with('('));
    ops.map(|line| without_numbers(line.trim())).collect()
}

fn without_numbers(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut after_percent = false;
    for c in line.chars() {
        if after_percent && c.is_ascii_digit() {
            continue;
        }
        after_percent = c == '%';
        out.push(c);
    }
    out
}
