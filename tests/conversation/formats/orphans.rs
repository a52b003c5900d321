//! Halves without their other half, found in the messages themselves: by what each service documents, not by what the library reads.

use std::collections::BTreeMap;

use serde_json::Value;

/// How many halves of each kind lack the other one: calls and results, approvals asked for and answered, tools of the service, reasoning without what it led to.
#[expect(clippy::too_many_lines, reason = "a row for each format")]
pub fn orphans(format: &str, messages: &[Value]) -> BTreeMap<String, usize> {
    let mut halves: BTreeMap<(&'static str, String), [usize; 2]> = BTreeMap::new();
    let mut add = |kind: &'static str, id: &Value, half: usize| {
        // Items damaged in more than their id belong to no pair.
        if let Some(id) = id.as_str() {
            halves.entry((kind, id.to_owned())).or_default()[half] += 1;
        }
    };
    let mut reasoning = 0;
    for (index, message) in messages.iter().enumerate() {
        let next = messages.get(index + 1);
        match format {
            "openai-chat" => {
                elements(&message["tool_calls"]).for_each(|call| add("call", &call["id"], 0));
                if message["role"] == "tool" {
                    add("call", &message["tool_call_id"], 1);
                }
            }
            "openai-responses" => match message["type"].as_str().unwrap_or_default() {
                "function_call" => add("call", &message["call_id"], 0),
                "function_call_output" => add("call", &message["call_id"], 1),
                "mcp_approval_request" => add("approval", &message["id"], 0),
                "mcp_approval_response" => add("approval", &message["approval_request_id"], 1),
                "reasoning" => {
                    let is_answer = |next: &Value| next["type"] == "function_call_output" || next["role"] == "user";
                    reasoning += usize::from(next.is_none_or(is_answer));
                }
                _ => {}
            },
            "ai-sdk-model" => {
                let parts: Vec<&Value> = elements(&message["content"]).collect();
                for (at, part) in parts.iter().enumerate() {
                    match (part["type"].as_str().unwrap_or_default(), message["role"].as_str()) {
                        ("tool-call", Some("assistant")) if part["providerExecuted"] == true => {
                            add("executed", &part["toolCallId"], 0);
                        }
                        ("tool-result", Some("assistant")) => add("executed", &part["toolCallId"], 1),
                        ("tool-call", Some("assistant")) => add("call", &part["toolCallId"], 0),
                        ("tool-result", Some("tool")) => add("call", &part["toolCallId"], 1),
                        ("tool-approval-request", Some("assistant")) => {
                            add("approval", &part["approvalId"], 0);
                            let is_call = |other: &&&Value| {
                                other["type"] == "tool-call" && other["toolCallId"] == part["toolCallId"]
                            };
                            if parts.iter().find(is_call).is_none() {
                                add("approved call", &part["toolCallId"], 1);
                            }
                        }
                        ("tool-approval-response", Some("tool")) => add("approval", &part["approvalId"], 1),
                        ("reasoning", _) => {
                            reasoning += usize::from(is_alone(part, "providerOptions", parts.get(at + 1).copied()));
                        }
                        _ => {}
                    }
                }
            }
            "ai-sdk-ui" => {
                let parts: Vec<&Value> =
                    elements(&message["parts"]).filter(|part| part["type"] != "step-start").collect();
                let alone = |at: usize| is_alone(parts[at], "providerMetadata", parts.get(at + 1).copied());
                reasoning += (0..parts.len()).filter(|at| parts[*at]["type"] == "reasoning" && alone(*at)).count();
            }
            "langchain" => {
                elements(&message["tool_calls"]).for_each(|call| add("call", &call["id"], 0));
                elements(&message["content"]).for_each(|part| match part["type"].as_str() {
                    Some("server_tool_use") => add("executed", &part["id"], 0),
                    Some("web_search_tool_result") => add("executed", &part["tool_use_id"], 1),
                    _ => {}
                });
                if message["type"] == "tool" {
                    add("call", &message["tool_call_id"], 1);
                }
            }
            "gemini" => elements(&message["parts"]).for_each(|part| {
                ["functionCall", "function_call"].iter().for_each(|name| add("call", &part[*name]["id"], 0));
                ["functionResponse", "function_response"].iter().for_each(|name| add("call", &part[*name]["id"], 1));
            }),
            "goose" => elements(&message["content"]).for_each(|part| match part["type"].as_str() {
                Some("toolRequest") => add("call", &part["id"], 0),
                Some("toolResponse") => add("call", &part["id"], 1),
                _ => {}
            }),
            "bedrock-converse" => elements(&message["content"]).for_each(|part| {
                add("call", &part["toolUse"]["toolUseId"], 0);
                add("call", &part["toolResult"]["toolUseId"], 1);
            }),
            "anthropic" => elements(&message["content"]).for_each(|part| match part["type"].as_str() {
                Some("tool_use") => add("call", &part["id"], 0),
                Some("tool_result") => add("call", &part["tool_use_id"], 1),
                Some("server_tool_use") => add("executed", &part["id"], 0),
                Some("web_search_tool_result") => add("executed", &part["tool_use_id"], 1),
                _ => {}
            }),
            // A call and its result are one part.
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    for ((kind, id), [asked, answered]) in halves {
        if asked > answered {
            found.insert(format!("{kind} {id} without its answer"), asked - answered);
        } else if answered > asked {
            found.insert(format!("answer of {kind} {id} without it"), answered - asked);
        }
    }
    if reasoning > 0 {
        found.insert("reasoning without what it led to".to_owned(), reasoning);
    }
    found
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether a reasoning item of OpenAI's stands without the item behind it.
fn is_alone(part: &Value, options: &str, next: Option<&Value>) -> bool {
    part[options]["openai"]["itemId"].is_string() && next.is_none()
}
