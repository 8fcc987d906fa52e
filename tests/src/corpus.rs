//! The recorded programs and runs of Paddle 3.3.1, from `fixtures/paddle`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use pirogue_passes::pipeline_scheduler_vpp::PipelineSchedulerVpp;
use serde::Deserialize;

/// One recorded run of `pipeline_scheduler_VPP`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, such as `real_pp2_vpp2_m2_r0`.
    pub case: String,
    /// What a right tool gives.
    pub expect: Expect,
    /// Why that is not `equal`; a letter and number name a quirk of Paddle.
    #[serde(default)]
    pub reason: String,
    /// The program given to the pass.
    pub input: Text,
    /// The options given to the pass.
    pub config: Config,
    /// What Paddle made, by job type.
    pub programs: Option<Vec<(String, Text)>>,
    /// The input as the pass left it; none: unchanged.
    pub after: Option<Text>,
    /// The job list, as `type:micro_batch` with spaces between.
    pub jobs: Option<String>,
    /// The distinct sets of names a job keeps.
    #[serde(default)]
    pub skip_gc_sets: Vec<Vec<String>>,
    /// Which of the sets each job has.
    #[serde(default)]
    pub skip_gc_index: Vec<usize>,
    /// What Paddle raised, or how it died.
    pub error: Option<serde_json::Value>,
    /// The plan run against the whole program.
    pub numeric: Option<serde_json::Value>,
}

impl Case {
    /// The pass with the options of the run.
    pub fn scheduler(&self) -> PipelineSchedulerVpp {
        PipelineSchedulerVpp {
            pp_degree: self.config.pp_degree,
            pp_stage: self.config.pp_stage,
            vpp_degree: self.config.vpp_degree,
            num_micro_batches: self.config.num_micro_batches,
            split_backward: self.config.split_backward,
            ..PipelineSchedulerVpp::default()
        }
    }
}

/// What a right tool gives for a case.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// What Paddle made.
    Equal,
    /// A plan that differs from Paddle's, which is wrong.
    Differs,
    /// A plan where Paddle fails.
    Beyond,
    /// A coded diagnostic.
    Refused,
    /// A coded diagnostic or a sound plan.
    Either,
}

/// The options of the pass.
#[derive(Copy, Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are Paddle's own")]
pub struct Config {
    pub num_micro_batches: u32,
    pub pp_degree: u32,
    pub pp_stage: u32,
    pub vpp_degree: u32,
    pub split_backward: bool,
}

/// A text as a list of lines of `lines.txt`.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Text(String);

static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let text =
        std::fs::read_to_string(fixtures().join("vpp/lines.txt")).expect("lines.txt is there");
    text.split('\n').map(str::to_owned).collect()
});

impl Text {
    /// The text, or nothing if it was not recorded.
    pub fn get(&self) -> Option<String> {
        if self.0 == "omitted" {
            return None;
        }
        let lines = self.0.split(' ').flat_map(|run| {
            let (first, last) = run.split_once('-').unwrap_or((run, run));
            let number = |text: &str| text.parse::<usize>().expect("line numbers are integers");
            LINES[number(first)..=number(last)].iter().map(String::as_str)
        });
        Some(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// The folder of recorded Paddle output.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/paddle")
}

/// All recorded runs, in order of their names.
pub fn cases() -> Vec<Case> {
    let text =
        std::fs::read_to_string(fixtures().join("vpp/cases.jsonl")).expect("cases.jsonl is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a case a line")).collect()
}

/// The printed programs: name and bytes.
pub fn programs() -> Vec<(String, Vec<u8>)> {
    files("txt")
}

/// The bytes of the programs that were saved as JSON.
pub fn json_programs() -> Vec<Vec<u8>> {
    files("json").into_iter().map(|(_, bytes)| bytes).collect()
}

fn files(extension: &str) -> Vec<(String, Vec<u8>)> {
    let folder = std::fs::read_dir(fixtures().join("programs")).expect("the folder is there");
    let mut programs: Vec<_> = folder
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("the file can be read"))
        })
        .collect();
    programs.sort();
    programs
}
