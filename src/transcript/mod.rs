//! transcript.
