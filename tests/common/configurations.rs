//! Configurations of any provider, made from the schema that it publishes.

use proptest::{collection::vec, prelude::*, sample::select};
use roo_condense::{BUILT_IN_PROVIDERS, Provider, create_provider};
use serde_json::{Map, Value};

/// A registered provider, and a configuration that it accepts.
pub fn any_provider() -> impl Strategy<Value = (&'static str, Value)> {
    select(BUILT_IN_PROVIDERS).prop_flat_map(|id| (Just(id), any_config(id)))
}

/// A configuration that the provider accepts.
pub fn any_config(id: &'static str) -> BoxedStrategy<Value> {
    let provider = create_provider(id, &Value::Null).unwrap();
    let schema = provider.config_schema();
    any_value_of(&schema, &schema).prop_map(move |config| accepted(&*provider, config)).boxed()
}

/// Anything that a schema allows, as far as types, ranges, words and required fields go.
fn any_value_of(schema: &Value, root: &Value) -> BoxedStrategy<Value> {
    if let Some(definition) = schema["$ref"].as_str().and_then(|at| root.pointer(at.trim_start_matches('#'))) {
        return any_value_of(definition, root);
    }
    if let Some(words) = schema["enum"].as_array() {
        return select(words.clone()).boxed();
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        return proptest::strategy::Union::new(kinds.iter().map(|kind| any_value_of(kind, root))).boxed();
    }
    if let Some(only) = schema.get("const") {
        return Just(only.clone()).boxed();
    }
    if let Some(examples) = schema["examples"].as_array() {
        return select(examples.clone()).boxed();
    }
    match schema["type"].as_str() {
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("integer") => any_whole_number(schema),
        Some("number") => {
            let limit = |name: &str, default| schema[name].as_f64().unwrap_or(default);
            (limit("minimum", 0.0)..limit("maximum", 1000.0)).prop_map(Value::from).boxed()
        }
        Some("string") => {
            select(vec!["a", "Be brief.", "p1", "p2", "p3", " ", "read_file", "foo"]).prop_map(Value::from).boxed()
        }
        Some("array") => vec(any_value_of(&schema["items"], root), 0..4).prop_map(Value::from).boxed(),
        Some("object") => any_object(schema, root),
        // Kinds of values that only JavaScript can give.
        _ => Just(Value::Null).boxed(),
    }
}

/// Mostly small numbers, because they change what is done to small histories.
fn any_whole_number(schema: &Value) -> BoxedStrategy<Value> {
    let min = schema["minimum"].as_u64().unwrap_or(0);
    let max = schema["maximum"].as_u64().unwrap_or(1_000_000);
    let up_to = |most: u64| min..=max.min(min + most);
    prop_oneof![4 => up_to(10), 3 => up_to(200), 1 => up_to(5000), 1 => Just(max)].prop_map(Value::from).boxed()
}

fn any_object(schema: &Value, root: &Value) -> BoxedStrategy<Value> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut object = Just(Map::new()).boxed();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let value = any_value_of(field, root);
        let value =
            if required.contains(&&**name) { value.prop_map(Some).boxed() } else { prop::option::of(value).boxed() };
        let name = name.clone();
        object = (object, value)
            .prop_map(move |(mut object, value)| {
                object.extend(value.filter(|value| !value.is_null()).map(|value| (name.clone(), value)));
                object
            })
            .boxed();
    }
    object.prop_map(Value::from).boxed()
}

/// The configuration without the fields that the provider finds fault with: what belongs together is not in the types.
fn accepted(provider: &dyn Provider, mut config: Value) -> Value {
    while let Err(faults) = provider.validate_config(&config) {
        let paths: Vec<String> = faults.into_iter().map(|fault| fault.path).collect();
        let removed = paths.iter().rev().filter(|path| remove(&mut config, path)).count();
        assert!(removed > 0, "no fault of {config} can be removed: {paths:?}");
    }
    config
}

/// Removes the field or item at a path such as `passes[2].selection.type`, or, where there is none, what it would be part of.
fn remove(config: &mut Value, path: &str) -> bool {
    let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
    let mut at = pointer.as_str();
    while let Some((parent, name)) = at.rsplit_once('/') {
        let removed = match config.pointer_mut(parent) {
            Some(Value::Object(fields)) => fields.remove(name).is_some(),
            Some(Value::Array(items)) => {
                let index = name.parse().ok().filter(|index| *index < items.len());
                index.map(|index: usize| items.remove(index)).is_some()
            }
            _ => false,
        };
        if removed {
            return true;
        }
        at = parent;
    }
    false
}
