//! Histories of ours, written as those of other formats are: by the documentation of each, not by what the library reads.

use roo_condense::{Block, Content, Conversation, Message, Role};
use serde_json::{Value, json};

/// A JSON array of messages of a format.
pub fn written(format: &str, conversation: &Conversation) -> String {
    let messages: Vec<String> = match format {
        "openai-chat" => conversation.messages().flat_map(openai_chat).collect(),
        "openai-responses" => {
            conversation.messages().enumerate().flat_map(|(at, message)| responses(at, message)).collect()
        }
        "ai-sdk-model" => conversation.messages().flat_map(model_message).collect(),
        "ai-sdk-ui" => ui_messages(conversation),
        "langchain" => conversation.messages().enumerate().flat_map(|(at, message)| langchain(at, message)).collect(),
        "gemini" => conversation.messages().map(gemini).collect(),
        "bedrock-converse" => conversation.messages().map(bedrock).collect(),
        "opencode" => opencode(conversation),
        "goose" => conversation.messages().map(goose).collect(),
        "anthropic" => return conversation.export(conversation).unwrap(),
        other => panic!("tests/conversation/formats/writers.rs writes no {other}"),
    };
    format!("[{}]", messages.join(","))
}

fn text(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// The blocks of a message, a string as one text.
fn blocks(message: &Message) -> Vec<Block> {
    match &message.content {
        Content::Text(text) => vec![Block::text(text.clone())],
        content => content.blocks().to_vec(),
    }
}

/// The texts of a result.
fn texts(content: &Content) -> Vec<String> {
    match content {
        Content::Text(text) => vec![text.clone()],
        content => content
            .blocks()
            .iter()
            .map(|block| match block {
                Block::Text { text, .. } => text.clone(),
                _ => "[image]".to_owned(),
            })
            .collect(),
    }
}

/// The parts of a result, or its text.
fn result(content: &Content, part: &str) -> String {
    match content {
        Content::Text(said) => text(said),
        content => {
            let parts = texts(content)
                .iter()
                .map(|said| format!(r#"{{"type":"{part}","text":{}}}"#, text(said)))
                .collect::<Vec<_>>();
            list(&parts)
        }
    }
}

fn content(said: &[String], part: &str) -> String {
    match said {
        [only] => text(only),
        many => {
            list(&many.iter().map(|said| format!(r#"{{"type":"{part}","text":{}}}"#, text(said))).collect::<Vec<_>>())
        }
    }
}

fn said(blocks: &[Block]) -> Vec<String> {
    blocks
        .iter()
        .filter_map(|block| if let Block::Text { text, .. } = block { Some(text.clone()) } else { None })
        .collect()
}

fn openai_chat(message: &Message) -> Vec<String> {
    let blocks = blocks(message);
    let mut written = Vec::new();
    let mut calls = Vec::new();
    for block in &blocks {
        match block {
            Block::ToolResult { tool_use_id, content, .. } => written.push(format!(
                r#"{{"role":"tool","tool_call_id":{},"content":{},"ts":1}}"#,
                text(tool_use_id),
                result(content, "text")
            )),
            Block::ToolUse { id, name, input, .. } => calls.push(format!(
                r#"{{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}}"#,
                text(id),
                text(name),
                text(input.get())
            )),
            _ => {}
        }
    }
    let said = said(&blocks);
    let calls = if calls.is_empty() { String::new() } else { format!(r#","tool_calls":{}"#, list(&calls)) };
    if !said.is_empty() || !calls.is_empty() {
        let content = if said.is_empty() { "null".to_owned() } else { content(&said, "text") };
        written.push(format!(r#"{{"role":"{}","content":{content}{calls},"name":"agent"}}"#, message.role.as_str()));
    }
    written
}

fn responses(at: usize, message: &Message) -> Vec<String> {
    let part = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let mut written = Vec::new();
    for (index, block) in blocks(message).iter().enumerate() {
        match block {
            Block::Thinking { thinking, .. } => written.push(format!(
                r#"{{"type":"reasoning","id":"rs_{at}_{index}","summary":[{{"type":"summary_text","text":{}}}],"encrypted_content":"Z0FBQUFB"}}"#,
                text(thinking)
            )),
            Block::Text { text: said, .. } => written.push(format!(
                r#"{{"type":"message","role":"{}","content":[{{"type":"{part}","text":{}}}],"status":"completed"}}"#,
                message.role.as_str(),
                text(said)
            )),
            Block::ToolUse { id, name, input, .. } => written.push(format!(
                r#"{{"type":"function_call","id":"fc_{at}_{index}","call_id":{},"name":{},"arguments":{}}}"#,
                text(id),
                text(name),
                text(input.get())
            )),
            Block::ToolResult { tool_use_id, content, .. } => written.push(format!(
                r#"{{"type":"function_call_output","call_id":{},"output":{}}}"#,
                text(tool_use_id),
                result(content, "input_text")
            )),
            _ => {}
        }
    }
    written
}

fn model_message(message: &Message) -> Vec<String> {
    let blocks = blocks(message);
    let (mut parts, mut results) = (Vec::new(), Vec::new());
    for block in &blocks {
        match block {
            Block::Thinking { thinking, .. } => {
                parts.push(format!(r#"{{"type":"reasoning","text":{}}}"#, text(thinking)));
            }
            Block::Text { text: said, .. } => parts.push(format!(r#"{{"type":"text","text":{}}}"#, text(said))),
            Block::ToolUse { id, name, input, .. } => parts.push(format!(
                r#"{{"type":"tool-call","toolCallId":{},"toolName":{},"input":{}}}"#,
                text(id),
                text(name),
                input.get()
            )),
            Block::ToolResult { tool_use_id, content, is_error, .. } => {
                let output = match (content, is_error) {
                    (Content::Text(said), true) => format!(r#"{{"type":"error-text","value":{}}}"#, text(said)),
                    (Content::Text(said), false) => format!(r#"{{"type":"text","value":{}}}"#, text(said)),
                    (content, _) => format!(r#"{{"type":"content","value":{}}}"#, result(content, "text")),
                };
                results.push(format!(
                    r#"{{"type":"tool-result","toolCallId":{},"toolName":"x","output":{output}}}"#,
                    text(tool_use_id)
                ));
            }
            _ => {}
        }
    }
    let mut written = Vec::new();
    if !results.is_empty() {
        written.push(format!(r#"{{"role":"tool","content":{}}}"#, list(&results)));
    }
    if !parts.is_empty() {
        written.push(format!(r#"{{"role":"{}","content":{},"id":5}}"#, message.role.as_str(), list(&parts)));
    }
    written
}

/// One message of the assistant for all steps up to the user's next words.
fn ui_messages(conversation: &Conversation) -> Vec<String> {
    let mut written: Vec<(String, Vec<Value>)> = Vec::new();
    for message in conversation.messages() {
        let blocks = blocks(message);
        let role = message.role.as_str().to_owned();
        if role == "user" {
            for block in &blocks {
                let Block::ToolResult { tool_use_id, content, is_error, .. } = block else { continue };
                let call = written
                    .iter_mut()
                    .rev()
                    .flat_map(|(_, parts)| parts.iter_mut().rev())
                    .find(|part| part["toolCallId"] == json!(tool_use_id) && part["state"] == "input-available");
                let Some(call) = call else { continue };
                let said = texts(content);
                match (is_error, &said[..]) {
                    (true, said) => {
                        call["state"] = json!("output-error");
                        call["errorText"] = json!(said.join("\n"));
                    }
                    (false, [only]) => {
                        call["state"] = json!("output-available");
                        call["output"] = json!(only);
                    }
                    (false, many) => {
                        call["state"] = json!("output-available");
                        call["output"] = json!({ "exitCode": 0, "chunks": many });
                    }
                }
            }
        }
        let own: Vec<Value> = blocks
            .iter()
            .filter_map(|block| match block {
                Block::Thinking { thinking, .. } => {
                    Some(json!({ "type": "reasoning", "text": thinking, "state": "done" }))
                }
                Block::Text { text, .. } => Some(json!({ "type": "text", "text": text, "state": "done" })),
                Block::ToolUse { id, name, input, .. } => Some(json!({
                    "type": format!("tool-{name}"), "toolCallId": id, "state": "input-available",
                    "input": serde_json::from_str::<Value>(input.get()).unwrap_or_default(),
                })),
                _ => None,
            })
            .collect();
        if own.is_empty() {
            continue;
        }
        let steps = (role == "assistant").then(|| json!({ "type": "step-start" }));
        match written.last_mut() {
            Some((last, parts)) if *last == role && role == "assistant" => {
                parts.extend(steps);
                parts.extend(own);
            }
            _ => written.push((role, steps.into_iter().chain(own).collect())),
        }
    }
    let message = |(index, (role, parts)): (usize, (String, Vec<Value>))| {
        json!({ "id": format!("m{index}"), "role": role, "parts": parts, "metadata": { "at": index } }).to_string()
    };
    written.into_iter().enumerate().map(message).collect()
}

fn langchain(at: usize, message: &Message) -> Vec<String> {
    let blocks = blocks(message);
    let mut written = Vec::new();
    let (mut calls, mut uses) = (Vec::new(), Vec::new());
    for block in &blocks {
        match block {
            Block::ToolResult { tool_use_id, content, is_error, .. } => written.push(format!(
                r#"{{"type":"tool","tool_call_id":{},"content":{},"status":"{}","id":"t{at}"}}"#,
                text(tool_use_id),
                result(content, "text"),
                if *is_error { "error" } else { "success" }
            )),
            Block::ToolUse { id, name, input, .. } => {
                calls.push(format!(
                    r#"{{"name":{},"args":{},"id":{},"type":"tool_call"}}"#,
                    text(name),
                    input.get(),
                    text(id)
                ));
                uses.push(format!(
                    r#"{{"type":"tool_use","id":{},"name":{},"input":{}}}"#,
                    text(id),
                    text(name),
                    input.get()
                ));
            }
            _ => {}
        }
    }
    let said = said(&blocks);
    if !said.is_empty() || !calls.is_empty() {
        // As models of Anthropic's answer: calls stand in the content, too.
        let own: Vec<String> =
            said.iter().map(|said| format!(r#"{{"type":"text","text":{}}}"#, text(said))).chain(uses).collect();
        let plain = if said.is_empty() { text("") } else { content(&said, "text") };
        let content = if at.is_multiple_of(2) { list(&own) } else { plain };
        let kind = if message.role == Role::Assistant { "ai" } else { "human" };
        written.push(format!(
            r#"{{"type":"{kind}","content":{content},"tool_calls":{},"additional_kwargs":{{}},"id":"m{at}"}}"#,
            list(&calls)
        ));
    }
    written
}

fn gemini(message: &Message) -> String {
    let parts: Vec<String> = blocks(message)
        .iter()
        .filter_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(format!(r#"{{"text":{},"thought":true}}"#, text(thinking))),
            Block::Text { text: said, .. } => Some(format!(r#"{{"text":{}}}"#, text(said))),
            Block::ToolUse { id, name, input, .. } => Some(format!(
                r#"{{"functionCall":{{"id":{},"name":{},"args":{}}},"thoughtSignature":"c2ln"}}"#,
                text(id),
                text(name),
                input.get()
            )),
            Block::ToolResult { tool_use_id, content, is_error, .. } => {
                let field = if *is_error { "error" } else { "output" };
                let response = match &texts(content)[..] {
                    [only] => format!(r#"{{"{field}":{}}}"#, text(only)),
                    many => {
                        format!(r#"{{"{field}":{}}}"#, list(&many.iter().map(|said| text(said)).collect::<Vec<_>>()))
                    }
                };
                Some(format!(
                    r#"{{"functionResponse":{{"id":{},"name":"x","response":{response}}}}}"#,
                    text(tool_use_id)
                ))
            }
            _ => None,
        })
        .collect();
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    format!(r#"{{"role":"{role}","parts":{}}}"#, list(&parts))
}

fn bedrock(message: &Message) -> String {
    let parts: Vec<String> = blocks(message)
        .iter()
        .filter_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(format!(
                r#"{{"reasoningContent":{{"reasoningText":{{"text":{},"signature":"c2ln"}}}}}}"#,
                text(thinking)
            )),
            Block::Text { text: said, .. } => Some(format!(r#"{{"text":{}}}"#, text(said))),
            Block::ToolUse { id, name, input, .. } => Some(format!(
                r#"{{"toolUse":{{"toolUseId":{},"name":{},"input":{}}}}}"#,
                text(id),
                text(name),
                input.get()
            )),
            Block::ToolResult { tool_use_id, content, is_error, .. } => {
                let texts: Vec<String> =
                    texts(content).iter().map(|said| format!(r#"{{"text":{}}}"#, text(said))).collect();
                let status = if *is_error { "error" } else { "success" };
                Some(format!(
                    r#"{{"toolResult":{{"toolUseId":{},"content":{},"status":"{status}"}}}}"#,
                    text(tool_use_id),
                    list(&texts)
                ))
            }
            _ => None,
        })
        .collect();
    format!(r#"{{"role":"{}","content":{}}}"#, message.role.as_str(), list(&parts))
}

fn goose(message: &Message) -> String {
    let parts: Vec<Value> = blocks(message)
        .iter()
        .filter_map(|block| match block {
            Block::Thinking { thinking, .. } => {
                Some(json!({ "type": "thinking", "thinking": thinking, "signature": "" }))
            }
            Block::Text { text, .. } => Some(json!({ "type": "text", "text": text })),
            Block::ToolUse { id, name, input, .. } => {
                let arguments: Value = serde_json::from_str(input.get()).unwrap_or_default();
                let value = json!({ "name": name, "arguments": arguments });
                Some(json!({ "type": "toolRequest", "id": id, "toolCall": { "status": "success", "value": value } }))
            }
            Block::ToolResult { tool_use_id, content, is_error, .. } => {
                let texts: Vec<Value> =
                    texts(content).into_iter().map(|text| json!({ "type": "text", "text": text })).collect();
                let value = json!({ "content": texts, "isError": is_error });
                let result = json!({ "status": "success", "value": value });
                Some(json!({ "type": "toolResponse", "id": tool_use_id, "toolResult": result }))
            }
            _ => None,
        })
        .collect();
    let shown = json!({ "userVisible": true, "agentVisible": true });
    json!({ "id": null, "role": message.role.as_str(), "created": 1, "content": parts, "metadata": shown }).to_string()
}

/// One message for each step, with calls and results in one part.
fn opencode(conversation: &Conversation) -> Vec<String> {
    let mut written: Vec<(String, Vec<Value>)> = Vec::new();
    for message in conversation.messages() {
        let blocks = blocks(message);
        let role = message.role.as_str().to_owned();
        for block in &blocks {
            let Block::ToolResult { tool_use_id, content, is_error, .. } = block else { continue };
            let call = written
                .iter_mut()
                .rev()
                .flat_map(|(_, parts)| parts.iter_mut().rev())
                .find(|part| part["callID"] == json!(tool_use_id) && part["state"]["status"] == "running");
            let Some(call) = call else { continue };
            let (status, field) = if *is_error { ("error", "error") } else { ("completed", "output") };
            call["state"]["status"] = json!(status);
            call["state"][field] = json!(texts(content).join("\n"));
        }
        let own: Vec<Value> = blocks
            .iter()
            .filter_map(|block| match block {
                Block::Thinking { thinking, .. } => Some(json!({ "type": "reasoning", "text": thinking })),
                Block::Text { text, .. } => Some(json!({ "type": "text", "text": text })),
                Block::ToolUse { id, name, input, .. } => Some(json!({
                    "type": "tool", "callID": id, "tool": name,
                    "state": { "status": "running", "input": serde_json::from_str::<Value>(input.get()).unwrap_or_default() },
                })),
                _ => None,
            })
            .collect();
        if !own.is_empty() {
            written.push((role, own));
        }
    }
    let message = |(index, (role, mut parts)): (usize, (String, Vec<Value>))| {
        let id = format!("msg_{index:04}");
        for (at, part) in parts.iter_mut().enumerate() {
            part["id"] = json!(format!("prt_{index:04}_{at:04}"));
            part["messageID"] = json!(id);
            part["sessionID"] = json!("ses_1");
        }
        json!({ "info": { "id": id, "sessionID": "ses_1", "role": role, "time": { "created": index } }, "parts": parts }).to_string()
    };
    written.into_iter().enumerate().map(message).collect()
}
