//! What passes counted.
//!
//! A row for each counter of each step, in the order of the steps: the same with any number of
//! threads.

use std::fmt;

use super::Pass;

/// Which step of a pipeline: its position, and those of the `jobs(...)` around it, the outermost
/// first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepPath(Vec<usize>);

impl StepPath {
    /// The step at a position within the step of this path.
    pub(super) fn child(&self, index: usize) -> Self {
        let mut path = self.0.clone();
        path.push(index);
        Self(path)
    }

    /// How many `jobs(...)` are around it.
    pub fn depth(&self) -> usize {
        self.0.len().saturating_sub(1)
    }
}

impl fmt::Display for StepPath {
    /// Counts from 1: `3.1` is the first step in the `jobs(...)` that is the third.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(|index| (index + 1).to_string()).collect();
        f.write_str(&numbers.join("."))
    }
}

/// One counter of one step; the programs that `jobs(...)` runs on are counted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Which step.
    pub step: StepPath,
    /// Its pass.
    pub pass: String,
    /// The name of the counter.
    pub name: &'static str,
    /// What is counted; empty if the pass did not declare it.
    pub description: &'static str,
    /// How many.
    pub count: u64,
}

/// What passes counted: a row for each counter of each step, in the order of the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    counts: Vec<Count>,
}

impl Statistics {
    /// All counters, in the order of the steps and, within a step, as the pass declares them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Count> {
        self.counts.iter()
    }

    /// The sum over all steps of a pass.
    pub fn total(&self, pass: &str, name: &str) -> u64 {
        let counts = self.counts.iter().filter(|count| count.pass == pass && count.name == name);
        counts.map(|count| count.count).sum()
    }

    /// Makes room for what a pass declares, at zero.
    pub(super) fn declare(&mut self, step: &StepPath, pass: &dyn Pass) {
        for statistic in pass.statistics() {
            self.row(step, pass.name(), statistic.name).description = statistic.description;
        }
    }

    pub(super) fn add(&mut self, step: &StepPath, pass: &str, name: &'static str, n: u64) {
        let row = self.row(step, pass, name);
        row.count = row.count.saturating_add(n);
    }

    /// Adds what was counted on one of the programs of `jobs(...)`.
    pub(super) fn merge(&mut self, other: Self) {
        for count in other.counts {
            let row = self.row(&count.step, &count.pass, count.name);
            row.description = count.description;
            row.count = row.count.saturating_add(count.count);
        }
    }

    fn row(&mut self, step: &StepPath, pass: &str, name: &'static str) -> &mut Count {
        let is_row = |row: &Count| row.step == *step && row.name == name && row.pass == pass;
        let index = self.counts.iter().position(is_row).unwrap_or_else(|| {
            // Behind the rows of its step, so that rows stay in the order of the steps.
            let index = self.counts.partition_point(|row| row.step <= *step);
            let row = Count {
                step: step.clone(),
                pass: pass.to_owned(),
                name,
                description: "",
                count: 0,
            };
            self.counts.insert(index, row);
            index
        });
        &mut self.counts[index]
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut step = None;
        for count in &self.counts {
            if step != Some(&count.step) {
                writeln!(f, "{} {}", count.step, count.pass)?;
            }
            step = Some(&count.step);
            let text = format!("{:>10} {}", count.count, count.name);
            match count.description {
                "" => writeln!(f, "{text}")?,
                description => writeln!(f, "{text}: {description}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_steps_whoever_counts_first() {
        let top = StepPath::default();
        let mut statistics = Statistics::default();
        for (step, n) in [(2, 1), (0, 4), (2, 1), (10, 3)] {
            statistics.add(&top.child(step), "fold", "folded", n);
        }
        let mut other = Statistics::default();
        other.add(&top.child(0), "fold", "folded", 5);
        other.add(&top.child(1), "erase", "erased", u64::MAX);
        statistics.merge(other);
        let counts: Vec<u64> = statistics.iter().map(|count| count.count).collect();
        assert_eq!(counts, [9, u64::MAX, 2, 3]);
        assert_eq!(statistics.total("fold", "folded"), 14);
        assert!(statistics.to_string().starts_with("1 fold\n         9 folded\n2 erase\n"));
    }
}
