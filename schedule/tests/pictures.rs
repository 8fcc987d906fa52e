//! Pictures say what the times say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use pirogue_schedule::picture::{Colours, Drawn, MAX_DRAWN, chrome_trace, html, svg, terminal};
use pirogue_schedule::simulate::{ChunkCosts, Costs, Link, simulate};
use pirogue_schedule::{BackwardMode, Schedule};
use support::vpp;

fn schedule(lists: &str) -> Schedule {
    lists.replace(" | ", "\n").parse().unwrap()
}

#[test]
fn each_job_begins_with_its_label_where_there_is_room() {
    let schedule = schedule(
        "forward0:0 forward0:1 backward_b0:0 backward_w0:0 backward0:1 optimizer:0 | \
         forward0:0 backward0:0 forward0:1 backward0:1",
    );
    let simulation = simulate(&schedule, Costs { optimizer: 3, ..Costs::default() }).unwrap();
    let text = terminal(&[Drawn { title: "two", simulation: &simulation }], 100, Colours::Plain);
    assert_eq!(
        text,
        "two: makespan 12, makespan bubble 6, span bubble 3, peak memory 2\n\
         0 |0F0 0F1 ....... 0I0 0W0 ... 0B1---- optimizer:0 |\n\
         1 |... 1F0 1B0---- 1F1 1B1---- ....................|\n"
    );
    let narrow = terminal(&[Drawn { title: "two", simulation: &simulation }], 11, Colours::Plain);
    assert_eq!(
        narrow,
        "two: makespan 12, makespan bubble 6, span bubble 3, peak memory 2\n\
         0 |F.IBBO|\n\
         1 |FBFB..|\n   \
         a column is 2 ticks\n"
    );
}

#[test]
fn colours_are_escapes_and_nothing_else_changes() {
    let schedule = schedule("forward0:0 backward0:0");
    let simulation = simulate(&schedule, Costs::default()).unwrap();
    let drawn = [Drawn { title: "one", simulation: &simulation }];
    let coloured = terminal(&drawn, 80, Colours::Ansi);
    assert!(coloured.contains("\u{1b}[38;5;16;48;5;117m0F0 \u{1b}[0m"), "{coloured}");
}

#[test]
fn an_svg_holds_each_job_once_and_its_title_as_text() {
    let schedule = vpp(4, 2, 8, BackwardMode::Whole).schedule();
    let simulation = simulate(&schedule, Costs::default()).unwrap();
    let drawn = [Drawn { title: "a & <b>", simulation: &simulation }];
    let picture = svg(&drawn).unwrap();
    assert_eq!(picture.matches("<rect class=\"job F\" x=").count(), 4 * 2 * 8 + 1);
    assert_eq!(picture.matches("<rect class=\"job B\" x=").count(), 4 * 2 * 8 + 1);
    assert!(picture.contains(">a &amp; &lt;b&gt;</text>"));
    assert!(
        picture
            .contains("<title>7F3: forward of micro-batch 3, chunk 1 of stage 3, 16 to 17</title>")
    );
    assert_eq!(svg(&drawn).unwrap(), picture);
}

#[test]
fn a_fused_pair_has_two_halves_of_a_row() {
    let schedule = schedule("forward0:0 forward0:1 backward0:0 backward0:1");
    let schedule = schedule.with_fused_pairs(vec![1]).unwrap();
    let simulation = simulate(&schedule, Costs::default()).unwrap();
    let picture = svg(&[Drawn { title: "pair", simulation: &simulation }]).unwrap();
    assert_eq!(picture.matches(" fused\" x=").count(), 2);
    assert_eq!(picture.matches("height=\"11\"").count(), 2);
}

#[test]
fn a_page_needs_no_network_and_says_what_jobs_build_on() {
    let schedule = vpp(2, 2, 2, BackwardMode::Whole).schedule();
    let simulation = simulate(&schedule, Costs::default()).unwrap();
    let page = html(&[Drawn { title: "</script>", simulation: &simulation }]).unwrap();
    for outside in ["src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("</script>").count(), 1);
    let backward = schedule.jobs().iter().position(|job| job.to_string() == "backward1:0").unwrap();
    let forward = schedule.jobs().iter().position(|job| job.to_string() == "forward1:0").unwrap();
    let needs = page.split(&format!("id=\"0-{backward}\" data-needs=\"")).nth(1).unwrap();
    let needs = needs.split('"').next().unwrap();
    assert!(needs.split(' ').any(|need| need == forward.to_string()), "{needs}");
    assert_eq!(page.matches("<path class=\"curve\"").count(), 2);
}

#[test]
fn a_trace_is_json_with_a_flow_for_each_message() {
    let schedule = vpp(2, 1, 4, BackwardMode::Whole).schedule();
    let link = Link { occupancy: 1, latency: 2 };
    let chunk = ChunkCosts { forward: 5, ..ChunkCosts::default() };
    let simulation = simulate(&schedule, Costs { link, chunk, ..Costs::default() }).unwrap();
    let trace =
        chrome_trace(&[Drawn { title: "a \"quoted\" \\ title\n", simulation: &simulation }]);
    let trace: serde_json::Value = serde_json::from_str(&trace).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let with = |key: &str, value: &str| events.iter().filter(|event| event[key] == value).count();
    assert_eq!(with("ph", "X"), schedule.jobs().len());
    // Four forwards and four backwards cross.
    assert_eq!((with("ph", "s"), with("ph", "f")), (8, 8));
    assert_eq!(with("cat", "computation"), 2 * 2 * 4);
    assert!(events[0]["args"]["name"] == "a \"quoted\" \\ title\n");
    let backward = events.iter().find(|event| event["args"]["job"] == "backward0:0").unwrap();
    assert_eq!(backward["dur"], 2);
}

#[test]
fn what_nobody_could_see_is_not_drawn() {
    let schedule = vpp(8, 4, 1000, BackwardMode::Whole).schedule();
    assert!(schedule.jobs().len() > MAX_DRAWN);
    let simulation = simulate(&schedule, Costs::default()).unwrap();
    let error = svg(&[Drawn { title: "large", simulation: &simulation }]).unwrap_err();
    assert_eq!(error.code(), "E0371");
    // In the terminal it fits any width.
    let text = terminal(&[Drawn { title: "large", simulation: &simulation }], 60, Colours::Plain);
    assert!(text.lines().skip(1).all(|line| line.chars().count() <= 60), "{text}");
}
