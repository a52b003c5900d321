//! Helpers for the checkers of formats: they collect problems, and track calls without results.

use crate::conversation::{Json, JsonObject, Problem};

/// The problems found by a checker.
#[derive(Default)]
pub struct Breaches(Vec<Problem>);

impl Breaches {
    /// Adds a problem in a message, or in an element of it.
    pub fn add(&mut self, message: usize, block: Option<usize>, code: &'static str, text: impl Into<String>) {
        self.0.push(Problem { message_index: message, block_index: block, code, message: text.into(), tool_id: None });
    }

    /// Returns true if a message has one of the allowed roles; otherwise adds a problem.
    pub fn role(&mut self, message: usize, role: &str, allowed: &[&str]) -> bool {
        let is_known = allowed.contains(&role);
        if !is_known {
            let allowed = allowed.iter().map(|role| format!("{role:?}")).collect::<Vec<_>>().join(", ");
            self.add(message, None, "unknown_role", format!("role is {role:?}; allowed: {allowed}"));
        }
        is_known
    }

    /// Returns the role in `speaker`; `None` if it is missing, which is a problem. `shape` names the form of a
    /// message.
    pub fn said_role(&mut self, index: usize, speaker: &JsonObject<'_>, shape: &str) -> Option<String> {
        let role = speaker.string("role");
        if role.is_none() {
            self.add(index, None, "not_a_message", format!("is not an object with {shape}"));
        }
        role
    }

    /// Returns the role in `speaker` and the `parts` of a message; `None` if one is missing. `shape` names the form
    /// of a message.
    pub fn role_and_parts<'j>(
        &mut self,
        index: usize,
        (message, speaker): (&JsonObject<'j>, &JsonObject<'j>),
        allowed: &[&str],
        shape: &str,
    ) -> Option<(String, Vec<Json<'j>>)> {
        let role = self.said_role(index, speaker, shape)?;
        self.role(index, &role, allowed);
        let Some(parts) = message.get("parts").filter(|parts| parts.is_array()) else {
            self.add(index, None, "empty_content", "there are no parts");
            return None;
        };
        Some((role, parts.elements()))
    }

    /// Adds a problem about a call or result, given its id.
    pub fn about(&mut self, message: usize, code: &'static str, id: &str, text: String) {
        let problem =
            Problem { message_index: message, block_index: None, code, message: text, tool_id: Some(id.to_owned()) };
        self.0.push(problem);
    }

    /// Returns all problems.
    pub fn into_problems(self) -> Vec<Problem> {
        self.0
    }
}

/// Calls without results so far.
#[derive(Default)]
pub struct Open {
    calls: Vec<String>,
    answered: Vec<String>,
    /// Calls that need no result yet.
    awaiting: Vec<String>,
}

impl Open {
    /// Adds a call.
    pub fn call(&mut self, id: String) {
        self.calls.push(id);
    }

    /// Adds a call that may remain without a result.
    pub fn awaits_approval(&mut self, id: String) {
        self.awaiting.push(id);
    }

    /// Adds a result, which must answer an open call.
    pub fn result(&mut self, id: String, message: usize, breaches: &mut Breaches) {
        if let Some(at) = self.calls.iter().position(|call| *call == id) {
            self.calls.remove(at);
            self.answered.push(id);
        } else if let Some(at) = self.awaiting.iter().position(|call| *call == id) {
            self.answered.push(self.awaiting.remove(at));
        } else if self.answered.contains(&id) {
            breaches.about(message, "repeated_tool_result", &id, format!("the result of call {id:?} stands twice"));
        } else {
            breaches.about(
                message,
                "orphan_tool_result",
                &id,
                format!("the result of {id:?} answers no call before it"),
            );
        }
    }

    /// Reports calls that should have a result by now.
    pub fn close(&mut self, message: usize, breaches: &mut Breaches) {
        self.answered.clear();
        for id in std::mem::take(&mut self.calls) {
            breaches.about(
                message,
                "unanswered_tool_use",
                &id,
                format!("call {id:?} has no result before this message"),
            );
        }
    }
}
