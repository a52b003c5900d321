//! The host's own request to the conversation's model. If a question is appended to it, the service finds everything
//! before the question in its prompt cache.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::LlmMessage;

/// A request of the host: everything before the question, as JSON text that is sent unchanged.
#[derive(Debug, Clone, Deserialize)]
pub struct HostRequest {
    /// The system prompt: a string or blocks, with the host's cache marks.
    system: Option<Box<RawValue>>,
    /// The tools.
    tools: Option<Box<RawValue>>,
    /// The messages, each with role and content.
    messages: Vec<Box<RawValue>>,
}

impl PartialEq for HostRequest {
    fn eq(&self, other: &Self) -> bool {
        self.texts().eq(other.texts())
    }
}

impl HostRequest {
    /// Reads `{ system, tools, messages }`.
    ///
    /// # Errors
    /// If it is not such an object.
    pub fn read(json: &str) -> serde_json::Result<Self> {
        serde_json::from_str(json)
    }

    /// Returns its parts in the order in which services read them: tools, system prompt, messages.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().chain(&self.system).chain(&self.messages).map(|raw| raw.get())
    }

    /// Writes the body of a request to the Anthropic Messages API: the host's own, with `question` appended. `body`
    /// is the body for the question alone.
    pub(super) fn with_question(&self, body: Value, question: &[LlmMessage]) -> String {
        let Value::Object(mut fields) = body else { return body.to_string() };
        fields.remove("messages");
        fields.remove("system");
        let mut json = Value::Object(fields).to_string();
        json.pop();
        for (name, value) in [("tools", &self.tools), ("system", &self.system)] {
            if let Some(value) = value {
                json.push_str(&format!(",\"{name}\":{}", value.get()));
            }
        }
        json.push_str(",\"messages\":[");
        json.push_str(&self.messages_with(question));
        json.push_str("]}");
        json
    }

    /// Writes the same request for a function of the host, as `{ system, tools, messages }`.
    pub fn for_host(&self, question: &[LlmMessage]) -> String {
        let of = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or("null", |raw| raw.get()).to_owned();
        format!(
            "{{\"system\":{},\"tools\":{},\"messages\":[{}]}}",
            of(&self.system),
            of(&self.tools),
            self.messages_with(question)
        )
    }

    fn messages_with(&self, question: &[LlmMessage]) -> String {
        let asked = question
            .iter()
            .map(|message| serde_json::json!({ "role": message.role.as_str(), "content": message.text }).to_string());
        let all: Vec<String> = self.messages.iter().map(|raw| raw.get().to_owned()).chain(asked).collect();
        all.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_gave_is_sent_as_it_came() {
        let system = r#"[{"type":"text","text":"Be  brief","cache_control":{"type":"ephemeral"}}]"#;
        let message = r#"{"content":[{"text":"a\ud800","type":"text"}],"role":"user"}"#;
        let host =
            HostRequest::read(&format!(r#"{{"system":{system},"tools":[{{"name":"x"}}],"messages":[{message}]}}"#))
                .unwrap();
        let body = serde_json::json!({ "model": "m", "system": "never", "messages": [], "stream": true });
        let sent = host.with_question(body, &[LlmMessage::user("Summarize")]);
        let expected = format!(
            r#"{{"model":"m","stream":true,"tools":[{{"name":"x"}}],"system":{system},"messages":[{message},{{"content":"Summarize","role":"user"}}]}}"#
        );
        assert_eq!(sent, expected);
        assert!(HostRequest::read("[]").is_err());
    }
}
