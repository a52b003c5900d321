//! The path of a value, as JavaScript writes it: `passes[1].selection.type`, `tools["my_*"].path`.

use std::fmt;

/// A place in options, from the inside out: written only when something is wrong there.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    outer: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    /// The options as a whole, with their name in errors about the whole.
    Root(&'a str),
    Name(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// Creates the path of the options as a whole. Paths inside them begin with the name of a field.
    pub const fn root(name: &'a str) -> Self {
        Self { outer: None, step: Step::Root(name) }
    }

    /// Creates the path of one of several arguments. Paths inside it begin with its name: `options.signal`.
    pub const fn argument(name: &'a str) -> Self {
        Self { outer: None, step: Step::Name(name) }
    }

    pub const fn field(&'a self, name: &'a str) -> Self {
        Self { outer: Some(self), step: Step::Name(name) }
    }

    pub const fn index(&'a self, index: usize) -> Self {
        Self { outer: Some(self), step: Step::Index(index) }
    }
}

/// Returns the path of `name` in the value at `holder`, for values that are checked elsewhere.
pub fn path_of(holder: &str, name: &str) -> String {
    Path::argument(holder).field(name).to_string()
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_NAME_CHARS: usize = 80;
        let outer = self.outer.filter(|outer| !matches!(outer.step, Step::Root(_)));
        if let Some(outer) = outer {
            outer.fmt(f)?;
        }
        match self.step {
            Step::Root(name) => f.write_str(name),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Name(name) if is_identifier(name) => write!(f, "{}{name}", if outer.is_some() { "." } else { "" }),
            Step::Name(name) => {
                let short: String = name.chars().take(MAX_NAME_CHARS).collect();
                let rest = if short.len() < name.len() { "…" } else { "" };
                write!(f, "[{:?}]", format!("{short}{rest}"))
            }
        }
    }
}

fn is_identifier(name: &str) -> bool {
    const MAX_IDENTIFIER_CHARS: usize = 80;
    let ok = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !name.is_empty()
        && name.len() <= MAX_IDENTIFIER_CHARS
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_javascript_writes_them() {
        let root = Path::root("config");
        let options = Path::argument("options");
        let tools = root.field("tools");
        assert_eq!(root.to_string(), "config");
        assert_eq!(options.field("signal").to_string(), "options.signal");
        assert_eq!(tools.field("my_*").field("path").to_string(), r#"tools["my_*"].path"#);
        assert_eq!(tools.index(3).field("a b").index(0).to_string(), r#"tools[3]["a b"][0]"#);
        assert_eq!(root.field("say \"x\"").to_string(), r#"["say \"x\""]"#);
        assert_eq!(root.field(&"x".repeat(500)).to_string().chars().count(), 85);
    }
}
