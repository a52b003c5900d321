//! The generator of configurations reaches every field.

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use roo_condense::{BUILT_IN_PROVIDERS, create_provider};
use serde_json::{Map, Value, json};

use crate::common::configurations::any_config;

#[test]
fn configurations_are_varied_and_accepted() {
    let mut runner = TestRunner::deterministic();
    for id in BUILT_IN_PROVIDERS {
        let fields = create_provider(id, &Value::Null).unwrap().config_schema()["properties"].clone();
        let mut seen: Map<String, Value> = Map::new();
        for _ in 0..100 {
            let config = any_config(id).new_tree(&mut runner).unwrap().current();
            seen.extend(config.as_object().unwrap().clone());
        }
        let never: Vec<_> = fields.as_object().unwrap().keys().filter(|name| !seen.contains_key(*name)).collect();
        assert_eq!(json!(never), json!([]), "fields of {id} that are never set");
    }
}
