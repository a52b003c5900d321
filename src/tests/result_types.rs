//! Structs that become results in JavaScript, as the interfaces of `types/data.d.ts`: names, optional fields and
//! comments are those of the structs, which derive `ts_rs::TS` in tests.

use std::{any::TypeId, collections::BTreeMap, env, fs, path::Path};

use regex::Regex;
use ts_rs::{Config, TS, TypeVisitor};

use crate::{
    conversation::Problem,
    diff::TextDiff,
    manager::{EffectiveConfig, Inspection, Metrics, Preparation, Report},
    progress::ProgressEvent,
    providers::{Change, ProviderInfo},
    recall::Hit,
    recommend::Recommendation,
    restore::{Refusal, Unresolved},
    result::ShortResult,
    words::Value,
};

/// The longest line.
const WIDTH: usize = 160;

/// The file, from the root of the repository.
const FILE: &str = "types/data.d.ts";

/// The beginning of the file: types written by hand that fields have.
const HEAD: &str = r#"// Results as data, from their structs in src. Written by `npm run generate`.

import type { ThinkingOption } from "./calls.js";
import type { LlmErrorCode, ProblemCode, WarningCode } from "./codes.js";
import type { CondensationError } from "./errors.js";
import type { TokensByKind } from "./inspect.js";
import type { ModelPrice, ProviderId } from "./options.js";
import type { Change, ChangeOperation } from "./results.js";
import type { Encoding } from "./tokens.js";
"#;

/// Declares each type once, in the order of the names. A derived type lists the types that it names in another order
/// after each compilation.
struct Declared {
    config: Config,
    seen: Vec<TypeId>,
    by_name: BTreeMap<String, String>,
}

impl TypeVisitor for Declared {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Types that serde or Rust already knows have no file of their own.
        if T::output_path().is_none() || self.seen.contains(&TypeId::of::<T>()) {
            return;
        }
        self.seen.push(TypeId::of::<T>());
        let docs = comment(T::docs().unwrap_or_default().trim(), "");
        let name = T::ident(&self.config);
        let declaration = declaration(&name, &T::inline(&self.config));
        self.by_name.insert(name, format!("\n{docs}{declaration}"));
        T::visit_dependencies(self);
    }
}

/// An interface for an object, else a type.
fn declaration(name: &str, inline: &str) -> String {
    match inline.strip_prefix("{ ").and_then(|inner| inner.strip_suffix('}')) {
        Some(inner) => format!("export interface {name} {{\n{}}}\n", properties(inner)),
        None => union(&format!("export type {name} ="), &named_once(inline), ""),
    }
}

/// The fields between the braces of an object, one below the other.
fn properties(inner: &str) -> String {
    let mut text = String::new();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let docs = if rest.starts_with("/**") { rest.find("*/").map_or(0, |end| end + 2) } else { 0 };
        text.push_str(&comment(&rest[..docs], "  "));
        rest = rest[docs..].trim_start();
        let (field, others) = rest.split_at(end_of_field(rest));
        let (name, type_name) = field.split_once(": ").expect("a field has a type");
        // An optional field is absent, never null.
        let type_name = if name.ends_with('?') { type_name.trim_end_matches(" | null") } else { type_name };
        text.push_str(&union(&format!("  {name}:"), &named_once(type_name), "  "));
        rest = others.trim_start_matches(',').trim_start();
    }
    text
}

/// The length of the field at the beginning: up to a comma that is in no brackets and no string.
fn end_of_field(text: &str) -> usize {
    let (mut depth, mut is_quoted) = (0, false);
    let ends = text.char_indices().find(|(_, c)| {
        match c {
            '"' => is_quoted = !is_quoted,
            '{' | '[' | '(' | '<' if !is_quoted => depth += 1,
            '}' | ']' | ')' | '>' if !is_quoted => depth -= 1,
            _ => {}
        }
        *c == ',' && depth == 0 && !is_quoted
    });
    ends.map_or(text.len(), |(end, _)| end)
}

/// Arrays and records as they are written by hand.
fn named_once(type_name: &str) -> String {
    let array = Regex::new(r"\bArray<([\w.]+)>").expect("the pattern is a constant");
    let record = Regex::new(r"^\{ \[key in string\]: (.*) \}$").expect("the pattern is a constant");
    let type_name = record.replace(type_name, "Record<string, $1>");
    let once = array.replace_all(&type_name, "$1[]");
    Regex::new(r"\bArray<([\w.\[\]]+)>").expect("the pattern is a constant").replace_all(&once, "$1[]").into_owned()
}

/// A statement, with each member of a union on a line of its own if one line is too short.
fn union(begin: &str, type_name: &str, indent: &str) -> String {
    let one = format!("{begin} {type_name};\n");
    if one.len() <= WIDTH + 1 {
        return one;
    }
    let members: String = type_name.split(" | ").map(|member| format!("\n{indent}  | {member}")).collect();
    format!("{begin}{members};\n")
}

/// A comment of ts-rs, indented, and on one line if it has one.
fn comment(docs: &str, indent: &str) -> String {
    let inner = docs.trim_start_matches("/**").trim_end_matches("*/").trim_matches('\n').trim_end();
    let lines: Vec<&str> = inner.lines().map(|line| line.trim_start_matches(" *").trim()).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        _ => {
            let inner: String = inner.lines().map(|line| format!("{indent}{}\n", line.trim_end())).collect();
            format!("{indent}/**\n{inner}{indent} */\n")
        }
    }
}

fn declarations() -> String {
    let config = Config::new().with_large_int("number");
    let mut declared = Declared { config, seen: Vec::new(), by_name: BTreeMap::new() };
    macro_rules! declare {
        ($($root:ty),* $(,)?) => { $(declared.visit::<$root>();)* };
    }
    declare![
        Report,
        Change,
        Value,
        Refusal,
        Inspection,
        Metrics,
        EffectiveConfig,
        Preparation,
        Recommendation,
        Problem,
        Unresolved,
        TextDiff,
        Hit,
        ShortResult,
        ProgressEvent,
        ProviderInfo,
    ];
    declared.by_name.into_values().fold(HEAD.to_owned(), |text, declaration| text + &declaration)
}

/// With `ROO_CONDENSE_GENERATE` (`npm run generate`), writes the file instead.
#[test]
fn types_of_results_are_those_of_their_structs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let text = declarations();
    if env::var_os("ROO_CONDENSE_GENERATE").is_some() {
        fs::write(file, text).expect("the file can be written");
        return;
    }
    let committed = fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    assert!(committed == text, "{FILE} is not what `npm run generate` writes");
}

#[test]
fn fields_end_at_commas_outside_of_brackets_and_strings() {
    let inner = "/**\n * One, two.\n */\na?: { [key in string]: Array<B> } | null, b: \"c, d\" | null,";
    let written = "  /** One, two. */\n  a?: Record<string, B[]>;\n  b: \"c, d\" | null;\n";
    assert_eq!(properties(inner), written);
    assert_eq!(properties("a: { [key in string]: Array<Array<string>> },"), "  a: Record<string, string[][]>;\n");
}

#[test]
fn a_union_that_is_too_long_has_a_line_for_each_member() {
    let long = "x".repeat(WIDTH);
    assert_eq!(union("export type A =", "\"b\" | \"c\"", ""), "export type A = \"b\" | \"c\";\n");
    assert_eq!(union("  a:", &format!("\"{long}\" | null"), "  "), format!("  a:\n    | \"{long}\"\n    | null;\n"));
}
