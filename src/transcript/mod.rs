//! What happened in a conversation: tool calls of every dialect read as pieces and events, and the files they follow.
//!
//! Nothing outside this module knows how a tool call looks in Roo's XML text, in Cline's plain answers or in native blocks.

mod calls;
mod events;
mod file_answers;
mod headers;
mod interpret;
mod labels;
mod numbered_lines;
mod outcomes;
mod patches;
mod paths;
mod pieces;
mod place;
mod reader;
mod search_hits;
mod shell;
mod tool_table;
mod user_text;
mod xml_calls;

pub use self::{
    events::{Action, CallSite, Event, Transcript},
    file_answers::Extent,
    labels::ToolSource,
    outcomes::Outcome,
    patches::Change,
    pieces::{Piece, PieceSource, decompose},
    place::{ConversationText, Excerpt, Numbering, Place, Span},
    reader::read,
    search_hits::Hit,
    tool_table::{Meaning, ToolTable, ToolTableError},
};
