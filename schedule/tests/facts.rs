//! Verdicts and figures equal those of an independent simulator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pirogue_schedule::check::{CheckOptions, Facts, Together, check};
use pirogue_schedule::{Chunk, Counts, Job, JobKind, JobType, MicroBatch, Placement, Schedule};

const FACTS: &str = include_str!("data/facts.txt");

/// A schedule of another system with what the simulator says of it.
struct Row {
    head: &'static str,
    schedule: Schedule,
    /// Complete, executable, with blocking receives, with rendezvous, in order per direction, per pair.
    verdicts: &'static str,
    peak_live: Vec<u32>,
}

/// Reads the rows; the head of the fixture says how they are written.
fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut distinct: Vec<&str> = Vec::new();
    for row in FACTS.split("= ").skip(1) {
        let (head, lines) = row.split_once('\n').unwrap();
        let fields: Vec<&str> = head.split(' ').collect();
        let number = |text: &str| text.parse::<usize>().unwrap();
        let schedule = match fields.get(7) {
            Some(earlier) => rows[number(earlier)].schedule.clone(),
            None => {
                let [stages, chunks, micro_batches] =
                    [1, 2, 3].map(|place| number(fields[place]) as u64);
                let counts = Counts::new(stages, chunks, micro_batches).unwrap();
                let placement = match fields[6] {
                    "l" => Placement::looped(counts),
                    _ => Placement::v(counts),
                };
                let list = |line: &'static str| match line.strip_prefix('@') {
                    Some(earlier) => distinct[number(earlier)],
                    None => {
                        if !distinct.contains(&line) {
                            distinct.push(line);
                        }
                        line
                    }
                };
                read(&lines.lines().map(list).collect::<Vec<_>>(), placement)
            }
        };
        let peaks: Vec<u32> = fields[5].split(',').map(|peak| number(peak) as u32).collect();
        let stages = schedule.counts().stages() as usize;
        let peak_live = if peaks.len() == 1 { vec![peaks[0]; stages] } else { peaks };
        rows.push(Row { head, schedule, verdicts: fields[4], peak_live });
    }
    rows
}

fn read(lines: &[&str], placement: Placement) -> Schedule {
    let mut pairs = Vec::new();
    let mut lists: Vec<Vec<Job>> = Vec::new();
    let mut before = 0;
    for line in lines {
        let mut reader = Reader { rest: line, list: Vec::new(), pairs: Vec::new() };
        let words = reader.words();
        reader.append(&words);
        pairs.extend(reader.pairs.iter().map(|pair| before + pair));
        before += reader.list.len();
        lists.push(reader.list);
    }
    Schedule::with_placement(&lists, placement).unwrap().with_fused_pairs(pairs).unwrap()
}

/// A part of a line.
enum Word {
    Job {
        kind: JobKind,
        chunk: u16,
        micro_batch: Option<u32>,
    },
    /// What is around it is fused.
    Plus,
    Repeat(Vec<Word>, u32),
}

/// Reads one line.
struct Reader<'a> {
    rest: &'a str,
    list: Vec<Job>,
    pairs: Vec<usize>,
}

impl Reader<'_> {
    /// The words up to the end or a closing parenthesis.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        while let Some(letter) = self.rest.chars().next() {
            self.rest = &self.rest[1..];
            match letter {
                ')' => break,
                '+' => words.push(Word::Plus),
                '(' => {
                    let inner = self.words();
                    words.push(Word::Repeat(inner, self.number().unwrap()));
                }
                letter => {
                    let chunk = self.number().unwrap_or(0) as u16;
                    let is_given = self.rest.starts_with(':');
                    self.rest = self.rest.trim_start_matches(':');
                    let micro_batch = if is_given { self.number() } else { None };
                    words.push(Word::Job { kind: kind(letter), chunk, micro_batch });
                }
            }
        }
        words
    }

    fn number(&mut self) -> Option<u32> {
        let end =
            self.rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok()
    }

    fn append(&mut self, words: &[Word]) {
        for word in words {
            match word {
                Word::Plus => self.pairs.push(self.list.len() - 1),
                Word::Repeat(inner, times) => (0..*times).for_each(|_| self.append(inner)),
                Word::Job { kind, chunk, micro_batch } => {
                    let job_type = kind.in_chunk(Chunk(*chunk));
                    let number = micro_batch.unwrap_or_else(|| self.next_of(job_type));
                    self.list.push(Job::new(job_type, MicroBatch(number)));
                }
            }
        }
    }

    /// The micro-batch that goes on as the last two of this type did.
    fn next_of(&self, job_type: JobType) -> u32 {
        let mut earlier = self.list.iter().rev().filter(|job| job.job_type == job_type);
        let Some(last) = earlier.next().map(|job| job.micro_batch.0) else { return 0 };
        match earlier.next().map(|job| job.micro_batch.0) {
            Some(before) => 2 * last - before,
            None => 2 * last + 1,
        }
    }
}

fn kind(letter: char) -> JobKind {
    match letter {
        'r' => JobKind::RecvForward,
        'f' => JobKind::Forward,
        'b' => JobKind::Backward,
        's' => JobKind::SendBackward,
        'B' => JobKind::BackwardInput,
        'W' => JobKind::BackwardWeight,
        'g' => JobKind::ReduceGradient,
        'G' => JobKind::WaitReduceGradient,
        'o' => JobKind::Optimizer,
        letter => panic!("`{letter}` is no kind of job"),
    }
}

fn verdicts(facts: &Facts) -> String {
    let Some(together) = facts.together else { return "000".into() };
    let Together {
        executable,
        executable_with_blocking_receives,
        executable_with_rendezvous,
        in_order_per_pair,
        in_order_per_direction,
    } = together;
    let all = [
        true,
        executable,
        executable_with_blocking_receives,
        executable_with_rendezvous,
        in_order_per_direction,
        in_order_per_pair,
    ];
    all.map(|verdict| if verdict { '1' } else { '0' }).iter().collect()
}

#[test]
fn verdicts_and_peaks_equal_an_independent_simulators() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for row in rows() {
        let facts = check(&row.schedule, &CheckOptions::default()).facts;
        let found = verdicts(&facts);
        // Of lists that are not complete nothing more is asked.
        if !row.verdicts.starts_with(&found) || facts.peak_live != row.peak_live {
            wrong.push(format!("{}: found {found} {:?}", row.head, facts.peak_live));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 1866);
}
