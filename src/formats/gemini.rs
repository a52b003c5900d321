//! The `Content`s of Gemini: `generateContent` of Google's API and of Vertex AI.
//!
//! Rules: <https://ai.google.dev/gemini-api/docs/function-calling> and the texts of its errors. A turn with function
//! calls is followed by one with as many responses. A part with a `thoughtSignature` is signed, so its text does not
//! change. Ids are optional; without them calls and responses are paired by name, in order.
//!
//! Python's client writes the same names in snake case (`function_call`), and unset fields as `null`. Names are
//! written back as they were read.

use super::{
    format::{Format, Near, Written},
    part::{Part, Path, Slot, Wrap, below, file_block, raw_of, steps},
    rules::Breaches,
};
use crate::conversation::{Json, JsonObject, PathStep, Problem, Role, Service, json_text::escape};

#[cfg(test)]
mod tests;

/// Gemini contents.
pub struct Gemini;

impl Format for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        let role = match fields.string("role").as_deref() {
            Some("model") => Role::Assistant,
            Some(role) if role != "function" => Role::from(role.to_owned()),
            // A missing role means the user.
            _ => Role::User,
        };
        // Applications that confuse the format with Anthropic's write `content`.
        let field = if fields.get("parts").is_some() { "parts" } else { "content" };
        let parts = fields.get(field);
        if let Some(text) = parts.and_then(Json::string) {
            return vec![Part::text(role, text, steps![field], steps![field])];
        }
        let parts = parts.map(Json::elements).unwrap_or_default();
        parts.into_iter().enumerate().map(|(index, part)| part_of(&role, part, &steps![field, index])).collect()
    }

    fn service(&self) -> Service {
        Service::Gemini
    }

    fn write(&self, role: &Role, text: &str, _near: &Near<'_>) -> Written {
        let role = if *role == Role::Assistant { "model" } else { role.as_str() };
        let json = format!(r#"{{"role":{},"parts":[{{"text":{}}}]}}"#, escape(role), escape(text));
        Written { json, text: steps!["parts", 0, "text"] }
    }

    fn text_part(&self, message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        let has_array = message.at(array).is_some_and(Json::is_array);
        (array.len() == 1 && has_array).then(|| format!(r#"{{"text":{}}}"#, escape(text)))
    }

    fn joins(&self) -> bool {
        false
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        let count = |message: Json<'_>, names: Names| {
            let parts = message.object().get("parts").map(Json::elements).unwrap_or_default();
            parts.into_iter().filter(|part| field(&part.object(), names).is_some()).count()
        };
        let mut calls = 0;
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            if !message.is_object() {
                breaches.add(index, None, "not_a_message", "is not an object with parts");
                continue;
            }
            if let Some(role) =
                fields.string("role").filter(|role| !["user", "model", "function"].contains(&role.as_str()))
            {
                let text = format!("role is {role:?}; allowed: \"user\", \"model\"");
                breaches.add(index, None, "unknown_role", text);
            }
            if fields.get("parts").is_none_or(|parts| parts.elements().is_empty()) {
                breaches.add(index, None, "empty_content", "there are no parts");
            }
            let responses = count(*message, RESPONSE);
            if responses != calls {
                let code = if responses < calls { "unanswered_tool_use" } else { "orphan_tool_result" };
                let text = format!(
                    "{responses} function responses behind a turn with {calls} function calls; there have to be as many"
                );
                breaches.add(index, None, code, text);
            }
            calls = count(*message, CALL);
            if calls > 0 && index == 0 {
                let text = "a turn with function calls comes behind one of the user";
                breaches.add(index, None, "first_not_user", text);
            }
        }
        breaches.into_problems()
    }
}

/// A field in camel case, as the API and most clients write it, and in snake case, as Python's client does.
type Names = [&'static str; 2];

const CALL: Names = ["functionCall", "function_call"];
const RESPONSE: Names = ["functionResponse", "function_response"];
const SIGNATURE: Names = ["thoughtSignature", "thought_signature"];

/// Returns the field's name as it is set, and its value.
fn field<'j>(fields: &JsonObject<'j>, names: Names) -> Option<(&'static str, Json<'j>)> {
    names.into_iter().find_map(|name| Some((name, fields.get(name).filter(|value| !value.is_null())?)))
}

fn part_of(role: &Role, part: Json<'_>, at: &[PathStep]) -> Part {
    let fields = part.object();
    let is_signed = field(&fields, SIGNATURE).is_some();
    let is_thought = fields.get("thought").is_some_and(|flag| flag.json() == "true");
    if let Some(text) = fields.string("text") {
        return match (is_thought, is_signed) {
            (true, false) => Part::thinking(&text, None, at.to_vec()),
            (false, false) => Part::text(role.clone(), text, at.to_vec(), below(at, ["text".into()])),
            (_, true) => Part::other(role.clone(), "signed_text", part, at.to_vec()),
        };
    }
    if let Some((name, call)) = field(&fields, CALL)
        && let Some(called) = call.object().string("name")
    {
        let stands = below(at, [name.into(), "args".into()]);
        let args = call.object().get("args").filter(|args| !args.is_null());
        return Part::call(id_of(&call.object(), &called), called, args, at.to_vec(), stands);
    }
    if let Some((name, response)) = field(&fields, RESPONSE)
        && let Some(called) = response.object().string("name")
    {
        let own = response.object();
        let answer = answer(id_of(&own, &called), &own, at, below(at, [name.into(), "response".into()]));
        let files = own.get("parts").map(Json::elements).unwrap_or_default();
        return answer.with_files(files, &below(at, [name.into(), "parts".into()]));
    }
    Part::new(role.clone(), file_block(part), at.to_vec(), Slot::Fixed)
}

/// Returns the id of a call or response; without one, an id made from the name that both contain.
fn id_of(own: &JsonObject<'_>, called: &str) -> String {
    own.string("id").unwrap_or_else(|| format!("call of {called}"))
}

/// Returns the result in a response whose JSON is at `stands`.
fn answer(id: String, own: &JsonObject<'_>, at: &[PathStep], stands: Path) -> Part {
    let Some(response) = own.get("response") else {
        return Part::result(id, String::new(), false, at.to_vec(), Slot::Fixed);
    };
    let said = response.object();
    let is_alone = said.iter().count() == 1;
    for (field, is_error) in [("output", false), ("error", true)] {
        if let Some(text) = said.string(field).filter(|_| is_alone) {
            let slot = Slot::Text(below(&stands, [field.into()]));
            return Part::result(id, text, is_error, at.to_vec(), slot);
        }
    }
    let is_error = said.get("error").is_some_and(|error| !error.is_null());
    let wrap: Wrap = |text| raw_of(&serde_json::json!({ "output": text }));
    Part::json_result(id, response, is_error, at.to_vec(), &stands, Some((stands.clone(), wrap)))
}
