//! The spine, end to end: conversations of every kind through the providers and the manager.

mod checks;
mod corpus;
mod growth;
mod histories;
mod invariants;
mod manager;
mod plans;
mod readable;
mod truncation;
