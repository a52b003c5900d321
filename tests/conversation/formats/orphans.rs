//! Halves without their other half, found in the messages themselves: by what each service documents, not by what the library reads.

use std::collections::BTreeMap;

use serde_json::Value;

use super::sample::Sample;

/// What has two halves: calls and results, approvals asked for and answered, tools of the service, reasoning with what
/// it led to.
#[derive(Default)]
pub struct Halves {
    counts: BTreeMap<(&'static str, String), [usize; 2]>,
    reasoning: usize,
}

impl Halves {
    /// Adds the half that asks.
    pub fn asked(&mut self, kind: &'static str, id: &Value) {
        self.add(kind, id, 0);
    }

    /// Adds the half that answers.
    pub fn answered(&mut self, kind: &'static str, id: &Value) {
        self.add(kind, id, 1);
    }

    /// Adds reasoning, which may stand without what it led to.
    pub fn reasoning(&mut self, is_alone: bool) {
        self.reasoning += usize::from(is_alone);
    }

    fn add(&mut self, kind: &'static str, id: &Value, half: usize) {
        // Items damaged in more than their id belong to no pair.
        if let Some(id) = id.as_str() {
            self.counts.entry((kind, id.to_owned())).or_default()[half] += 1;
        }
    }
}

/// How many halves of each kind lack the other one.
pub fn orphans(sample: &dyn Sample, messages: &[Value]) -> BTreeMap<String, usize> {
    let mut halves = Halves::default();
    sample.halves(messages, &mut halves);
    let mut found = BTreeMap::new();
    for ((kind, id), [asked, answered]) in halves.counts {
        if asked > answered {
            found.insert(format!("{kind} {id} without its answer"), asked - answered);
        } else if answered > asked {
            found.insert(format!("answer of {kind} {id} without it"), answered - asked);
        }
    }
    if halves.reasoning > 0 {
        found.insert("reasoning without what it led to".to_owned(), halves.reasoning);
    }
    found
}

/// Whether a reasoning item of OpenAI's stands without the item behind it.
pub fn is_alone(part: &Value, options: &str, next: Option<&Value>) -> bool {
    part[options]["openai"]["itemId"].is_string() && next.is_none()
}
