//! Properties of histories in other formats that none of ours has: repeated ids, cleared outputs, approvals,
//! reasoning without text, tools that the service runs.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::sample::Sample;

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
pub fn varied(sample: &dyn Sample, history: &str, variations: &[(Variation, usize)]) -> String {
    let Ok(mut messages) = serde_json::from_str::<Vec<Value>>(history) else { return history.to_owned() };
    for (number, (variation, place)) in variations.iter().enumerate() {
        let place = *place;
        match variation {
            Variation::Ids(every) => messages.iter_mut().for_each(|message| renumber(message, *every)),
            Variation::Cleared => clear(sample, &mut messages, place),
            Variation::Approval(is_granted) => {
                sample.ask(&mut messages, place, &format!("approval_{number}"), *is_granted);
            }
            Variation::Reasoning => sample.add(&mut messages, place, true, sample.reasoning(number)),
            Variation::Executed => {
                for part in sample.executed(number).into_iter().rev() {
                    sample.add(&mut messages, place, true, part);
                }
            }
            Variation::Unknown => {
                let known = sample.unknown(place);
                let part = known[place / 3 % known.len()].clone();
                sample.add(&mut messages, place, place.is_multiple_of(2), part);
            }
            Variation::Empty => empty(&mut messages, place),
            Variation::Between => between(sample, &mut messages, place, number),
            Variation::Client => of_client(sample, &mut messages, place),
            Variation::Shaped(letters) => shape(sample, &mut messages, place, *letters),
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

fn loosen(message: &mut Value) {
    for part in message.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(fields) = part.as_object_mut().filter(|part| part.get("type").is_some_and(|kind| kind == "text")) {
            fields.remove("state");
        }
    }
}

/// Rewrites a history as some clients do.
fn of_client(sample: &dyn Sample, messages: &mut [Value], place: usize) {
    for (index, message) in messages.iter_mut().enumerate() {
        for part in sample.parts(message).into_iter().flatten() {
            sample.of_client(part, index + place);
        }
    }
}

/// Makes one output a JSON value, or puts a file beside it.
fn shape(sample: &dyn Sample, messages: &mut [Value], place: usize, letters: usize) {
    let Some((path, shape)) = sample.shapes() else { return };
    let parts = messages.iter_mut().filter_map(|message| sample.parts(message)).flatten();
    let outputs: Vec<&mut Value> = parts.filter_map(|part| part.pointer_mut(path)).collect();
    let count = outputs.len().max(1);
    let Some(output) = outputs.into_iter().nth(place % count) else { return };
    let old = ["/value", "/response/output", ""].iter().find_map(|path| output.pointer(path)?.as_str());
    let text: String = old.unwrap_or("a line of some output\n").chars().cycle().take(letters).collect();
    let value = json!({ "note": text, "ok": true, "n": place, "more": [&text[..0], text], "short": "a \"word\"" });
    shape(output, value, place);
}

/// Sets one output to what is left when it was cleared.
fn clear(sample: &dyn Sample, messages: &mut [Value], place: usize) {
    let outputs: Vec<_> = messages.iter_mut().flat_map(|message| sample.outputs(message)).collect();
    let count = outputs.len().max(1);
    if let Some((output, emptied)) = outputs.into_iter().nth(place % count) {
        *output = emptied;
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

fn between(sample: &dyn Sample, messages: &mut Vec<Value>, place: usize, number: usize) {
    if let Some(message) = sample.between("Mind the tests.", place, number) {
        let at = place % (messages.len() + 1);
        messages.insert(at, message);
    }
}
