use serde_json::{Value, json};

use super::{ConfigError, FaultKind, Field, Kind, Needs, Settings, Table};

static PET: Table = Table::new(
    "pet",
    &[
        Field::new("name", Kind::Text { default: None, not_blank: true, reserved: &["nobody"] }, "What it is called.")
            .required(),
        Field::number_if_set("weight", 0.5, 80.0, "Kilograms."),
    ],
)
.shared();

static TABLE: Table = Table::new(
    "Options of an example",
    &[
        Field::flag("loud", true, "Whether it is heard."),
        Field::integer("count", 5, 1, 20, "How many."),
        Field::integer_if_set("limit", 2, u64::MAX, "At most so many."),
        Field::choice("mode", &["walk", "run"], "How fast."),
        Field::text("note", "For people."),
        Field::new("key", Kind::Record { of: &Kind::TEXT, called: "an object of strings" }, "Keys by place.").secret(),
        Field::object("pet", &PET, "The pet."),
        Field::new("pets", Kind::List { of: &Kind::Object(&PET), called: "an array of pets" }, "More of them."),
        Field::new("tools", Kind::Record { of: &Kind::Object(&PET), called: "an object of pets" }, "Pets by name."),
        Field::new("guard", Kind::Either(&Kind::False, &Kind::Object(&PET)), "Who watches."),
        Field::new(
            "scale",
            Kind::Either(
                &Kind::Number { default: None, min: 0.1, max: 10.0 },
                &Kind::Choice { default: None, words: &["auto"] },
            ),
            "How large.",
        ),
        Field::host("signal", "an AbortSignal", "Ends it."),
        Field::new("config", Kind::AnyObject, "Checked elsewhere."),
    ],
)
.with_needs(&[Needs { field: "mode", is: "run", any_of: &["limit", "signal"] }]);

static LENIENT: Table = Table::new("context", &[Field::text("note", ""), Field::object("pet", &PET, "")])
    .argument("context")
    .open()
    .null_is_absent();

fn faults(options: Value) -> Vec<ConfigError> {
    TABLE.read(&options).err().unwrap_or_default()
}

fn texts(options: Value) -> Vec<String> {
    faults(options).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_absent_is_the_default() {
    let options = json!({});
    let settings = TABLE.read(&options).unwrap();
    assert_eq!((settings.flag("loud"), settings.integer("count"), settings.text("mode")), (true, 5, "walk"));
    assert_eq!((settings.given_integer("limit"), settings.given_text("note"), settings.text("note")), (None, None, ""));
    assert!(settings.given_object("pet").is_none() && settings.list("pets").is_empty() && !settings.is_given("loud"));
    assert_eq!(settings.object("pet").text("name"), "");
}

#[test]
fn what_is_given_is_read_at_every_depth() {
    let options = json!({
        "loud": false, "count": 7.0, "limit": 2, "pet": { "name": "Rex" }, "pets": [{ "name": "Tom", "weight": 4.5 }],
        "tools": { "my_*": { "name": "Ada" } }, "guard": { "name": "Kit" }, "scale": "auto", "config": { "any": [1] },
    });
    let settings = TABLE.read(&options).unwrap();
    assert_eq!((settings.flag("loud"), settings.integer("count")), (false, 7));
    assert_eq!(settings.object("pet").text("name"), "Rex");
    assert_eq!(settings.list("pets")[0].given_number("weight"), Some(4.5));
    let tools: Vec<_> = settings.record("tools").map(|(name, tool)| (name, tool.text("name"))).collect();
    assert_eq!(tools, [("my_*", "Ada")]);
    assert_eq!((settings.object("guard").text("name"), settings.text("scale")), ("Kit", "auto"));
    assert_eq!(settings.value("config"), Some(&json!({ "any": [1] })));
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
    let settings = LENIENT.read(&context).unwrap();
    assert_eq!((settings.text("note"), settings.object("pet").given_number("weight")), ("", None));
    let found = LENIENT.read(&json!({ "pet": { "name": null }, "note": 5 })).unwrap_err();
    let paths: Vec<_> = found.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["context.note", "context.pet.name"]);
    assert_eq!(LENIENT.read(&json!(5)).unwrap_err()[0].path, "context");
    assert!(LENIENT.read(&Value::Null).is_ok());
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
    let schema = TABLE.schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(
        schema["properties"]["count"],
        json!({ "type": "integer", "default": 5, "minimum": 1, "maximum": 20, "description": "How many." })
    );
    assert_eq!(
        schema["properties"]["limit"],
        json!({ "type": "integer", "minimum": 2, "description": "At most so many." })
    );
    assert_eq!(schema["properties"]["pets"]["items"], json!({ "$ref": "#/$defs/pet" }));
    assert_eq!(schema["properties"]["key"]["writeOnly"], true);
    assert_eq!(
        (&schema["$defs"]["pet"]["required"], &schema["additionalProperties"]),
        (&json!(["name"]), &json!(false))
    );
    assert_eq!(schema["allOf"][0]["then"]["anyOf"][1]["required"], json!(["signal"]));
    assert_eq!(LENIENT.schema()["additionalProperties"], true);
}

#[test]
fn settings_are_read_where_they_are() {
    fn name<'a>(settings: &Settings<'a>) -> &'a str {
        settings.object("pet").text("name")
    }
    let options = json!({ "pet": { "name": "Rex" } });
    let found = name(&TABLE.read(&options).unwrap());
    assert_eq!(found, "Rex");
}
