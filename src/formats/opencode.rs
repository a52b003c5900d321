//! The messages of OpenCode's sessions, also used by Kilo Code: `info` and `parts`.
//!
//! Each step of the model is a message; a tool part is both a call and its result, so it is removed as a whole.
//! Messages are read as OpenCode sends them: a cleared result as the text that says so, and nothing before a
//! compaction. Ids ascend with time, so an added message gets one that sorts to its position.

use super::{
    format::{Format, Near, Written},
    part::{Part, Path, Slot, raw_of, steps},
    rules::Breaches,
};
use crate::conversation::{Json, JsonObject, PathStep, Problem, Role, json_text::escape};

#[cfg(test)]
mod tests;

/// OpenCode messages.
pub struct OpenCode;

/// The text that OpenCode sends in place of a result that it has cleared.
const CLEARED: &str = "[Old tool result content cleared]";
/// The text for a result that never came.
const INTERRUPTED: &str = "[Tool execution was interrupted]";

impl Format for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        let info = fields.object("info");
        let role = Role::from(info.string("role").unwrap_or_default());
        let parts = fields.get("parts").map(Json::elements).unwrap_or_default();
        let mut results = Vec::new();
        let mut found = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            let own = part.object();
            let kind = own.string("type").unwrap_or_default();
            let at = steps!["parts", index];
            match kind.as_str() {
                "text" if own.get("ignored").is_some_and(|flag| flag.json() == "true") => {}
                "text" => {
                    // Only a condensation adds text after calls.
                    found.append(&mut results);
                    if let Some(text) = own.string("text").filter(|text| !text.is_empty()) {
                        found.push(Part::text(role.clone(), text, at, steps!["parts", index, "text"]));
                    }
                }
                "reasoning" => {
                    let metadata = own.object("metadata").object("anthropic").string("signature");
                    found.push(Part::thinking(&own.string("text").unwrap_or_default(), metadata.as_deref(), at));
                }
                "tool" => tool(&own, index, &mut found, &mut results),
                // Texts are sent as separate parts beside it.
                "file" => found.push(Part::other(role.clone(), "file", part, at)),
                // A compaction replaces everything before it.
                "compaction" => found.push(Part::other(role.clone(), "compaction", part, at).staying()),
                // Parts that no model reads: steps, patches, snapshots.
                _ => {}
            }
        }
        found.append(&mut results);
        // The summary that belongs to a compaction.
        let is_summary = info.get("summary").is_some_and(|flag| flag.json() == "true");
        if is_summary { found.into_iter().map(Part::staying).collect() } else { found }
    }

    fn write(&self, role: &Role, text: &str, near: &Near<'_>) -> Written {
        let like = near.like.map(info_of).unwrap_or_default();
        let behind = near.behind.map(info_of).unwrap_or_default();
        let string = |name: &str| escape(&like.string(name).unwrap_or_default());
        // The id sorts after that of the previous message, and before all later ones.
        let id = format!("{}0{:04}", behind.string("id").unwrap_or_else(|| "msg_0".to_owned()), near.number);
        let time = |info: &JsonObject<'_>| info.object("time").get("created").map_or("0", Json::json).to_owned();
        let created = if near.behind.is_some() { time(&behind) } else { time(&like) };
        let model = like.object("model");
        let provider = like.string("providerID").or_else(|| model.string("providerID")).unwrap_or_default();
        let name = like.string("modelID").or_else(|| model.string("modelID")).unwrap_or_default();
        let (provider, name) = (escape(&provider), escape(&name));
        let common = format!(r#""id":{},"sessionID":{},"agent":{}"#, escape(&id), string("sessionID"), string("agent"));
        let own = match role {
            Role::Assistant => {
                let parent = like.string("parentID").or_else(|| behind.string("id")).unwrap_or_default();
                let path = like.get("path").map_or(r#"{"cwd":"","root":""}"#, Json::json);
                format!(
                    r#""role":"assistant","parentID":{},"mode":{},"modelID":{name},"providerID":{provider},"path":{path},"cost":0,"tokens":{{"input":0,"output":0,"reasoning":0,"cache":{{"read":0,"write":0}}}},"time":{{"created":{created},"completed":{created}}},"finish":"stop""#,
                    escape(&parent),
                    string("agent"),
                )
            }
            _ => format!(
                r#""role":"user","model":{{"providerID":{provider},"modelID":{name}}},"time":{{"created":{created}}}"#
            ),
        };
        let part = text_part(&escape(&id.replacen("msg_", "prt_", 1)), &escape(&id), &string("sessionID"), text);
        Written { json: format!(r#"{{"info":{{{common},{own}}},"parts":[{part}]}}"#), text: steps!["parts", 0, "text"] }
    }

    fn text_part(&self, message: Json<'_>, array: &[PathStep], before: usize, text: &str) -> Option<String> {
        if array != steps!["parts"] {
            return None;
        }
        let info = message.object().object("info");
        let id = |index: usize| message.at(array)?.elements().get(index)?.object().string("id");
        let behind = before.checked_sub(1).and_then(id).unwrap_or_else(|| "prt_0".to_owned());
        let string = |name: &str| escape(&info.string(name).unwrap_or_default());
        Some(text_part(&escape(&format!("{behind}0")), &string("id"), &string("sessionID"), text))
    }

    fn start(&self, messages: &[Json<'_>]) -> usize {
        // A compaction counts once its summary is written.
        let is_written = |index: usize| {
            messages.get(index + 1).map(|next| next.object().object("info")).is_some_and(|info| {
                let is_summary = info.get("summary").is_some_and(|flag| flag.json() == "true");
                is_summary && info.get("finish").is_some() && info.get("error").is_none_or(Json::is_null)
            })
        };
        let last = (0..messages.len())
            .rev()
            .find_map(|index| Some((index, compaction(messages[index])?)).filter(|_| is_written(index)));
        let Some((index, part)) = last else { return 0 };
        let tail = part.string("tail_start_id").and_then(|id| {
            messages[..index]
                .iter()
                .position(|message| message.object().object("info").string("id").as_ref() == Some(&id))
        });
        tail.unwrap_or(index)
    }

    fn name_of(&self, message: Json<'_>) -> Option<String> {
        let info = info_of(message);
        info.string("id").filter(|_| info.string("role").as_deref() == Some("user"))
    }

    /// A response refers to the user's message that it answers; programs show it below that message, which must
    /// exist.
    fn belongs_at(&self) -> Option<Path> {
        Some(steps!["info", "parentID"])
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let speaker = (&fields, &fields.object("info"));
            let found = breaches.role_and_parts(index, speaker, &["user", "assistant"], "info and parts");
            let Some((role, parts)) = found else { continue };
            for (at, part) in parts.into_iter().enumerate() {
                let part = part.object();
                if part.string("type").as_deref() != Some("tool") {
                    continue;
                }
                if role != "assistant" {
                    breaches.add(index, Some(at), "misplaced_tool_use", "a tool part that is not the assistant's");
                }
                if !part.get("state").is_some_and(Json::is_object) || part.string("callID").is_none() {
                    breaches.add(index, Some(at), "unreadable_block", "a tool part without callID or state");
                }
            }
        }
        breaches.into_problems()
    }
}

fn info_of(message: Json<'_>) -> JsonObject<'_> {
    message.object().object("info")
}

/// Returns the part that makes a message a compaction.
fn compaction(message: Json<'_>) -> Option<JsonObject<'_>> {
    let parts = message.object().get("parts").map(Json::elements).unwrap_or_default();
    parts.into_iter().map(Json::object).find(|part| part.string("type").as_deref() == Some("compaction"))
}

fn text_part(id: &str, message: &str, session: &str, text: &str) -> String {
    format!(
        r#"{{"id":{id},"messageID":{message},"sessionID":{session},"type":"text","text":{},"synthetic":true}}"#,
        escape(text)
    )
}

fn tool(own: &JsonObject<'_>, index: usize, found: &mut Vec<Part>, results: &mut Vec<Part>) {
    let at = || steps!["parts", index];
    let state = own.object("state");
    let (Some(id), Some(name)) = (own.string("callID"), own.string("tool")) else { return };
    found.push(Part::call(id.clone(), name, state.get("input"), at(), steps!["parts", index, "state", "input"]));
    let fixed = |text: &str, is_error| Part::fixed_result(id.clone(), raw_of(&text), is_error, at());
    let stands = |field: &'static str| Slot::Text(steps!["parts", index, "state", field]);
    results.push(match state.string("status").as_deref() {
        Some("completed") if state.object("time").get("compacted").is_some_and(|time| !time.is_null()) => {
            fixed(CLEARED, false)
        }
        Some("completed") => {
            let files = state.get("attachments").map(Json::elements).unwrap_or_default();
            let output = state.string("output").unwrap_or_default();
            Part::result(id.clone(), output, false, at(), stands("output"))
                .with_files(files, &steps!["parts", index, "state", "attachments"])
        }
        Some("error") => {
            Part::result(id.clone(), state.string("error").unwrap_or_default(), true, at(), stands("error"))
        }
        _ => fixed(INTERRUPTED, true),
    });
}
