use serde_json::{Value, json};

use super::*;

options! {
    /// An object that is used in several places.
    struct Pet: Table::titled("pet").shared().interface("Pet", "A pet.");

    /// The name.
    name: String = some_text_but(&["nobody"]).required(),
    /// Kilograms.
    weight: Option<f64> = number(0.5, 80.0).if_set(),
}

words! {
    enum Pace { Walk = "walk", Run = "run" }
}

const PET_KEYS: Typed<Vec<(String, String)>> =
    record(&text(), "an object of strings").or_default().secret().about("Keys by place.");

options! {
    struct Example: Table::titled("Options of an example")
        .interface("Example", "An example.")
        .with_needs(&[Needs { field: "mode", is: "run", any_of: &["limit", "signal"] }]);

    /// Whether it is heard.
    loud: bool = flag().or(true),
    /// How many.
    count: usize = whole(1, 20).or(5),
    /// At most so many.
    ///
    /// The description ends with its first paragraph.
    limit: Option<usize> = whole(2, u64::MAX).if_set(),
    /// How fast.
    pace as "mode": Pace = choice().or_first(),
    /// For
    /// people.
    note: Given<String> = text().or("none").with_presence(),
    key: Vec<(String, String)> = PET_KEYS,
    /// The pet.
    pet: Option<Pet> = object().if_set(),
    /// More of them.
    pets: Vec<WithJson<Pet>> = list(&object().with_json(), "an array of pets").or_default(),
    /// Pets by name.
    tools: Vec<(String, Pet)> = record(&object(), "an object of pets").or_default(),
    /// The watcher.
    guard: Option<Either<Off, Pet>> = either(&off(), &object()).if_set(),
    /// How large.
    scale: Option<Either<f64, &'static str>> = either(&number(0.1, 10.0), &word(&["auto"])).if_set(),
    /// Ends it.
    signal: Unread = host("an AbortSignal"),
    /// Checked elsewhere.
    config: Value = any_object().or_default(),
}

options! {
    struct Lenient: Table::titled("context").argument("context").open().null_is_absent();

    note: Option<String> = text().if_set(),
    pet: Option<Pet> = object().if_set(),
    /// Dollars.
    alert_above: Either<Off, f64> = either(&off(), &number(0.0, 9.0).with(0.1)).or_default(),
    /// Whether to check, or how.
    check: Either<bool, Pet> = either(&flag().with(false), &object()).or_default(),
}

options! {
    struct Argument: Table::titled("Options of a call").argument("options").interface("CallOptions", "A call.");

    /// The messages.
    messages: Unread = host_object("an array of messages").required().typed_as("Message[]").failing_as("invalid_messages"),
    /// How it ended.
    exit_code: Option<i64> = any_whole().if_set().or_null(),
    /// Its input.
    input: Value = any().or_default(),
    /// The vocabulary.
    encoding: &'static str = word(&["old", "new"]).or("new").failing_as("unknown_encoding"),
}

fn faults(options: Value) -> Vec<ConfigError> {
    Example::read(&options).err().unwrap_or_default()
}

fn texts(options: Value) -> Vec<String> {
    faults(options).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_absent_is_the_default() {
    let options = Example::read(&json!({})).unwrap();
    assert_eq!((options.loud, options.count, options.pace, options.limit), (true, 5, Pace::Walk, None));
    assert_eq!((options.note.value.as_str(), options.note.is_given), ("none", false));
    assert!(options.pet.is_none() && options.guard.is_none() && options.scale.is_none());
    assert!(options.pets.is_empty() && options.tools.is_empty() && options.config.is_null());
    let lenient = Lenient::defaults();
    assert!(matches!((lenient.alert_above, lenient.check), (Either::Second(0.1), Either::First(false))));
}

#[test]
fn what_is_given_is_read_at_every_depth() {
    let options = Example::read(&json!({
        "loud": false, "count": 7.0, "limit": 2, "mode": "run", "note": "none", "pet": { "name": "Rex" },
        "pets": [{ "name": "Tom", "weight": 4.5 }], "tools": { "my_*": { "name": "Ada" } }, "key": { "a": "b" },
        "guard": { "name": "Kit" }, "scale": "auto", "config": { "any": [1] },
    }))
    .unwrap();
    assert_eq!((options.loud, options.count, options.limit, options.pace), (false, 7, Some(2), Pace::Run));
    assert_eq!((options.note.value.as_str(), options.note.is_given), ("none", true));
    assert_eq!(options.pet.unwrap().name, "Rex");
    assert_eq!((options.pets[0].value.weight, &options.pets[0].json["name"]), (Some(4.5), &json!("Tom")));
    assert_eq!((options.tools[0].0.as_str(), options.tools[0].1.name.as_str()), ("my_*", "Ada"));
    assert_eq!(options.key, [("a".to_owned(), "b".to_owned())]);
    assert_eq!(options.guard.and_then(Either::second).unwrap().name, "Kit");
    assert!(matches!(options.scale, Some(Either::Second("auto"))));
    assert_eq!(options.config, json!({ "any": [1] }));
    let lenient = Lenient::read(&json!({ "alertAbove": false, "check": { "name": "Rex" } })).unwrap();
    assert!(
        matches!((lenient.alert_above, lenient.check), (Either::First(Off), Either::Second(pet)) if pet.name == "Rex")
    );
}

#[test]
fn every_fault_is_told_with_its_path_in_one_form() {
    let found = texts(json!({
        "loud": "yes", "count": 21, "limit": 1.5, "mode": "run away", "note": null, "pet": { "nam": "Rex" },
        "pets": [{ "name": "Tom" }, { "name": "  ", "weight": "3" }, 7], "tools": { "my_*": { "name": "nobody" } },
        "guard": true, "scale": 0, "signal": 5, "config": [], "cuont": 3, "zz": 1,
    }));
    insta::assert_snapshot!(found.join("\n"), @r#"
    loud must be true or false; got "yes"
    count must be a whole number from 1 to 20; got 21
    limit must be a whole number, 2 or more; got 1.5
    mode must be one of "walk", "run"; got "run away"
    note must be a string; got null
    pet.name is missing; it must be a string that is not empty, but none of nobody
    pet.nam is unknown; did you mean name?
    pets[1].name must be a string that is not empty, but none of nobody; got "  "
    pets[1].weight must be a number from 0.5 to 80; got "3"
    pets[2] must be an object with name, weight; got 7
    tools["my_*"].name must be a string that is not empty, but none of nobody; got "nobody"
    guard must be false, or an object with name, weight; got true
    scale must be a number from 0.1 to 10, or "auto"; got 0
    signal must be an AbortSignal; got 5
    config must be an object; got []
    cuont is unknown; known: loud, count, limit, mode, note, key, pet, pets, tools, guard, scale, signal, config
    zz is unknown; known: loud, count, limit, mode, note, key, pet, pets, tools, guard, scale, signal, config
    "#);
}

#[test]
fn kinds_of_faults_have_codes() {
    for (options, kind, code) in [
        (json!({ "count": "5" }), FaultKind::WrongType, "invalid_config"),
        (json!({ "count": 0 }), FaultKind::OutOfRange, "out_of_range"),
        (json!({ "mode": "fly" }), FaultKind::NotAllowed, "invalid_config"),
        (json!({ "pet": {} }), FaultKind::Missing, "invalid_config"),
        (json!({ "zz": 0 }), FaultKind::Unknown, "invalid_config"),
        (json!({ "signal": {} }), FaultKind::NotUsable, "invalid_argument"),
        (json!({ "scale": "huge" }), FaultKind::NotAllowed, "invalid_config"),
        (json!({ "scale": 11 }), FaultKind::OutOfRange, "out_of_range"),
        (json!([]), FaultKind::WrongType, "invalid_config"),
        (json!({ "count": { "$refused": "NaN" } }), FaultKind::OutOfRange, "out_of_range"),
        (json!({ "signal": { "$refused": "NaN" } }), FaultKind::NotUsable, "invalid_argument"),
        (json!({ "count": { "$refused": "5n" } }), FaultKind::NotUsable, "invalid_argument"),
    ] {
        let found = faults(options.clone());
        let kinds: Vec<_> = found.iter().map(|fault| (fault.kind, fault.code)).collect();
        assert_eq!(kinds, [(kind, code)], "{options}");
    }
}

#[test]
fn what_json_cannot_hold_is_shown_as_it_was() {
    let refused = |text: &str| json!({ "$refused": text });
    let found = texts(json!({ "loud": refused("a function"), "config": { "list": [1, refused("NaN")] } }));
    assert_eq!(
        found,
        ["loud must be true or false; got a function", "config.list[1] must be a value that JSON can hold; got NaN",]
    );
}

#[test]
fn what_may_be_a_secret_is_not_shown() {
    for key in
        [json!("sk-secret"), json!(["sk-secret"]), json!({ "a": { "b": "sk-secret" } }), json!({ "a": ["sk-secret"] })]
    {
        let found = faults(json!({ "key": key }));
        assert_eq!(found.len(), 1, "{key}");
        assert!(!format!("{found:?} {}", found[0]).contains("secret"), "{found:?}");
    }
    let unknown = faults(json!({ "kye": "sk-secret" }));
    assert_eq!(unknown[0].to_string(), "kye is unknown; did you mean key?");
    assert!(!format!("{unknown:?}").contains("secret"));
}

#[test]
fn what_needs_another_field_says_why() {
    assert_eq!(
        texts(json!({ "mode": "run" })),
        ["limit is missing; it must be a whole number, 2 or more, or an AbortSignal, because mode is \"run\""]
    );
    assert_eq!(texts(json!({ "mode": "run", "limit": 2 })), [] as [&str; 0]);
}

#[test]
fn null_is_absent_where_the_host_writes_it_so() {
    let context = json!({ "note": null, "pet": { "name": "Rex", "weight": null }, "ours": 1 });
    let lenient = Lenient::read(&context).unwrap();
    assert_eq!((lenient.note, lenient.pet.unwrap().weight), (None, None));
    let found = Lenient::read(&json!({ "pet": { "name": null }, "note": 5 })).unwrap_err();
    let paths: Vec<_> = found.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["context.note", "context.pet.name"]);
    assert_eq!(Lenient::read(&json!(5)).unwrap_err()[0].path, "context");
    assert!(Lenient::read(&Value::Null).is_ok());
}

#[test]
fn options_of_functions_are_checked_where_javascript_reads_them() {
    let held = json!({ "$held": true });
    let read = Argument::read(&json!({ "messages": held, "exitCode": -3.0, "input": { "$refused": "x" } })).unwrap();
    assert_eq!((read.exit_code, read.input, read.encoding), (Some(-3), json!({ "$refused": "x" }), "new"));
    assert_eq!(Argument::read(&json!({ "messages": held, "exitCode": null })).unwrap().exit_code, None);
    assert_eq!(Value::Object(Argument::TABLE.defaults()), json!({ "encoding": "new" }));
    let absent = json!({ "$refused": "undefined" });
    let wrong = json!({ "messages": absent, "exitCode": 1.5, "input": absent, "encoding": "gpt", "other": absent });
    let unusable = Argument::TABLE.faults(&json!({ "messages": { "$refused": "5" } }));
    assert_eq!((unusable[0].kind, unusable[0].code), (FaultKind::NotUsable, "invalid_messages"));
    let found = Argument::TABLE.faults(&wrong).into_iter().map(ConfigError::of_argument);
    let told = found.map(|fault| format!("{}: {fault}", fault.code)).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(told, @r#"
    invalid_argument: options.messages is missing; it must be an array of messages
    out_of_range: options.exitCode must be a whole number; got 1.5
    unknown_encoding: options.encoding must be one of "old", "new"; got "gpt"
    invalid_argument: options.other is unknown; known: messages, exitCode, input, encoding
    "#);
}

#[test]
fn an_option_of_an_object_further_in_is_told_where_it_belongs() {
    assert_eq!(texts(json!({ "weight": 3 })), ["weight is unknown; did you mean pet.weight?"]);
}

#[test]
fn hostile_options_are_refused_shortly() {
    let long = "x".repeat(100_000);
    let found = faults(json!({ long.clone(): 1, "mode": long, "tools": { long.clone(): 1 } }));
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|fault| fault.to_string().len() < 500), "{found:?}");
}

#[test]
fn the_schema_says_the_same() {
    let schema = schema(Example::TABLE);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(
        schema["properties"]["count"],
        json!({ "type": "integer", "default": 5, "minimum": 1, "maximum": 20, "description": "How many." })
    );
    assert_eq!(
        schema["properties"]["limit"],
        json!({ "type": "integer", "minimum": 2, "description": "At most so many." })
    );
    assert_eq!(schema["properties"]["note"]["description"], "For people.");
    assert_eq!(schema["properties"]["key"]["description"], "Keys by place.");
    assert_eq!(schema["properties"]["pets"]["items"], json!({ "$ref": "#/$defs/pet" }));
    assert_eq!(schema["properties"]["key"]["writeOnly"], true);
    assert_eq!(
        (&schema["$defs"]["pet"]["required"], &schema["additionalProperties"]),
        (&json!(["name"]), &json!(false))
    );
    assert_eq!(schema["allOf"][0]["then"]["anyOf"][1]["required"], json!(["signal"]));
    assert_eq!(super::schema(Lenient::TABLE)["additionalProperties"], true);
}

#[test]
fn types_have_comments_with_limits_and_defaults() {
    let types = declarations([Example::TABLE, Pet::TABLE, Argument::TABLE].into_iter());
    insta::assert_snapshot!(types, @r#"
    /** A pet. */
    export interface Pet {
      /** The name. */
      name: string;
      /** Kilograms. 0.5 to 80. */
      weight?: number | undefined;
    }

    /** An example. */
    export interface Example {
      /** Whether it is heard. Default: true. */
      loud?: boolean | undefined;
      /** How many. 1 to 20. Default: 5. */
      count?: number | undefined;
      /** At most so many. The description ends with its first paragraph. 2 or more. */
      limit?: number | undefined;
      /** How fast. Default: `walk`. */
      mode?: "walk" | "run" | undefined;
      /** For people. Default: `none`. */
      note?: string | undefined;
      /** Keys by place. */
      key?: Readonly<Record<string, string>> | undefined;
      /** The pet. */
      pet?: Pet | undefined;
      /** More of them. */
      pets?: readonly Pet[] | undefined;
      /** Pets by name. */
      tools?: Readonly<Record<string, Pet>> | undefined;
      /** The watcher. */
      guard?: false | Pet | undefined;
      /** How large. */
      scale?: number | "auto" | undefined;
      /** Ends it. */
      signal?: unknown | undefined;
      /** Checked elsewhere. */
      config?: object | undefined;
    }

    /** A call. */
    export interface CallOptions {
      /** The messages. */
      messages: Message[];
      /** How it ended. */
      exitCode?: number | null | undefined;
      /** Its input. */
      input?: unknown | undefined;
      /** The vocabulary. Default: `new`. */
      encoding?: "old" | "new" | undefined;
    }
    "#);
}

#[test]
fn names_in_json_are_in_camel_case() {
    assert_eq!((json_name!(a_b_long_name), json_name!(name), json_name!(kind "type")), ("aBLongName", "name", "type"));
}

#[test]
fn a_message_tells_so_many_errors_and_counts_the_others() {
    let faults: Vec<ConfigError> = (0..25).map(|at| ConfigError::missing(format!("a[{at}]"), "a text")).collect();
    let list = ConfigError::list(&faults);
    assert_eq!(list.lines().count(), 21);
    assert!(list.starts_with("a[0] is missing") && list.ends_with("and 5 more errors"), "{list}");
    assert!(!ConfigError::list(&faults[..20]).contains("more"));
    assert!(ConfigError::list(&faults[..21]).ends_with("and 1 more error"));
}

#[test]
fn values_are_cut_at_a_character() {
    assert_eq!(short("é"), "é");
    assert_eq!(short(&"é".repeat(80)), "é".repeat(80));
    assert_eq!(short(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
}
