//! The fixtures of lists that other systems made: how they are written is said at the head of each.

use pirogue_schedule::{Chunk, Job, JobKind, JobType, MicroBatch};

/// A job, and whether it is fused with the one after it.
pub type Recorded = (Job, bool);

/// The distinct lists of a fixture, and its rows.
pub fn lists_and_rows(fixture: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = fixture.lines().filter(|line| !line.starts_with('#'));
    let lists = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    let rows = lines.map(|row| row.split(' ').collect()).collect();
    (lists, rows)
}

/// The jobs that a list stands for.
pub fn jobs(list: &str) -> Vec<Recorded> {
    let mut reader = Reader { next: Vec::new(), jobs: Vec::new() };
    reader.read(list);
    reader.jobs
}

struct Reader {
    /// The next micro-batch of each job type.
    next: Vec<(JobType, u32)>,
    jobs: Vec<Recorded>,
}

impl Reader {
    fn read(&mut self, mut list: &str) {
        while !list.is_empty() {
            let (item, rest) = match list.strip_prefix('(') {
                Some(inner) => inner.split_once(')').unwrap(),
                None => list.split_at(list.find(['*', ' ']).unwrap_or(list.len())),
            };
            let (times, rest) = match rest.strip_prefix('*') {
                Some(rest) => rest.split_at(rest.find(' ').unwrap_or(rest.len())),
                None => ("1", rest),
            };
            for _ in 0..times.parse().unwrap() {
                item.split(' ').for_each(|job| self.read_job(job));
            }
            list = rest.trim_start();
        }
    }

    fn read_job(&mut self, text: &str) {
        let (name, micro_batches) = text.split_once(':').unwrap_or((text, ""));
        let is_fused = name.starts_with('&');
        let job_type = job_type(name.trim_start_matches('&'));
        let place = self.next.iter().position(|(known, _)| *known == job_type);
        let place = place.unwrap_or_else(|| {
            self.next.push((job_type, 0));
            self.next.len() - 1
        });
        let (first, last) = match micro_batches {
            "" => (self.next[place].1, self.next[place].1),
            range => {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                (first.parse().unwrap(), last.parse().unwrap())
            }
        };
        self.next[place].1 = last + 1;
        let down = (last..=first).rev();
        self.jobs.extend(down.map(|number| (Job::new(job_type, MicroBatch(number)), is_fused)));
    }
}

fn job_type(name: &str) -> JobType {
    let (code, chunk) = name.split_at(1);
    let kind = match code {
        "r" => JobKind::RecvForward,
        "f" => JobKind::Forward,
        "b" => JobKind::Backward,
        "s" => JobKind::SendBackward,
        "B" => JobKind::BackwardInput,
        "W" => JobKind::BackwardWeight,
        _ => panic!("`{code}` is not a code"),
    };
    let chunk = (!chunk.is_empty()).then(|| Chunk(chunk.parse().unwrap()));
    JobType::new(kind, chunk)
}
