//! Tools in a configuration: `{ "fs_grab": "read", "fs_put": { "meaning": "write", "path": "target", "content": "body" } }`.

use super::{
    meaning::Meaning,
    parameters::ParameterRole,
    rules::{INPUTS, KEEP, KEEP_ERRORS, MAX_TOKENS, PROTECT, SUPPRESS, ToolRule},
    table::{Tool, ToolRows},
};
use crate::options::{Field, Kind, Settings, Table};

/// The option `tools` of managers and providers.
pub const TOOLS: Field = Field::new(
    "tools",
    Kind::Record { of: &ROW, called: "an object of meanings by name of a tool" },
    "What tools do and what becomes of their calls, by name or by glob (* for any characters, ? for one). They count before those that are known, names before globs.",
);

static ROW: Kind = Kind::OneOf(&[Kind::Choice { default: None, words: &WORDS }, Kind::Object(&TOOL)]);

static TOOL: Table = Table::new(
    "tool",
    &[
        Field::new("meaning", Kind::Choice { default: None, words: &WORDS }, "What the tool does.").required_unless(&[
            "keep",
            "maxTokens",
            "suppress",
            "protect",
            "keepErrors",
        ]),
        parameter("path", "Its parameter that names the file."),
        parameter("files", "Its parameter that names several files."),
        parameter("content", "Its parameter with the whole new content, or with the lines to insert."),
        parameter("old", "Its parameter with the text to be replaced."),
        parameter("new", "Its parameter with what replaces that."),
        parameter("replaceAll", "Its parameter that says whether the text is replaced wherever it stands."),
        parameter("edits", "Its parameter with a list of changes, each with an old and a new text."),
        parameter("diff", "Its parameter with SEARCH/REPLACE blocks or a patch."),
        parameter("line", "Its parameter with the line to insert at."),
        parameter("offset", "Its parameter with the first line to read."),
        parameter("limit", "Its parameter with the number of lines to read."),
        parameter("lastLine", "Its parameter with the last line to read."),
        parameter("command", "Its parameter with the command line."),
        parameter("pattern", "Its parameter with what to search for."),
        parameter("url", "Its parameter with the address of a page."),
        parameter("todos", "Its parameter with the list of things to do."),
        parameter("from", "Its parameter that names what is moved."),
        parameter("to", "Its parameter that says where to."),
        parameter("speech", "Its parameter with what the assistant says to the user."),
        parameter("label", "Its parameter that says in a few words what a call is about."),
        Field::new(
            "asksUser",
            Kind::Flag { default: None },
            "Whether its answer is what the user says. Default: true for ask, false for the others.",
        ),
        Field::flag("inXml", true, "Whether it may be called in XML in a text: <name><parameter>…</parameter></name>."),
        KEEP,
        MAX_TOKENS,
        SUPPRESS,
        PROTECT,
        KEEP_ERRORS,
        INPUTS,
    ],
)
.shared();

const fn parameter(name: &'static str, description: &'static str) -> Field {
    const NAME: Kind = Kind::Text { default: None, not_blank: true, reserved: &[] };
    const NAMES: Kind = Kind::OneOf(&[NAME, Kind::List { of: &NAME, called: "an array of names" }]);
    Field::new(name, NAMES, description).allowing("the name of a parameter, or an array of such names")
}

/// The words for meanings.
const WORDS: [&str; Meaning::WORDS.len()] = {
    let mut words = [""; Meaning::WORDS.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Meaning::WORDS[at].0;
        at += 1;
    }
    words
};

impl ToolRows {
    /// The rows in a configuration that was checked.
    #[must_use]
    pub fn in_config(config: &serde_json::Value) -> Self {
        static CONFIG: Table = Table::new("tools", &[TOOLS]).open();
        CONFIG.read(config).map(|settings| Self::of(&settings)).unwrap_or_default()
    }

    /// The rows in the option `TOOLS` of a configuration that was checked.
    #[must_use]
    pub fn of(settings: &Settings<'_>) -> Self {
        let mut rows = Self::default();
        for (name, word) in settings.strings(TOOLS.name) {
            rows.insert(name, Tool::new(Meaning::of(word).unwrap_or_default()));
        }
        for (name, row) in settings.record(TOOLS.name).filter(|(_, row)| row.is_given("meaning")) {
            rows.insert(name, tool(&row));
        }
        for (name, row) in settings.record(TOOLS.name) {
            if let Some(rule) = ToolRule::of(&row) {
                rows.rules.insert(name, rule);
            }
        }
        rows
    }
}

fn tool(row: &Settings<'_>) -> Tool {
    let mut tool = Tool::new(Meaning::of(row.text("meaning")).unwrap_or_default());
    for (option, role) in ParameterRole::options() {
        for name in row.given_text(option).into_iter().chain(row.texts(option)) {
            tool = tool.with(role, name);
        }
    }
    if row.is_given("asksUser") {
        tool.asks_user = row.flag("asksUser");
    }
    tool.in_xml = row.flag("inXml");
    tool
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::table::ToolTable;
    use super::*;

    static TABLE: Table = Table::new("Options with tools", &[TOOLS]);

    fn faults(tools: Value) -> Vec<String> {
        let options = json!({ "tools": tools });
        TABLE.read(&options).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_and_rows_are_read() {
        let options = json!({ "tools": {
            "peek": "read", "say": "ask", "Read": "other",
            "my_*": { "meaning": "write", "path": "where", "content": ["body", "text"], "inXml": false },
            "confirm": { "meaning": "plan", "asksUser": true },
        } });
        let table = ToolTable::default().with(&ToolRows::of(&TABLE.read(&options).unwrap()));
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
        let words = WORDS.map(|word| format!("{word:?}")).join(", ");
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

    #[test]
    fn every_role_that_has_a_word_can_be_named() {
        let named = |option: &str| TOOL.field(option).is_some();
        assert!(ParameterRole::options().all(|(option, _)| named(option)));
        assert_eq!(ParameterRole::options().count() + 9, TOOL.fields.len());
    }
}
