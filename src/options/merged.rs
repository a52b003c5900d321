//! One configuration over another.

use serde_json::Value;

/// Returns a configuration with its fields replaced by those of `overrides`.
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
