//! What happened in a conversation: tool calls of every dialect read as pieces and events, and the files they follow.
//!
//! Nothing outside this module knows how a tool call looks in Roo's XML text, in Cline's plain answers or in native blocks.

mod calls;
mod events;
mod file_answers;
mod headers;
mod interpret;
mod known_lines;
mod labels;
mod locate;
mod numbered_lines;
mod outcomes;
mod patches;
mod paths;
mod pieces;
mod place;
mod reader;
mod search_hits;
mod shell;
mod timeline;
mod tool_table;
mod user_text;
mod xml_calls;

pub use self::{
    events::{Action, CallSite, Event, Transcript},
    file_answers::Extent,
    known_lines::{LineRun, LineSource},
    labels::ToolSource,
    outcomes::Outcome,
    patches::Change,
    pieces::{Piece, PieceSource, decompose},
    place::{ConversationText, Excerpt, Numbering, Place, Span},
    reader::read,
    search_hits::Hit,
    timeline::{Cause, Echo, EchoOf, FileEvent, Showing, Timeline, Version},
    tool_table::{Meaning, ToolTable, ToolTableError},
};
