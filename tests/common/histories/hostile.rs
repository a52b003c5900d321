//! Conversations that are wrong in every way.

use super::{
    legal::{native, roo_xml},
    values::{any_string, any_value, image, unknown_fields},
};
use proptest::{collection::vec, prelude::*, sample::select};

/// A block that may be wrong in every way, or fine.
fn any_block() -> BoxedStrategy<String> {
    let id = || select(vec!["a", "b", "c", ""]);
    let leaf = prop_oneof![
        (any_string(), unknown_fields())
            .prop_map(|(text, extra)| format!("{{\"type\":\"text\",\"text\":{text}{extra}}}")),
        (id(), any_value(), unknown_fields()).prop_map(|(id, input, extra)| format!(
            "{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"read_file\",\"input\":{input}{extra}}}"
        )),
        id().prop_map(|id| format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"no_input\"}}")),
        (id(), any_value(), unknown_fields()).prop_map(|(id, content, extra)| format!(
            "{{\"type\":\"tool_result\",\"tool_use_id\":\"{id}\",\"content\":{content}{extra}}}"
        )),
        id().prop_map(|id| format!("{{\"tool_use_id\":\"{id}\",\"is_error\":true,\"type\":\"tool_result\"}}")),
        image(),
        select(vec![
            r#"{"type":"image"}"#,
            r#"{"type":"image","source":{"data":5}}"#,
            r#"{"type":"image","source":{"data":"a\/b\u0041"}}"#,
            r#"{"type":"thinking","thinking":"hm\ud800","signature":"x"}"#,
            r#"{"type":"thinking"}"#,
            r#"{"type":"redacted_thinking","data":"c2VjcmV0"}"#,
            r#"{"type":"text"}"#,
            r#"{"type":"text","text":null}"#,
            r#"{"type":"tool_use"}"#,
            r#"{"type":"tool_result","tool_use_id":5}"#,
            r#"{"type":5}"#,
            r#"{"text":"no type"}"#,
            r#"{"type":"server_tool_use","id":"s","input":{"query":"x"}}"#,
        ])
        .prop_map(str::to_owned),
        any_value(),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        vec(inner, 0..4).prop_map(|blocks| {
            format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":[{}]}}", blocks.join(","))
        })
    })
    .boxed()
}

/// A message that may be wrong in every way, or fine.
fn any_message() -> impl Strategy<Value = String> {
    let content = prop_oneof![
        3 => vec(any_block(), 0..5).prop_map(|blocks| format!("[{}]", blocks.join(","))),
        1 => any_string(),
        1 => any_value(),
    ];
    let role = select(vec!["\"user\"", "\"user\"", "\"assistant\"", "\"assistant\"", "\"system\"", "5", "\"\""]);
    prop_oneof![
        8 => (role, content, unknown_fields())
            .prop_map(|(role, content, extra)| format!("{{\"role\":{role},\"content\":{content}{extra}}}")),
        1 => select(vec![
            "null", "5", "\"x\"", "[]", "{}", "true", "1e400", r#"{"role":"user"}"#, r#"{"content":"no role"}"#,
            r#"{"type":"message","role":"user","content":[]}"#,
        ]).prop_map(str::to_owned),
    ]
}

/// Anything that is a JSON array: wrong messages alone, or between the messages of a legal conversation that lost some of its own.
pub fn hostile() -> impl Strategy<Value = String> {
    let mixed = (
        prop_oneof![native(), roo_xml()],
        vec((any::<prop::sample::Index>(), any_message()), 0..4),
        vec(any::<prop::sample::Index>(), 0..3),
    );
    prop_oneof![
        vec(any_message(), 0..14).prop_map(|messages| format!("[{}]", messages.join(","))),
        mixed.prop_map(|(legal, added, removed)| {
            let raw: Vec<&serde_json::value::RawValue> = serde_json::from_str(&legal).unwrap();
            let mut messages: Vec<String> = raw.iter().map(|raw| raw.get().to_owned()).collect();
            for index in removed {
                if !messages.is_empty() {
                    messages.remove(index.index(messages.len()));
                }
            }
            for (index, message) in added {
                messages.insert(index.index(messages.len() + 1), message);
            }
            format!("[{}]", messages.join(","))
        }),
    ]
}
