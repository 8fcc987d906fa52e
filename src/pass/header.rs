//! The comment at the head of a program that says which command to run on it.
//!
//! ```text
//! // reproduce: pirogue opt -p 'split{degree=2},cleanup'
//! ```
//!
//! Dumps and reproducers carry it, and the reader of programs passes over it; [`header_pipeline`]
//! gives the pipeline back, so that `pirogue opt` can run such a file as it is.

/// What stands before the quoted pipeline.
const COMMAND: &str = "pirogue opt -p ";
/// The header stands in the first lines.
const HEADER_LINES: usize = 16;

/// The line of a header that has the pipeline; `purpose` stands before the command.
pub(super) fn header_line(purpose: &str, pipeline: &str) -> String {
    // A pipeline that was read from text has no line ends: strings escape them. Words of passes
    // that were put together in code may hold anything.
    let pipeline = pipeline.replace(['\n', '\r'], " ").replace('\'', r"'\''");
    format!("// {purpose}{COMMAND}'{pipeline}'\n")
}

/// The pipeline in the header of a program text, if it has one.
///
/// ```
/// use pirogue::pass::header_pipeline;
/// let text = b"// reproduce: pirogue opt -p 'split{degree=2},cleanup'\n{\n}\n";
/// assert_eq!(header_pipeline(text).as_deref(), Some("split{degree=2},cleanup"));
/// assert_eq!(header_pipeline(b"{\n}\n"), None);
/// ```
pub fn header_pipeline(text: &[u8]) -> Option<String> {
    let lines = text.split(|&byte| byte == b'\n').take(HEADER_LINES);
    let comments = lines.take_while(|line| line.starts_with(b"//") || line.trim_ascii().is_empty());
    comments.filter_map(|line| quoted_pipeline(str::from_utf8(line).ok()?)).next()
}

fn quoted_pipeline(line: &str) -> Option<String> {
    let (_, quoted) = line.split_once(COMMAND)?;
    let inner = quoted.trim_end().strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace(r"'\''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_with_quotes_comes_back_from_the_header() {
        let pipeline = r#"rename{from="it's" to="a\nb"}"#;
        let text = format!("// after `x`\n{}{{\n}}\n", header_line("reproduce: ", pipeline));
        assert_eq!(header_pipeline(text.as_bytes()).as_deref(), Some(pipeline));
    }

    #[test]
    fn what_stands_in_the_program_is_no_header() {
        let text = b"{\n    // pirogue opt -p 'x'\n}\n";
        assert_eq!(header_pipeline(text), None);
        assert_eq!(header_pipeline(b"// pirogue opt -p x\n"), None);
    }
}
