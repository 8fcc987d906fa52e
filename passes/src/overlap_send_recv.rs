//! Puts sends and receives on streams of their own, so that they overlap with computation.
//!
//! For each `pd_op.send_v2` and `pd_op.recv_v2` of the top block, in every role:
//! 1. its stream: one for all receives, one a ring for sends, which keep their order on a ring;
//! 2. what the executor asks of an op on such a stream: a static shape, the calculation stream's
//!    communicator, a priority.
//!
//! What the op says of these is overwritten, as Paddle does.
//!
//! `pd_op.send_v2 {ring_id:13}` ==> `pd_op.send_v2 {dynamic_shape:false,
//! execution_stream:"send_stream_13",ring_id:13,scheduling_priority:0,use_calc_stream:true}`

use pirogue::diagnostic::{Diagnostic, Place};
use pirogue::ir::{Attr, AttrValue, Context, Name, Op, Program, Rewriter, names};
use pirogue::pass::{Law, Pass, PassContext, PassError, RegisteredPass, Statistic};
use pirogue::text::Labels;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::{MOST_SHOWN, add_rest};

/// Puts sends and receives on streams of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverlapSendRecv {}

impl RegisteredPass for OverlapSendRecv {
    const NAME: &'static str = "overlap_send_recv";
}

const SENDS: &str = "sends";
const RECEIVES: &str = "receives";

impl Pass for OverlapSendRecv {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        let report = overlap_send_recv(rewriter)?;
        cx.count(SENDS, report.sends);
        cx.count(RECEIVES, report.receives);
        if report == OverlapReport::default() {
            cx.matched_nothing("no `pd_op.send_v2` or `pd_op.recv_v2` in the top block");
        }
        Ok(())
    }

    fn statistics(&self) -> &'static [Statistic] {
        &[
            Statistic { name: SENDS, description: "sends put on the stream of their ring" },
            Statistic { name: RECEIVES, description: "receives put on the receiving stream" },
        ]
    }

    fn laws(&self) -> &'static [Law] {
        &[Law::Idempotent, Law::KeepsRoles, Law::KeepsChunks]
    }
}

/// How many ops [`overlap_send_recv`] put on a stream.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlapReport {
    /// Sends.
    pub sends: u64,
    /// Receives.
    pub receives: u64,
}

/// Puts every send and receive of the top block on its stream.
///
/// # Errors
/// All sends without an integer `ring_id` (`E0211`). The program is then as it was.
pub fn overlap_send_recv(rewriter: &mut Rewriter<'_>) -> Result<OverlapReport, Vec<Diagnostic>> {
    let streams = streams(rewriter.program())?;
    let context = rewriter.context();
    let common = common_attrs(&context);
    let mut report = OverlapReport::default();
    for (op, stream) in streams {
        match stream {
            Stream::Send { .. } => report.sends += 1,
            Stream::Receive => report.receives += 1,
        }
        let stream = context.attr(AttrValue::string(&stream.name()));
        let old = rewriter.program().dict(op);
        let entries = context.dict_entries(old).iter().copied();
        let dict = context.dict(entries.chain(common).chain([(names::EXECUTION_STREAM, stream)]));
        if dict != old {
            rewriter.set_dict(op, dict);
        }
    }
    Ok(report)
}

enum Stream {
    Send { ring: i64 },
    Receive,
}

impl Stream {
    fn name(&self) -> String {
        match self {
            Self::Send { ring } => format!("send_stream_{ring}"),
            Self::Receive => "recv_stream".to_owned(),
        }
    }
}

/// What every op on such a stream says.
fn common_attrs(context: &Context) -> [(Name, Attr); 3] {
    [
        (names::DYNAMIC_SHAPE, context.attr(AttrValue::Bool(false))),
        (names::USE_CALC_STREAM, context.attr(AttrValue::Bool(true))),
        (names::SCHEDULING_PRIORITY, context.attr(AttrValue::int32(0))),
    ]
}

fn streams(program: &Program) -> Result<Vec<(Op, Stream)>, Vec<Diagnostic>> {
    let mut streams = Vec::new();
    let mut faulty = Vec::new();
    for op in program.top_ops() {
        match (program.name(op), ring(program, op)) {
            (names::RECV_V2, _) => streams.push((op, Stream::Receive)),
            (names::SEND_V2, Some(ring)) => streams.push((op, Stream::Send { ring })),
            (names::SEND_V2, None) => faulty.push(op),
            _ => {}
        }
    }
    if faulty.is_empty() { Ok(streams) } else { Err(ring_faults(program, &faulty)) }
}

fn ring(program: &Program, op: Op) -> Option<i64> {
    program.attr_value(op, names::RING_ID)?.as_int()
}

fn ring_faults(program: &Program, faulty: &[Op]) -> Vec<Diagnostic> {
    let labels = Labels::of(program);
    let shown = faulty.iter().take(MOST_SHOWN).map(|&op| {
        let message = match program.attr(op, names::RING_ID) {
            None => "`pd_op.send_v2` has no `ring_id`, which names its stream",
            Some(_) => {
                "the `ring_id` of `pd_op.send_v2` is no integer, and so cannot name its stream"
            }
        };
        Diagnostic::error("E0211", message)
            .at(Place::op_in(program, op, &labels))
            .help("set `ring_id` to the number of the ring that the two stages share")
    });
    let mut faults: Vec<_> = shown.collect();
    add_rest(&mut faults, faulty.len(), "sends without a ring");
    faults
}

#[cfg(test)]
mod tests {
    use pirogue::ir::Context;
    use pirogue::text;

    use super::*;

    fn run(source: &str) -> (String, Result<OverlapReport, Vec<Diagnostic>>) {
        let read = text::read_program(&Context::new(), "test.pir", source.as_bytes());
        let mut program = read.expect("it is well formed").program;
        let result = overlap_send_recv(&mut Rewriter::new(&mut program));
        (text::to_text(&program), result)
    }

    #[test]
    fn a_send_goes_on_the_stream_of_its_ring_and_a_receive_on_the_one_of_all_receives() {
        let (printed, result) = run(r#"{
    (%0) = "pd_op.recv_v2" () {dynamic_shape:true,op_role:0,peer:0,ring_id:3,use_calc_stream:false} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {execution_stream:"mine",op_role:2,peer:1,ring_id:13,scheduling_priority:7} : (tensor<2xf32>) -> 
}
"#);
        assert_eq!(result, Ok(OverlapReport { sends: 1, receives: 1 }));
        let expected = r#"{
    (%0) = "pd_op.recv_v2" () {dynamic_shape:false,execution_stream:"recv_stream",op_role:0,peer:0,ring_id:3,scheduling_priority:0,use_calc_stream:true} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {dynamic_shape:false,execution_stream:"send_stream_13",op_role:2,peer:1,ring_id:13,scheduling_priority:0,use_calc_stream:true} : (tensor<2xf32>) -> 
}
"#;
        assert_eq!(printed, expected);
        assert_eq!(run(&printed).0, printed);
    }

    #[test]
    fn all_sends_without_a_ring_are_reported_and_nothing_is_changed() {
        let source = r#"{
    (%0) = "pd_op.recv_v2" () {ring_id:3} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {peer:1} : (tensor<2xf32>) -> 
    () = "pd_op.send_v2" (%0) {ring_id:"12"} : (tensor<2xf32>) -> 
}
"#;
        let (printed, result) = run(source);
        let errors = result.expect_err("two sends have no ring");
        let line = |error: &Diagnostic| error.primary.as_ref().and_then(|place| place.line);
        let shown: Vec<_> = errors.iter().map(|error| (&*error.code, line(error))).collect();
        assert_eq!(shown, [("E0211", Some(3)), ("E0211", Some(4))]);
        assert_eq!(printed, source);
    }

    #[test]
    fn an_op_in_a_region_is_left_alone() {
        let source = r#"{
    (%0) = "pd_op.full" () {} : () -> tensor<1xb>
    () = "pd_op.if" (%0) {} ->  {
        () = "pd_op.send_v2" (%0) {ring_id:1} : (tensor<1xb>) -> 
    } else {
    }
}
"#;
        assert_eq!(run(source).1, Ok(OverlapReport::default()));
    }
}
