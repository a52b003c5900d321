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
    /// Every text of the conversation, in order. All places are ranges in these texts.
    pub texts: Vec<ConversationText<'a>>,
    /// The events, in the order of the calls. Content that user messages show without a call comes after the calls
    /// answered there.
    pub events: Vec<Event>,
    /// The working directory, if the conversation names it or its paths reveal it; clean, with forward slashes.
    pub working_directory: Option<String>,
}

impl Transcript<'_> {
    /// Returns the bytes at a place.
    pub fn text(&self, place: &Place) -> &str {
        &self.texts[place.text].text[place.range.clone()]
    }

    /// Returns the content of line `line` (from 0) of an excerpt.
    pub fn line(&self, excerpt: &Excerpt, line: usize) -> &str {
        &self.texts[excerpt.text].text[excerpt.lines[line].range()]
    }
}

/// A tool call with its result, or something that a user message shows without a call. A call that concerns several
/// files makes one event for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The tool's name as it was called; empty if there was no call.
    pub tool: Arc<str>,
    /// The action.
    pub action: Action,
    /// True if the result is an answer of the user.
    pub asks_user: bool,
    /// The file concerned, by its normal name: relative to the working directory if that is known, with forward
    /// slashes, lower case on Windows.
    pub path: Option<Arc<str>>,
    /// The number of the working directory that a relative path refers to. The host decides whether a command that
    /// changes it affects later commands, so relative paths after it count as other files.
    pub directory: u32,
    /// Its possible effects on files beyond those that the conversation shows.
    pub unseen: Unseen,
    /// The call.
    pub call: Option<CallSite>,
    /// The result, or the part of it that concerns this file.
    pub answers: Vec<Place>,
    /// Lines of the file that the result shows.
    pub shown: Vec<Excerpt>,
    /// How the call ended. Unless the outcome is [`CallOutcome::Ok`], only the shown lines of the file are known.
    pub outcome: CallOutcome,
    /// The exit code of a command, if its result has one.
    pub exit_code: Option<i32>,
}

/// The place of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// The index of the message.
    pub message: usize,
    /// The index of the block.
    pub block: usize,
    /// The call's text: the XML of a call in text, or the parameter that holds the command, the content or the diff.
    pub place: Option<Place>,
    /// The parameter that contains a todo list as JSON, if it is not a text.
    pub list: Option<String>,
}

/// The action of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A file was shown, also by a mention of the user or by `cat`; the lines are in [`Event::shown`].
    Read(Extent),
    /// The whole content of a file was set to these lines.
    Write(Excerpt),
    /// A file was changed.
    Edit(Vec<FileChange>),
    /// A file was changed, moved or deleted in a way that the conversation does not show.
    Touch(Touch),
    /// Matching lines were shown.
    Search(Vec<Hit>),
    /// Files were listed.
    List,
    /// A command was run that is not known to do one of the above.
    Command,
    /// A snapshot of the host's environment.
    Environment,
    /// The todo list was set.
    Todo,
    /// Anything else.
    Other,
}

/// The state of a file that was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// It has other content, or is new under this name.
    Changed,
    /// It was deleted, or has another name.
    Removed,
    /// Its changes were undone by a command.
    TakenBack,
}

/// Possible effects of a call on files that the conversation does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unseen {
    /// Nothing.
    Nothing,
    /// Any file may have changed.
    Changes,
    /// Any file may also have been renamed.
    Moves,
}

impl Event {
    /// Returns true for a change: of a file, or of the todo list.
    pub(super) fn is_change(&self) -> bool {
        matches!(self.action, Action::Write(_) | Action::Edit(_) | Action::Touch(_) | Action::Todo)
    }

    /// Marks a change as unproven. Its result then shows nothing of the file.
    pub(super) fn doubt(&mut self) {
        if self.is_change() && matches!(self.outcome, CallOutcome::Ok | CallOutcome::CutOff) {
            self.outcome = CallOutcome::Unproven;
            self.shown.clear();
        }
    }

    /// Records that its path may be another file, so that the change may have affected any file.
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

    /// Creates an event of `action` without further facts.
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
