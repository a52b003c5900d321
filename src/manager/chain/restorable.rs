//! A plan, with everything needed to undo it.

use crate::{
    conversation::{Contents, Conversation, Edit, Entry, PathStep, Plan, Recipe, Replaced, json_text::splice},
    manager::survival::{Done, Survival},
    maps::HashMap,
    parallel::all_three,
    providers::{Change, Request},
    restore::RecipeSources,
    summaries::in_words,
    tokens::Tally,
};

/// A plan with the conversations before and after it, and their hashes. Empty if nothing changed.
#[derive(Default)]
pub struct Restorable {
    /// The plan that turns `original` into `conversation`.
    pub plan: Plan,
    /// The original conversation.
    pub original: Conversation,
    /// The condensed conversation.
    pub conversation: Conversation,
    /// Hashes of the original messages.
    pub original_contents: Contents,
    /// Hashes of the condensed messages.
    pub contents: Contents,
    /// The old values that the edits replace.
    pub replaced: Replaced,
    /// Recipes for old texts from the condensed conversation, each with the index of its edit.
    pub recipes: Vec<(usize, Recipe)>,
}

impl Restorable {
    /// Describes the changes in `request`, and the fate of the content.
    pub fn describe(request: &Request, tally_before: &Tally, changes: &[Change]) -> (Self, Survival) {
        let (original, conversation) = (request.original.clone(), request.conversation.clone());
        let plan = Plan::between(&original, &conversation);
        let done = Done {
            original: &original,
            tally_before,
            conversation: &conversation,
            tally_after: &request.tally,
            plan: &plan,
            changes,
            tools: &request.tools,
        };
        let sources = RecipeSources::new(&conversation, &plan);
        let follow = || sources.as_ref().map(RecipeSources::follow);
        // On all threads, because the hashes of the plan take longest.
        let original_contents = Contents::hash(&original);
        let ties = || {
            let contents = original_contents.of_later(&original, &conversation);
            (contents, Replaced::record(&plan, &original, &original_contents))
        };
        let (recipes, (contents, replaced), survival) =
            all_three(original.bytes(), follow, ties, || Survival::compare(&done));
        // After the other work, so that all threads are free for the recipes.
        let recipes = recipes.map(|recipes| recipes.write(&original, &plan)).unwrap_or_default();
        (Self { plan, original, conversation, original_contents, contents, replaced, recipes }, survival)
    }

    /// Returns the index of the first message of the original conversation that differs. From there on, the prompt
    /// cache misses.
    pub fn first_changed_index(&self) -> Option<usize> {
        let edits = self.plan.edits.iter().map(|edit| match edit {
            Edit::Set { message, .. }
            | Edit::Drop { message }
            | Edit::Insert { before: message, .. }
            | Edit::DropBlock { message, .. }
            | Edit::InsertBlock { message, .. } => *message,
        });
        edits.min()
    }

    /// Returns the same with readable words in the placeholders for a model's responses.
    pub fn in_words(self) -> Self {
        if self.conversation.entries().iter().all(|entry| entry.estimates.is_empty()) {
            return self;
        }
        let plan = Plan::between(&self.original, &with_words(&self.conversation));
        let replaced = Replaced::record(&plan, &self.original, &self.original_contents);
        Self { plan, replaced, ..self }
    }
}

fn with_words(conversation: &Conversation) -> Conversation {
    let edits = conversation.entries().iter().enumerate().flat_map(|(message, entry)| texts_in_words(message, entry));
    // The plan fits, because its paths come from this conversation.
    conversation.apply(&Plan { edits: edits.collect() }).unwrap_or_else(|_| conversation.clone())
}

fn texts_in_words(message: usize, entry: &Entry) -> Vec<Edit> {
    if entry.estimates.is_empty() {
        return Vec::new();
    }
    let texts = entry.message.texts_by_path();
    let mut words: HashMap<&[PathStep], Vec<_>> = HashMap::default();
    for estimate in &entry.estimates {
        words.entry(&estimate.path).or_default().push((estimate.range.clone(), in_words(estimate.tokens)));
    }
    let edit = |(path, mut words): (&[PathStep], Vec<_>)| {
        Some(Edit::set_text(message, path, splice(texts.get(path)?, &mut words)))
    };
    words.into_iter().filter_map(edit).collect()
}
