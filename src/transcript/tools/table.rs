//! Finds tools by name.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use super::{
    glob,
    known::{KNOWN, KnownTool},
    meaning::Meaning,
    parameters::{ParameterRole, TELLING, TELLING_OF_SEARCH, common_in_xml},
    rules::{RECALLED, ToolRule, ToolRules},
};

/// The meaning of a tool, and the names of its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tool {
    /// Its action.
    pub meaning: Meaning,
    /// True if its result is the user's words.
    pub asks_user: bool,
    /// True if it can be called in XML in a text.
    pub in_xml: bool,
    /// True if it numbers every line of a file that it shows.
    pub numbers_lines: bool,
    /// True if it replaces every occurrence of a text.
    pub(in crate::transcript) replaces_all: bool,
    /// Its own parameter names.
    named: Vec<(ParameterRole, String)>,
}

impl Tool {
    /// Creates a host's tool: it has the usual parameter names, and may also be called in XML.
    pub fn new(meaning: Meaning) -> Self {
        Self { meaning, asks_user: meaning == Meaning::Ask, in_xml: true, ..Self::default() }
    }

    /// Adds the tool's own name for a parameter. It takes precedence over the usual ones, which still count.
    pub fn with(mut self, role: ParameterRole, name: impl Into<String>) -> Self {
        self.named.push((role, name.into()));
        self
    }

    /// Returns the possible names of a parameter, its own first.
    pub fn parameter(&self, role: ParameterRole) -> impl Iterator<Item = &str> + Clone {
        self.own(role).chain(role.common_names().iter().copied())
    }

    /// Returns its own names for a parameter.
    pub(in crate::transcript) fn own(&self, role: ParameterRole) -> impl Iterator<Item = &str> + Clone {
        self.named.iter().filter(move |(named, _)| *named == role).map(|(_, name)| name.as_str())
    }

    /// Returns how well the parameter `name` names the subject of a call, 0 being best; `None` if it does not.
    pub(in crate::transcript) fn telling(&self, name: &str) -> Option<usize> {
        let roles = if self.meaning == Meaning::Search { TELLING_OF_SEARCH } else { TELLING };
        let labels = self.own(ParameterRole::Label);
        labels.chain(roles.into_iter().flat_map(|role| self.parameter(role))).position(|telling| telling == name)
    }

    /// Returns `Some` if `name` can be a parameter in XML; true if it may contain anything, including closing tags.
    pub(in crate::transcript) fn in_xml_parameter(&self, name: &str) -> Option<bool> {
        let own = self.named.iter().filter(|(_, own)| own == name).map(|(role, _)| role.is_free_text());
        own.reduce(|one, other| one || other).or_else(|| common_in_xml(name))
    }

    /// Returns true if the parameter `name` contains the assistant's words to the user.
    pub(in crate::transcript) fn speaks_in(&self, name: &str) -> bool {
        self.parameter(ParameterRole::Speech).any(|speech| speech == name)
    }
}

impl From<&KnownTool> for Tool {
    fn from(known: &KnownTool) -> Self {
        Self {
            meaning: known.meaning,
            asks_user: known.asks_user,
            in_xml: known.in_xml,
            numbers_lines: known.numbers_lines,
            replaces_all: known.replaces_all,
            named: known.parameters.iter().map(|(role, name)| (*role, (*name).to_owned())).collect(),
        }
    }
}

/// Values by name or glob (`*` for any characters, `?` for one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<T> {
    names: BTreeMap<String, T>,
    /// Globs, those with the most fixed characters first.
    globs: Vec<(String, T)>,
}

/// Tools by name or glob.
pub type NamedTools = Rows<Tool>;

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { names: BTreeMap::new(), globs: Vec::new() }
    }
}

impl<T: Clone> Rows<T> {
    /// Adds a row, replacing one with the same name or glob.
    pub fn insert(&mut self, name: &str, row: T) {
        if !glob::is_glob(name) {
            self.names.insert(name.to_owned(), row);
            return;
        }
        self.globs.retain(|(glob, _)| glob != name);
        self.globs.push((name.to_owned(), row));
        self.globs.sort_by(|(a, _), (b, _)| glob::fixed(b).cmp(&glob::fixed(a)).then_with(|| a.cmp(b)));
    }

    /// Adds other rows, replacing those with the same names.
    pub fn extend(&mut self, rows: &Self) {
        for (name, row) in rows.iter() {
            self.insert(name, row.clone());
        }
    }

    /// Iterates over all rows.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        let globs = self.globs.iter().map(|(glob, row)| (glob.as_str(), row));
        self.names.iter().map(|(name, row)| (name.as_str(), row)).chain(globs)
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.globs.is_empty()
    }

    /// Returns the row for this name with its name or glob; an exact name takes precedence over globs.
    fn find(&self, name: &str) -> Option<(&str, &T)> {
        let own = self.names.get_key_value(name).map(|(name, row)| (name.as_str(), row));
        own.or_else(|| {
            let (glob, row) = self.globs.iter().find(|(glob, _)| glob::is_named(glob, name))?;
            Some((glob.as_str(), row))
        })
    }

    fn get(&self, name: &str) -> Option<&T> {
        self.find(name).map(|(_, row)| row)
    }

    /// Returns the row for a tool with this name, or for the part of the name after an MCP server's, with the name or
    /// glob of the row.
    pub fn of_tool(&self, name: &str) -> Option<(&str, &T)> {
        self.find(name).or_else(|| {
            let rest = name.strip_prefix("mcp")?;
            ["__", "--"].iter().find_map(|separator| self.find(rest.rsplit_once(separator)?.1))
        })
    }
}

/// A host's tools: their meanings, and how to treat their calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRows {
    /// The meanings of tools.
    pub(super) tools: NamedTools,
    /// How to treat their calls.
    pub(super) rules: ToolRules,
}

impl ToolRows {
    /// Sets the meaning of a tool, replacing one with the same name or glob.
    pub fn insert(&mut self, name: &str, tool: Tool) {
        self.tools.insert(name, tool);
    }

    /// Returns the rules for calls.
    pub fn rules(&self) -> &ToolRules {
        &self.rules
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.rules.is_empty()
    }
}

/// All tools: those of the known agents, and the host's, which take precedence.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ToolTable {
    host: Arc<ToolRows>,
}

static KNOWN_ROWS: LazyLock<NamedTools> = LazyLock::new(|| {
    let mut rows = NamedTools::default();
    KNOWN.iter().for_each(|known| rows.insert(known.name, Tool::from(known)));
    rows
});

impl std::fmt::Debug for ToolTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ToolTable").field("host", &self.host).finish_non_exhaustive()
    }
}

impl ToolTable {
    /// Returns the table with a host's rows added, which take precedence over those already here.
    pub fn with(&self, rows: &ToolRows) -> Self {
        if rows.is_empty() {
            return self.clone();
        }
        let mut host = ToolRows::clone(&self.host);
        host.tools.extend(&rows.tools);
        host.rules.extend(&rows.rules);
        Self { host: Arc::new(host) }
    }

    /// Returns the rules for the calls of tools.
    pub fn rules(&self) -> &ToolRules {
        &self.host.rules
    }

    /// Returns the rule for the calls of this tool, with the name or glob that it is under. By default, recalled text
    /// is pruned first, because it is still available at its source.
    pub fn rule(&self, name: &str) -> Option<(&str, &ToolRule)> {
        self.host.rules.of_tool(name).or_else(|| {
            let (known, tool) = KNOWN_ROWS.of_tool(name)?;
            (tool.meaning == Meaning::Recall && self.meaning(name) == Meaning::Recall).then_some((known, &RECALLED))
        })
    }

    /// Returns the meaning of a tool; [`Meaning::Other`] if it is not known.
    pub fn meaning(&self, name: &str) -> Meaning {
        self.tool(name).map_or(Meaning::Other, |tool| tool.meaning)
    }

    /// Returns the tool with this name, or with the part of the name after an MCP server's: `mcp__server__read_file`,
    /// `mcp--server--read_file` and `mcp_server_read_file` are all `read_file`.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        if let Some(tool) = self.get(name) {
            return Some(tool);
        }
        let rest = name.strip_prefix("mcp")?;
        ["__", "--"].iter().find_map(|separator| self.get(rest.rsplit_once(separator)?.1)).or_else(|| {
            // A single underscore separates words too, so the longest known ending counts; a glob would match any.
            let named = |name: &str| self.host.tools.names.get(name).or_else(|| KNOWN_ROWS.names.get(name));
            rest.match_indices('_').filter(|(at, _)| *at > 0).find_map(|(at, _)| named(&rest[at + 1..]))
        })
    }

    /// Returns the tool with this name, or an unknown one with the usual parameter names.
    pub(in crate::transcript) fn tool_or_unknown(&self, name: &str) -> &Tool {
        static UNKNOWN: LazyLock<Tool> = LazyLock::new(Tool::default);
        self.tool(name).unwrap_or(&UNKNOWN)
    }

    fn get(&self, name: &str) -> Option<&Tool> {
        self.host.tools.get(name).or_else(|| KNOWN_ROWS.get(name))
    }

    /// Returns the tool that a tag in a text may call, and true if its name alone makes that certain: a glob may
    /// match tags that are no calls.
    pub(in crate::transcript) fn tool_in_xml(&self, name: &str) -> Option<(&Tool, bool)> {
        let tool = self.get(name).filter(|tool| tool.in_xml)?;
        let is_named = self.host.tools.names.contains_key(name) || KNOWN_ROWS.names.contains_key(name);
        Some((tool, is_named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, Tool)]) -> ToolTable {
        let mut added = ToolRows::default();
        rows.iter().for_each(|(name, tool)| added.insert(name, tool.clone()));
        ToolTable::default().with(&added)
    }

    #[test]
    fn names_behind_a_server() {
        let table = ToolTable::default();
        for name in ["mcp__fs__read_file", "mcp--fs--read_file", "mcp_my_fs_read_file", "read_file"] {
            assert_eq!(table.meaning(name), Meaning::Read, "{name}");
        }
        assert_eq!(table.meaning("mcp__linear__get_issue"), Meaning::Other);
    }

    #[test]
    fn every_known_tool_has_one_row() {
        let mut names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn rows_of_the_host_come_first_and_names_before_globs() {
        let table = table(&[
            ("peek", Tool::new(Meaning::Read)),
            ("p*", Tool::new(Meaning::Search)),
            ("pu*", Tool::new(Meaning::Write).with(ParameterRole::Path, "where")),
            ("Read", Tool::new(Meaning::Other)),
        ]);
        let meanings = ["peek", "put", "pick", "Read", "mcp__my__put", "Write"].map(|name| table.meaning(name));
        assert_eq!(
            meanings,
            [Meaning::Read, Meaning::Write, Meaning::Search, Meaning::Other, Meaning::Write, Meaning::Write]
        );
        assert_eq!(table.tool("put").unwrap().parameter(ParameterRole::Path).next(), Some("where"));
    }

    #[test]
    fn later_rows_replace_earlier_ones() {
        let first = table(&[("a*", Tool::new(Meaning::Read)), ("b", Tool::new(Meaning::Read))]);
        let mut rows = ToolRows::default();
        rows.insert("a*", Tool::new(Meaning::List));
        let second = first.with(&rows);
        assert_eq!((second.meaning("ab"), second.meaning("b")), (Meaning::List, Meaning::Read));
        assert_eq!(first.meaning("ab"), Meaning::Read);
    }

    #[test]
    fn own_parameters_tell_before_common_ones() {
        let tool = Tool::new(Meaning::Write).with(ParameterRole::Path, "target").with(ParameterRole::Label, "why");
        let mut names = ["path", "target", "why", "command"];
        names.sort_by_key(|name| tool.telling(name));
        assert_eq!(names, ["why", "target", "path", "command"]);
        assert_eq!(tool.telling("content"), None);
    }
}
