//! Tests of the configuration's validation.

use serde_json::{Value, json};

use super::{Smart, presets, published::published};
use crate::providers::Provider;

#[test]
fn every_fault_is_named_by_its_path() {
    let texts = |config: Value| -> Vec<String> {
        Smart::new(&config).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    };
    let pass = |change: fn(&mut Value)| {
        let mut config = json!({ "passes": [
            { "id": "a", "selection": { "type": "preserve_recent", "keepRecentCount": 3 }, "mode": "batch", "batchConfig": { "operation": "keep" } },
            { "id": "b", "selection": { "type": "preserve_recent", "keepRecentCount": 3 }, "mode": "individual",
              "individualConfig": { "defaults": { "toolResults": { "operation": "keep" } } }, "execution": { "type": "always" } } ] });
        change(&mut config["passes"][1]);
        texts(config)
    };
    assert_eq!(pass(|_| {}), [] as [&str; 0]);
    let operation = pass(|pass| pass["individualConfig"]["defaults"]["toolResults"]["operation"] = json!("sumarize"));
    assert_eq!(
        operation,
        ["passes[1].individualConfig.defaults.toolResults.operation must be \
                            one of \"keep\", \"suppress\", \"truncate\", \"summarize\"; got \"sumarize\"; did you mean \"summarize\"?"]
    );
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 11] = [
        (|pass| pass["selection"]["keepRecentCount"] = json!(0), "passes[1].selection.keepRecentCount must be "),
        (|pass| pass["selection"] = json!({ "type": "custom" }), "passes[1].selection.messageIndices is missing"),
        (
            |pass| pass["selection"] = json!({ "type": "custom", "messageIndices": [1, -1] }),
            "passes[1].selection.messageIndices[1] must be ",
        ),
        (|pass| pass["id"] = json!("a"), "passes[1].id must be "),
        (|pass| pass["mode"] = json!("batch"), "passes[1].batchConfig is missing"),
        (
            |pass| pass["execution"] = json!({ "type": "conditional" }),
            "passes[1].execution.condition is missing; it must be an object with tokenThreshold, executeIf, messageIndices, because type is \"conditional\"",
        ),
        (|pass| pass["extra"] = json!(1), "passes[1].extra is unknown; known: id, "),
        (
            |pass| pass["individualConfig"]["overrides"] = json!([{ "messageIndex": "x" }]),
            "passes[1].individualConfig.overrides[0].messageIndex must be ",
        ),
        (|pass| *pass = json!(7), "passes[1] must be "),
        (|pass| pass["id"] = json!("lossless_prelude"), "passes[1].id must be "),
        (|pass| pass["name"] = Value::Null, "passes[1].name must be "),
    ];
    for (change, start) in cases {
        let found = pass(change);
        assert!(found.iter().any(|text| text.starts_with(start)), "{start}: {found:?}");
    }
    for (config, start) in [
        (json!([]), "config must be "),
        (json!({ "preset": "fast" }), "preset must be "),
        (json!({ "passes": {} }), "passes must be "),
        (
            json!({ "losslessPrelude": { "operations": { "dedup": true } } }),
            "losslessPrelude.operations.dedup is unknown; did you mean deduplicateFileReads?",
        ),
        (json!({ "maxConcurrency": 0 }), "maxConcurrency must be "),
    ] {
        let found = texts(config);
        assert!(found.iter().any(|text| text.starts_with(start)), "{start}: {found:?}");
    }
}

#[test]
fn one_fault_is_told_once() {
    let texts = |config: Value| -> Vec<String> {
        Smart::new(&config).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    };
    assert_eq!(texts(json!({ "preset": "fast" })).len(), 1);
    let found = texts(json!({ "passes": [{}] }));
    let starts: Vec<&str> = found.iter().filter_map(|text| text.split(';').next()).collect();
    assert_eq!(starts, ["passes[0].id is missing", "passes[0].selection is missing", "passes[0].mode is missing"]);
    assert!(found[2].ends_with("one of \"individual\", \"batch\""), "{found:?}");
    let shared = texts(json!({ "passes": [{ "id": "a" }, { "id": "a" }] }));
    assert_eq!(shared.last().unwrap(), "passes[1].id must be an id that no other pass has; got \"a\"");
    assert_eq!(texts(json!({ "passes": [7] })).len(), 1, "{:?}", texts(json!({ "passes": [7] })));
}

/// Returns the schema that `schema` refers to by `$ref`, or `schema` itself.
fn allowed<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => root.pointer(&reference[1..]).unwrap(),
        None => schema,
    }
}

fn check_fields(value: &Value, schema: &Value, root: &Value, path: &str) {
    let schema = allowed(schema, root);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let inner = &schema["properties"][name];
                assert!(inner.is_object(), "{path}.{name} is not in the schema");
                check_fields(value, inner, root, &format!("{path}.{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{path} lacks {name}");
            }
        }
        Value::Array(values) => values.iter().for_each(|value| check_fields(value, &schema["items"], root, path)),
        value => {
            if let Some(words) = schema["enum"].as_array() {
                assert!(words.contains(value), "{path}: {value}");
            }
        }
    }
}

#[test]
fn the_schema_describes_what_is_accepted() {
    let schema = Smart::new(&Value::Null).unwrap().config_schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for name in presets::NAMES {
        check_fields(&presets::json(name), &schema, &schema, name);
    }
    for (name, config) in published() {
        check_fields(&config, &schema, &schema, name);
    }
}
