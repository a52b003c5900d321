//! Writes a table as JSON Schema 2020-12.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Field, Kind, Needs, Table};

/// Returns the schema of an object with the fields of `table`.
pub fn schema(table: &Table) -> Value {
    let mut shared = Shared::new();
    let mut schema = object(table, &mut shared);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(table.title);
    if !shared.is_empty() {
        schema["$defs"] = shared.into_iter().map(|(title, schema)| (title.to_owned(), schema)).collect();
    }
    schema
}

/// The tables that are used in several places.
type Shared = BTreeMap<&'static str, Value>;

fn object(table: &Table, shared: &mut Shared) -> Value {
    let properties: Map<String, Value> =
        table.fields.iter().map(|field| (field.name.to_owned(), property(field, shared))).collect();
    let required: Vec<_> = table
        .fields
        .iter()
        .filter(|field| field.is_required && field.unless.is_empty())
        .map(|field| field.name)
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": table.is_open() });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let alternatives = table.fields.iter().filter(|field| !field.unless.is_empty()).map(|field| {
        let names = std::iter::once(&field.name).chain(field.unless);
        json!({ "anyOf": names.map(has).collect::<Vec<_>>() })
    });
    let all: Vec<Value> = table.needs.iter().map(needs).chain(alternatives).collect();
    if !all.is_empty() {
        schema["allOf"] = json!(all);
    }
    schema
}

fn property(field: &Field, shared: &mut Shared) -> Value {
    let mut schema = kind(&field.kind, shared);
    if field.is_secret {
        schema["writeOnly"] = json!(true);
    }
    if let Some(description) = field.paragraphs().next() {
        schema["description"] = json!(description);
    }
    schema
}

fn kind(kind: &Kind, shared: &mut Shared) -> Value {
    match kind {
        Kind::Flag { default } => without_nulls(json!({ "type": "boolean", "default": default })),
        Kind::False => json!({ "const": false }),
        Kind::Integer { default, min, max } => {
            let (min, max) = (Some(min).filter(|min| **min >= 0), Some(max).filter(|max| **max != u64::MAX));
            without_nulls(json!({ "type": "integer", "default": default, "minimum": min, "maximum": max }))
        }
        Kind::Number { default, min, max } => {
            let (min, max) = (Some(min).filter(|min| **min != f64::MIN), Some(max).filter(|max| **max != f64::MAX));
            without_nulls(json!({ "type": "number", "default": default, "minimum": min, "maximum": max }))
        }
        Kind::Text { default, not_blank, reserved } => {
            let pattern = not_blank.then_some("\\S");
            let not = (!reserved.is_empty()).then(|| json!({ "enum": reserved }));
            without_nulls(json!({ "type": "string", "default": default, "pattern": pattern, "not": not }))
        }
        Kind::Name { default, examples, .. } => {
            let examples = (!examples.is_empty()).then_some(examples);
            without_nulls(json!({ "type": "string", "default": default, "pattern": "\\S", "examples": examples }))
        }
        Kind::Choice { default, words } => {
            without_nulls(json!({ "type": "string", "default": default, "enum": words }))
        }
        Kind::Object(table) if table.is_shared() => {
            if !shared.contains_key(table.title) {
                let schema = object(table, shared);
                shared.insert(table.title, schema);
            }
            json!({ "$ref": format!("#/$defs/{}", table.title) })
        }
        Kind::Object(table) => object(table, shared),
        Kind::AnyObject => json!({ "type": "object" }),
        Kind::Any => json!({}),
        Kind::List { of, .. } => json!({ "type": "array", "items": self::kind(of, shared) }),
        Kind::Record { of, .. } => json!({ "type": "object", "additionalProperties": self::kind(of, shared) }),
        Kind::Either(first, second) => json!({ "anyOf": [self::kind(first, shared), self::kind(second, shared)] }),
        // No JSON value is valid.
        Kind::Host { .. } => {
            let types = ["null", "boolean", "number", "string", "array", "object"].map(|name| json!({ "type": name }));
            json!({ "not": { "anyOf": types } })
        }
    }
}

fn without_nulls(mut schema: Value) -> Value {
    if let Value::Object(fields) = &mut schema {
        fields.retain(|_, value| !value.is_null());
    }
    schema
}

/// Returns the schema of a dependency. It declares each required field in `properties`, which strict validators demand.
fn needs(needs: &Needs) -> Value {
    let one: Vec<Value> = needs.any_of.iter().map(has).collect();
    let decides = json!({ "properties": { needs.field: { "const": needs.is } }, "required": [needs.field] });
    json!({ "if": decides, "then": { "anyOf": one } })
}

fn has(field: &&str) -> Value {
    json!({ "properties": { *field: true }, "required": [field] })
}
