//! The pieces of any conversation cover its texts, and real histories come apart as they should.

use proptest::prelude::*;
use roo_condense::{ContentKind, Conversation, Edit, PathStep, PieceSource, Plan, ToolTable, decompose};
use serde_json::json;

use crate::common::real_histories::{Share, for_each_history};

/// Panics unless the pieces of every text follow each other and cover it.
fn assert_covers(conversation: &Conversation) {
    for (message, pieces) in conversation.messages().zip(decompose(conversation, &ToolTable::default())) {
        let mut pieces = pieces.iter().peekable();
        for text in message.texts() {
            let mut done = 0;
            let mut count = 0;
            while let Some(piece) = pieces.next_if(|piece| *piece.path == *text.path) {
                assert_eq!((piece.block, piece.range.start), (text.block, done));
                done = piece.range.end;
                assert!(text.text.is_char_boundary(done));
                count += 1;
            }
            assert_eq!(done, text.text.len());
            assert!(count > 0);
        }
        assert_eq!(pieces.next(), None);
    }
}

#[test]
fn the_kinds_of_the_xml_dialect() {
    let conversation = json!([
        {"role": "user", "content": [{"type": "text", "text": "<task>\nDo it\n</task>"}, {"type": "text", "text": "<environment_details>\nx\n</environment_details>"}]},
        {"role": "assistant", "content": "I write.\n<write_to_file>\n<path>a.ts</path>\n<content>\nlet a\n</content>\n</write_to_file>"},
        {"role": "user", "content": [{"type": "text", "text": "[write_to_file for 'a.ts'] Result:"}, {"type": "text", "text": "<file_write_result>"}]},
    ]);
    let conversation = Conversation::parse(&conversation.to_string()).unwrap();
    let read: Vec<_> = decompose(&conversation, &ToolTable::default())
        .into_iter()
        .zip(conversation.messages())
        .flat_map(|(pieces, message)| {
            let texts = message.texts();
            pieces
                .iter()
                .map(|piece| {
                    let text = texts.iter().find(|text| *text.path == *piece.path).unwrap();
                    (piece.kind, piece.source.label().to_owned(), text.text[piece.range.clone()].to_owned())
                })
                .collect::<Vec<_>>()
        })
        .collect();
    let expected = [
        (ContentKind::MessageText, "", "<task>\nDo it\n</task>"),
        (ContentKind::ToolResults, "environment details", "<environment_details>\nx\n</environment_details>"),
        (ContentKind::MessageText, "", "I write.\n"),
        (ContentKind::MessageText, "write_to_file a.ts", "<write_to_file>\n<path>"),
        (ContentKind::ToolParameters, "write_to_file a.ts", "a.ts"),
        (ContentKind::MessageText, "write_to_file a.ts", "</path>\n<content>\n"),
        (ContentKind::ToolParameters, "write_to_file a.ts", "let a"),
        (ContentKind::MessageText, "write_to_file a.ts", "\n</content>\n</write_to_file>"),
        (ContentKind::MessageText, "write_to_file a.ts", "[write_to_file for 'a.ts'] Result:"),
        (ContentKind::ToolResults, "write_to_file a.ts", "<file_write_result>"),
    ];
    let expected = expected.map(|(kind, label, text)| (kind, label.to_owned(), text.to_owned()));
    assert_eq!(read, expected);
}

#[test]
fn native_results_are_named_after_their_calls() {
    let conversation = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "/a.ts"}}, {"type": "tool_use", "id": "2", "name": "Bash", "input": {"command": "npm test"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "ok"}]}, {"type": "tool_result", "tool_use_id": "1", "content": "text"}, {"type": "tool_result", "tool_use_id": "3", "content": ""}]},
    ]);
    let conversation = Conversation::parse(&conversation.to_string()).unwrap();
    let pieces = decompose(&conversation, &ToolTable::default());
    let labels: Vec<_> = pieces[1].iter().map(|piece| (piece.kind, piece.source.label())).collect();
    assert_eq!(labels, ["npm test", "Read /a.ts", ""].map(|label| (ContentKind::ToolResults, label)));
}

#[test]
fn a_message_is_read_once_in_the_same_context() {
    let call = |command: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": command}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]});
    let conversation = Conversation::parse(&json!([call("npm test"), result]).to_string()).unwrap();
    let tools = ToolTable::default();
    let pieces = decompose(&conversation, &tools);
    let again = decompose(&conversation.clone(), &tools);
    assert!(pieces.iter().zip(&again).all(|(one, other)| std::sync::Arc::ptr_eq(one, other)));

    let path: Vec<PathStep> = serde_json::from_str(r#"["content", 0, "input", "command"]"#).unwrap();
    let edit = Edit::set_text(0, path, "cargo test".into());
    let changed = conversation.apply(&Plan { edits: vec![edit] }).unwrap();
    assert_eq!(decompose(&changed, &tools)[1][0].source.label(), "cargo test");
    assert_eq!(decompose(&conversation, &tools)[1][0].source.label(), "npm test");
}

#[test]
fn real_histories_come_apart() {
    for_each_history("pieces", Share::All, |name, conversation| {
        assert_covers(conversation);
        if !name.starts_with("roo-") {
            return;
        }
        // All but a little of a Roo history's user messages is known for what it is.
        let pieces = decompose(conversation, &ToolTable::default());
        let user = conversation.messages().zip(&pieces).filter(|(message, _)| message.role.as_str() == "user");
        let (mut known, mut all) = (0, 0);
        for (_, pieces) in user {
            for piece in pieces.iter() {
                all += piece.range.len();
                known += if piece.source == PieceSource::Words { 0 } else { piece.range.len() };
            }
        }
        assert!(known * 100 > all * 60, "{name}: {known} of {all} bytes");
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_covered(conversation in crate::common::histories::any_conversation()) {
        assert_covers(&conversation);
    }

    #[test]
    fn kept_pieces_are_those_of_a_new_reading(conversation in crate::common::histories::any_conversation(), dropped in any::<u64>()) {
        let tools = ToolTable::default();
        let _ = decompose(&conversation, &tools);
        let gone = (0..conversation.len()).filter(|message| dropped >> (message % 64) & 1 == 1);
        let plan = Plan { edits: gone.map(|message| Edit::Drop { message }).collect() };
        let Ok(shorter) = conversation.apply(&plan) else { return Ok(()) };
        // A copy of a message keeps nothing of what was read of it.
        let anew = Conversation::new(shorter.messages().cloned().collect());
        prop_assert_eq!(decompose(&shorter, &tools), decompose(&anew, &tools));
    }
}
