//! manager.
