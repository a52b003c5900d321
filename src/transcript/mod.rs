//! Events of a conversation: tool calls of every dialect read as pieces and events.
//!
//! Two independent steps:
//!
//! - [`decompose`] cuts every text into pieces of one kind of content, with the source of each;
//! - [`read`] turns tool calls and their results into events: files read, written and changed, searches and commands,
//!   with the place of every line, byte for byte.
//!
//! A [`ToolTable`], which hosts can extend, maps tools to meanings. Nothing in this module fails: it accepts any
//! conversation, and leaves unknown parts alone. All steps are linear in the length of the conversation.
//!
//! Only this module knows how a tool call looks in Roo's XML text, in Cline's plain results or in native blocks.

mod calls;
mod confirmed;
mod events;
mod file_answers;
mod headers;
mod interpret;
mod labels;
mod numbered_lines;
mod outcomes;
mod pastes;
mod patches;
mod path_pattern;
mod paths;
mod pending;
mod pieces;
mod place;
mod proofs;
mod reader;
mod replaced;
mod search_hits;
mod shell;
mod shell_characters;
mod tools;
mod unseen;
mod user_answers;
mod user_text;
mod voice;
mod xml_calls;

pub(crate) use self::tools::TOOLS;
pub use self::{
    events::{Action, Event, Transcript},
    file_answers::{Extent, around_final_content},
    labels::{MAX_HEAD_PARAMETER, ToolSource},
    outcomes::{CallOutcome, outcome as outcome_of_answer},
    patches::{FileChange, changes_in, files_of_patch, moved_in_patch},
    path_pattern::PathPattern,
    paths::clean as clean_path,
    pieces::{ContentPiece, PieceSource, Pieces, decompose, with_texts},
    place::{Excerpt, Numbering, Place, Span},
    proofs::{proves_change, proves_list},
    reader::{read, read_texts},
    replaced::{Replaced, ReplacedLines, replaced},
    shell::changed_by as changed_by_command,
    tools::{Meaning, ParameterRole, Tool, ToolRows, ToolRule, ToolRules, ToolTable, is_named},
    unseen::{left_in, without_view},
    user_text::{HostText, announces_words, attachments, spoken},
    voice::{Stretch, Voice},
};
