//! Conversations that come near to every dialect.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Bits of every dialect: put together at random they make near-misses.
const BITS: [&str; 92] = [
    "[read_file for 'a.ts'] Result:",
    "[read_file for 'a.ts'",
    "] Result:",
    "[execute_command for 'cat a.ts'] Result:",
    "[write_to_file for 'a.ts'] Result:",
    "[apply_diff for 'a.ts'] Result:",
    "[search_files for 'x' in '*'] Result:",
    "[update_todo_list] Result:",
    "[list_files for '.'] Result:",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "é",
    "\u{1F600}",
    "<files>",
    "</files>",
    "<file>",
    "</file>",
    "<path>",
    "</path>",
    "a.ts",
    "./a.ts",
    "C:\\p\\a.ts",
    "<content>",
    "<content lines=\"1-3\">",
    "<content lines=\"9",
    "</content>",
    " 1 | let a\n",
    " 2 | let b\n",
    "1 | x",
    "     1\tone\n",
    "     2\ttwo\n",
    "     1→one\n",
    "12-text\n",
    "12:text\n",
    "<read_file>",
    "</read_file>",
    "<write_to_file>",
    "</write_to_file>",
    "<apply_diff>",
    "</apply_diff>",
    "<diff>",
    "</diff>",
    "<<<<<<< SEARCH\n",
    ":start_line:1\n",
    "-------\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "<args>",
    "</args>",
    "<line_range>1-2</line_range>",
    "<execute_command>",
    "<command>",
    "</command>",
    "</execute_command>",
    "<environment_details>",
    "</environment_details>",
    "# Current Workspace Directory (c:/p) Files\n",
    "<feedback>",
    "</feedback>",
    "<file_content path=\"a.ts\">",
    "</file_content>",
    "<error>",
    "</error>",
    "<status>Denied by user</status>",
    "File: a.ts\n",
    "Lines 1-2:\n",
    "\n\n---\n\n",
    "IMPORTANT: File content truncated.\n\tStatus: Showing lines 1-2 of 9 total lines.\n",
    "Command executed in terminal  within working directory 'c:/p'. Exit code: 0\nOutput:\n",
    "<returncode>0</returncode>\n<output>\n",
    "</output>",
    "<output_head>\n",
    "</output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n<output_tail>\n",
    "Found 2 results.\n\n# a.ts\n",
    "----\n",
    "<system-reminder>",
    "</system-reminder>",
    "*** Begin Patch\n",
    "*** Update File: a.ts\n",
    "*** Add File: b.ts\n",
    "*** End Patch",
    "@@ -1,2 +1,2 @@\n",
    "+let c\n",
    "-let a\n",
    "sed -n '1,2p' a.ts",
    "cat a.ts",
    "cat > a.ts << 'EOF'\n",
    "EOF",
    "head -n 2 a.ts",
    "nl -ba a.ts | sed -n '1,2p'",
];

fn any_text() -> impl Strategy<Value = String> {
    let bit = prop_oneof![8 => prop::sample::select(BITS.as_slice()).prop_map(str::to_owned), 1 => ".{0,6}"];
    prop::collection::vec(bit, 0..14).prop_map(|bits| bits.concat())
}

fn any_input() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(
        [
            "file_path",
            "path",
            "content",
            "old_string",
            "new_string",
            "command",
            "offset",
            "limit",
            "edits",
            "files",
            "line_ranges",
            "diff",
            "patch",
            "input",
            "replace_all",
            "pattern",
            "todos",
        ]
        .as_slice(),
    );
    let scalar = prop_oneof![
        any_text().prop_map(Value::from),
        (0..9_i64).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(json!([[1, 2]]))
    ];
    let object = prop::collection::hash_map(key.clone(), scalar.clone(), 0..4).prop_map(|map| json!(map));
    let value = prop_oneof![6 => scalar, 1 => prop::collection::vec(object, 0..3).prop_map(Value::from)];
    // Mostly of one file, so that events meet.
    let path = prop::sample::select(["a.ts", "./a.ts", "/p/a.ts"].as_slice());
    let few = prop::sample::select(["let a", "let b\n", "x\none", "\n", "", "one\ntwo\n", "a"].as_slice());
    let edit = (path, few.clone(), few, any::<bool>()).prop_map(|(path, old, new, everywhere)| {
        json!({"file_path": path, "path": path, "old_string": old, "new_string": new, "content": new, "replace_all": everywhere,
            "command": "view", "old_str": old, "new_str": new})
    });
    let other = prop::collection::hash_map(key, value, 0..5).prop_map(|map| json!(map));
    let both = (edit.clone(), other.clone()).prop_map(|(mut edit, other)| {
        if let (Some(edit), Some(other)) = (edit.as_object_mut(), other.as_object()) {
            edit.extend(other.clone());
        }
        edit
    });
    prop_oneof![5 => edit, 4 => both, 4 => other, 1 => Just(Value::Null)]
}

fn any_block() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(
        [
            "Read",
            "Write",
            "Edit",
            "MultiEdit",
            "Bash",
            "Grep",
            "Glob",
            "TodoWrite",
            "read_file",
            "write_to_file",
            "apply_diff",
            "apply_patch",
            "search_files",
            "execute_command",
            "bash",
            "mcp__fs__read_text_file",
            "edit",
            "other",
            "str_replace_editor",
            "shell",
            "replace_in_file",
        ]
        .as_slice(),
    );
    let id = prop::sample::select(["1", "2", "3"].as_slice());
    prop_oneof![
        4 => any_text().prop_map(|text| json!({"type": "text", "text": text})),
        3 => (name, id.clone(), any_input()).prop_map(|(name, id, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input})),
        3 => (id.clone(), any_text(), any::<bool>()).prop_map(|(id, text, is_error)| json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error})),
        1 => (id, any_text(), any_text()).prop_map(|(id, a, b)| json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": a}, {"type": "text", "text": b}]})),
        1 => Just(json!({"type": "image", "source": {}})),
    ]
}

/// Messages that come near to a dialect, and miss it.
pub fn near_misses() -> impl Strategy<Value = String> {
    let content = prop_oneof![1 => any_text().prop_map(Value::from), 3 => prop::collection::vec(any_block(), 0..4).prop_map(Value::from)];
    let role = prop_oneof![8 => Just("user"), 8 => Just("assistant"), 1 => Just("system")];
    let message = (role, content).prop_map(|(role, content)| json!({"role": role, "content": content}));
    prop::collection::vec(message, 0..12).prop_map(|messages| json!(messages).to_string())
}
