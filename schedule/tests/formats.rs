//! Files of other systems are read, written and read back; damage is refused and never a panic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use pirogue_schedule::check::Complete;
use pirogue_schedule::format::{self, Format, Loss};
use pirogue_schedule::{
    BackwardMode, Chunk, Counts, Job, JobKind, JobType, MicroBatch, Placement, Schedule, Shape,
    Stage, Vpp,
};
use proptest::prelude::*;

const TORCH: &str = include_str!("data/torch_rows.txt");
const MEGATRON: &str = include_str!("data/megatron_rows.txt");
const PADDLE: &str = include_str!("data/paddle_rows.txt");

/// The lines of a file that hold data.
fn data_lines(file: &str) -> impl Iterator<Item = &str> {
    file.lines().filter(|line| !line.starts_with('#'))
}

/// A row of torch's data.
struct TorchRow {
    /// `name pp stages_per_rank microbatches`.
    head: &'static str,
    stage_to_rank: Vec<Stage>,
    compute: String,
    lowered: Option<String>,
}

fn torch_rows() -> Vec<TorchRow> {
    let mut rows: Vec<TorchRow> = Vec::new();
    for line in data_lines(TORCH) {
        if let Some(head) = line.strip_prefix("= ") {
            let (head, ranks) = head.split_once(", ").unwrap();
            let ranks = ranks.split(' ').map(|rank| Stage(rank.parse().unwrap())).collect();
            let (compute, lowered) = (String::new(), None);
            rows.push(TorchRow { head, stage_to_rank: ranks, compute, lowered });
            continue;
        }
        let row = rows.last_mut().unwrap();
        if line == "lowered" {
            row.lowered = Some(String::new());
            continue;
        }
        let csv = row.lowered.as_mut().unwrap_or(&mut row.compute);
        writeln!(csv, "{line}").unwrap();
    }
    rows
}

fn read_as(text: &str, format: Format) -> Schedule {
    format::read(text.as_bytes(), Some(format)).unwrap().schedule
}

fn code(text: &str, format: Format) -> &'static str {
    format::read(text.as_bytes(), Some(format)).unwrap_err().code()
}

/// The rows without idle slots.
fn without_idle_slots(csv: &str) -> String {
    let row = |line: &str| {
        line.split(',').filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(",") + "\n"
    };
    csv.lines().map(row).collect()
}

/// What is lost is what is said to be lost: where nothing is, the schedule comes back.
fn check_rewriting(schedule: &Schedule) {
    for format in Format::ALL {
        let Ok(written) = format::write(schedule, format) else { continue };
        let read = format::read(written.text.as_bytes(), Some(format));
        if written.lost.is_empty() {
            let reading = read.unwrap();
            assert_eq!(reading.lost, [], "{format}");
            assert_eq!(&reading.schedule, schedule, "{format}:\n{}", written.text);
            assert_eq!(
                reading.schedule.stages().collect::<Vec<_>>(),
                schedule.stages().collect::<Vec<_>>()
            );
        }
    }
    let json = format::write(schedule, Format::Json).unwrap();
    assert_eq!(json.lost, []);
}

#[test]
fn torchs_rows_are_written_as_torch_writes_them() {
    let mut actions = 0;
    for row in torch_rows() {
        let csvs = [Some(row.compute), row.lowered];
        for csv in csvs.into_iter().flatten() {
            let reading = format::read(csv.as_bytes(), None).unwrap();
            assert_eq!(reading.format, Format::Csv);
            let ranks = reading.schedule.stages().len() as u64;
            let placement = Placement::of_stages(ranks, &row.stage_to_rank).unwrap();
            assert_eq!(*reading.schedule.placement(), placement, "{}", row.head);
            let written = format::write(&reading.schedule, Format::Csv).unwrap();
            assert_eq!(written.lost, [], "{}", row.head);
            assert_eq!(written.text, without_idle_slots(&csv), "{}", row.head);
            let idle = csv.lines().flat_map(|line| line.split(',')).filter(|cell| cell.is_empty());
            let lost = reading.lost.iter().map(|lost| {
                assert_eq!(lost.what, Loss::IdleSlots);
                lost.count
            });
            assert_eq!(lost.sum::<u64>(), idle.count() as u64, "{}", row.head);
            check_rewriting(&reading.schedule);
            actions += reading.schedule.jobs().len();
        }
    }
    // Twelve rows of seven schedules, with and without messages.
    assert_eq!(actions, 3022);
}

#[test]
fn torchs_lowered_rows_hold_the_computations_of_the_others() {
    for row in torch_rows() {
        let computations = |csv: &str| -> Vec<Job> {
            let schedule = read_as(csv, Format::Csv);
            let jobs = schedule.jobs().iter().copied();
            jobs.filter(|job| job.kind().is_computation()).collect()
        };
        assert_eq!(computations(&row.compute), computations(&row.lowered.unwrap()));
    }
}

#[test]
fn pairs_that_overlap_are_fused_pairs() {
    let mut pairs = 0;
    for row in torch_rows() {
        let written = row.compute.matches("OVERLAP_F_B").count();
        assert_eq!(read_as(&row.compute, Format::Csv).fused_pairs().len(), written);
        pairs += written;
    }
    assert_eq!(pairs, 35);
}

#[test]
fn a_v_of_torch_is_printed_as_zero_bubble_prints_it() {
    let mut converted = 0;
    for row in torch_rows().iter().filter(|row| row.head.starts_with("ZBV")) {
        let schedule = read_as(&row.compute, Format::Csv);
        let text = format::write(&schedule, Format::ZeroBubble).unwrap().text;
        assert_eq!(read_as(&text, Format::ZeroBubble), schedule);
        assert_eq!(format::detect(text.as_bytes()), Some(Format::ZeroBubble));
        converted += 1;
    }
    assert_eq!(converted, 2);
}

#[test]
fn megatrons_rows_come_back_number_for_number() {
    let mut rows = 0;
    for line in data_lines(MEGATRON) {
        let reading = format::read(line.as_bytes(), None).unwrap();
        assert_eq!(reading.format, Format::Megatron);
        Complete::of(&reading.schedule).unwrap();
        let written = format::write(&reading.schedule, Format::Megatron).unwrap();
        assert_eq!(written.lost, []);
        let compact = written.text.replace(['\n', ' '], "");
        let table = compact.split("\"table\":").nth(1).unwrap().split(",\"order\"").next().unwrap();
        let order = compact.split("\"order\":").nth(1).unwrap().trim_end_matches('}');
        assert!(line.contains(&format!("\"table\":{table},")), "{line}");
        assert!(line.contains(&format!("\"order\":{order}")), "{line}");
        check_rewriting(&reading.schedule);
        rows += 1;
    }
    assert_eq!(rows, 7);
}

#[test]
fn megatrons_schedules_pass_through_torchs_csv() {
    for line in data_lines(MEGATRON) {
        let schedule = read_as(line, Format::Megatron);
        let csv = format::write(&schedule, Format::Csv).unwrap();
        assert_eq!(csv.lost, []);
        assert_eq!(read_as(&csv.text, Format::Csv), schedule);
    }
}

#[test]
fn paddles_rows_come_back_job_for_job() {
    let mut rows = 0;
    for line in data_lines(PADDLE) {
        let reading = format::read(line.as_bytes(), None).unwrap();
        assert_eq!(reading.format, Format::Paddle);
        let written = format::write(&reading.schedule, Format::Paddle).unwrap();
        assert_eq!(written.lost, []);
        let ranks = |text: &str| {
            text.replace(['\n', ' '], "").split_off(text.find("\"ranks\"").unwrap_or(0))
        };
        assert!(ranks(line).ends_with(&ranks(&written.text)), "{line}");
        let text = format::write(&reading.schedule, Format::Jobs).unwrap();
        assert_eq!(text.lost, []);
        assert_eq!(read_as(&text.text, Format::Jobs), reading.schedule);
        check_rewriting(&reading.schedule);
        rows += 1;
    }
    assert_eq!(rows, 18);
}

#[test]
fn what_paddle_has_and_torch_has_not_is_listed() {
    let schedule = Vpp::new(2, 2, 4, BackwardMode::Whole).unwrap().schedule();
    let written = format::write(&schedule, Format::Csv).unwrap();
    let lost: Vec<String> = written.lost.iter().map(ToString::to_string).collect();
    assert_eq!(
        lost,
        [
            "16 `recv_forward` jobs left out: `csv` takes both ends of messages or none",
            "16 `send_backward` jobs left out: `csv` takes both ends of messages or none",
            "2 `optimizer` jobs left out: `csv` has no such job",
        ]
    );
    let computations = |schedule: &Schedule| -> Vec<Job> {
        schedule.jobs().iter().copied().filter(|job| job.kind().is_computation()).collect()
    };
    assert_eq!(computations(&read_as(&written.text, Format::Csv)), computations(&schedule));
}

// Bugs of others, by their names in the table of public reports.

#[test]
fn b5_an_action_with_something_behind_it_is_refused() {
    assert_eq!(code("2F0xyz\n", Format::Csv), "E0387");
    assert_eq!(code("0F0,0B0\n1F0,1B0 1F1\n", Format::Csv), "E0387");
}

#[test]
fn b5_a_stage_that_there_is_not_is_refused_and_no_key_error() {
    assert_eq!(code("5F0,5B0\n", Format::Csv), "E0389");
}

#[test]
fn b5_duplicates_and_both_kinds_of_backward_are_faults_of_the_multiset() {
    for (csv, faults) in [
        ("0F0,0F0,0B0\n", ["E0312"].as_slice()),
        ("0F0,0F1,0B0,0I0,0W0\n", &["E0311", "E0313"]),
        ("0F7,0B7\n", &["E0311"]),
    ] {
        let schedule = read_as(csv, Format::Csv);
        let found = Complete::of(&schedule).unwrap_err();
        let codes: Vec<&str> = found.iter().map(|fault| fault.code()).collect();
        for fault in faults {
            assert!(codes.contains(fault), "{csv}: {found:?}");
        }
    }
}

#[test]
fn b1_torchs_own_1f1b_is_found_incomplete() {
    let rows = torch_rows();
    let row = rows.iter().find(|row| row.head == "1F1B 1 1 2").unwrap();
    assert!(Complete::of(&read_as(&row.compute, Format::Csv)).is_err());
}

#[test]
fn issue_12_a_csv_with_split_backward_comes_back() {
    let csv = "0F0,1F0,1I0,1W0,0I0,0W0\n";
    let schedule = read_as(csv, Format::Csv);
    Complete::of(&schedule).unwrap();
    assert_eq!(format::write(&schedule, Format::Csv).unwrap().text, csv);
}

#[test]
fn issue_6_the_stage_map_of_a_v_is_not_taken_as_looped() {
    let rows = torch_rows();
    let row = rows.iter().find(|row| row.head == "ZBVZeroBubble 4 2 8").unwrap();
    let schedule = read_as(&row.compute, Format::Csv);
    assert_eq!(schedule.placement().shape(), Shape::V);
    Complete::of(&schedule).unwrap();
}

// Bad files.

/// One file of each format.
fn samples() -> Vec<(Format, String)> {
    let rows = torch_rows();
    let dualpipe = rows.iter().find(|row| row.head == "DualPipeV 2 2 5").unwrap();
    let dualpipe = read_as(dualpipe.lowered.as_ref().unwrap(), Format::Csv);
    let plain = read_as("f0 F0 B0 W0 b0 w0\nf0 F0 BW0 bw0\n", Format::ZeroBubble);
    let megatron = read_as(data_lines(MEGATRON).next().unwrap(), Format::Megatron);
    [
        (Format::Jobs, &megatron),
        (Format::Csv, &dualpipe),
        (Format::Json, &dualpipe),
        (Format::Megatron, &megatron),
        (Format::Paddle, &plain),
        (Format::ZeroBubble, &plain),
    ]
    .into_iter()
    .map(|(format, schedule)| (format, format::write(schedule, format).unwrap().text))
    .collect()
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused_or_is_a_shorter_schedule() {
    for (format, text) in samples() {
        let is_json = text.starts_with('{');
        let end = text.trim_end().len();
        for cut in 0..end {
            let read = format::read(&text.as_bytes()[..cut], Some(format));
            match read {
                Ok(reading) => {
                    assert!(!is_json, "{format} cut at {cut}");
                    check_rewriting(&reading.schedule);
                }
                Err(error) => assert!(error.code().starts_with("E03"), "{error}"),
            }
        }
    }
}

#[test]
fn an_empty_file_and_what_is_no_text_are_refused() {
    for bytes in [b"".as_slice(), b" \n\t", b"\n\n"] {
        assert_eq!(format::read(bytes, None).unwrap_err().code(), "E0386");
        assert_eq!(format::read(bytes, Some(Format::Csv)).unwrap_err().code(), "E0386");
    }
    let error = format::read(b"0F0\n0F\xff", None).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string()),
        ("E0384", "line 2, column 3: the file is not UTF-8 text".into())
    );
    assert_eq!(format::read(b"? what", None).unwrap_err().code(), "E0385");
}

#[test]
fn numbers_beyond_all_measure_are_refused() {
    const HUGE: &str = "1000000000000000000";
    for (format, text) in [
        (Format::Csv, format!("{HUGE}F0\n")),
        (Format::Csv, format!("0F{HUGE}\n")),
        (Format::Jobs, format!("forward{HUGE}:0\n")),
        (Format::Jobs, format!("forward0:{HUGE}\n")),
        (Format::ZeroBubble, format!("f{HUGE}\n")),
        (Format::ZeroBubble, "f4294967295\n".into()),
        (Format::Csv, "0F4294967295\n".into()),
        (Format::Csv, "4294967295F0\n".into()),
        (
            Format::Megatron,
            format!("{{\"pp\":{HUGE},\"vpp\":1,\"microbatches\":1,\"table\":[],\"order\":[]}}"),
        ),
        (
            Format::Megatron,
            "{\"pp\":1,\"vpp\":1,\"microbatches\":33000000,\"table\":[],\"order\":[[]]}".into(),
        ),
        (Format::Paddle, format!("{{\"pp\":1,\"vpp\":1,\"m\":{HUGE},\"ranks\":[[]]}}")),
        (
            Format::Json,
            format!(
                "{{\"format\":\"pirogue-schedule\",\"version\":1,\"stages\":{HUGE},\"chunks\":1,\"micro_batches\":1,\"placement\":\"looped\",\"jobs\":[]}}"
            ),
        ),
        (
            Format::Json,
            format!(
                "{{\"format\":\"pirogue-schedule\",\"version\":{HUGE}{HUGE},\"stages\":1,\"chunks\":1,\"micro_batches\":1,\"placement\":\"looped\",\"jobs\":[]}}"
            ),
        ),
        (Format::Json, "[".repeat(100_000)),
    ] {
        let error = format::read(text.as_bytes(), Some(format)).unwrap_err();
        assert!(error.code().starts_with("E03"), "{error}");
    }
}

/// A job of these counts.
fn arbitrary_job(
    kinds: Vec<JobKind>,
    chunks: u16,
    micro_batches: u32,
) -> impl Strategy<Value = Job> {
    let kinds = prop::sample::select(kinds);
    (kinds, 0..chunks, 0..micro_batches, prop::bool::weighted(0.9)).prop_map(
        |(kind, chunk, micro_batch, has_chunk)| {
            if kind == JobKind::Optimizer {
                return Job::OPTIMIZER;
            }
            let chunk = (has_chunk || chunk > 0).then_some(Chunk(chunk));
            let micro_batch = if kind.is_per_micro_batch() { micro_batch } else { 0 };
            Job::new(JobType::new(kind, chunk), MicroBatch(micro_batch))
        },
    )
}

fn arbitrary_schedule() -> impl Strategy<Value = Schedule> {
    let computations: Vec<JobKind> =
        JobKind::ALL.into_iter().filter(|kind| kind.is_computation()).collect();
    // Some formats hold computations alone.
    let kinds = prop::sample::select(vec![JobKind::ALL.to_vec(), computations]);
    (kinds, 1..4_u64, 1..4_u16, 1..4_u32).prop_flat_map(|(kinds, stages, chunks, micro_batches)| {
        let list = prop::collection::vec(arbitrary_job(kinds, chunks, micro_batches), 0..12);
        let lists = prop::collection::vec(list, stages as usize);
        let homes: Vec<(Stage, Chunk)> = (0..stages as u32)
            .flat_map(|stage| (0..chunks).map(move |chunk| (Stage(stage), Chunk(chunk))))
            .collect();
        let counts = Counts::new(stages, u64::from(chunks), u64::from(micro_batches)).unwrap();
        let placements = prop_oneof![
            Just(Placement::looped(counts)),
            Just(Placement::v(counts)),
            Just(homes)
                .prop_shuffle()
                .prop_map(move |homes| Placement::given(stages, &homes).unwrap()),
        ];
        (lists, placements).prop_filter_map("a schedule has work", |(lists, placement)| {
            let schedule = Schedule::with_placement(&lists, placement).ok()?;
            let pairs: Vec<usize> = (0..schedule.jobs().len())
                .filter(|&index| schedule.clone().with_fused_pairs(vec![index]).is_ok())
                .collect();
            schedule.with_fused_pairs(pairs).ok()
        })
    })
}

/// What happens to a file.
#[derive(Debug, Clone)]
enum Damage {
    Cut(usize),
    Drop(usize, usize),
    Double(usize, usize),
    Put(usize, Vec<u8>),
    Swap(usize, usize),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let size = bytes.len().max(1);
        let range = |at: usize, length: usize| {
            let begin = at % size;
            begin..(begin + length).min(size)
        };
        match *self {
            Self::Cut(at) => bytes.truncate(at % size),
            Self::Drop(at, length) if !bytes.is_empty() => drop(bytes.drain(range(at, length))),
            Self::Double(at, length) if !bytes.is_empty() => {
                bytes.extend_from_within(range(at, length))
            }
            Self::Put(at, ref put) => {
                let at = at % (bytes.len() + 1);
                bytes.splice(at..at, put.iter().copied());
            }
            Self::Swap(at, other) if !bytes.is_empty() => bytes.swap(at % size, other % size),
            _ => {}
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let words = prop::sample::select(vec![
        "0",
        "9999999999",
        "-",
        "F",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ";",
        ":",
        "\n",
        " ",
        "&",
        "\\",
        "SEND_F",
        "bw",
        "null",
        "1e9",
        "\r\n",
    ]);
    let put = prop_oneof![
        4 => words.prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        (any::<usize>(), 1..9_usize).prop_map(|(at, length)| Damage::Drop(at, length)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Damage::Double(at, length)),
        (any::<usize>(), put).prop_map(|(at, put)| Damage::Put(at, put)),
        (any::<usize>(), any::<usize>()).prop_map(|(at, other)| Damage::Swap(at, other)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn where_nothing_is_lost_the_schedule_comes_back(schedule in arbitrary_schedule()) {
        check_rewriting(&schedule);
    }

    #[test]
    fn damage_is_refused_or_another_schedule_but_never_a_panic(
        sample in 0..6_usize,
        damages in prop::collection::vec(damage(), 1..5),
    ) {
        let (format, text) = samples().swap_remove(sample);
        let mut bytes = text.into_bytes();
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        for format in [Some(format), None] {
            match format::read(&bytes, format) {
                Ok(reading) => check_rewriting(&reading.schedule),
                Err(error) => {
                    prop_assert!(error.code().starts_with("E03"));
                    prop_assert!(!error.help().is_empty());
                    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
                    prop_assert!(error.position().is_none_or(|position| position.line <= lines));
                }
            }
        }
    }
}
