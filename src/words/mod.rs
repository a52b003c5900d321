//! Texts for people: a code and the values that go into its words. English is made from `en.json`; other languages are
//! made from the same code and values (`fr.json` is the page's).
//!
//! The files are i18next's JSON: `{{name}}` stands for a value, `{{name, percent}}` for one in a form (`number`,
//! `percent`, `dollars`, `ms`; for lists `parts` of a sentence, `clauses`, `either`); the value `count` chooses between
//! `code_one` and `code_other`.

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt::{self, Display},
    sync::LazyLock,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

/// A message as a code and values. The English text is in the field beside it; `src/words` has the words of every
/// code in English and French, in i18next's format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Said {
    /// The key of its words.
    pub code: Cow<'static, str>,
    /// The values that go into them.
    #[cfg_attr(test, ts(type = "Record<string, SaidValue>"))]
    pub values: Values,
}

/// The values, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values(Vec<(Cow<'static, str>, Value)>);

/// A word of the conversation or the configuration, a number, a nested message, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SaidValue"))]
#[serde(untagged)]
pub enum Value {
    /// Words of the conversation or the configuration, which are not translated.
    Text(String),
    /// A number; its form is given in the text.
    Number(f64),
    /// A part of the sentence.
    Said(Box<Said>),
    /// Several texts.
    List(Vec<Said>),
}

/// `said!("code", name: value, …)`.
macro_rules! said {
    ($code:expr $(, $name:ident: $value:expr)* $(,)?) => {
        $crate::words::Said::new($code, vec![$((stringify!($name), $crate::words::Value::from($value))),*])
    };
}
pub(crate) use said;

static ENGLISH: LazyLock<HashMap<&'static str, Cow<'static, str>>> = LazyLock::new(|| {
    // A test reads it, because it is part of the source.
    serde_json::from_str(include_str!("en.json")).unwrap_or_default()
});

impl Said {
    /// Creates a text. `code` is a key of `en.json`, without the ending for one or many.
    pub fn new(code: &'static str, values: Vec<(&'static str, Value)>) -> Self {
        let values = values.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        let said = Self { code: Cow::Borrowed(code), values: Values(values) };
        debug_assert!(said.words().is_some(), "{code} has no words in en.json");
        said
    }

    /// Wraps words without a code, unchanged.
    pub fn own(text: impl Into<String>) -> Self {
        said!("own", text: text.into())
    }

    /// Returns the message with this code, or else the argument as its own words.
    pub fn known_or_own(code_or_words: &'static str) -> Self {
        if ENGLISH.contains_key(code_or_words) { said!(code_or_words) } else { Self::own(code_or_words) }
    }

    /// Adds the subject, if it has a name.
    pub fn about(self, what: &str) -> Self {
        if what.is_empty() { self } else { said!("change.of", done: self, of: what) }
    }

    fn words(&self) -> Option<&'static str> {
        if let Some(words) = ENGLISH.get(&*self.code) {
            return Some(words);
        }
        let is_one = self.value("count").is_some_and(|count| matches!(count, Value::Number(number) if *number == 1.0));
        let key = format!("{}_{}", self.code, if is_one { "one" } else { "other" });
        ENGLISH.get(key.as_str()).map(|words| &**words)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.values.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(mut rest) = self.words() else { return f.write_str(&self.code) };
        while let Some((before, after)) = rest.split_once("{{") {
            f.write_str(before)?;
            let Some((place, behind)) = after.split_once("}}") else { return f.write_str(after) };
            let (name, form) = place.split_once(',').unwrap_or((place, ""));
            if let Some(value) = self.value(name.trim()) {
                value.write(f, form.trim())?;
            }
            rest = behind;
        }
        f.write_str(rest)
    }
}

/// Decimal places of dollars.
const CENTS: usize = 4;

impl Value {
    fn write(&self, f: &mut fmt::Formatter<'_>, form: &str) -> fmt::Result {
        match (self, form) {
            (Self::Text(text), _) => f.write_str(text),
            (Self::Number(number), "percent") => write!(f, "{number}%"),
            (Self::Number(number), "dollars") => {
                let shortest = number.to_string();
                let digits = shortest.split_once('.').map_or(0, |(_, digits)| digits.len()).max(CENTS);
                write!(f, "${number:.digits$}")
            }
            (Self::Number(number), "ms") => write!(f, "{number} ms"),
            (Self::Number(number), _) => write!(f, "{number}"),
            (Self::Said(said), _) => write!(f, "{said}"),
            (Self::List(list), form) => {
                let separator = match form {
                    "clauses" => "; ",
                    "either" => ", or ",
                    _ => ", ",
                };
                for (index, said) in list.iter().enumerate() {
                    f.write_str(if index > 0 { separator } else { "" })?;
                    write!(f, "{said}")?;
                }
                Ok(())
            }
        }
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = std::collections::BTreeMap::<String, Value>::deserialize(deserializer)?;
        Ok(Self(values.into_iter().map(|(name, value)| (Cow::Owned(name), value)).collect()))
    }
}

impl From<&str> for Said {
    fn from(words: &str) -> Self {
        Self::own(words)
    }
}

impl From<String> for Said {
    fn from(words: String) -> Self {
        Self::own(words)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Said> for Value {
    fn from(said: Said) -> Self {
        Self::Said(Box::new(said))
    }
}

impl From<Vec<Said>> for Value {
    fn from(list: Vec<Said>) -> Self {
        Self::List(list)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    type Catalogue = std::collections::BTreeMap<String, String>;

    fn catalogue(json: &str) -> Catalogue {
        serde_json::from_str(json).unwrap()
    }

    /// The names of the values in a text. Their forms may differ: one language uses an option's name where another
    /// describes it.
    fn places(words: &str) -> BTreeSet<&str> {
        words.split("{{").skip(1).map(|rest| rest.split(['}', ',']).next().unwrap()).collect()
    }

    #[test]
    fn words_are_made_of_values() {
        let said = said!("change.standInSome", count: 3_usize, messages: "2, 4");
        assert_eq!(said.to_string(), "3 lines are in messages 2, 4");
        assert_eq!(
            serde_json::to_value(&said).unwrap()["values"],
            serde_json::json!({ "count": 3.0, "messages": "2, 4" })
        );
        assert_eq!(
            said!("change.of", done: said!("change.suppressed", tokens: 12_usize), of: "read a.rs").to_string(),
            "suppressed, 12 tokens: read a.rs"
        );
    }

    #[test]
    fn both_languages_have_the_same_codes_and_values() {
        let (english, french) = (catalogue(include_str!("en.json")), catalogue(include_str!("fr.json")));
        assert_eq!(english.keys().collect::<Vec<_>>(), french.keys().collect::<Vec<_>>());
        for (code, words) in &english {
            assert_eq!(places(words), places(&french[code]), "{code}");
        }
    }

    #[test]
    fn every_code_is_said_somewhere() {
        let english = catalogue(include_str!("en.json"));
        let mut source = String::new();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = vec![root.join("src"), root.join("js")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "js") {
                    source.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        for code in english.keys() {
            // A plural has a code for one, and another for more.
            let stem = ["_one", "_other"].iter().find_map(|end| code.strip_suffix(end));
            let is_plural =
                |stem: &&str| ["_one", "_other"].iter().all(|end| english.contains_key(&format!("{stem}{end}")));
            let code = stem.filter(is_plural).unwrap_or(code);
            assert!(source.contains(&format!("\"{code}\"")), "{code} is said nowhere");
        }
    }
}
