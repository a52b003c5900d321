//! What happened in a conversation: tool calls of every dialect read as pieces and events, and the files they follow.
//!
//! Nothing outside this module knows how a tool call looks in Roo's XML text, in Cline's plain answers or in native blocks.

mod headers;
mod labels;
mod pieces;
mod user_text;
mod xml_calls;

pub use self::{
    labels::ToolSource,
    pieces::{Piece, PieceSource, decompose},
};
