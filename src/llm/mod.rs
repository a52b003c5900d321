//! llm.
