//! Tools of coding agents: what they do, what their parameters hold, how they stand in a text.
//!
//! | file | one idea |
//! | --- | --- |
//! | `known` | one row for each tool that is known: **the only place where names of tools stand** |
//! | `meaning` | what a tool does |
//! | `parameters` | what a parameter holds, and what it is mostly called |
//! | `table` | finds the tool of a name, among those of the host first |
//! | `rules` | what becomes of the calls of a tool |
//! | `glob` | names with `*` and `?` |
//! | `tool_options` | rows of the host, from its configuration |

mod glob;
mod known;
mod meaning;
mod parameters;
mod rules;
mod table;
mod tool_options;

#[cfg(test)]
mod literals;

pub(crate) use self::tool_options::TOOLS;
pub use self::{
    glob::is_named,
    meaning::Meaning,
    parameters::ParameterRole,
    rules::{ToolRule, ToolRules},
    table::{Tool, ToolRows, ToolTable},
};
