use super::support::{EraseSinks, Fail, SOURCE, SetChunk, ops, parse, read, registry, run};
use crate::diagnostic::Diagnostic;
use crate::pass::{
    OptionInfo, OptionKind, Pass, PassInfo, PassManager, Pipeline, Registry, RegistryError,
    Session, pass_fn,
};

#[test]
fn what_is_known_of_a_pass_comes_from_its_struct() {
    let registry = registry();
    let info = registry.info("set_chunk").unwrap();
    assert_eq!(info.summary, "Puts ops into a chunk.");
    assert_eq!(info.details, "Ops that have one are left alone if that is asked for.");
    let kinds: Vec<String> =
        info.options.iter().map(|o| format!("{} {}", o.name, o.kind)).collect();
    let expected = [
        "chunk integer from 0 to 255",
        "which all|missing",
        "except [word or \"string\", ...]",
        "limit integer from 0 to 65535",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(info.example, "set_chunk{chunk=3}");
}

#[test]
fn help_shows_options_defaults_choices_rules_and_an_example_that_runs() {
    let help = registry().help("set_chunk").unwrap();
    let expected = "set_chunk

  Puts ops into a chunk.

  Ops that have one are left alone if that is asked for.

options:
  chunk=integer from 0 to 255, required
      The chunk.
  which=all|missing, default all
      Which ops.
        all: All of them.
        missing: Those without a chunk.
  except=[word or \"string\", ...], default []
      Names of ops to leave alone.
  limit=integer from 0 to 65535, optional
      At most so many.

counts:
  set: ops that were put into the chunk
  refused: ops that could not be

rules:
  comes before `erase_sinks`: sinks are to have chunks

laws:
  running it twice gives what running it once gives

example:
  pirogue opt -p 'set_chunk{chunk=3}' program.pir
";
    assert_eq!(help, expected);
    let registry = registry();
    for info in registry.iter() {
        assert_eq!(parse(&info.example).to_string(), info.example);
    }
}

#[test]
fn an_unknown_name_lists_near_ones() {
    let unknown = registry().help("setchunk").unwrap_err();
    assert_eq!(unknown.code, "E0502");
    assert_eq!(unknown.help.as_deref(), Some("did you mean `set_chunk`?"));
}

#[test]
fn names_must_differ_and_be_sayable() {
    let mut registry = registry();
    let same = registry.register::<EraseSinks>().unwrap_err();
    assert_eq!(same, RegistryError::SameName { name: "erase_sinks".into() });
    assert_eq!(Diagnostic::from(same).code, "E0507");
    for name in ["", "jobs", "a b", "3d", "x{", "a*"] {
        let error = registry.register_with(PassInfo::new(name, ""), |_| Err(String::new()));
        assert_eq!(error, Err(RegistryError::NotAName { name: name.into() }));
    }
}

#[test]
fn the_list_does_not_depend_on_who_registered_first() {
    let mut shuffled = Registry::new();
    shuffled.register::<Fail>().unwrap();
    shuffled.register::<SetChunk>().unwrap();
    shuffled.register::<EraseSinks>().unwrap();
    let expected = "erase_sinks  Erases `test.sink`.
fail         Changes the program and then fails.
set_chunk    Puts ops into a chunk.
";
    assert_eq!(shuffled.list(), expected);
}

#[test]
fn a_pass_made_by_a_factory_has_options_too() {
    let mut registry = Registry::new();
    let mut info = PassInfo::new("put", "Puts ops into a chunk.");
    let kind = OptionKind::Integer { min: None, max: None };
    info.options.push(OptionInfo::new("chunk", kind, "The chunk.").default_value(0));
    let factory = |options: &crate::pass::Options| {
        let chunk = options.get("chunk").and_then(serde_json::Value::as_i64).unwrap_or(0);
        let chunk = i32::try_from(chunk).ok().filter(|&chunk| chunk != 13);
        let chunk = chunk.ok_or("that is no chunk")?;
        let run = move |program: &mut crate::ir::Rewriter<'_>,
                        _: &mut crate::pass::PassContext<'_>| {
            for op in ops(program.program()) {
                program.set_chunk(op, Some(chunk));
            }
            Ok(())
        };
        Ok(Box::new(pass_fn("put", run)) as Box<dyn Pass>)
    };
    registry.register_with(info, factory).unwrap();
    let pipeline = Pipeline::parse(&registry, "put{chunk=2},put{chunk=0}").unwrap();
    assert_eq!(pipeline.to_string(), "put{chunk=2},put");
    let mut program = read(SOURCE);
    PassManager::new(pipeline).run(&mut program, &mut Session::new()).unwrap();
    assert!(ops(&program).iter().all(|&op| program.chunk(op) == Some(0)));

    let refused = Pipeline::parse(&registry, "put{chunk=13}").err().unwrap();
    assert_eq!(refused[0].code, "E0504");
    assert!(refused[0].to_string().contains("that is no chunk"));
    assert!(refused[0].to_string().contains("pipeline:1:11"), "{}", refused[0]);
}

#[test]
fn a_pass_counts_what_it_declares_and_nothing_is_zero() {
    let session = run("set_chunk{chunk=1 which=missing}", &mut read(SOURCE)).unwrap();
    let expected = "1 set_chunk
         2 set: ops that were put into the chunk
         0 refused: ops that could not be
";
    assert_eq!(session.statistics().to_string(), expected);
}
