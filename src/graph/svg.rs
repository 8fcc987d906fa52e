//! A graph as an SVG picture.
//!
//! Lines and letters are in `currentColor`, and nothing is filled with more than a tint of it: the
//! picture is as readable on dark as on light, alone or within a page. Where the picture stands
//! alone, the colour scheme of the reader gives the colour.

use std::fmt::Write as _;

use super::layout::{Item, Layout, Rect, layout};
use super::{Emphasis, Graph};

/// Here edges turn.
pub(super) const GAP_BETWEEN_ROWS: i64 = 44;

const LINE: i64 = 16;
const MARGIN: i64 = 16;
/// Above the boxes of a lane: its title.
const TITLE: i64 = 36;
/// A longer line is cut; the whole is in the title of its box.
const LONGEST_LINE: usize = 48;

const STYLE: &str = "svg{color-scheme:light dark}text{fill:currentColor;font:12px monospace}\
.lane{fill:currentColor;fill-opacity:.04;stroke:currentColor;stroke-opacity:.25}\
.box{fill:currentColor;fill-opacity:.08;stroke:currentColor}.open{stroke-dasharray:4 3}\
.centre{stroke-width:3}.edge{fill:none;stroke:currentColor;stroke-opacity:.55}\
.head{fill:currentColor}.title{font-weight:bold}";

/// An edge of the picture.
struct Line {
    from: usize,
    to: usize,
    head: Head,
}

/// At which end of a line the arrow is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Head {
    None,
    Upper,
    Lower,
}

/// What is drawn: nodes, then the labels of edges, as items of their own.
struct Picture<'g> {
    graph: &'g Graph,
    labels: Vec<String>,
    lanes: Vec<String>,
    items: Vec<Item>,
    lines: Vec<Line>,
}

impl Graph {
    /// The graph as an SVG picture, a lane for each role and chunk.
    pub fn to_svg(&self) -> String {
        Picture::of(self).draw()
    }

    /// Whether what flows is written at the edges; where each value is told, its producer has it.
    fn has_labels(&self) -> bool {
        self.edges.iter().all(|edge| edge.values.is_empty())
    }
}

impl<'g> Picture<'g> {
    fn of(graph: &'g Graph) -> Self {
        let clusters = graph.clusters();
        let mut lane_of = vec![0; graph.nodes.len()];
        for (lane, (_, members)) in clusters.iter().enumerate() {
            members.iter().for_each(|&node| lane_of[node] = lane);
        }
        let items = graph.nodes.iter().zip(lane_of).map(|(node, lane)| {
            let widest = node.lines.iter().map(|line| text_width(&cut(line))).max();
            let lines = i64::try_from(node.lines.len()).unwrap_or(i64::MAX);
            Item { width: widest.unwrap_or(0) + 20, height: lines * LINE + 12, lane }
        });
        let mut picture = Self {
            graph,
            labels: Vec::new(),
            lanes: clusters.into_iter().map(|(title, _)| title).collect(),
            items: items.collect(),
            lines: Vec::new(),
        };
        picture.add_lines();
        picture
    }

    /// Lines lead down. An edge to a node before its own, as places may have, is a line that leads
    /// the other way and has its arrow at the upper end.
    fn add_lines(&mut self) {
        let graph = self.graph;
        let has_labels = graph.has_labels();
        for edge in &graph.edges {
            let is_back = edge.from > edge.to;
            let (from, to) = (edge.from.min(edge.to), edge.from.max(edge.to));
            let head = if is_back { Head::Upper } else { Head::Lower };
            if !has_labels {
                self.lines.push(Line { from, to, head });
                continue;
            }
            let label = self.items.len();
            let text = edge.label();
            self.items.push(Item { width: text_width(&text), height: LINE + 4, lane: 0 });
            self.labels.push(text);
            let keep = |end| if head == end { end } else { Head::None };
            self.lines.push(Line { from, to: label, head: keep(Head::Upper) });
            self.lines.push(Line { from: label, to, head: keep(Head::Lower) });
        }
    }

    /// Where all stands, below the titles of the lanes.
    fn layout(&self) -> Layout {
        let edges: Vec<(usize, usize)> =
            self.lines.iter().map(|line| (line.from, line.to)).collect();
        let titles = self.lanes.iter().map(|title| text_width(title) + 2 * MARGIN);
        let mut widths: Vec<i64> = titles.collect();
        widths.resize(widths.len().max(1), 0);
        let mut layout = layout(&self.items, &edges, &widths);
        let down = MARGIN + if self.lanes.is_empty() { 0 } else { TITLE };
        layout.cells.iter_mut().for_each(|cell| cell.y += down);
        layout.row_ends.iter_mut().for_each(|(top, bottom)| {
            *top += down;
            *bottom += down;
        });
        layout
    }

    fn draw(&self) -> String {
        let layout = self.layout();
        let width = layout.lanes.last().map_or(0, |(left, width)| left + width) + MARGIN;
        let bottom = layout.row_ends.last().map_or(MARGIN, |&(_, bottom)| bottom) + MARGIN;
        let height = bottom + MARGIN;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n"
        );
        for (title, &(left, width)) in self.lanes.iter().zip(&layout.lanes) {
            let lane = Rect { x: left, y: MARGIN, width, height: bottom - MARGIN };
            out += &rectangle(lane, "lane");
            out += &text(lane.middle(), MARGIN + 22, " class=\"title\"", title);
        }
        self.draw_lines(&layout, &mut out);
        for (node, &cell) in self.graph.nodes.iter().zip(&layout.cells) {
            let class = match node.emphasis {
                Emphasis::None => "box",
                Emphasis::Centre => "box centre",
                Emphasis::Open => "box open",
            };
            let _ = write!(out, "<g><title>{}</title>", escaped(&node.lines.join("\n")));
            out += &rectangle(cell, class);
            for (line, number) in node.lines.iter().zip(1..) {
                out += &text(cell.middle(), cell.y + number * LINE + 2, "", &cut(line));
            }
            out += "</g>\n";
        }
        for (label, cell) in self.labels.iter().zip(&layout.cells[self.graph.nodes.len()..]) {
            out += &text(cell.middle(), cell.y + LINE - 2, "", label);
        }
        out + "</svg>\n"
    }

    /// One path for all lines from an item, so that what they share is no darker; then the arrows.
    fn draw_lines(&self, layout: &Layout, out: &mut String) {
        let ports = self.ports(layout);
        let mut by_source: Vec<usize> = (0..self.lines.len()).collect();
        by_source.sort_by_key(|&line| self.lines[line].from);
        for lines in by_source.chunk_by(|&a, &b| self.lines[a].from == self.lines[b].from) {
            let from = self.lines[lines[0]].from;
            let mut path = String::new();
            let chain = std::iter::once(from).chain(layout.bends[from].clone());
            for (upper, lower) in chain.zip(layout.bends[from].clone()) {
                let bend = layout.cells[lower];
                path += &stroke(layout, upper, (bend.middle(), bend.y));
                let _ = write!(path, "V{}", bend.bottom());
            }
            let mut heads = String::new();
            for &line in lines {
                let Line { from, to, head } = self.lines[line];
                let end = (ports[line], layout.cells[to].y);
                path += &stroke(layout, layout.leaving(from, to), end);
                heads += &match head {
                    Head::None => String::new(),
                    Head::Lower => arrow(end, -7),
                    Head::Upper => {
                        arrow((layout.cells[from].middle(), layout.cells[from].bottom()), 7)
                    }
                };
            }
            let _ = writeln!(out, "<path class=\"edge\" d=\"{path}\"/>{heads}");
        }
    }

    /// Where on its upper side each line reaches its item: side by side, in the order they come in.
    fn ports(&self, layout: &Layout) -> Vec<i64> {
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.items.len()];
        for (index, line) in self.lines.iter().enumerate() {
            into[line.to].push(index);
        }
        let mut ports = vec![0; self.lines.len()];
        for (to, mut lines) in into.into_iter().enumerate() {
            lines.sort_by_key(|&line| {
                layout.cells[layout.leaving(self.lines[line].from, to)].middle()
            });
            let parts = i64::try_from(lines.len()).unwrap_or(i64::MAX - 1) + 1;
            let cell = layout.cells[to];
            for (line, part) in lines.into_iter().zip(1..) {
                ports[line] = cell.x + cell.width * part / parts;
            }
        }
        ports
    }
}

/// From a cell down to the end of its row, and by a curve in the gap below to the end.
fn stroke(layout: &Layout, from: usize, (x, y): (i64, i64)) -> String {
    let cell = layout.cells[from];
    let bottom = layout.row_ends[layout.rows[from]].1;
    let (start, middle) = (cell.middle(), (bottom + y) / 2);
    format!("M{start} {}V{bottom}C{start} {middle} {x} {middle} {x} {y}", cell.bottom())
}

/// An arrow with its point here and its back `length` below.
fn arrow((x, y): (i64, i64), length: i64) -> String {
    let (left, right, back) = (x - 4, x + 4, y + length);
    format!("<path class=\"head\" d=\"M{left} {back}H{right}L{x} {y}Z\"/>")
}

fn rectangle(Rect { x, y, width, height }: Rect, class: &str) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
    )
}

fn text(x: i64, y: i64, class: &str, line: &str) -> String {
    let line = escaped(line);
    format!("<text{class} x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{line}</text>")
}

/// The width of monospaced letters of 12 pixels, a little over.
fn text_width(line: &str) -> i64 {
    i64::try_from(line.chars().count()).unwrap_or(i64::MAX / 16) * 15 / 2
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        None => line.to_owned(),
        Some(_) => line.chars().take(LONGEST_LINE - 1).chain(['…']).collect(),
    }
}

/// Text as XML has it; what XML cannot hold at all is shown as missing.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(letter),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}
