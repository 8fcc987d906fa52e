//! Graphs of programs small enough to count by hand, and what must hold of every picture.

use super::*;
use crate::ir::{Context, Program};
use crate::text;

/// `x` is read twice by `add`, once by the loss; the loss is marked in its role. 24 bytes a value.
const SOURCE: &str = r#"{
    ^kw:
        %kwarg_k {}
        %kwarg_unread {}
    (%0) = "pd_op.data" () {chunk_id:0,name:"x",op_role:0} : () -> tensor<2x3xf32>
    (%1) = "pd_op.add" (%0, %0) {chunk_id:0,op_role:0} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.mul" (%1, %kwarg_k) {chunk_id:1,op_role:0} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.loss" (%2, %0) {chunk_id:1,op_role:256} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.grad" (%3) {chunk_id:0,op_role:1} : (tensor<2x3xf32>) -> tensor<-1x3xf32>
    (%5) = "pd_op.use" (%4) {chunk_id:1,op_role:1} : (tensor<-1x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.more" (%5) {chunk_id:0,op_role:1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%6) {chunk_id:0,op_role:1,output_name:"out"} : (tensor<2x3xf32>) -> 
}
"#;

fn program(source: &str) -> Program {
    let read = text::read_program(&Context::new(), "graph.pir", source.as_bytes());
    read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

fn edges(graph: &Graph) -> Vec<(usize, usize, String)> {
    graph.edges().iter().map(|edge| (edge.from, edge.to, edge.label())).collect()
}

fn names(graph: &Graph) -> Vec<&str> {
    graph.nodes().iter().map(|node| node.lines[0].as_str()).collect()
}

fn around(source: &str, value: &str, steps: usize) -> Graph {
    let program = program(source);
    let values = find_values(&program, value).unwrap_or_else(|error| panic!("{error}"));
    Graph::around(&program, &values, steps)
}

#[test]
fn places_are_joined_by_what_crosses() {
    let graph = Graph::of_places(&program(SOURCE));
    let expected =
        ["forward, chunk 0", "forward, chunk 1", "backward, chunk 0", "backward, chunk 1"];
    assert_eq!(names(&graph), expected);
    let ops: Vec<&str> = graph.nodes().iter().map(|node| node.lines[1].as_str()).collect();
    assert_eq!(ops, ["2 ops", "2 ops", "3 ops", "1 op"]);
    // %0 and %1; %3; %4, of a size that is not known; %5.
    let expected = [
        (0, 1, "2 values, 48 B"),
        (1, 2, "1 value, 24 B"),
        (2, 3, "1 value, of unknown size"),
        (3, 2, "1 value, 24 B"),
    ];
    assert_eq!(edges(&graph), expected.map(|(from, to, label)| (from, to, label.to_owned())));
}

#[test]
fn an_op_reads_a_value_once_and_arguments_that_nothing_reads_are_left_out() {
    let graph = Graph::of_ops(&program(SOURCE));
    assert_eq!(graph.nodes().len(), 9);
    assert_eq!(graph.nodes()[0].lines[0], "%kwarg_k");
    assert_eq!(graph.nodes()[1].lines, ["pd_op.data", "`x`", "%0: tensor<2x3xf32>"]);
    let (_, _, label) = &edges(&graph)[0];
    assert_eq!((label.as_str(), graph.edges()[0].amount.values), ("%0", 1));
    assert_eq!(graph.edges().len(), 9);
    assert!(graph.nodes().iter().all(|node| node.emphasis == Emphasis::None));
}

#[test]
fn a_slice_goes_so_many_steps_back_and_on() {
    assert_eq!(names(&around(SOURCE, "%2", 0)), ["pd_op.mul"]);
    let one = around(SOURCE, "%2", 1);
    assert_eq!(names(&one), ["%kwarg_k", "pd_op.add", "pd_op.mul", "pd_op.loss"]);
    let emphasis: Vec<Emphasis> = one.nodes().iter().map(|node| node.emphasis).collect();
    assert_eq!(emphasis, [Emphasis::None, Emphasis::Open, Emphasis::Centre, Emphasis::Open]);
    let all = around(SOURCE, "%2", usize::MAX);
    assert_eq!(names(&all), names(&Graph::of_ops(&program(SOURCE))));
}

#[test]
fn values_are_found_by_number_and_by_the_name_of_a_variable() {
    for (value, centre) in [("x", "pd_op.data"), ("k", "%kwarg_k"), ("out", "pd_op.more")] {
        let slice = around(SOURCE, value, 0);
        assert_eq!(names(&slice), [centre], "{value}");
    }
    assert_eq!(names(&around(SOURCE, "unread", 3)), ["%kwarg_unread"]);
    assert_eq!(names(&around(SOURCE, "%kwarg_unread", 3)), ["%kwarg_unread"]);
}

#[test]
fn a_value_that_is_not_there_is_told_with_what_is_near() {
    let program = program(SOURCE);
    let help = |value: &str| {
        let error = find_values(&program, value).expect_err("there is none");
        assert_eq!(error.code, "E0672");
        error.help.expect("it says what to do")
    };
    assert_eq!(help("unraed"), "did you mean `unread`?");
    assert_eq!(help("%kwarg_kk"), "did you mean `%kwarg_k`?");
    assert!(help("3").ends_with("`%3`"));
    assert!(help("%700").starts_with("values go by"));
}

/// An op with a region counts for what it holds.
const NESTED: &str = r#"{
    (%0) = "pd_op.data" () {name:"c"} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%2) = "pd_op.if" (%0) {} -> tensor<2xf32> {
        (%3) = "pd_op.relu" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    (%4) = "pd_op.gelu" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
}
"#;

#[test]
fn what_a_region_reads_its_op_reads() {
    let graph = Graph::of_ops(&program(NESTED));
    assert_eq!(names(&graph), ["pd_op.data", "pd_op.data", "pd_op.if", "pd_op.gelu"]);
    let ends: Vec<(usize, usize)> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(ends, [(0, 2), (1, 2), (2, 3)]);
    let slice = around(NESTED, "%3", 1);
    assert_eq!(names(&slice), names(&graph), "the op that holds `%3` stands for it");
    assert_eq!(slice.nodes()[2].emphasis, Emphasis::Centre);
}

#[test]
fn sizes_are_rounded_down_to_a_digit() {
    let cases = [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (50_816, "49.6 KiB"),
        (1024 * 1024 - 1, "1023.9 KiB"),
        (5 << 29, "2.5 GiB"),
        (u64::MAX, "15.9 EiB"),
    ];
    for (bytes, text) in cases {
        assert_eq!(size_text(bytes), text, "{bytes}");
    }
}

#[test]
fn dot_has_a_cluster_for_each_place_and_escapes_names() {
    let source = SOURCE.replace("name:\"x\"", r#"name:"a\"b""#);
    let dot = Graph::of_ops(&program(&source)).to_dot();
    for title in ["arguments", "forward, chunk 0", "forward, chunk 1", "backward, chunk 1"] {
        assert_eq!(dot.matches(&format!("    label=\"{title}\"\n")).count(), 1, "{title}");
    }
    assert!(dot.contains(r#"\"b`\n%0: tensor<2x3xf32>"]"#), "{dot}");
    assert_eq!(dot.matches(" -> ").count(), 9);
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

/// A rectangle of the picture: of a box, not of a lane.
fn attribute(tag: &str, name: &str) -> i64 {
    let rest =
        tag.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name} in {tag}")).1;
    rest.split('"').next().and_then(|number| number.parse().ok()).expect("it is a number")
}

/// Left, top, right and bottom of the rectangles of a class.
fn rectangles(svg: &str, class: &str) -> Vec<[i64; 4]> {
    let tags =
        svg.split("<rect ").skip(1).filter(|tag| tag.starts_with(&format!("class=\"{class}")));
    let ends = tags.map(|tag| {
        let [x, y] = ["x", "y"].map(|name| attribute(tag, name));
        [x, y, x + attribute(tag, "width"), y + attribute(tag, "height")]
    });
    ends.collect()
}

fn overlap(a: [i64; 4], b: [i64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn assert_apart(rectangles: &[[i64; 4]]) {
    for (index, &a) in rectangles.iter().enumerate() {
        for &b in &rectangles[index + 1..] {
            assert!(!overlap(a, b), "{a:?} and {b:?} overlap");
        }
    }
}

/// The corners of what a path goes through. A curve bends between rows, where only its ends matter:
/// its height is between theirs.
fn assert_edges_pass_boxes_by(svg: &str) {
    let boxes = rectangles(svg, "box");
    for path in svg.split("class=\"edge\" d=\"").skip(1) {
        let path = path.split('"').next().expect("a path ends");
        for piece in path.split('M').skip(1) {
            let (start, rest) = piece.split_once('V').expect("it goes down first");
            let (x, y) = start.split_once(' ').expect("two numbers");
            let [x, mut y]: [i64; 2] = [x, y].map(|number| number.parse().expect("a number"));
            let (down, curve) = rest.split_once('C').expect("then it bends");
            let numbers = curve.split(['V', ' ']).map(|number| number.parse().expect("a number"));
            let numbers: Vec<i64> = numbers.collect();
            let down: i64 = down.parse().expect("a number");
            let mut straight = vec![[x, y, x + 1, down]];
            y = numbers[5];
            let across = [x.min(numbers[4]), down, x.max(numbers[4]) + 1, y];
            straight.push(across);
            straight.extend(numbers.get(6).map(|&to| [numbers[4], y, numbers[4] + 1, to]));
            for &part in &straight {
                assert!(part[1] <= part[3], "an edge leads down: {part:?}");
                let crossed = boxes.iter().find(|&&of| overlap(of, part));
                assert!(crossed.is_none(), "an edge crosses {crossed:?} at {part:?}");
            }
        }
    }
}

/// Tags are nested and closed, and what stands between them is escaped.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag is closed");
        assert!(!text.contains('>') && tag.matches('"').count() % 2 == 0, "{piece}");
        let mut entities = text.split('&').skip(1);
        assert!(entities.all(|entity| {
            ["amp;", "lt;", "gt;", "quot;"].iter().any(|&known| entity.starts_with(known))
        }));
        let name = tag.trim_start_matches('/').split(' ').next();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), name),
            (false, false) => open.extend(name),
            (false, true) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_picture_is_well_formed_and_nothing_in_it_overlaps() {
    let gpt = include_str!("../../examples/gpt_stage0.pir");
    for source in [SOURCE, NESTED, gpt] {
        let program = program(source);
        for graph in [Graph::of_ops(&program), Graph::of_places(&program)] {
            let svg = graph.to_svg();
            assert_well_formed(&svg);
            let boxes = rectangles(&svg, "box");
            assert_eq!(boxes.len(), graph.nodes().len());
            assert_apart(&boxes);
            assert_apart(&rectangles(&svg, "lane"));
            assert_edges_pass_boxes_by(&svg);
            let [width, height] = ["width", "height"].map(|name| attribute(&svg, name));
            let is_inside =
                |of: &[i64; 4]| of[0] >= 0 && of[1] >= 0 && of[2] <= width && of[3] <= height;
            assert!(boxes.iter().all(is_inside));
        }
    }
}

#[test]
fn every_box_stands_in_its_lane() {
    let svg = Graph::of_ops(&program(SOURCE)).to_svg();
    let lanes = rectangles(&svg, "lane");
    assert_eq!(lanes.len(), 5);
    for of in rectangles(&svg, "box") {
        let holds = |lane: &&[i64; 4]| {
            lane[0] <= of[0] && of[2] <= lane[2] && lane[1] <= of[1] && of[3] <= lane[3]
        };
        assert_eq!(lanes.iter().filter(holds).count(), 1, "{of:?}");
    }
}

#[test]
fn a_picture_escapes_what_xml_has_a_meaning_for() {
    let source = SOURCE.replace("name:\"x\"", "name:\"<&>\u{1}\"");
    let svg = Graph::of_ops(&program(&source)).to_svg();
    assert_well_formed(&svg);
    assert!(svg.contains("`&lt;&amp;&gt;\u{fffd}`"));
}

#[test]
fn places_that_wait_for_each_other_have_an_arrow_at_each_end() {
    let svg = Graph::of_places(&program(SOURCE)).to_svg();
    assert_eq!(svg.matches("class=\"head\"").count(), 4);
    assert_edges_pass_boxes_by(&svg);
}

#[test]
fn an_empty_program_is_an_empty_picture() {
    let program = program("{\n}\n");
    for graph in [Graph::of_ops(&program), Graph::of_places(&program)] {
        assert_well_formed(&graph.to_svg());
        assert!(graph.to_dot().ends_with("}\n"));
    }
}

#[test]
fn the_order_of_uses_changes_nothing() {
    let program = program(SOURCE);
    let values = find_values(&program, "%0").expect("it is there");
    let mut reordered = program.clone();
    reordered.reorder_uses(crate::ir::UseOrder::Shuffled(7));
    let pictures =
        [&program, &reordered].map(|program| Graph::around(program, &values, 3).to_svg());
    assert_eq!(pictures[0], pictures[1]);
}
