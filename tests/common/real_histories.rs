//! Recorded histories: those of `fixtures/`, which every clone has, and real ones of `../shared/corpus`, which lie beside some.

use std::{env, fs, path::Path};

use roo_condense::Conversation;
use serde_json::value::RawValue;

/// Conversations of a folder, by name.
pub type Histories = Vec<(String, Conversation)>;

/// The histories that were written for the tests.
pub fn fixtures() -> Histories {
    histories(&root().join("fixtures"))
}

/// The real histories of `../shared/corpus`. Where there are none, the test goes without. `ROO_CONDENSE_SHARED` names another folder than `../shared`,
/// and requires it: without histories in it the test fails.
pub fn corpus(test: &str) -> Histories {
    let required = env::var_os("ROO_CONDENSE_SHARED").filter(|folder| !folder.is_empty());
    let folder = root().join(required.as_deref().unwrap_or("../shared".as_ref())).join("corpus");
    if folder.is_dir() {
        return histories(&folder);
    }
    let missing = format!("{test}: there is no folder {} with real histories", folder.display());
    assert!(required.is_none(), "{missing}, and ROO_CONDENSE_SHARED requires it");
    eprintln!("skipped: {missing}");
    Vec::new()
}

/// Which histories a test takes where all of them take long: `npm test` runs the sample, and `npm run test:thorough` the others.
#[derive(Clone, Copy, PartialEq)]
pub enum Share {
    All,
    /// Every third.
    Sample,
    /// All that are not in the sample.
    Others,
}

impl Share {
    /// The histories of this share, each with its number among all.
    pub fn select(
        self,
        histories: impl IntoIterator<Item = (String, Conversation)>,
    ) -> Vec<(usize, String, Conversation)> {
        let numbered = histories.into_iter().enumerate().map(|(number, (name, history))| (number, name, history));
        numbered
            .filter(|(number, ..)| self == Self::All || (self == Self::Sample) == number.is_multiple_of(3))
            .collect()
    }
}

/// Calls `check` with the name and the conversation of every recorded history of this share.
pub fn for_each_history(test: &str, share: Share, mut check: impl FnMut(&str, &Conversation)) {
    for (_, name, conversation) in share.select(fixtures().into_iter().chain(corpus(test))) {
        check(&name, &conversation);
    }
}

/// The first messages of a conversation, of about this many bytes: in a debug build the longest histories take seconds each, and what is
/// checked is how histories look, not how long they are. `ROO_CONDENSE_WHOLE_CORPUS` leaves them whole.
pub fn beginning(conversation: &Conversation, bytes: usize) -> Conversation {
    if env::var_os("ROO_CONDENSE_WHOLE_CORPUS").is_some() {
        return conversation.clone();
    }
    let mut length = 0;
    let first = conversation.messages().take_while(|message| {
        let room = length < bytes;
        length += message.texts().iter().map(|text| text.text.len()).sum::<usize>();
        room
    });
    Conversation::new(first.cloned().collect::<Vec<_>>())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn histories(folder: &Path) -> Histories {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let name = |file: &Path| file.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|file| (name(file), Conversation::parse(&messages(file)).unwrap())).collect()
}

/// The messages of a file as they are written: an array, or an object that holds one.
fn messages(file: &Path) -> String {
    #[derive(serde::Deserialize)]
    struct Recorded<'a> {
        #[serde(borrow)]
        messages: &'a RawValue,
    }
    let json = fs::read_to_string(file).unwrap();
    match serde_json::from_str::<Recorded>(&json) {
        Ok(recorded) => recorded.messages.get().to_owned(),
        Err(_) => json,
    }
}
