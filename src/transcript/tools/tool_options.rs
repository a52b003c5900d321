//! Tools in a configuration: `{ "fs_grab": "read", "fs_put": { "meaning": "write", "path": "target", "content": "body" } }`.

use super::{
    meaning::Meaning,
    parameters::ParameterRole,
    rules::ToolRule,
    table::{Tool, ToolRows},
};
use crate::options::{
    Converted, Either, Options, Table, Typed, choice, either, flag, list, object, options, record, some_text, whole,
};

/// The option `tools` of managers and providers.
pub(crate) const TOOLS: Typed<ToolRows> = record(&either(&choice(), &object()), "an object of meanings by name of a tool").read_as().or_default()
        .typed_as("ToolMeanings").about(
    "The actions of tools, and the rules for their calls, by name or by glob (* for any characters, ? for one). They count before those that are known, names before globs.\n\nThey win over those of the manager. Default: none.",
);

/// The names of a parameter.
type Names = Either<String, Vec<String>>;

const PARAMETER: Typed<Option<Names>> = either(&some_text(), &list(&some_text(), "an array of names"))
    .if_set()
    .allowing("the name of a parameter, or an array of such names");

options! {
    /// A tool, and what becomes of its calls.
    pub struct ToolRow: Table::titled("tool").shared().interface(
        "ToolRow",
        "The meaning of a tool, the names of its parameters, and a rule for its calls, each of them if it is set.",
    );

    /// The kind of event that its calls are.
    meaning: Option<Meaning> = choice().required_unless(&["keep", "maxTokens", "suppress", "protect", "keepErrors"]),
    /// Its parameter that names the file.
    path: Option<Names> = PARAMETER,
    /// Its parameter that names several files.
    files: Option<Names> = PARAMETER,
    /// Its parameter with the whole new content, or with the lines to insert.
    content: Option<Names> = PARAMETER,
    /// Its parameter with the text to be replaced.
    old: Option<Names> = PARAMETER,
    /// Its parameter with what replaces that.
    new: Option<Names> = PARAMETER,
    /// Its parameter that says whether the text is replaced wherever it stands.
    replace_all: Option<Names> = PARAMETER,
    /// Its parameter with a list of changes, each with an old and a new text.
    edits: Option<Names> = PARAMETER,
    /// Its parameter with SEARCH/REPLACE blocks or a patch.
    diff: Option<Names> = PARAMETER,
    /// Its parameter with the line to insert at.
    line: Option<Names> = PARAMETER,
    /// Its parameter with the first line to read.
    offset: Option<Names> = PARAMETER,
    /// Its parameter with the number of lines to read.
    limit: Option<Names> = PARAMETER,
    /// Its parameter with the last line to read.
    last_line: Option<Names> = PARAMETER,
    /// Its parameter with the command line.
    command: Option<Names> = PARAMETER,
    /// Its parameter with what to search for.
    pattern: Option<Names> = PARAMETER,
    /// Its parameter with the address of a page.
    url: Option<Names> = PARAMETER,
    /// Its parameter with the list of things to do.
    todos: Option<Names> = PARAMETER,
    /// Its parameter that names what is moved.
    from: Option<Names> = PARAMETER,
    /// Its parameter that says where to.
    to: Option<Names> = PARAMETER,
    /// Its parameter with what the assistant says to the user.
    speech: Option<Names> = PARAMETER,
    /// Its parameter that says in a few words what a call is about.
    label: Option<Names> = PARAMETER,
    /// Whether its answer is what the user says. Default: true for ask, false for the others.
    asks_user: Option<bool> = flag().if_set(),
    /// Whether it may be called in XML in a text: <name><parameter>…</parameter></name>.
    in_xml: bool = flag().or(true),
    /// Number of its newest calls that stay word for word, whatever the target. Of older answers `maxTokens` stay, or nothing.
    keep: Option<usize> = whole(0, 1_000_000).if_set(),
    /// The most tokens that stay of each of its answers.
    max_tokens: Option<usize> = whole(20, 1_000_000_000).if_set(),
    /// Whether its answers are left out.
    suppress: Option<bool> = flag().if_set(),
    /// Whether its calls and their answers stay word for word, whatever the target.
    protect: Option<bool> = flag().if_set(),
    /// Whether its calls that failed stay word for word, with their answers, whatever the target.
    keep_errors: Option<bool> = flag().if_set(),
    /// Whether what is done to answers is done to long parameters too. Default: false.
    inputs: Option<bool> = flag().if_set(),
}

options! {
    /// The option in any configuration.
    struct WithTools: Table::titled("tools").open();

    tools: ToolRows = TOOLS,
}

impl ToolRows {
    /// Reads the rows of a checked configuration.
    pub fn in_config(config: &serde_json::Value) -> Self {
        WithTools::read(config).map(|config| config.tools).unwrap_or_default()
    }
}

impl Converted for ToolRows {
    type From = Vec<(String, Either<Meaning, ToolRow>)>;

    fn convert(rows: Self::From) -> Self {
        let mut read = Self::default();
        for (name, row) in &rows {
            if let Either::First(meaning) = row {
                read.insert(name, Tool::new(*meaning));
            }
        }
        for (name, row) in &rows {
            let Either::Second(row) = row else { continue };
            if let Some(meaning) = row.meaning {
                read.insert(name, row.tool(meaning));
            }
            if let Some(rule) = row.rule() {
                read.rules.insert(name, rule);
            }
        }
        read
    }
}

impl ToolRow {
    fn parameters(&self) -> [(ParameterRole, &Option<Names>); 20] {
        use ParameterRole as P;
        [
            (P::Path, &self.path),
            (P::Files, &self.files),
            (P::Content, &self.content),
            (P::Old, &self.old),
            (P::New, &self.new),
            (P::ReplaceAll, &self.replace_all),
            (P::Edits, &self.edits),
            (P::Diff, &self.diff),
            (P::Line, &self.line),
            (P::Offset, &self.offset),
            (P::Limit, &self.limit),
            (P::LastLine, &self.last_line),
            (P::Command, &self.command),
            (P::Pattern, &self.pattern),
            (P::Url, &self.url),
            (P::Todos, &self.todos),
            (P::From, &self.from),
            (P::To, &self.to),
            (P::Speech, &self.speech),
            (P::Label, &self.label),
        ]
    }

    fn tool(&self, meaning: Meaning) -> Tool {
        let mut tool = Tool::new(meaning);
        for (role, names) in self.parameters() {
            let names = match names {
                None => &[],
                Some(Either::First(name)) => std::slice::from_ref(name),
                Some(Either::Second(names)) => names.as_slice(),
            };
            tool = names.iter().fold(tool, |tool, name| tool.with(role, name));
        }
        tool.asks_user = self.asks_user.unwrap_or(tool.asks_user);
        tool.in_xml = self.in_xml;
        tool
    }

    /// Returns the rule for the tool's calls, if the row sets one.
    fn rule(&self) -> Option<ToolRule> {
        let Self { keep, max_tokens, suppress, protect, keep_errors, inputs, .. } = *self;
        let is_set = keep.or(max_tokens).is_some() || suppress.or(protect).or(keep_errors).is_some();
        let is = |flag: Option<bool>| flag.unwrap_or(false);
        is_set.then(|| ToolRule {
            keep,
            max_tokens,
            suppress: is(suppress),
            protect: is(protect),
            keep_errors: is(keep_errors),
            inputs: is(inputs),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::options::Words;

    use super::super::table::ToolTable;
    use super::*;

    fn faults(tools: Value) -> Vec<String> {
        let options = json!({ "tools": tools });
        WithTools::read(&options).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_and_rows_are_read() {
        let options = json!({ "tools": {
            "peek": "read", "say": "ask", "Read": "other",
            "my_*": { "meaning": "write", "path": "where", "content": ["body", "text"], "inXml": false },
            "confirm": { "meaning": "plan", "asksUser": true },
        } });
        let table = ToolTable::default().with(&ToolRows::in_config(&options));
        assert_eq!((table.meaning("peek"), table.meaning("Read")), (Meaning::Read, Meaning::Other));
        let put = table.tool("my_put").unwrap();
        assert_eq!(put.parameter(ParameterRole::Path).next(), Some("where"));
        assert_eq!(put.parameter(ParameterRole::Content).take(2).collect::<Vec<_>>(), ["body", "text"]);
        let flags =
            ["my_put", "peek", "say", "confirm"].map(|name| table.tool(name).map(|tool| (tool.in_xml, tool.asks_user)));
        assert_eq!(flags, [Some((false, false)), Some((true, false)), Some((true, true)), Some((true, true))]);
    }

    #[test]
    fn every_fault_is_named() {
        let faults_of_two =
            faults(json!({ "my_*": { "meaning": "write", "path": 3 }, "b": "reed", "c": { "paht": "p" } }));
        let words = Meaning::WORDS.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        for fault in [
            r#"tools["my_*"].path must be the name of a parameter, or an array of such names; got 3"#.to_owned(),
            "tools.c.paht is unknown; did you mean path?".to_owned(),
            format!("tools.c.meaning is missing; it must be one of {words}"),
        ] {
            assert!(faults_of_two.contains(&fault), "{fault} is not in {faults_of_two:#?}");
        }
        assert!(faults_of_two.iter().any(|fault| fault.starts_with(r#"tools.b must be one of "read", "#)));
        assert_eq!(faults_of_two.len(), 4);
        assert_eq!(faults(json!({ "a": { "meaning": "read", "path": ["", 1] } })).len(), 2);
        assert_eq!(faults(json!(["read"])), [r#"tools must be an object of meanings by name of a tool; got ["read"]"#]);
    }
}
