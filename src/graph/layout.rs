//! Where the boxes of a picture stand: in rows, and in lanes.
//!
//! 1. A box stands in the row below all whom it reads (longest path). What reads nothing stands
//!    right above the first who reads it, rather than in a first row of hundreds.
//! 2. Each cluster is a lane, a column of its own; so clusters cannot overlap.
//! 3. An edge over several rows passes through a *bend* in each of them; edges from one box share
//!    their bends. Edges turn in the gaps between rows alone, so that **no edge crosses a box**.
//! 4. In a row, within its lane, what stands under its producers' mean goes first (barycentre):
//!    once downwards, once upwards by the users, once downwards again.
//!
//! All is in whole pixels: the same on every machine.

use super::svg::GAP_BETWEEN_ROWS;

/// What is to be placed.
pub(super) struct Item {
    pub width: i64,
    pub height: i64,
    /// The column that it stands in.
    pub lane: usize,
}

/// A rectangle, by its upper left corner.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

impl Rect {
    pub fn middle(self) -> i64 {
        self.x + self.width / 2
    }

    pub fn bottom(self) -> i64 {
        self.y + self.height
    }
}

/// Where all stands.
pub(super) struct Layout {
    /// The items, then the bends; a bend is as high as its row.
    pub cells: Vec<Rect>,
    /// The row of each cell.
    pub rows: Vec<usize>,
    /// The upper and lower end of each row.
    pub row_ends: Vec<(i64, i64)>,
    /// The bends of each item's edges, downwards.
    pub bends: Vec<std::ops::Range<usize>>,
    /// The left end and the width of each lane.
    pub lanes: Vec<(i64, i64)>,
}

const GAP: i64 = 16;
const BEND: i64 = 2;
/// With more, an edge goes straight: a picture so large is not looked at edge by edge.
const MOST_BENDS: usize = 500_000;

/// Places items; `edges` lead from item to item and have no cycle. Lanes are at least as wide as
/// `lane_widths` says.
pub(super) fn layout(items: &[Item], edges: &[(usize, usize)], lane_widths: &[i64]) -> Layout {
    let rows = rows(items.len(), edges);
    let mut cells = Cells::new(items, rows, edges);
    cells.link(edges);
    cells.pack(lane_widths)
}

/// The row of each item.
fn rows(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut users = vec![Vec::new(); count];
    let mut waits_for = vec![0_usize; count];
    for &(from, to) in edges {
        users[from].push(to);
        waits_for[to] += 1;
    }
    let is_source: Vec<bool> = waits_for.iter().map(|&count| count == 0).collect();
    let mut ready: Vec<usize> = (0..count).filter(|&item| is_source[item]).collect();
    let mut rows = vec![0; count];
    let mut next = 0;
    while let Some(&item) = ready.get(next) {
        next += 1;
        for &user in &users[item] {
            rows[user] = rows[user].max(rows[item] + 1);
            waits_for[user] -= 1;
            if waits_for[user] == 0 {
                ready.push(user);
            }
        }
    }
    debug_assert_eq!(ready.len(), count, "the edges have no cycle");
    for item in (0..count).filter(|&item| is_source[item]) {
        let first_user = users[item].iter().map(|&user| rows[user]).min();
        rows[item] = first_user.map_or(0, |row| row - 1);
    }
    rows
}

/// The items and the bends, with what they are linked to in the rows above and below.
struct Cells {
    rects: Vec<Rect>,
    rows: Vec<usize>,
    lanes: Vec<usize>,
    bends: Vec<std::ops::Range<usize>>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl Cells {
    fn new(items: &[Item], rows: Vec<usize>, edges: &[(usize, usize)]) -> Self {
        let rect = |item: &Item| Rect { width: item.width, height: item.height, ..Rect::default() };
        let mut cells = Self {
            rects: items.iter().map(rect).collect(),
            lanes: items.iter().map(|item| item.lane).collect(),
            bends: Vec::with_capacity(items.len()),
            above: Vec::new(),
            below: Vec::new(),
            rows,
        };
        let mut last_row = cells.rows.clone();
        for &(from, to) in edges {
            last_row[from] = last_row[from].max(cells.rows[to]);
        }
        let spans = (0..items.len()).map(|item| cells.rows[item] + 1..last_row[item]);
        let mut spans: Vec<std::ops::Range<usize>> = spans.collect();
        if spans.iter().map(|span| span.len()).sum::<usize>() > MOST_BENDS {
            spans.iter_mut().for_each(|span| *span = 0..0);
        }
        for (item, span) in spans.into_iter().enumerate() {
            let first = cells.rects.len();
            for row in span {
                cells.rects.push(Rect { width: BEND, ..Rect::default() });
                cells.rows.push(row);
                cells.lanes.push(items[item].lane);
            }
            cells.bends.push(first..cells.rects.len());
        }
        cells
    }

    /// Notes who is above and below whom.
    fn link(&mut self, edges: &[(usize, usize)]) {
        self.above = vec![Vec::new(); self.rects.len()];
        self.below = self.above.clone();
        let mut links = Vec::new();
        for (item, bends) in self.bends.iter().enumerate() {
            let chain = std::iter::once(item).chain(bends.clone());
            links.extend(chain.zip(bends.clone()));
        }
        for &(from, to) in edges {
            links.push((leaving(&self.bends, &self.rows, from, to), to));
        }
        for (upper, lower) in links {
            self.below[upper].push(lower);
            self.above[lower].push(upper);
        }
    }

    /// Puts every cell into its place.
    fn pack(mut self, lane_widths: &[i64]) -> Layout {
        let mut groups: Vec<usize> = (0..self.rects.len()).collect();
        groups.sort_by_key(|&cell| (self.rows[cell], self.lanes[cell], cell));
        let is_group =
            |&a: &usize, &b: &usize| (self.rows[a], self.lanes[a]) == (self.rows[b], self.lanes[b]);
        let mut groups: Vec<Vec<usize>> =
            groups.chunk_by(is_group).map(<[usize]>::to_vec).collect();
        let lanes = self.lane_ends(&groups, lane_widths);
        for group in &groups {
            self.pack_group(group, &lanes);
        }
        self.order(groups.iter_mut(), &lanes, |cells, cell| &cells.above[cell]);
        self.order(groups.iter_mut().rev(), &lanes, |cells, cell| &cells.below[cell]);
        self.order(groups.iter_mut(), &lanes, |cells, cell| &cells.above[cell]);
        let row_ends = self.stack();
        let Self { rects: cells, rows, bends, .. } = self;
        Layout { cells, rows, row_ends, bends, lanes }
    }

    /// The left end and the width of each lane.
    fn lane_ends(&self, groups: &[Vec<usize>], least: &[i64]) -> Vec<(i64, i64)> {
        let mut widths = least.to_vec();
        for group in groups {
            let lane = self.lanes[group[0]];
            widths[lane] = widths[lane].max(self.group_width(group) + 2 * GAP);
        }
        let mut left = GAP;
        let place = |width| {
            let lane = (left, width);
            left += width + GAP;
            lane
        };
        widths.into_iter().map(place).collect()
    }

    fn group_width(&self, group: &[usize]) -> i64 {
        group.iter().map(|&cell| self.rects[cell].width + GAP).sum::<i64>() - GAP
    }

    /// Puts the cells of a row side by side, in the middle of their lane.
    fn pack_group(&mut self, group: &[usize], lanes: &[(i64, i64)]) {
        let (left, width) = lanes[self.lanes[group[0]]];
        let mut x = left + (width - self.group_width(group)) / 2;
        for &cell in group {
            self.rects[cell].x = x;
            x += self.rects[cell].width + GAP;
        }
    }

    /// Sorts the cells of each row by the mean place of their neighbours in another.
    fn order<'g>(
        &mut self,
        groups: impl Iterator<Item = &'g mut Vec<usize>>,
        lanes: &[(i64, i64)],
        neighbours: impl Fn(&Self, usize) -> &Vec<usize>,
    ) {
        for group in groups {
            group.sort_by_cached_key(|&cell| {
                let around = neighbours(self, cell);
                let sum: i64 = around.iter().map(|&other| self.rects[other].middle()).sum();
                let count = i64::try_from(around.len()).unwrap_or(i64::MAX);
                sum.checked_div(count).unwrap_or(self.rects[cell].middle())
            });
            self.pack_group(group, lanes);
        }
    }

    /// Stacks the rows, and returns where each begins and ends.
    fn stack(&mut self) -> Vec<(i64, i64)> {
        let mut heights = vec![0; self.rows.iter().max().map_or(0, |&last| last + 1)];
        for (rect, &row) in self.rects.iter().zip(&self.rows) {
            heights[row] = rect.height.max(heights[row]);
        }
        let mut y = 0;
        let mut ends = Vec::with_capacity(heights.len());
        for height in heights {
            ends.push((y, y + height));
            y += height + GAP_BETWEEN_ROWS;
        }
        let bends_from = self.bends.len();
        for (cell, rect) in self.rects.iter_mut().enumerate() {
            let (top, bottom) = ends[self.rows[cell]];
            rect.y = top;
            if cell >= bends_from {
                rect.height = bottom - top;
            }
        }
        ends
    }
}

impl Layout {
    /// The cell from which an edge comes into the row of `to`.
    pub fn leaving(&self, from: usize, to: usize) -> usize {
        leaving(&self.bends, &self.rows, from, to)
    }
}

/// The item itself, or that of its bends which stands right above `to`.
fn leaving(bends: &[std::ops::Range<usize>], rows: &[usize], from: usize, to: usize) -> usize {
    let between = rows[to] - rows[from] - 1;
    bends[from].clone().take(between).next_back().unwrap_or(from)
}
