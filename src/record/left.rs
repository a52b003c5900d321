//! What can still be read in a conversation of which much was left out.

use std::collections::HashSet;

use super::{
    agenda::agenda,
    calls::calls,
    changes::changes,
    checks::checks,
    facts::Fact,
    failures::failures,
    in_force::in_force,
    paths::is_same_file,
    recorded::recorded,
    squeeze::{squeeze_into, squeezed},
};
use crate::{
    conversation::{Conversation, TextAt},
    parallel::both,
    transcript::{self, ToolTable},
};

/// Shorter words may be about something else.
const MIN_TELLING: usize = 16;

pub struct Left {
    /// The files of which a call says that they are changed, and how.
    changed: Vec<(String, String)>,
    /// The newest list of things to do.
    pub plan: Vec<Fact>,
    /// What is said to be in force.
    pub now: HashSet<String>,
    /// How checks ended, and what failed, as far as the calls that are there tell.
    ended: Vec<Fact>,
    /// Every text, squeezed.
    texts: String,
}

impl Left {
    pub fn of(conversation: &Conversation, tools: &ToolTable) -> Self {
        let texts = conversation.texts();
        let said: Vec<&str> = texts.iter().flatten().map(|text| text.text).collect();
        let bytes = said.iter().map(|text| text.len()).sum();
        let (left, texts) = both(bytes, || Self::told(conversation, texts, tools), || on_lines(&said, bytes));
        Self { texts, ..left }
    }

    /// What calls and records tell.
    fn told<'c>(conversation: &'c Conversation, texts: Vec<Vec<TextAt<'c>>>, tools: &ToolTable) -> Self {
        let transcript = transcript::read_texts(conversation, texts, tools);
        let calls = calls(&transcript, tools);
        let recorded = recorded(conversation, tools);
        let of_kind = |is_such: fn(&Fact) -> bool| {
            recorded.iter().filter(|recorded| is_such(&recorded.fact)).cloned().collect::<Vec<_>>()
        };
        let listed = of_kind(|fact| matches!(fact, Fact::Plan { .. }));
        let checked = of_kind(|fact| matches!(fact, Fact::Check { .. }));
        let failed = of_kind(|fact| matches!(fact, Fact::Failed { .. } | Fact::Mended { .. }));
        let mut ended = checks(checked, &calls, &transcript);
        ended.extend(failures(failed, &calls, &transcript, tools));
        let plan = agenda(conversation, &transcript, tools, listed);
        let now = in_force(conversation, &transcript, tools);
        let now = now.into_iter().chain(recorded.iter().map(|recorded| recorded.fact.clone()));
        let now = now.filter_map(|fact| if let Fact::Now(text) = fact { Some(text) } else { None }).collect();
        let of_file = |fact| if let Fact::Changed { path, how } = fact { Some((path, how)) } else { None };
        let changed = changes(recorded, &calls, &transcript).into_iter().filter_map(of_file).collect();
        Self { changed, plan, now, ended, texts: String::new() }
    }

    /// Whether a call or a record says that this file is changed.
    pub fn has_changed(&self, path: &str) -> bool {
        self.changed.iter().any(|(changed, _)| is_same_file(changed, path))
    }

    /// Whether it also says all that was done to it, and what became of that.
    pub fn tells_how(&self, path: &str, how: &str) -> bool {
        self.changed.iter().any(|(changed, known)| known == how && is_same_file(changed, path))
    }

    /// Whether it can be read how this check ended, or that this failed and is open or not, and the calls that are there say nothing else of it. Of few words
    /// that can be read somewhere nobody knows what they are about.
    pub fn tells_end(&self, fact: &Fact) -> bool {
        let proof = squeezed(fact.proof());
        let is_said = proof.len() >= MIN_TELLING && self.says(&proof);
        let told = self.ended.iter().find(|told| match (told, fact) {
            (Fact::Check { command, .. }, Fact::Check { command: of, .. }) => command == of,
            (
                Fact::Failed { call, .. } | Fact::Mended { call, .. },
                Fact::Failed { call: of, .. } | Fact::Mended { call: of, .. },
            ) => call == of,
            _ => false,
        });
        match (told, fact) {
            (Some(Fact::Check { verdict, .. }), Fact::Check { verdict: of, .. }) => verdict == of,
            (Some(Fact::Failed { .. }), Fact::Mended { .. }) | (Some(Fact::Mended { .. }), Fact::Failed { .. }) => {
                false
            }
            (Some(_), _) => self.says(&proof),
            (None, _) => is_said,
        }
    }

    /// Bytes of all that can be read.
    pub fn bytes(&self) -> usize {
        self.texts.len()
    }

    /// Whether this can be read, whatever blanks are between the words.
    pub fn says(&self, squeezed: &str) -> bool {
        memchr::memmem::find(self.texts.as_bytes(), squeezed.as_bytes()).is_some()
    }
}

/// Each of these texts, which have so many bytes, on a line of its own.
fn on_lines(texts: &[&str], bytes: usize) -> String {
    let mut lines = String::with_capacity(bytes + texts.len());
    for text in texts {
        squeeze_into(&mut lines, text);
        lines.push('\n');
    }
    lines
}
