//! The generator of histories that every property test uses: legal ones, an agent at work, near-misses of dialects, hostile ones.

mod file_work;
mod hostile;
mod legal;
mod near_misses;
mod values;

use proptest::prelude::*;
use roo_condense::Conversation;

pub use self::{
    legal::{native, roo_xml},
    near_misses::near_misses,
    values::{any_value, lines, literal, nested},
};

/// A history of any kind, as JSON text.
pub fn any_history() -> impl Strategy<Value = String> {
    prop_oneof![
        native(),
        roo_xml(),
        file_work::file_work(),
        near_misses(),
        hostile::hostile(),
        behind_a_system_message()
    ]
}

/// As hosts write that keep the system prompt among the messages.
fn behind_a_system_message() -> impl Strategy<Value = String> {
    prop_oneof![native(), roo_xml()].prop_map(|history| {
        let system = r#"{"role":"system","content":"You are an agent."}"#;
        if history == "[]" { format!("[{system}]") } else { format!("[{system},{}", &history[1..]) }
    })
}

/// A conversation of near-misses: for those who read dialects.
pub fn any_conversation() -> impl Strategy<Value = Conversation> {
    near_misses().prop_map(|json| Conversation::parse(&json).unwrap())
}
