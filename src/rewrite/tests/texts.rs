//! Faults in the text of a rule are found when the set is made, and shown at their place.

use super::super::{RuleBuilder, RuleSet, rule};
use crate::diagnostic::Diagnostic;
use crate::ir::AttrValue;

fn faults(rule: RuleBuilder) -> Vec<Diagnostic> {
    RuleSet::new([rule]).err().expect("the rule has a fault")
}

/// Code, highlighted text and message of the only fault of a rule.
fn fault(rule: RuleBuilder) -> (String, String, String) {
    let faults = faults(rule);
    assert_eq!(faults.len(), 1, "{faults:?}");
    let place = faults[0].primary.clone().expect("it points into the rule");
    let shown = place.text[place.highlight].to_owned();
    (faults[0].code.to_string(), shown, faults[0].message.clone())
}

#[track_caller]
fn is_refused(text: &'static str, code: &str, shown: &str, message: &str) {
    let (found_code, found_shown, found) = fault(rule("test", text));
    assert_eq!((found_code.as_str(), found_shown.as_str()), (code, shown), "{found}");
    assert!(found.contains(message), "{found}");
}

#[test]
fn what_does_not_follow_the_grammar_is_shown_where_it_stops() {
    is_refused("", "E0221", "", "expected an operand: a name, `_`, `null` or an op");
    is_refused("x ==> x", "E0221", "x", "expected the op that a rule begins with");
    is_refused("pd_op.abs(x)", "E0221", "", "expected `==>` behind what is matched");
    is_refused("pd_op.abs(x ==> x", "E0221", "=", "expected `,` or `)`, found `=`");
    is_refused("pd_op.abs(x) ==> _", "E0221", "_", "a name; `_` stands for nothing");
    is_refused("pd_op.abs(x) ==> x if", "E0221", "i", "expected `where`, or the end");
    is_refused("pd_op.abs ==> x", "E0221", "pd_op.abs", "`(` and operands behind the name");
    is_refused("pd_op.cast(x){dtype} ==> x", "E0221", "}", "`=` and the value");
    is_refused("pd_op.cast(x){dtype=%} ==> x", "E0221", "", "a name, `true`, `false`");
    is_refused("pd_op.cast(x){dtype=\"a} ==> x", "E0221", "\"a} ==> x", "that ends in `\"`");
    is_refused("pd_op.abs(x) ==> y@pd_op.abs(x)", "E0221", "y@", "names are bound on the left");
}

#[test]
fn a_name_on_the_right_must_stand_on_the_left() {
    is_refused("pd_op.abs(x) ==> y", "E0222", "y", "nothing on the left is called so");
    is_refused(
        "pd_op.transpose(x){perm=p} ==> pd_op.transpose(x){perm=q}",
        "E0222",
        "perm",
        "`q` stands on the right",
    );
    is_refused("pd_op.transpose(x){perm=x} ==> x", "E0222", "x", "`x` is a value, and here stands");
    is_refused("pd_op.cast(x){dtype=d} ==> d", "E0222", "d", "`d` is an attribute, and here");
}

#[test]
fn what_is_replaced_may_lend_its_type_and_is_not_read() {
    for text in ["r@pd_op.abs(x) ==> r", "r@pd_op.abs(x) ==> pd_op.relu(r)"] {
        let (code, _, message) = fault(rule("test", text));
        assert_eq!((code.as_str(), message.as_str()), ("E0222", "`r` is what is replaced"));
    }
    let lends = rule("test", "r@pd_op.abs(x) ==> pd_op.relu(pd_op.tanh(x): r)");
    assert!(RuleSet::new([lends]).is_ok());
}

#[test]
fn ops_of_a_rule_are_known_pure_and_complete() {
    is_refused("pd_op.transpos(x) ==> x", "E0223", "pd_op.transpos", "nothing is known of an op");
    let unknown = faults(rule("test", "pd_op.transpos(x) ==> x")).remove(0);
    assert!(unknown.help.is_some_and(|help| help.contains("did you mean `pd_op.transpose`")));
    is_refused("pd_op.relu_(x) ==> x", "E0223", "pd_op.relu_", "is not pure");
    is_refused("pd_op.poisson(x) ==> x", "E0223", "pd_op.poisson", "is not pure");
    is_refused("pd_op.abs(x, y) ==> x", "E0223", "pd_op.abs", "has 1 operands, and here 2");
    is_refused("pd_op.abs(x){axis=1} ==> x", "E0223", "axis", "has no attribute `axis`");
    is_refused("pd_op.topk(x, _) ==> x", "E0223", "pd_op.topk", "does not have one result");
    is_refused(
        "pd_op.abs(x) ==> pd_op.cast(x)",
        "E0223",
        "pd_op.cast",
        "the new `pd_op.cast` has no `dtype`",
    );
    is_refused(
        "pd_op.abs(x) ==> pd_op.abs(pd_op.relu(x))",
        "E0223",
        "pd_op.relu",
        "nothing says of which type",
    );
}

#[test]
fn conditions_and_their_words_go_together() {
    is_refused(
        "pd_op.abs(x) ==> x where x is not negative",
        "E0224",
        "pd_op.abs(x) ==> x where x is not negative",
        "the rule no condition",
    );
    let silent = rule("test", "pd_op.abs(x) ==> x").when(["x"], |[x]| x.value().is_some());
    assert_eq!(fault(silent).0, "E0224");
    let stranger = rule("test", "pd_op.abs(x) ==> x where so").when(["z"], |_| true);
    assert!(fault(stranger).2.contains("a condition asks for `z`"));
    let early = rule("test", "pd_op.abs(x) ==> x where so").when(["r"], |_| true).derive(
        "r",
        ["x"],
        |_| Some(AttrValue::Null),
    );
    assert!(fault(early).2.contains("a condition asks for `r`"), "it is derived behind");
    let twice = rule("test", "pd_op.cast(x){dtype=d} ==> x where so")
        .derive("d", ["x"], |_| Some(AttrValue::Null));
    assert!(fault(twice).2.contains("there is one already"));
}

#[test]
fn two_rules_of_one_name_are_refused_and_all_faults_are_told() {
    let rules = || rule("test", "pd_op.abs(x) ==> x");
    let twice = RuleSet::new([rules(), rules()]).err().expect("they have one name");
    assert_eq!(twice[0].code, "E0225");
    let both = [rule("a", "pd_op.abs(x) ==> y"), rule("b", "pd_op.nothing_like_it(x) ==> x")];
    assert_eq!(RuleSet::new(both).err().map(|faults| faults.len()), Some(2));
}

#[test]
fn a_fault_reads_as_one_in_a_file() {
    let shown = faults(rule("abs away", "pd_op.abs(x) ==> y")).remove(0).to_string();
    assert!(shown.contains("rule `abs away`:1:18"), "{shown}");
}

#[test]
fn a_set_lists_its_rules() {
    let rules = [rule("a", "pd_op.abs(x) ==> x"), rule("b", "pd_op.relu(x) ==> x")];
    let set = RuleSet::new(rules).expect("they are well formed");
    assert_eq!(set.to_string(), "a: pd_op.abs(x) ==> x\nb: pd_op.relu(x) ==> x\n");
}

#[test]
fn deep_nesting_is_refused() {
    let text: &'static str =
        Box::leak(format!("{}x{} ==> x", "pd_op.abs(".repeat(100), ")".repeat(100)).into());
    assert_eq!(fault(rule("deep", text)).0, "E0221");
}
