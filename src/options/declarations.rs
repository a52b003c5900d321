//! Writes tables as TypeScript interfaces, from which `npm run generate` makes `types/options.d.ts`.

use super::{Field, Kind, Table};

/// Maximum length of a line.
const WIDTH: usize = 160;

/// Returns the interfaces of tables that have an interface name, and of tables inside them, each once and before its
/// first use.
pub fn declarations(tables: impl Iterator<Item = &'static Table>) -> String {
    let mut written: Vec<(&str, String)> = Vec::new();
    tables.for_each(|table| declare(table, &mut written));
    written.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

fn declare(table: &Table, written: &mut Vec<(&'static str, String)>) {
    table.fields.iter().for_each(|field| inside(&field.kind, written));
    let Some((name, about)) = table.interface else { return };
    if written.iter().any(|(known, _)| *known == name) {
        return;
    }
    let fields: String =
        table.fields.iter().filter(|field| !field.is_internal).map(|field| property(field, table)).collect();
    written.push((name, format!("{}export interface {name} {{\n{fields}}}\n", comment(about, ""))));
}

fn inside(kind: &Kind, written: &mut Vec<(&'static str, String)>) {
    match kind {
        Kind::Object(table) => declare(table, written),
        Kind::List { of, .. } | Kind::Record { of, .. } => inside(of, written),
        Kind::Either(first, second) => {
            inside(first, written);
            inside(second, written);
        }
        _ => {}
    }
}

fn property(field: &Field, table: &Table) -> String {
    let mut about: Vec<String> = field.paragraphs().collect();
    about.extend(limits(&field.kind));
    if !about.iter().any(|text| text.contains("Default")) {
        about.extend(default(&field.kind).map(|default| format!("Default: {default}.")));
    }
    format!("{}  {};\n", comment(&about.join(" "), "  "), signature(field, table))
}

fn signature(field: &Field, table: &Table) -> String {
    let is_optional = !field.is_required || !field.unless.is_empty();
    let type_name = field.type_name.map_or_else(|| type_of(&field.kind), str::to_owned);
    let (mark, or_absent) = match (is_optional, table.is_nullable() || field.takes_null) {
        (true, true) => ("?", " | null | undefined"),
        (true, false) => ("?", " | undefined"),
        (false, _) => ("", ""),
    };
    format!("{}{mark}: {type_name}{or_absent}", field.name)
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Flag { .. } => "boolean".to_owned(),
        Kind::False => "false".to_owned(),
        Kind::Integer { .. } | Kind::Number { .. } => "number".to_owned(),
        Kind::Text { .. } => "string".to_owned(),
        Kind::Name { type_name, .. } => (*type_name).to_owned(),
        Kind::Choice { words, .. } => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | "),
        Kind::Object(table) => match table.interface {
            Some((name, _)) => name.to_owned(),
            None => format!(
                "{{ {} }}",
                table.fields.iter().map(|field| signature(field, table)).collect::<Vec<_>>().join("; ")
            ),
        },
        Kind::AnyObject => "object".to_owned(),
        Kind::List { of: Kind::Either(..), .. } => format!("readonly ({})[]", item(kind)),
        Kind::List { .. } => format!("readonly {}[]", item(kind)),
        Kind::Record { .. } => format!("Readonly<Record<string, {}>>", item(kind)),
        Kind::Either(first, second) => format!("{} | {}", type_of(first), type_of(second)),
        Kind::Any | Kind::Host { .. } => "unknown".to_owned(),
    }
}

fn item(kind: &Kind) -> String {
    if let Kind::List { of, .. } | Kind::Record { of, .. } = kind { type_of(of) } else { String::new() }
}

/// Describes the limits of a number in a sentence.
fn limits(kind: &Kind) -> Option<String> {
    let (min, max) = match kind {
        Kind::Integer { min, max, .. } if *min >= 0 => {
            (grouped(min.unsigned_abs()), Some(*max).filter(|max| *max != u64::MAX).map(grouped))
        }
        Kind::Number { min, max, .. } if *min != f64::MIN => {
            (min.to_string(), Some(max).filter(|max| **max != f64::MAX).map(ToString::to_string))
        }
        _ => return None,
    };
    Some(max.map_or_else(|| format!("{min} or more."), |max| format!("{min} to {max}.")))
}

fn default(kind: &Kind) -> Option<String> {
    match kind {
        Kind::Flag { default } => default.map(|default| default.to_string()),
        Kind::Integer { default, .. } => default.map(grouped),
        Kind::Number { default, .. } => default.map(|default| default.to_string()),
        Kind::Text { default: Some(""), .. } => Some("empty".to_owned()),
        Kind::Text { default, .. } | Kind::Name { default, .. } | Kind::Choice { default, .. } => {
            default.map(|default| format!("`{default}`"))
        }
        Kind::Either(first, second) => default(first).or_else(|| default(second)),
        _ => None,
    }
}

/// Formats a whole number; one of five digits or more has a comma after each three.
fn grouped(number: u64) -> String {
    if number < 10_000 { number.to_string() } else { format!("{},{:03}", grouped_head(number / 1000), number % 1000) }
}

fn grouped_head(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", grouped_head(number / 1000), number % 1000) }
}

/// Formats a comment, on one line if it fits.
fn comment(text: &str, indent: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // Globs may contain the characters that end a comment.
    let text = text.replace("*/", "*\\/");
    let one = format!("{indent}/** {text} */\n");
    if one.chars().count() <= WIDTH {
        return one;
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && indent.len() + " * ".len() + line + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    let lines: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
    format!("{indent}/**\n{lines}{indent} */\n")
}
