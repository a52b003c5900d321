//! What happened in a conversation: tool calls of every dialect read as pieces and events.
//!
//! Two steps, each for itself:
//!
//! - [`decompose`] cuts every text into pieces of one kind of content, and says what each belongs to;
//! - [`read`] makes events of tool calls and their answers: what was read, written, changed, found, run, and where every line of
//!   it stands, byte for byte.
//!
//! Which tool means what is in a [`ToolTable`], which hosts can extend. Nothing here fails: any conversation will do, and what is
//! not understood is left alone. All of it is linear in the length of the conversation.
//!
//! Nothing outside this module knows how a tool call looks in Roo's XML text, in Cline's plain answers or in native blocks.

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

pub use self::{
    events::{Action, Event, Transcript},
    file_answers::Extent,
    labels::{MAX_HEAD_PARAMETER, ToolSource},
    outcomes::{CallOutcome, outcome as outcome_of_answer},
    patches::{FileChange, files_of_patch},
    path_pattern::PathPattern,
    paths::clean as clean_path,
    pieces::{ContentPiece, PieceSource, decompose, decompose_texts, with_texts},
    place::{Excerpt, Numbering, Place, Span},
    reader::{read, read_texts},
    replaced::{Replaced, ReplacedLines, replaced},
    shell::changed_by as changed_by_command,
    tools::{Meaning, ParameterRole, TOOLS, Tool, ToolRows, ToolRule, ToolRules, ToolTable, is_named},
    user_text::{HostText, attachments},
    voice::{Stretch, Voice},
};
