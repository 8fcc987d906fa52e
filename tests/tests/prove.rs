//! Every recorded plan of Paddle has its verdict, one test each: 91 mean what their program meant, 24
//! do not, each for its reason. Every plan of ours is proved, whether Paddle made one or not.

use libtest_mimic::{Arguments, Failed, Trial};
use pirogue_prove::Outcome;
use pirogue_system_tests::corpus::{self, Case, Expect};
use pirogue_system_tests::judge::{self, Pair, codes, told};

/// A plan of Paddle that is wrong: which codes say so, in the order of cause; what the first fault
/// names, in its message or in the line of the original it shows; and which quirk of Paddle it is.
struct Wrong {
    case: &'static str,
    codes: &'static [&'static str],
    about: &'static str,
    because: &'static str,
}

const fn wrong(
    case: &'static str,
    codes: &'static [&'static str],
    about: &'static str,
    because: &'static str,
) -> Wrong {
    Wrong { case, codes, about, because }
}

const TRANSPOSED: &str = "A1: the split of `matmul_grad` forgets the transpose";
const DYNAMIC: &str = "A6: of two unknown dims one is taken for 1";
const LIST: &str = "A8: a list crosses programs";
const FREED: &str = "A9: a name with both kinds of uses is not kept";
const SECOND_USER: &str = "A10, A11, A12: only the first user waits, on whatever stream";
const STACK: &str = "A14: a stack crosses programs";
const RENAMED: &str = "C8: a value that is named twice keeps the last name alone";

const WRONG: &[Wrong] = &[
    wrong(
        "hand_mm_transpose_x_split",
        &["E0710"],
        r#""pd_op.matmul_grad" (%7, %3, %17)"#,
        TRANSPOSED,
    ),
    wrong("hand_mm_transpose_y_split", &["E0710"], r#""pd_op.matmul_grad""#, TRANSPOSED),
    wrong("real_pp2_vpp2_m2_r0_split", &["E0712", "E0710"], r#""pd_op.matmul_grad""#, TRANSPOSED),
    wrong(
        "real_pp2_vpp2_m2_r0_adamw_split",
        &["E0712", "E0710"],
        r#""pd_op.matmul_grad""#,
        TRANSPOSED,
    ),
    wrong(
        "real_pp2_vpp2_m2_r0_amp_split",
        &["E0712", "E0710"],
        r#""pd_op.matmul_grad""#,
        TRANSPOSED,
    ),
    wrong(
        "real_pp2_vpp2_m2_r0_mp2_split",
        &["E0712", "E0710"],
        r#""pd_op.matmul_grad""#,
        TRANSPOSED,
    ),
    wrong("real_pp2_vpp2_m2_r1_split", &["E0712", "E0710"], r#""pd_op.matmul_grad""#, TRANSPOSED),
    wrong(
        "real_pp2_vpp2_m2_r1_amp_split",
        &["E0712", "E0710"],
        r#""pd_op.matmul_grad""#,
        TRANSPOSED,
    ),
    wrong("hand_mm_rank3_dyn2_split", &["E0710"], r#""pd_op.matmul_grad" (%5, %4, %27)"#, DYNAMIC),
    wrong("hand_shared_weight_split", &["E0701"], "var_36_builtin.combine_0", LIST),
    wrong("hand_mm_rank4_batched_split", &["E0701"], "var_42_builtin.combine_0", LIST),
    wrong(
        "hand_post_ln_split",
        &["E0704"],
        "`backward_w1:0` reads `var_17_pd_op.layer_norm_0`",
        FREED,
    ),
    wrong(
        "hand_infer_one_before_boundary_split",
        &["E0704"],
        "`forward1:0` reads `var_15_pd_op.add_0`",
        FREED,
    ),
    wrong("hand_send_recv_two_recv_one_user", &["E0707"], "var_11_pd_op.recv_v2_0", SECOND_USER),
    wrong("hand_send_one_value_twice", &["E0707"], "send_stream_14", SECOND_USER),
    wrong("hand_send_feeds_from_fwd_data", &["E0707"], "var_13_pd_op.gelu_0", SECOND_USER),
    wrong("hand_send_feeds_from_fwd_data_split", &["E0707"], "var_13_pd_op.gelu_0", SECOND_USER),
    wrong("hand_nested_if", &["E0701", "E0702", "E0706", "E0710"], "cf.outlet", STACK),
    wrong("hand_nested_if_split", &["E0701", "E0702", "E0706", "E0710"], "cf.outlet", STACK),
    wrong(
        "hand_recv_used_only_in_if_split",
        &["E0701", "E0702", "E0706", "E0712"],
        "cf.outlet",
        STACK,
    ),
    wrong("hand_name_two_shadows", &["E0702", "E0710"], "`bbb`", RENAMED),
    wrong("hand_name_two_shadows_split", &["E0702", "E0710"], "`bbb`", RENAMED),
    wrong("hand_shadow_in_later_chunk", &["E0702", "E0711", "E0710"], "`late_out`", RENAMED),
    wrong("hand_shadow_in_later_chunk_split", &["E0702", "E0711", "E0710"], "`late_out`", RENAMED),
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("paddle: 115 plans are recorded, and 24 of them are wrong", count),
        Trial::test("ours: there is a plan where one is expected", ours_are_made),
    ];
    for case in corpus::cases() {
        let name = case.case.clone();
        if let Some(pair) = case.recorded() {
            trials.push(match WRONG.iter().find(|wrong| wrong.case == name) {
                Some(wrong) => Trial::test(format!("paddle: {name} is refuted"), move || {
                    is_refuted(&pair, wrong)
                }),
                None => Trial::test(format!("paddle: {name} is proved"), move || is_proved(&pair)),
            });
        }
        if let Ok(pair) = case.ours() {
            trials.push(Trial::test(format!("ours: {name} is proved"), move || is_proved(&pair)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn count() -> Result<(), Failed> {
    let recorded = judge::recorded();
    assert_eq!((recorded.len(), WRONG.len()), (115, 24));
    let is_recorded = |wrong: &&Wrong| recorded.iter().any(|(name, _)| name == wrong.case);
    assert_eq!(WRONG.iter().filter(is_recorded).count(), 24);
    Ok(())
}

fn ours_are_made() -> Result<(), Failed> {
    let is_expected =
        |case: &&Case| matches!(case.expect, Expect::Equal | Expect::Differs | Expect::Beyond);
    for case in corpus::cases().iter().filter(is_expected) {
        case.ours().map_err(|errors| format!("{}: {}", case.case, errors[0]))?;
    }
    Ok(())
}

fn is_proved(pair: &Pair) -> Result<(), Failed> {
    for verdict in [pair.verdict(), pair.verdict_apart()] {
        if verdict.outcome != Outcome::Proved {
            return Err(format!("{verdict}\n{}", told(&verdict)).into());
        }
    }
    Ok(())
}

fn is_refuted(pair: &Pair, wrong: &Wrong) -> Result<(), Failed> {
    let (verdict, apart) = (pair.verdict(), pair.verdict_apart());
    let first = verdict.faults.first().map_or(String::new(), |fault| fault.to_string());
    let is_so = codes(&verdict) == wrong.codes && first.contains(wrong.about);
    if !is_so || codes(&apart) != wrong.codes {
        let (found, reason) = (codes(&verdict), wrong.because);
        return Err(format!("{found:?}, {first}\n({reason})\n{}", told(&verdict)).into());
    }
    Ok(())
}
