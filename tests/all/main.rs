//! The integration tests, one binary: linking the crate once takes a fraction of linking it for every file.

mod checks;
mod configurations;
mod faulty_providers;
mod frozen;
mod growth;
mod histories;
mod injected;
mod invariants;
mod llm;
mod lossless;
mod manager;
mod native;
mod numbers;
mod plans;
mod pointers;
mod readable;
mod real_histories;
mod scripted;
mod smart;
mod strategies;
mod summary_check;
mod thinking;
mod tool_rules;
mod transcript;
mod truncation;
mod wrong_options;
