//! The calls of a conversation with what each runs and was answered, which is read once for all that a record tells.

use std::cell::OnceCell;

use super::{
    commands::{SimpleCommand, simple_commands},
    facts::{answer_of, command_of, has_failed, has_run},
    git::brings_changes,
    recorded::message_of,
    trees::mark_elsewhere,
};
use crate::transcript::{Action, Event, Meaning, ToolTable, Transcript};

/// An event, with what it runs and was answered.
pub struct Call<'t> {
    pub event: &'t Event,
    /// The message in which it began.
    pub message: usize,
    /// Its text: the command line of a call that runs one.
    pub line: Option<&'t str>,
    /// The commands of that line. Where all of them only show or touch files, the event says so, and there are none.
    pub commands: Vec<SimpleCommand>,
    answer: OnceCell<String>,
}

impl Call<'_> {
    /// Whether it is one that changes files, however it ended.
    pub fn changes_files(&self) -> bool {
        matches!(self.event.action, Action::Write(_) | Action::Edit(_) | Action::Touch(_))
    }

    /// Whether it has changed files.
    pub fn has_changed_files(&self) -> bool {
        self.changes_files() && has_run(self.event) && !has_failed(self.event)
    }

    /// Whether files of the work may have another content since, by this call or by git.
    pub fn may_have_changed_work(&self, transcript: &Transcript<'_>) -> bool {
        let brings = || {
            let mut commands = self.commands.iter().filter(|command| !command.is_elsewhere);
            commands.any(|command| brings_changes(command, self.answer(transcript)))
        };
        self.has_changed_files() || (has_run(self.event) && brings())
    }

    /// What it was answered, without our notes of what was left out of it.
    pub fn answer(&self, transcript: &Transcript<'_>) -> &str {
        self.answer.get_or_init(|| {
            let answer = answer_of(self.event, transcript);
            // What a host writes around an output belongs to the answer where the call is known by the file that it writes.
            if self.commands.is_empty() || self.event.action == Action::Command {
                return answer;
            }
            let is_tag = |line: &&str| line.starts_with('<') && line.ends_with('>') && !line.contains(' ');
            answer.lines().filter(|line| !is_tag(line)).collect::<Vec<_>>().join("\n")
        })
    }
}

/// All of them, in order.
pub fn calls<'t>(transcript: &'t Transcript<'_>, tools: &ToolTable) -> Vec<Call<'t>> {
    let call = |event: &'t Event| {
        let line = command_of(event, transcript);
        let commands = line.filter(|_| runs_line(event, tools)).map_or_else(Vec::new, simple_commands);
        let message = message_of(event, transcript);
        Call { event, message, line, commands, answer: OnceCell::new() }
    };
    let mut calls: Vec<Call<'t>> = transcript.events.iter().map(call).collect();
    mark_elsewhere(&mut calls, transcript);
    calls
}

/// Whether a call runs a command line. One that writes a file first may run more behind that.
fn runs_line(event: &Event, tools: &ToolTable) -> bool {
    match event.action {
        Action::Command => true,
        Action::Write(_) | Action::Edit(_) => tools.meaning(&event.tool) == Meaning::Command,
        _ => false,
    }
}
