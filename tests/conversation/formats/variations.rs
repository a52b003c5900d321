//! Properties of histories in other formats that none of ours has: repeated ids, cleared outputs, approvals,
//! reasoning without text, tools that the service runs.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

/// A way in which a history differs from the plain one of the writers.
#[derive(Debug, Clone, Copy)]
pub enum Variation {
    /// Ids of calls are used again after so many.
    Ids(usize),
    /// The output of a tool is gone, as applications clear it.
    Cleared,
    /// The user is asked before a tool runs; whether it may.
    Approval(bool),
    /// Reasoning without words, encrypted where the format has a field for it.
    Reasoning,
    /// A tool that the service has run.
    Executed,
    /// A text is empty.
    Empty,
    /// A part of a type that nobody knows, or that no model reads.
    Unknown,
    /// A message of the system, or an item that stands for another one.
    Between,
    /// The names and nulls of Python's client, or parts for the screen.
    Client,
    /// An output is a JSON value with this many letters of each text, and has files beside it.
    Shaped(usize),
    /// Texts have no state, so that they may be pieces of one.
    Loose,
}

/// Damage that no service accepts: a message at another place, twice, or missing.
#[derive(Debug, Clone, Copy)]
pub enum Damage {
    Swapped,
    Moved,
    Twice,
    Missing,
}

/// Some variations, each with the place that it is made at.
pub fn variations() -> impl Strategy<Value = Vec<(Variation, usize)>> {
    use Variation::*;
    let variation = prop_oneof![
        (1_usize..9).prop_map(Ids),
        any::<bool>().prop_map(Approval),
        (60_usize..600).prop_map(Shaped),
        select(vec![Cleared, Reasoning, Executed, Empty, Unknown, Between, Loose, Client]),
    ];
    vec((variation, any::<usize>()), 0..7)
}

/// Some damage, with its places.
pub fn damages() -> impl Strategy<Value = Vec<(Damage, usize, usize)>> {
    use Damage::*;
    vec((select(vec![Swapped, Moved, Twice, Missing]), any::<usize>(), any::<usize>()), 0..3)
}

/// The history with these variations. What cannot be read here is taken as it is.
pub fn varied(format: &str, history: &str, variations: &[(Variation, usize)]) -> String {
    let Ok(mut messages) = serde_json::from_str::<Vec<Value>>(history) else { return history.to_owned() };
    for (number, (variation, place)) in variations.iter().enumerate() {
        match variation {
            Variation::Ids(every) => messages.iter_mut().for_each(|message| renumber(message, *every)),
            Variation::Cleared => clear(format, &mut messages, *place),
            Variation::Approval(is_granted) => ask(format, &mut messages, *place, number, *is_granted),
            Variation::Reasoning => add(format, &mut messages, *place, true, Some(reasoning(format, number))),
            Variation::Executed => {
                executed(format, number).into_iter().rev().for_each(|part| {
                    add(format, &mut messages, *place, true, Some(part));
                });
            }
            Variation::Unknown => add(format, &mut messages, *place, place.is_multiple_of(2), unknown(format, *place)),
            Variation::Empty => empty(&mut messages, *place),
            Variation::Between => between(format, &mut messages, *place, number),
            Variation::Client => of_client(format, &mut messages, *place),
            Variation::Shaped(letters) => shape(format, &mut messages, *place, *letters),
            Variation::Loose => messages.iter_mut().for_each(loosen),
        }
    }
    Value::from(messages).to_string()
}

/// The history with this damage.
pub fn damaged(history: &str, damages: &[(Damage, usize, usize)]) -> String {
    let Ok(mut messages) = serde_json::from_str::<Vec<Value>>(history) else { return history.to_owned() };
    for (damage, one, other) in damages.iter().filter(|_| history.len() > 2) {
        let length = messages.len().max(1);
        let (one, other) = (one % length, other % length);
        match damage {
            _ if messages.is_empty() => {}
            Damage::Swapped => messages.swap(one, (one + 1) % length),
            Damage::Moved => {
                let message = messages.remove(one);
                messages.insert(other.min(messages.len()), message);
            }
            Damage::Twice => messages.insert(other, messages[one].clone()),
            Damage::Missing => drop(messages.remove(one)),
        }
    }
    Value::from(messages).to_string()
}

fn renumber(value: &mut Value, every: usize) {
    match value {
        Value::String(text) => {
            if let Some(number) = text.strip_prefix("toolu_").and_then(|number| number.parse::<usize>().ok()) {
                *text = format!("toolu_{}", number % every);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renumber(item, every)),
        Value::Object(fields) => fields.values_mut().for_each(|field| renumber(field, every)),
        _ => {}
    }
}

/// The array of parts of a message, where it has one.
fn parts_of<'a>(format: &str, message: &'a mut Value) -> Option<&'a mut Vec<Value>> {
    let field = if matches!(format, "ai-sdk-ui" | "gemini" | "opencode") { "parts" } else { "content" };
    message.get_mut(field)?.as_array_mut()
}

fn is_assistants(format: &str, message: &Value) -> bool {
    let role = match format {
        "langchain" => &message["type"],
        "opencode" => &message["info"]["role"],
        _ => &message["role"],
    };
    role == "assistant" || role == "ai" || role == "model"
}

/// Puts a part into a message of the assistant or another one; an item of the Responses API before one of the assistant's.
fn add(format: &str, messages: &mut Vec<Value>, place: usize, is_own: bool, part: Option<Value>) {
    let Some(part) = part else { return };
    if format == "openai-responses" {
        let is_there = |message: &Value| message["type"] == "function_call" || message["role"] == "assistant";
        let places: Vec<usize> = (0..messages.len()).filter(|index| is_there(&messages[*index])).collect();
        if let Some(at) = places.get(place % places.len().max(1)) {
            messages.insert(*at, part);
        }
        return;
    }
    if format == "openai-chat" {
        let own: Vec<&mut Value> = messages.iter_mut().filter(|message| message["role"] == "assistant").collect();
        let count = own.len().max(1);
        if let (Some(message), Some(fields)) = (own.into_iter().nth(place % count), part.as_object()) {
            fields.iter().for_each(|(name, field)| message[name] = field.clone());
        }
        return;
    }
    let fitting: Vec<&mut Value> =
        messages.iter_mut().filter(|message| is_assistants(format, message) == is_own).collect();
    let count = fitting.len().max(1);
    let Some(parts) = fitting.into_iter().nth(place % count).and_then(|message| parts_of(format, message)) else {
        return;
    };
    let at = place / 7 % (parts.len() + 1);
    parts.insert(at, part);
}

fn reasoning(format: &str, number: usize) -> Value {
    let openai = json!({ "openai": { "itemId": format!("rs_v{number}"), "reasoningEncryptedContent": "Z0FB" } });
    match format {
        "openai-chat" => json!({ "reasoning_content": "", "refusal": null }),
        "openai-responses" => {
            json!({ "type": "reasoning", "id": format!("rs_v{number}"), "summary": [], "encrypted_content": "Z0FB" })
        }
        "ai-sdk-model" => json!({ "type": "reasoning", "text": "", "providerOptions": openai }),
        "ai-sdk-ui" => json!({ "type": "reasoning", "text": "", "state": "done", "providerMetadata": openai }),
        "langchain" => json!({ "type": "redacted_thinking", "data": "Z0FB" }),
        "gemini" => json!({ "text": "", "thought": true, "thoughtSignature": "Z0FB" }),
        "bedrock-converse" => json!({ "reasoningContent": { "redactedContent": "Z0FB" } }),
        "goose" => json!({ "type": "redactedThinking", "data": "Z0FB" }),
        "opencode" => json!({ "type": "reasoning", "text": "", "id": "prt_r", "metadata": openai }),
        _ => json!({ "type": "redacted_thinking", "data": "Z0FB" }),
    }
}

fn executed(format: &str, number: usize) -> Vec<Value> {
    let id = format!("srv_{number}");
    match format {
        "openai-responses" => {
            vec![json!({ "type": "web_search_call", "id": format!("ws_{number}"), "status": "completed" })]
        }
        "ai-sdk-model" => vec![
            json!({ "type": "tool-call", "toolCallId": id, "toolName": "web", "input": {}, "providerExecuted": true }),
            json!({ "type": "tool-result", "toolCallId": id, "toolName": "web", "output": { "type": "json", "value": [] } }),
        ],
        "ai-sdk-ui" => vec![
            json!({ "type": "tool-web", "toolCallId": id, "state": "output-available", "input": {}, "output": [], "providerExecuted": true }),
        ],
        "langchain" | "anthropic" => vec![
            json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": {} }),
            json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": [] }),
        ],
        "gemini" => vec![
            json!({ "executableCode": { "language": "PYTHON", "code": "1" } }),
            json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "1" } }),
        ],
        _ => Vec::new(),
    }
}

/// Base64 that stands for a file.
fn file_data(place: usize) -> String {
    "QUJDRA0K".repeat(40 + place % 50)
}

/// Makes one output a JSON value, or puts a file beside it.
fn shape(format: &str, messages: &mut [Value], place: usize, letters: usize) {
    let path = match format {
        "ai-sdk-model" | "ai-sdk-ui" => "/output",
        "gemini" => "/functionResponse",
        "opencode" => "/state",
        _ => return,
    };
    let parts = messages.iter_mut().filter_map(|message| parts_of(format, message)).flatten();
    let outputs: Vec<&mut Value> = parts.filter_map(|part| part.pointer_mut(path)).collect();
    let count = outputs.len().max(1);
    let Some(output) = outputs.into_iter().nth(place % count) else { return };
    let old = ["/value", "/response/output", ""].iter().find_map(|path| output.pointer(path)?.as_str());
    let text: String = old.unwrap_or("a line of some output\n").chars().cycle().take(letters).collect();
    let value = json!({ "note": text, "ok": true, "n": place, "more": [&text[..0], text], "short": "a \"word\"" });
    let image = format!("data:image/png;base64,{}", file_data(place));
    match format {
        "ai-sdk-model" => *output = json!({ "type": "json", "value": value }),
        "ai-sdk-ui" => *output = value,
        "gemini" => {
            output["response"] = value;
            if place.is_multiple_of(2) {
                output["parts"] = json!([{ "inlineData": { "mimeType": "image/png", "data": file_data(place) } }]);
            }
        }
        _ => output["attachments"] = json!([{ "id": "prt_f", "type": "file", "mime": "image/png", "url": image }]),
    }
}

fn loosen(message: &mut Value) {
    for part in message.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(fields) = part.as_object_mut().filter(|part| part.get("type").is_some_and(|kind| kind == "text")) {
            fields.remove("state");
        }
    }
}

fn unknown(format: &str, place: usize) -> Option<Value> {
    let file = json!({ "type": "file", "mediaType": "application/pdf", "data": file_data(place) });
    let known: &[Value] = match format {
        "openai-chat" => &[json!({ "audio": { "id": "a" } }), json!({ "annotations": [] })],
        "openai-responses" => {
            &[json!({ "type": "item_reference", "id": "x_1" }), json!({ "type": "news", "id": "n_1" })]
        }
        "ai-sdk-model" => &[json!({ "type": "custom", "kind": "a.b" }), json!({ "type": "source", "id": "s" }), file],
        "ai-sdk-ui" => &[
            json!({ "type": "data-x", "data": [1] }),
            json!({ "type": "source-url", "sourceId": "s", "url": "u" }),
            json!({ "type": "step-start" }),
            json!({ "type": "file", "mediaType": "audio/wav", "url": format!("data:audio/wav;base64,{}", file_data(place)) }),
        ],
        "gemini" => &[
            json!({ "fileData": { "fileUri": "u" } }),
            json!({ "news": 1 }),
            json!({ "inlineData": { "mimeType": "video/mp4", "data": file_data(place) } }),
        ],
        "bedrock-converse" => &[
            json!({ "cachePoint": { "type": "default" } }),
            json!({ "guardContent": {} }),
            json!({ "document": { "format": "pdf", "name": "n", "source": { "bytes": file_data(place) } } }),
        ],
        "goose" => &[
            json!({ "type": "news", "text": 5 }),
            json!({ "type": "systemNotification", "notificationType": "inlineMessage", "msg": "Hm." }),
        ],
        "opencode" => &[
            json!({ "type": "step-finish", "id": "prt_s" }),
            json!({ "type": "patch", "files": [] }),
            json!({ "type": "text", "text": "Not sent.", "ignored": true }),
        ],
        _ => &[
            json!({ "type": "news", "text": 5 }),
            json!({ "type": "container_upload", "file_id": "f" }),
            json!({ "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": file_data(place) } }),
        ],
    };
    known.get(place / 3 % known.len()).cloned()
}

/// Rewrites a history as some clients do: Gemini's for Python uses snake case, with a null for each field that is not
/// set; Goose adds parts that only its user sees.
fn of_client(format: &str, messages: &mut [Value], place: usize) {
    for (index, message) in messages.iter_mut().enumerate() {
        for part in parts_of(format, message).into_iter().flatten().filter_map(Value::as_object_mut) {
            match format {
                "gemini" => {
                    for (name, other) in [
                        ("functionCall", "function_call"),
                        ("functionResponse", "function_response"),
                        ("thoughtSignature", "thought_signature"),
                    ] {
                        let value = part.remove(name).or_else(|| part.remove(other));
                        part.insert(other.to_owned(), value.unwrap_or_default());
                    }
                    part.entry("text").or_insert(Value::Null);
                }
                "goose" if part.contains_key("toolResult") && (index + place).is_multiple_of(3) => {
                    let shown = json!({ "type": "text", "text": "shown", "annotations": { "audience": ["user"] } });
                    let parts = part["toolResult"].pointer_mut("/value/content").and_then(Value::as_array_mut);
                    parts.into_iter().for_each(|parts| parts.insert(0, shown.clone()));
                }
                _ => {}
            }
        }
    }
}

/// Sets one output to what is left when it was cleared.
fn clear(format: &str, messages: &mut [Value], place: usize) {
    let mut outputs: Vec<(&mut Value, Value)> = Vec::new();
    for message in messages {
        let is_result = message["role"] == "tool" || message["type"] == "tool";
        match format {
            "openai-chat" | "langchain" if is_result => outputs.push((&mut message["content"], json!(""))),
            "openai-responses" if message["type"] == "function_call_output" => {
                outputs.push((&mut message["output"], json!("")));
            }
            "openai-chat" | "langchain" | "openai-responses" => {}
            format => {
                for part in parts_of(format, message).into_iter().flatten() {
                    let (path, emptied) = match format {
                        "ai-sdk-model" => ("/output", json!({ "type": "text", "value": "" })),
                        "ai-sdk-ui" => ("/output", json!(null)),
                        "gemini" => ("/functionResponse/response", json!({})),
                        "bedrock-converse" => ("/toolResult/content", json!([])),
                        "goose" => ("/toolResult/value/content", json!([])),
                        "opencode" => (
                            "/state",
                            json!({ "status": "completed", "input": {}, "output": "x", "time": { "compacted": 5 } }),
                        ),
                        _ => ("/content", json!([])),
                    };
                    let is_result = part["type"] == "tool_result" || format != "anthropic";
                    outputs.extend(part.pointer_mut(path).filter(|_| is_result).map(|output| (output, emptied)));
                }
            }
        }
    }
    let count = outputs.len().max(1);
    if let Some((output, emptied)) = outputs.into_iter().nth(place % count) {
        *output = emptied;
    }
}

/// The user is asked about one call.
fn ask(format: &str, messages: &mut Vec<Value>, place: usize, number: usize, is_granted: bool) {
    let approval = format!("approval_{number}");
    match format {
        "openai-responses" => {
            let at = place % (messages.len() + 1);
            let request = json!({ "type": "mcp_approval_request", "id": approval, "name": "x", "arguments": "{}", "server_label": "s" });
            let response =
                json!({ "type": "mcp_approval_response", "approval_request_id": approval, "approve": is_granted });
            messages.splice(at..at, [request, response]);
        }
        "ai-sdk-ui" => {
            let parts = messages.iter_mut().filter_map(|message| message["parts"].as_array_mut()).flatten();
            let calls: Vec<&mut Value> =
                parts.filter(|part| part["state"].is_string() && part["toolCallId"].is_string()).collect();
            let count = calls.len().max(1);
            let Some(call) = calls.into_iter().nth(place % count) else { return };
            call["approval"] = json!({ "id": approval, "approved": is_granted });
            if !is_granted {
                call["state"] = json!("output-denied");
            }
        }
        "ai-sdk-model" => {
            let called = |message: &Value| {
                let parts = message["content"].as_array().into_iter().flatten();
                parts
                    .filter(|part| part["type"] == "tool-call" && part["providerExecuted"].is_null())
                    .map(|part| part["toolCallId"].clone())
                    .collect::<Vec<_>>()
            };
            let calls: Vec<(usize, Value)> = messages
                .iter()
                .enumerate()
                .flat_map(|(at, message)| called(message).into_iter().map(move |id| (at, id)))
                .collect();
            let Some((at, id)) = calls.get(place % calls.len().max(1)).cloned() else { return };
            let request = json!({ "type": "tool-approval-request", "approvalId": approval, "toolCallId": id });
            messages[at]["content"].as_array_mut().unwrap().push(request);
            let response = json!({ "type": "tool-approval-response", "approvalId": approval, "approved": is_granted });
            let answers = messages.get_mut(at + 1).filter(|next| next["role"] == "tool" && place.is_multiple_of(2));
            match answers.and_then(|next| next["content"].as_array_mut()) {
                Some(parts) => {
                    if !is_granted {
                        parts
                            .iter_mut()
                            .filter(|part| part["toolCallId"] == id)
                            .for_each(|part| part["output"] = json!({ "type": "execution-denied" }));
                    }
                    parts.insert(0, response);
                }
                None => messages.insert(at + 1, json!({ "role": "tool", "content": [response] })),
            }
        }
        _ => {}
    }
}

fn empty(messages: &mut [Value], place: usize) {
    fn texts<'a>(value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| texts(item, found)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if field.is_string()
                        && matches!(name.as_str(), "text" | "content" | "output" | "value" | "thinking" | "arguments")
                    {
                        found.push(field);
                    } else {
                        texts(field, found);
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    messages.iter_mut().for_each(|message| texts(message, &mut found));
    let count = found.len().max(1);
    if let Some(text) = found.into_iter().nth(place % count) {
        *text = json!("");
    }
}

fn between(format: &str, messages: &mut Vec<Value>, place: usize, number: usize) {
    let said = "Mind the tests.";
    let message = match format {
        "openai-chat" => json!({ "role": "developer", "content": said }),
        "openai-responses" => {
            json!({ "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": said }] })
        }
        "ai-sdk-model" => json!({ "role": "system", "content": said }),
        "ai-sdk-ui" => {
            json!({ "id": format!("s{number}"), "role": "system", "parts": [{ "type": "text", "text": said }] })
        }
        "langchain" if place.is_multiple_of(3) => json!({ "type": "remove", "id": "m1" }),
        "langchain" => json!({ "type": "system", "content": said }),
        _ => return,
    };
    let at = place % (messages.len() + 1);
    messages.insert(at, message);
}
