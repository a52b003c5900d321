//! Tool calls of every dialect, with their parameters wherever they are.

use std::{borrow::Cow, ops::Range};

use serde_json::{Value, value::RawValue};

use crate::{conversation::PathStep, maps::HashMap};

use super::{
    place::{ConversationText, Place},
    tools::ParameterRole,
    xml_calls::XmlCall,
};

/// A tool call.
#[derive(Debug, Clone)]
pub(super) struct ToolCall<'a> {
    pub(super) name: String,
    /// The tool named in a header: the tool that calls it, if one did.
    pub(super) announced: String,
    /// The id of a native call.
    pub(super) id: Option<&'a str>,
    pub(super) message: usize,
    pub(super) block: usize,
    /// The XML of a call in text.
    pub(super) place: Option<Place>,
    pub(super) parameters: Parameters<'a>,
}

/// The place of a call's parameters.
#[derive(Debug, Clone)]
pub(super) enum Parameters<'a> {
    /// In a `tool_use` block; `texts` is the range of its texts.
    Native { input: &'a str, texts: Range<usize> },
    /// In a text.
    Xml { text: usize, values: Vec<(String, Range<usize>)> },
    /// In JSON inside a text (MCP tools in XML), whose strings are not bytes of the text.
    Json(Value),
    /// The call is no longer in the conversation; a header names its target.
    Header(String),
}

impl<'a> ToolCall<'a> {
    /// Creates the call written as XML in a text.
    pub(super) fn from_xml(call: &XmlCall<'_, '_>, texts: &[ConversationText<'a>], index: usize) -> Self {
        let text = &texts[index];
        let mut name = call.name.to_owned();
        let mut parameters = Parameters::Xml {
            text: index,
            values: call
                .parameters
                .iter()
                .map(|parameter| (parameter.name.to_owned(), parameter.value.clone()))
                .collect(),
        };
        let value =
            |role: ParameterRole| call.parameter(call.tool.parameter(role)).map(|range| text.text[range].trim());
        if let Some(tool) = value(ParameterRole::Tool) {
            tool.clone_into(&mut name);
            let arguments = value(ParameterRole::Arguments);
            if let Some(arguments) = arguments.and_then(|arguments| serde_json::from_str(arguments).ok()) {
                parameters = Parameters::Json(arguments);
            }
        }
        let place = Some(Place { text: index, range: call.range.clone() });
        Self {
            name,
            announced: call.name.to_owned(),
            id: None,
            message: text.message,
            block: text.block,
            place,
            parameters,
        }
    }

    /// Returns the place of the string parameter.
    pub(super) fn place<'n>(
        &self,
        texts: &[ConversationText<'_>],
        names: impl Iterator<Item = &'n str>,
    ) -> Option<Place> {
        let mut names = names;
        match &self.parameters {
            Parameters::Native { .. } => names.find_map(|name| self.place_at(texts, &[PathStep::key(name)])),
            Parameters::Xml { text, values } => names.find_map(|name| {
                let (_, range) = values.iter().find(|(key, _)| key == name)?;
                Some(Place { text: *text, range: range.clone() })
            }),
            Parameters::Json(_) | Parameters::Header(_) => None,
        }
    }

    /// Returns the place of the string at `path` in the input of a native call.
    pub(super) fn place_at(&self, texts: &[ConversationText<'_>], path: &[PathStep]) -> Option<Place> {
        let Parameters::Native { texts: range, .. } = &self.parameters else { return None };
        // The path is ["content", block, "input", …].
        let index = range.clone().find(|index| texts[*index].path.get(3..) == Some(path))?;
        Some(Place { text: index, range: 0..texts[index].text.len() })
    }

    /// Returns the value of a short string parameter, trimmed.
    pub(super) fn string<'t, 'n>(
        &'t self,
        texts: &'t [ConversationText<'_>],
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<Cow<'t, str>> {
        if let Parameters::Json(value) = &self.parameters {
            let mut names = names;
            return names.find_map(|name| value.get(name)?.as_str()).map(|value| Cow::Borrowed(value.trim()));
        }
        let place = self.place(texts, names)?;
        Some(Cow::Borrowed(texts[place.text].text[place.range].trim()))
    }

    /// Returns the value of a parameter that is not a text: a number, a flag, a list.
    pub(super) fn value<'n>(
        &self,
        texts: &[ConversationText<'_>],
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<Value> {
        let mut names = names;
        match &self.parameters {
            Parameters::Native { input, .. } => {
                let fields: HashMap<String, &RawValue> = serde_json::from_str(input).ok()?;
                names.find_map(|name| serde_json::from_str(fields.get(name)?.get()).ok())
            }
            Parameters::Json(value) => names.find_map(|name| value.get(name)).cloned(),
            Parameters::Xml { .. } => {
                let text = self.string(texts, names)?;
                serde_json::from_str(&text).ok()
            }
            Parameters::Header(_) => None,
        }
    }

    /// Returns the value of a numeric parameter, also if it is written as a string.
    pub(super) fn number<'n>(
        &self,
        texts: &[ConversationText<'_>],
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<u32> {
        number(&self.value(texts, names)?)
    }
}

/// Returns the number that a JSON value is or spells.
pub(super) fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
