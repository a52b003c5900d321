//! Conversations read as events.

mod events;
mod host_tools;
mod pieces;
