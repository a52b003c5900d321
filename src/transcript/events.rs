//! Events: the tool calls of a conversation with their results.

use std::sync::Arc;

use super::{
    file_answers::Extent,
    outcomes::CallOutcome,
    patches::FileChange,
    paths::{clean, is_absolute},
    place::{ConversationText, Excerpt, Place},
    search_hits::Hit,
};

/// A conversation read as events.
#[derive(Debug, Clone)]
pub struct Transcript<'a> {
    /// Every text of the conversation, in order. All places are ranges in these.
    pub texts: Vec<ConversationText<'a>>,
    /// The events, in the order of the calls. What stands in user messages without a call follows the calls answered there.
    pub events: Vec<Event>,
    /// The working directory, when the conversation names it or its paths reveal it; clean, with forward slashes.
    pub working_directory: Option<String>,
}

impl Transcript<'_> {
    /// The bytes at a place.
    #[must_use]
    pub fn text(&self, place: &Place) -> &str {
        &self.texts[place.text].text[place.range.clone()]
    }

    /// The content of the `line`th line (from 0) of an excerpt.
    #[must_use]
    pub fn line(&self, excerpt: &Excerpt, line: usize) -> &str {
        &self.texts[excerpt.text].text[excerpt.lines[line].range()]
    }
}

/// A tool call with its answer; or something that a user message shows without a call. A call that concerns several files makes
/// one event for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The tool's name as it was called; empty for what came without a call.
    pub tool: Arc<str>,
    /// The action.
    pub action: Action,
    /// The result is an answer of the user.
    pub asks_user: bool,
    /// The file that is concerned, by its one name: relative to the working directory where that is known, with forward slashes,
    /// lower case on Windows.
    pub path: Option<Arc<str>>,
    /// Which working directory a relative path is of. What a command that changes it does to later ones depends on the host: after it, their relative
    /// paths count as those of other files.
    pub directory: u32,
    /// Its possible effects on files beyond those that the conversation shows.
    pub unseen: Unseen,
    /// The call.
    pub call: Option<CallSite>,
    /// The answer, or the part of it that is about this file.
    pub answers: Vec<Place>,
    /// Lines of the file that the answer shows.
    pub shown: Vec<Excerpt>,
    /// How the call ended. Whatever did not end [`CallOutcome::Ok`] says nothing about a file but the lines it shows.
    pub outcome: CallOutcome,
    /// The exit code of a command, if its result has one.
    pub exit_code: Option<i32>,
}

/// The place of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// The message.
    pub message: usize,
    /// The block.
    pub block: usize,
    /// The call's text: the XML of a call in text, or the parameter that holds the command, the content or the diff.
    pub place: Option<Place>,
    /// The parameter that holds a list of things to do as JSON, where it is no text.
    pub list: Option<String>,
}

/// The action of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A file was shown (a mention by the user and `cat` too); the lines are in [`Event::shown`].
    Read(Extent),
    /// The whole content of a file was set to these lines.
    Write(Excerpt),
    /// A file was changed.
    Edit(Vec<FileChange>),
    /// A file was changed, moved or deleted in a way that the conversation does not show.
    Touch(Touch),
    /// Lines that match were shown.
    Search(Vec<Hit>),
    /// Files were named.
    List,
    /// A command was run. Commands that are known to do one of the above make that event; this is the rest.
    Command,
    /// A snapshot of the host's environment.
    Environment,
    /// The list of things to do was set.
    Todo,
    /// Anything else.
    Other,
}

/// The state of a file that was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// It has other content, or is there under a new name.
    Changed,
    /// It is gone, or has another name.
    Removed,
    /// Its changes were undone.
    TakenBack,
}

/// Possible effects of a call on files that the conversation does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unseen {
    /// Nothing.
    Nothing,
    /// Any file may have other content.
    Changes,
    /// Any file may also have another name.
    Moves,
}

impl Event {
    /// Returns true for a change: of a file, or of the todo list.
    pub(super) fn is_change(&self) -> bool {
        matches!(self.action, Action::Write(_) | Action::Edit(_) | Action::Touch(_) | Action::Todo)
    }

    /// Nothing proves that the change was made. Its answer shows nothing of a file then.
    pub(super) fn doubt(&mut self) {
        if self.is_change() && matches!(self.outcome, CallOutcome::Ok | CallOutcome::CutOff) {
            self.outcome = CallOutcome::Unproven;
            self.shown.clear();
        }
    }

    /// It is not certain which file its path names: where it changes that one, it may have changed any.
    pub(super) fn may_be_elsewhere(&mut self) {
        let unseen = match self.action {
            Action::Touch(Touch::Removed) => Unseen::Moves,
            Action::Write(_) | Action::Edit(_) | Action::Touch(_) => Unseen::Changes,
            _ => return,
        };
        if self.path.as_deref().is_some_and(|path| !is_absolute(&clean(path))) {
            self.unseen = self.unseen.max(unseen);
        }
    }

    /// An event of `action` with nothing known about it.
    pub(super) fn new(tool: &str, action: Action) -> Self {
        Self {
            tool: tool.into(),
            action,
            asks_user: false,
            path: None,
            directory: 0,
            unseen: Unseen::Nothing,
            call: None,
            answers: Vec::new(),
            shown: Vec::new(),
            outcome: CallOutcome::Ok,
            exit_code: None,
        }
    }
}
