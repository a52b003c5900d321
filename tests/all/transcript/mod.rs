//! Conversations read as events.

mod events;
mod pieces;
