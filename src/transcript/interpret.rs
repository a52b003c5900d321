//! Turns a call and its result into events.

use std::{borrow::Cow, cell::RefCell, ops::Range, sync::Arc};

use serde_json::Value;

use crate::conversation::PathStep;

use super::{
    calls::{Parameters, ToolCall, number},
    events::{Action, CallSite, Event, Touch, Unseen},
    file_answers::{Extent, Request, files, final_content, snippet},
    outcomes::{CallOutcome, cut_in_the_middle, outcome},
    patches::{FileChange, FilePatch, patch, search_replace},
    paths::{clean, is_absolute},
    place::{ConversationText, Excerpt, Place, Span, lines},
    proofs::{proves_change, proves_list},
    search_hits::hits,
    shell::{self, Lines, ShellAction},
    tools::{Meaning, ParameterRole, Tool, ToolTable},
    unseen,
    voice::behind_judgement,
};

/// The result of a call.
#[derive(Debug, Clone)]
pub(super) struct ToolAnswer {
    pub(super) places: Vec<Place>,
    /// The `is_error` flag of a native result.
    pub(super) is_error: bool,
}

/// Turns calls and their results into events.
pub(super) struct Interpreter<'t> {
    table: &'t ToolTable,
    shell: RefCell<ShellDirectory>,
}

/// The working directory of the next commands.
#[derive(Debug, Default)]
struct ShellDirectory {
    /// Number of changes of directory so far.
    number: u32,
    /// The last new directory; empty if it is not certain.
    path: String,
}

impl ShellDirectory {
    fn leave_for(&mut self, path: String) {
        if path.is_empty() || path != self.path {
            self.number += 1;
            self.path = path;
        }
    }
}

/// All that is known about one call.
struct Known<'k, 'a> {
    texts: &'k [ConversationText<'a>],
    call: &'k ToolCall<'a>,
    tool: &'k Tool,
    table: &'k ToolTable,
    answer: ToolAnswer,
    outcome: CallOutcome,
}

impl<'t> Interpreter<'t> {
    pub(super) fn new(table: &'t ToolTable) -> Self {
        Self { table, shell: RefCell::default() }
    }

    /// Returns the events of one call; at least one.
    pub(super) fn events(
        &self,
        texts: &[ConversationText<'_>],
        call: &ToolCall<'_>,
        answer: Option<ToolAnswer>,
    ) -> Vec<Event> {
        let unanswered = answer.is_none();
        let answer = answer.unwrap_or(ToolAnswer { places: Vec::new(), is_error: false });
        let ended = match answer.places.first() {
            _ if unanswered => CallOutcome::Unanswered,
            None if answer.is_error => CallOutcome::Failed,
            None => CallOutcome::Ok,
            Some(place) => outcome(&texts[place.text].text[place.range.clone()], answer.is_error),
        };
        let tool = self.table.tool_or_unknown(&call.name);
        let known = Known { texts, call, tool, table: self.table, answer, outcome: ended };
        let mut left_for = None;
        let events = match tool.meaning {
            Meaning::Read => known.read(),
            Meaning::Write => known.write(),
            Meaning::Edit => known.edit(),
            Meaning::Editor => known.editor(),
            Meaning::Search => known.search(),
            Meaning::Command => {
                let events;
                (events, left_for) = known.command();
                events
            }
            Meaning::List => vec![known.event(Action::List)],
            Meaning::Todo => vec![known.todo()],
            Meaning::Touch => known.touch(),
            Meaning::Web
            | Meaning::Ask
            | Meaning::Item
            | Meaning::Plan
            | Meaning::Agent
            | Meaning::Skill
            | Meaning::Mode
            | Meaning::Recall
            | Meaning::Other => Vec::new(),
        };
        let mut events = if events.is_empty() { vec![known.event(Action::Other)] } else { events };
        if tool.meaning != Meaning::Command {
            events.iter_mut().filter(|event| !known.proves(event)).for_each(Event::doubt);
        }
        match tool.meaning {
            _ if ended == CallOutcome::Denied => {}
            Meaning::Command => self.in_shell(&known, &mut events, left_for),
            Meaning::Write | Meaning::Edit | Meaning::Editor | Meaning::Touch | Meaning::Agent | Meaning::Other => {
                let unseen = match tool.meaning {
                    Meaning::Agent => Unseen::Moves,
                    _ => unseen::of_tool(&call.name),
                };
                for event in events.iter_mut().filter(|event| event.action == Action::Other) {
                    event.unseen = unseen;
                }
            }
            _ => {}
        }
        events
    }

    /// Records the directory in which a command ran, and the one in which it leaves the shell, if it changes it.
    fn in_shell(&self, known: &Known<'_, '_>, events: &mut [Event], left_for: Option<String>) {
        let mut shell = self.shell.borrow_mut();
        let given = known.given_directory();
        for event in &mut *events {
            if let (Some(directory), Some(path)) = (&given, &event.path) {
                if !is_absolute(&clean(path)) {
                    event.path = Some(format!("{directory}/{path}").into());
                }
                continue;
            }
            event.directory = shell.number;
            if shell.number > 0 {
                event.may_be_elsewhere();
            }
        }
        if let Some(directory) = left_for {
            shell.leave_for(directory);
        }
    }
}

impl Known<'_, '_> {
    fn event(&self, action: Action) -> Event {
        let site =
            CallSite { message: self.call.message, block: self.call.block, place: self.call.place.clone(), list: None };
        Event {
            call: Some(site),
            asks_user: self.tool.asks_user,
            answers: self.answer.places.clone(),
            outcome: self.outcome,
            ..Event::new(&self.call.name, action)
        }
    }

    fn event_of(&self, path: &str, action: Action) -> Event {
        Event { path: Some(path.into()), ..self.event(action) }
    }

    /// Returns true if the result proves the event's change.
    fn proves(&self, event: &Event) -> bool {
        let own = |place: &Place| behind_judgement(self.text(place));
        match (&event.action, event.path.as_deref()) {
            (Action::Todo, _) => self.answer.places.iter().any(|place| proves_list(own(place))),
            (_, Some(path)) => self.answer.places.iter().any(|place| proves_change(own(place), path)),
            _ => true,
        }
    }

    /// Returns the event for a todo list: a text, or JSON in a parameter.
    fn todo(&self) -> Event {
        let mut event = self.event(Action::Todo);
        let names = || self.tool.parameter(ParameterRole::Todos);
        if let Some(site) = &mut event.call {
            site.place = self.place(names());
            let is_list =
                |name: &&str| self.call.value(self.texts, std::iter::once(*name)).is_some_and(|value| value.is_array());
            site.list = if site.place.is_none() { names().find(is_list).map(str::to_owned) } else { None };
        }
        event
    }

    fn place<'n>(&self, names: impl Iterator<Item = &'n str>) -> Option<Place> {
        self.call.place(self.texts, names)
    }

    fn role_place(&self, role: ParameterRole) -> Option<Place> {
        self.place(self.tool.parameter(role))
    }

    fn number(&self, role: ParameterRole) -> Option<u32> {
        self.call.number(self.texts, self.tool.parameter(role))
    }

    fn path(&self) -> Option<String> {
        if let Parameters::Header(target) = &self.call.parameters {
            return Some(target.clone()).filter(|target| !target.is_empty() && !target.contains("', '"));
        }
        let path = self.call.string(self.texts, self.tool.parameter(ParameterRole::Path))?;
        (!path.is_empty() && path.len() < 4096 && !path.contains('\n')).then(|| path.into_owned())
    }

    fn text(&self, place: &Place) -> &str {
        &self.texts[place.text].text[place.range.clone()]
    }

    // Reads ------------------------------------------------------------------------------------------------------------------

    fn read(&self) -> Vec<Event> {
        let requests = self.requests();
        let plain = !self.tool.numbers_lines;
        let mut events = Vec::new();
        let mut missing: Vec<&Request> = requests.iter().collect();
        if !matches!(self.outcome, CallOutcome::Failed | CallOutcome::Denied | CallOutcome::Unanswered) {
            for place in &self.answer.places {
                for shown in files(self.texts[place.text].text, place.text, place.range.clone(), &requests, plain) {
                    let mut event = self.event_of(&shown.path, Action::Read(shown.extent));
                    event.answers = vec![Place { text: place.text, range: shown.range }];
                    event.shown = shown.excerpts;
                    event.outcome =
                        if shown.outcome == CallOutcome::Ok { self.outcome_of_file() } else { shown.outcome };
                    if let Some(at) = missing.iter().position(|request| request.path == shown.path) {
                        missing.remove(at);
                    } else if requests.len() == 1 {
                        missing.clear();
                    }
                    events.push(event);
                }
            }
        }
        // A host may rename the files of a request, in which case the names in the result count.
        if events.is_empty() || events.len() < requests.len() {
            events.extend(missing.into_iter().map(|request| self.event_of(&request.path, Action::Read(Extent::Part))));
        }
        events
    }

    /// Returns the outcome for a file. The sections of a truncated result about several files say which one was
    /// truncated.
    fn outcome_of_file(&self) -> CallOutcome {
        if self.outcome == CallOutcome::CutOff && self.answer.places.len() == 1 {
            CallOutcome::CutOff
        } else {
            CallOutcome::Ok
        }
    }

    fn requests(&self) -> Vec<Request> {
        let (offset, limit, last) = (
            self.number(ParameterRole::Offset),
            self.number(ParameterRole::Limit),
            self.number(ParameterRole::LastLine),
        );
        if let Some(path) = self.path() {
            let range = self.call.string(self.texts, ["line_range"].into_iter()).and_then(|range| line_range(&range));
            let view = self.call.value(self.texts, ["view_range"].into_iter());
            let view = view.as_ref().and_then(Value::as_array).and_then(|view| number(view.first()?));
            let range = range.or(view);
            let indented = self.call.string(self.texts, ["mode"].into_iter()).is_some_and(|mode| mode == "indentation");
            let part = offset.is_some_and(|offset| offset > 1)
                || limit.is_some()
                || last.is_some()
                || range.is_some()
                || indented;
            return vec![Request { path: path.into(), first: offset.or(range), part }];
        }
        if let Some(place) = self.place(["args"].into_iter()) {
            return requests_in_tags(self.text(&place));
        }
        let listed = self.call.value(self.texts, self.tool.parameter(ParameterRole::Files));
        let Some(Value::Array(files)) = listed else { return Vec::new() };
        let request = |file: &Value| {
            let path = file.as_str().or_else(|| file.get("path")?.as_str())?;
            let ranges = file.get("line_ranges").or_else(|| file.get("lineRanges"));
            Some(Request {
                path: path.into(),
                first: None,
                part: ranges.is_some_and(|ranges| ranges.as_array().is_some_and(|list| !list.is_empty())),
            })
        };
        files.iter().filter_map(request).collect()
    }

    /// Returns the events of an editor with several commands.
    fn editor(&self) -> Vec<Event> {
        let command = self.call.string(self.texts, ["command"].into_iter());
        let command = command.as_deref().unwrap_or_default();
        match Meaning::of_editor(command) {
            Meaning::Read => self.read(),
            Meaning::Write => self.write(),
            Meaning::Edit if command == "insert" => {
                let (Some(path), Some(place)) = (
                    self.path(),
                    self.role_place(ParameterRole::New).or_else(|| self.role_place(ParameterRole::Content)),
                ) else {
                    return Vec::new();
                };
                // The lines are inserted after the line with this number.
                let before = self.number(ParameterRole::Line).map(|line| line.saturating_add(1));
                let new = lines(self.texts[place.text].text, place.range.clone()).map(Span::new).collect();
                let mut event =
                    self.event_of(&path, Action::Edit(vec![FileChange::Insert { text: place.text, before, new }]));
                self.show_result(&mut event);
                vec![event]
            }
            Meaning::Edit => self.edit(),
            _ => self.touch(),
        }
    }

    // Writes and edits -------------------------------------------------------------------------------------------------------

    fn write(&self) -> Vec<Event> {
        let Some(path) = self.path() else { return Vec::new() };
        let Some(place) = self.role_place(ParameterRole::Content) else {
            return vec![self.event_of(&path, Action::Touch(Touch::Changed))];
        };
        let content = Excerpt::plain(self.texts[place.text].text, place.text, place.range.clone(), 1);
        let mut event = self.event_of(&path, Action::Write(content));
        Self::locate(&mut event, place);
        self.show_result(&mut event);
        self.with_user_edits(event)
    }

    fn edit(&self) -> Vec<Event> {
        if let Some(place) = self.role_place(ParameterRole::Diff) {
            return self.edit_by_text(&place);
        }
        if let Some(place) = self.place(["args"].into_iter()) {
            return self.edit_in_tags(&place);
        }
        let Some(path) = self.path() else { return Vec::new() };
        let (old, new) = (self.role_place(ParameterRole::Old), self.role_place(ParameterRole::New));
        let mut changes = Vec::new();
        let pattern = self.call.string(self.texts, ["use_regex", "ignore_case", "start_line"].into_iter());
        if pattern.is_some_and(|flag| flag != "false") {
            // The text that a pattern matched is not in the conversation.
        } else if let (Some(old), Some(new)) = (old, new) {
            changes.push(FileChange::Text { old, new, everywhere: self.everywhere() });
        } else if let Some(place) = self.role_place(ParameterRole::Content) {
            // In Cline and Roo, line 0 is the end of the file.
            let before = self.number(ParameterRole::Line).filter(|line| *line > 0);
            let text = &self.texts[place.text].text;
            let new = lines(text, place.range.clone()).map(Span::new).collect();
            changes.push(FileChange::Insert { text: place.text, before, new });
        } else {
            changes = self.listed_edits().unwrap_or_default();
        }
        if changes.is_empty() {
            return vec![self.event_of(&path, Action::Touch(Touch::Changed))];
        }
        let mut event = self.event_of(&path, Action::Edit(changes));
        self.show_result(&mut event);
        self.with_user_edits(event)
    }

    fn everywhere(&self) -> bool {
        if self.tool.replaces_all {
            return true;
        }
        match self.call.value(self.texts, self.tool.parameter(ParameterRole::ReplaceAll)) {
            Some(Value::Bool(everywhere)) => everywhere,
            Some(Value::Number(count)) => count.as_u64().is_some_and(|count| count > 1),
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }

    /// Reads `edits: [{old_string, new_string, replace_all?}]`; `None` if one of them is not understood.
    fn listed_edits(&self) -> Option<Vec<FileChange>> {
        let list = self.tool.parameter(ParameterRole::Edits).find_map(|name| {
            let value = self.call.value(self.texts, [name].into_iter())?;
            Some((name.to_owned(), value.as_array()?.clone()))
        });
        let (name, edits) = list?;
        let change = |(index, edit): (usize, &Value)| {
            let string = |role| {
                self.tool.parameter(role).find_map(|key| {
                    self.call.place_at(self.texts, &[PathStep::key(&name), PathStep::Index(index), PathStep::key(key)])
                })
            };
            let everywhere = edit.get("replace_all").is_some_and(|flag| flag == &Value::Bool(true));
            Some(FileChange::Text { old: string(ParameterRole::Old)?, new: string(ParameterRole::New)?, everywhere })
        };
        edits.iter().enumerate().map(change).collect()
    }

    /// Reads SEARCH/REPLACE blocks or a patch.
    fn edit_by_text(&self, place: &Place) -> Vec<Event> {
        let text = &self.texts[place.text].text;
        let changes = search_replace(text, place.text, place.range.clone());
        let path = self.path();
        let mut events = Vec::new();
        if !changes.is_empty() {
            let Some(path) = path else { return Vec::new() };
            let mut event = self.event_of(&path, Action::Edit(changes));
            self.show_result(&mut event);
            events.push(event);
        } else {
            for file in patch(text, place.text, place.range.clone()) {
                let (name, action) = match file {
                    FilePatch::Add(name, added) => {
                        let range = added
                            .first()
                            .zip(added.last())
                            .map_or(name.end..name.end, |(first, last)| first.range().start..last.range().end);
                        let numbering = super::place::Numbering::None;
                        (name, Action::Write(Excerpt { first: 1, text: place.text, range, lines: added, numbering }))
                    }
                    FilePatch::Update(name, changes) => (name, Action::Edit(changes)),
                    FilePatch::Touch(name, touch) => (name, Action::Touch(touch)),
                };
                events.push(self.event_of(text[name].trim(), action));
            }
            if events.is_empty() {
                events.extend(path.map(|path| self.event_of(&path, Action::Touch(Touch::Changed))));
            }
        }
        for event in &mut events {
            Self::locate(event, place.clone());
        }
        let partly =
            self.answer.places.first().is_some_and(|place| self.text(place).contains("Unable to apply all diff parts"));
        // If one of several changes failed, earlier ones may have been made.
        let parts = |event: &Event| if let Action::Edit(changes) = &event.action { changes.len() } else { 1 };
        let fails = matches!(self.outcome, CallOutcome::Failed | CallOutcome::Unanswered);
        if partly || (fails && events.iter().map(parts).sum::<usize>() > 1) {
            events.iter_mut().for_each(|event| event.action = Action::Touch(Touch::Changed));
        }
        events.into_iter().flat_map(|event| self.with_user_edits(event)).collect()
    }

    /// Reads Roo's edit of several files:
    /// `<args><file><path>P</path><diff><content>…</content></diff></file></args>`.
    fn edit_in_tags(&self, place: &Place) -> Vec<Event> {
        let text = &self.texts[place.text].text;
        file_sections(text, place.range.clone())
            .into_iter()
            .map(|(path, range)| {
                let changes = search_replace(text, place.text, range);
                let action = if changes.is_empty() { Action::Touch(Touch::Changed) } else { Action::Edit(changes) };
                let mut event = self.event_of(&text[path], action);
                Self::locate(&mut event, place.clone());
                event
            })
            .collect()
    }

    /// Sets the call's place to its largest parameter, unless the call is in a text.
    fn locate(event: &mut Event, place: Place) {
        if let Some(site) = &mut event.call
            && site.place.is_none()
        {
            site.place = Some(place);
        }
    }

    /// Adds the lines of the file that the result of a write or an edit shows.
    fn show_result(&self, event: &mut Event) {
        if self.outcome != CallOutcome::Ok {
            return;
        }
        for place in &self.answer.places {
            let text = &self.texts[place.text].text;
            match final_content(text, place.text, place.range.clone()) {
                Some(whole) => event.shown.push(whole),
                None => event.shown.extend(snippet(text, place.text, place.range.clone())),
            }
        }
    }

    /// Replaces the events if the user changed the content before it was saved, because the file is then not what the
    /// call says.
    fn with_user_edits(&self, event: Event) -> Vec<Event> {
        let notes = ["<user_edits>", "\"user_edits\":", "The user made the following updates to your content"];
        let edited = self.answer.places.iter().any(|place| notes.iter().any(|note| self.text(place).contains(note)));
        match (&event.path, edited && event.shown.is_empty()) {
            (Some(path), true) => {
                let touch = self.event_of(&path.clone(), Action::Touch(Touch::Changed));
                vec![event, touch]
            }
            _ => vec![event],
        }
    }

    fn touch(&self) -> Vec<Event> {
        let given = |role: ParameterRole, touch: Touch| {
            let names = self.tool.parameter(role);
            let paths = names.filter_map(|name| self.call.string(self.texts, std::iter::once(name)));
            paths.map(|path| (path.into_owned(), touch)).collect::<Vec<_>>()
        };
        let is_deleting = self.call.name.to_ascii_lowercase().contains("delete");
        let own = self.path().map(|path| (path, if is_deleting { Touch::Removed } else { Touch::Changed }));
        let moved = [given(ParameterRole::From, Touch::Removed), given(ParameterRole::To, Touch::Changed)].concat();
        moved.into_iter().chain(own).map(|(path, touch)| self.event_of(&path, Action::Touch(touch))).collect()
    }

    // Searches and commands --------------------------------------------------------------------------------------------------

    fn search(&self) -> Vec<Event> {
        let only = match &self.call.parameters {
            Parameters::Header(_) => None,
            _ => self.path().filter(|path| {
                path.rsplit(['/', '\\']).next().is_some_and(|name| name.trim_start_matches('.').contains('.'))
            }),
        };
        vec![self.searched(&self.answer.places, only.map(Arc::from))]
    }

    fn searched(&self, places: &[Place], only: Option<Arc<str>>) -> Event {
        let mut event = self.event(Action::Search(Vec::new()));
        // All hits are in one text, that of the first result.
        if let (Some(place), CallOutcome::Ok | CallOutcome::CutOff) = (places.first(), self.outcome) {
            event.answers = vec![place.clone()];
            event.action = Action::Search(hits(self.texts[place.text].text, place.range.clone(), only.as_ref()));
            event.path = only;
        }
        event
    }

    /// Returns the events of a command, and the directory to which it changes, if it does.
    fn command(&self) -> (Vec<Event>, Option<String>) {
        let place = self.role_place(ParameterRole::Command).or_else(|| self.shell_script());
        if let Some(patch) = place.as_ref().filter(|place| {
            let line = self.text(place);
            let program = line.split_whitespace().next().unwrap_or_default();
            self.table.meaning(program) == Meaning::Edit && line.contains("*** Begin Patch")
        }) {
            let mut events = self.edit_by_text(patch);
            events.iter_mut().filter(|event| !self.proves(event)).for_each(Event::doubt);
            return (events, unseen::effects(self.text(patch)).directory);
        }
        let Some(line) = self.command_line(place.as_ref()) else {
            return (vec![Event { unseen: Unseen::Changes, ..self.event(Action::Command) }], None);
        };
        let line = &*line;
        let output = self.answer.places.first().map(|place| Output::new(self.texts[place.text].text, place.clone()));
        let exit_code = output.as_ref().and_then(|output| output.exit_code);
        let failed = exit_code.is_some_and(|code| code != 0);
        let action = shell::action(line).filter(|action| {
            // A search without matches exits with 1.
            !failed || matches!(action, ShellAction::Search { .. })
        });
        let effects = unseen::effects(line);
        let is_proven = exit_code == Some(0) && tells_by_its_code(line, action.as_ref());
        let unseen = match &action {
            Some(ShellAction::Touch { .. }) => Unseen::Nothing,
            // Commands after the closing mark run after the write.
            Some(ShellAction::Write { content, .. } | ShellAction::Append { content, .. }) => {
                unseen::effects(line[content.end..].split_once('\n').map_or("", |(_, rest)| rest)).unseen
            }
            _ => effects.unseen,
        };
        let mut events = match action {
            None | Some(ShellAction::List) => Vec::new(),
            Some(ShellAction::Read { path, lines, numbered }) => {
                self.printed(&path, lines, numbered, output.as_ref()).into_iter().collect()
            }
            Some(ShellAction::Write { path, content }) => {
                let write = place.as_ref().map(|place| {
                    let range = place.range.start + content.start..place.range.start + content.end;
                    Action::Write(Excerpt::plain(self.texts[place.text].text, place.text, range, 1))
                });
                vec![self.event_of(&path, write.unwrap_or(Action::Touch(Touch::Changed)))]
            }
            Some(ShellAction::Append { path, content }) => {
                let append = place.as_ref().map(|place| {
                    let range = place.range.start + content.start..place.range.start + content.end;
                    let new = lines(self.texts[place.text].text, range).map(Span::new).collect();
                    Action::Edit(vec![FileChange::Insert { text: place.text, before: None, new }])
                });
                vec![self.event_of(&path, append.unwrap_or(Action::Touch(Touch::Changed)))]
            }
            Some(ShellAction::Search { path }) => {
                let places: Vec<Place> = output.iter().map(|output| output.place.clone()).collect();
                vec![self.searched(&places, path.map(Arc::from))]
            }
            Some(ShellAction::Touch { paths }) => {
                paths.iter().map(|(path, touch)| self.event_of(path, Action::Touch(*touch))).collect()
            }
        };
        if events.is_empty() {
            let mut event = self.event(Action::Command);
            event.answers = output
                .into_iter()
                .map(|output| output.place)
                .chain(self.answer.places.iter().skip(1).cloned())
                .collect();
            events.push(event);
        }
        for event in &mut events {
            event.exit_code = exit_code;
            event.unseen = unseen;
            if failed && event.outcome == CallOutcome::Ok && !matches!(event.action, Action::Search(_)) {
                event.outcome = CallOutcome::Failed;
            }
            // A heredoc may have written its file even if a later command failed.
            if event.outcome == CallOutcome::Failed && matches!(event.action, Action::Write(_) | Action::Edit(_)) {
                event.action = Action::Touch(Touch::Changed);
            }
            if !is_proven {
                event.doubt();
            }
            if let Some(place) = &place {
                Self::locate(event, place.clone());
            }
        }
        (events, effects.directory)
    }

    /// Returns the directory in which the call requests its command to run.
    fn given_directory(&self) -> Option<Cow<'_, str>> {
        const NAMES: [&str; 5] = ["cwd", "workdir", "working_directory", "directory", "dir_path"];
        self.call.string(self.texts, NAMES.into_iter()).filter(|directory| !directory.is_empty())
    }

    /// Returns the command line of a call.
    fn command_line(&self, place: Option<&Place>) -> Option<Cow<'_, str>> {
        match (place, &self.call.parameters) {
            (Some(place), _) => Some(Cow::Borrowed(self.text(place))),
            (None, Parameters::Header(target)) => Some(Cow::Borrowed(target)),
            (None, _) => self.call.string(self.texts, self.tool.parameter(ParameterRole::Command)),
        }
    }

    /// Returns the script of `["bash", "-lc", SCRIPT]`.
    fn shell_script(&self) -> Option<Place> {
        self.tool.parameter(ParameterRole::Command).find_map(|name| {
            let flag = self.call.place_at(self.texts, &[PathStep::key(name), PathStep::Index(1)])?;
            matches!(self.text(&flag), "-c" | "-lc")
                .then(|| self.call.place_at(self.texts, &[PathStep::key(name), PathStep::Index(2)]))?
        })
    }

    /// Returns the event for a file that a command printed.
    fn printed(&self, path: &str, lines: Lines, numbered: bool, output: Option<&Output>) -> Option<Event> {
        let mut event = self.event_of(path, Action::Read(Extent::Part));
        let Some(output) = output else { return Some(event) };
        if matches!(self.outcome, CallOutcome::Failed | CallOutcome::Denied | CallOutcome::Unanswered) {
            return Some(event);
        }
        event.answers = vec![output.place.clone()];
        let index = output.place.text;
        let text = &self.texts[index].text;
        let range = output.place.range.clone();
        if text[range.clone()].trim().is_empty() {
            return Some(event);
        }
        if output.wrapped {
            return None;
        }
        event.shown = if numbered {
            super::numbered_lines::excerpts(text, index, range).0
        } else {
            let first = match lines {
                Lines::All => 1,
                Lines::From(first, _) => first,
                Lines::Last(_) => 0,
            };
            let mut excerpt = Excerpt::plain(text, index, range, first);
            let expected = match lines {
                Lines::From(first, Some(last)) => last.saturating_add(1).saturating_sub(first) as usize,
                Lines::Last(count) => count as usize,
                _ => usize::MAX,
            };
            if excerpt.lines.len() > expected {
                // More lines than the command can print: something else is mixed in.
                return None;
            }
            if output.cut {
                // The last line may be incomplete.
                excerpt.lines.pop();
                excerpt.range.end = excerpt.lines.last().map_or(excerpt.range.start, |line| line.range().end);
            }
            vec![excerpt]
        };
        if output.cut {
            event.outcome = CallOutcome::CutOff;
        } else if lines == Lines::All && event.outcome == CallOutcome::Ok {
            event.action = Action::Read(Extent::Whole);
        }
        Some(event)
    }
}

/// Returns true if the exit code of a command line is that of the command that changes a file.
fn tells_by_its_code(line: &str, action: Option<&ShellAction>) -> bool {
    let (before, behind) = match action {
        Some(ShellAction::Write { content, .. } | ShellAction::Append { content, .. }) => {
            // The closing mark is on its own line.
            (&line[..content.start], line[content.end..].trim_start().split_once('\n').map_or("", |(_, rest)| rest))
        }
        _ => (line, ""),
    };
    behind.trim().is_empty() && !before.trim().replace("&&", "").replace("2>&1", "").contains([';', '|', '&'])
}

/// The output of a command.
struct Output {
    place: Place,
    exit_code: Option<i32>,
    /// True if the end is missing.
    cut: bool,
    /// True for Windows terminals, which wrap long lines, expand tabs and change characters, so that the output is
    /// not the file.
    wrapped: bool,
}

impl Output {
    fn new(text: &str, place: Place) -> Self {
        let range = place.range.clone();
        let answer = &text[range.clone()];
        let after =
            |mark: &str, head: &str| head.split_once(mark)?.1.split(['<', '\n', '.']).next()?.trim().parse().ok();
        // mini-swe-agent
        if let Some(rest) = answer.strip_prefix("<returncode>") {
            let exit_code = rest.split('<').next().and_then(|code| code.trim().parse().ok());
            let inside = |open: &str, close: &str| {
                let start = answer.find(open)? + open.len();
                let end = answer.rfind(close).filter(|end| *end >= start)?;
                Some(range.start + start..range.start + end)
            };
            let whole = inside("<output>\n", "</output>");
            let cut = whole.is_none();
            let found = whole.or_else(|| inside("<output_head>\n", "\n</output_head>")).unwrap_or(range);
            return Self { place: Place { range: found, ..place }, exit_code, cut, wrapped: false };
        }
        // Roo
        if answer.trim_start().starts_with("Command executed in ") {
            let (head, start) = match answer.find("\nOutput:\n") {
                Some(at) => (&answer[..at], at + "\nOutput:\n".len()),
                None => (answer.split('\n').next().unwrap_or(answer), answer.len()),
            };
            let exit_code = after("Exit code: ", head);
            let directory = head.split_once('\'').map_or("", |(_, directory)| directory);
            let wrapped = directory.as_bytes().get(1) == Some(&b':');
            let cut = cut_in_the_middle(&answer[start..]);
            let end = cut.map_or(range.end, |at| range.start + start + at);
            return Self {
                place: Place { range: range.start + start..end, ..place },
                exit_code,
                cut: cut.is_some(),
                wrapped,
            };
        }
        // Codex
        if ["Exit code: ", "Chunk ID: ", "Wall time: "].iter().any(|head| answer.starts_with(head))
            && let Some(at) = answer.find("\nOutput:\n")
        {
            let exit_code = after("Exit code: ", &answer[..at]).or_else(|| after("exited with code ", &answer[..at]));
            let start = range.start + at + "\nOutput:\n".len();
            return Self { place: Place { range: start..range.end, ..place }, exit_code, cut: false, wrapped: false };
        }
        // Inside JSON a file's lines are not bytes of the text, and a preview is not the output.
        if answer.starts_with("{\"output\":") || answer.trim_start().starts_with("<persisted-output>") {
            return Self {
                place: Place { range: range.start..range.start, ..place },
                exit_code: None,
                cut: true,
                wrapped: false,
            };
        }
        // Claude Code states the exit code of failures only.
        let mut exit_code =
            answer.strip_prefix("Exit code ").and_then(|rest| rest.split('\n').next()?.trim().parse().ok());
        let cut = cut_in_the_middle(answer);
        let mut end = cut.map_or(answer.len(), |at| at);
        // Notes that hosts append to the output: OpenHands the exit code, Claude Code a new directory.
        for note in ["\n[The command completed with exit code ", "\nShell cwd was reset to "] {
            if let Some(at) = answer[..end].rfind(note).filter(|at| end - at < 1000) {
                exit_code = exit_code.or_else(|| after("exit code ", &answer[at..end].replace(']', ".")));
                end = at;
            }
        }
        let cut = cut.is_some();
        Self { place: Place { range: range.start..range.start + end, ..place }, exit_code, cut, wrapped: false }
    }
}

/// Returns the first line of `10-20`.
fn line_range(range: &str) -> Option<u32> {
    range.split('-').next()?.trim().parse().ok()
}

/// Returns the files that `<args>` of `read_file` requests.
fn requests_in_tags(text: &str) -> Vec<Request> {
    file_sections(text, 0..text.len())
        .into_iter()
        .map(|(path, section)| {
            let range = text[section].split_once("<line_range>").map(|(_, rest)| rest.split('<').next().unwrap_or(""));
            Request { path: text[path].into(), first: range.and_then(line_range), part: range.is_some() }
        })
        .collect()
}

/// Returns the ranges of every `<path>` and of its section.
fn file_sections(text: &str, range: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut at = range.start;
    while let Some(open) = text[at..range.end].find("<path>").map(|step| at + step + "<path>".len()) {
        let Some(end) = text[open..range.end].find("</path>").map(|step| open + step) else { break };
        at = end;
        // A file being written may contain such a tag; a file's path follows `<file>` directly.
        let opens_file = text[..open - "<path>".len()].trim_end().ends_with("<file>");
        if !opens_file && !found.is_empty() {
            continue;
        }
        if let Some((_, section)) = found.last_mut() {
            section.end = open;
        }
        let name = &text[open..end];
        let start = open + (name.len() - name.trim_start().len());
        found.push((start..start + name.trim().len(), end..range.end));
    }
    found
}

/// Returns the event for a file that the user mentioned.
pub(super) fn mentioned(texts: &[ConversationText<'_>], path: &str, place: Place) -> Event {
    let requests = [Request { path: path.into(), first: None, part: false }];
    let shown = files(texts[place.text].text, place.text, place.range.clone(), &requests, true).into_iter().next();
    let mut event =
        Event { path: Some(path.into()), answers: vec![place], ..Event::new("", Action::Read(Extent::Part)) };
    if let Some(shown) = shown {
        event.action = Action::Read(shown.extent);
        event.shown = shown.excerpts;
        event.outcome = shown.outcome;
    }
    event
}
