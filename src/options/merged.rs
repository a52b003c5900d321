//! One configuration over another.

use serde_json::Value;

/// A configuration with the fields of `overrides` in place of its own.
pub fn merged(config: &Value, overrides: &Value) -> Value {
    match (config, overrides) {
        (Value::Object(config), Value::Object(overrides)) => {
            let mut merged = config.clone();
            merged.extend(overrides.clone());
            Value::Object(merged)
        }
        (config, Value::Null) => config.clone(),
        (_, overrides) => overrides.clone(),
    }
}
