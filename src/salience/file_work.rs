//! Which files are being worked on.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::weights::FileWork;
use crate::{
    by_hash::ByHash,
    conversation::ContentKind,
    transcript::{ContentPiece, Meaning, PieceSource},
};

/// The files that were changed, by when each was changed last.
#[derive(Debug, Default)]
pub struct Work {
    /// How many other files were changed since, by the hash of a file's name. Two with the same one would count as one.
    since: HashMap<u64, usize, ByHash>,
}

impl Work {
    /// Of all messages, given as their pieces, the newest included: there it shows what is under work.
    pub fn of(pieces: &[Vec<ContentPiece>]) -> Self {
        let mut work = Self::default();
        for piece in pieces.iter().rev().flat_map(|pieces| pieces.iter().rev()) {
            let changes = matches!(piece.source.meaning(), Meaning::Write | Meaning::Edit);
            if changes
                && piece.kind == ContentKind::ToolParameters
                && let Some(file) = file(piece)
            {
                let others = work.since.len();
                work.since.entry(file).or_insert(others);
            }
        }
        work
    }

    /// What is done to the file that a piece is about.
    pub fn on(&self, piece: &ContentPiece) -> FileWork {
        let changed = |file| self.since.get(&file).map(|others| FileWork::Changed { others: *others });
        file(piece).map_or(FileWork::Unknown, |file| changed(file).unwrap_or(FileWork::Unchanged))
    }
}

/// The hash of its name.
fn file(piece: &ContentPiece) -> Option<u64> {
    match &piece.source {
        PieceSource::Tool(tool) | PieceSource::Mention(tool) if !tool.file.is_empty() => {
            Some(xxh3_64(tool.file.as_bytes()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        conversation::Conversation,
        transcript::{ToolTable, decompose_texts},
    };

    #[test]
    fn files_are_known_by_when_they_were_changed_last() {
        let call = |id: &str, name: &str, input: serde_json::Value| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] });
        let answer = |id: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "x" }] });
        let patch = "*** Begin Patch\n*** Update File: src/c.ts\n@@\n-x\n+y\n*** End Patch";
        let messages = json!([
            { "role": "user", "content": "Look." },
            call("1", "Edit", json!({ "file_path": "src/a.ts", "old_string": "x", "new_string": "y" })), answer("1"),
            call("2", "str_replace_editor", json!({ "command": "create", "path": "src/b.ts", "file_text": "x" })), answer("2"),
            call("3", "str_replace_editor", json!({ "command": "view", "path": "src/d.ts" })), answer("3"),
            call("4", "apply_patch", json!({ "input": patch })), answer("4"),
            call("5", "Read", json!({ "file_path": "src/a.ts" })), answer("5"),
        ]);
        let conversation = Conversation::parse(&messages.to_string()).unwrap();
        let texts = conversation.texts();
        let pieces = decompose_texts(&conversation, &texts, &ToolTable::default());
        let work = Work::of(&pieces);
        let on = |message: usize| work.on(pieces[message].last().unwrap());
        let changed = |others| FileWork::Changed { others };
        assert_eq!(on(0), FileWork::Unknown);
        assert_eq!([2, 4, 6, 8, 10].map(on), [changed(2), changed(1), FileWork::Unchanged, changed(0), changed(2)]);
        assert_eq!(pieces[6][0].source.meaning(), Meaning::Read);
    }
}
