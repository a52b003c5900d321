//! Tools of coding agents: their actions, their parameters, and how they are called in a text.
//!
//! | file | one idea |
//! | --- | --- |
//! | `known` | one row per known tool: **the only place with names of tools** |
//! | `meaning` | the action of a tool |
//! | `parameters` | the roles of parameters, and their usual names |
//! | `table` | finds a tool by its name, the host's own first |
//! | `rules` | how to treat the calls of a tool |
//! | `glob` | names with `*` and `?` |
//! | `tool_options` | reads the host's tools from its configuration |

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
