//! Checks a value against its table, and finds all errors.

use serde_json::{Map, Value};

use super::{
    ConfigError, FaultKind, Field, Kind, Table,
    near::near,
    path::Path,
    table::{JSON_VALUE, either},
};
use crate::words::{Said, said};

/// The key of an object that replaces a value without JSON: NaN, a function, a `BigInt`, an object that cannot be used.
/// Its value is the text that messages show.
const REFUSED: &str = "$refused";
/// The key of an object that replaces a usable object or function of the host.
const HELD: &str = "$held";

/// Returns all errors in `value`, which should be an object with the fields of `table`.
pub(super) fn faults(table: &Table, value: &Value, root: Path<'_>) -> Vec<ConfigError> {
    let mut check = Check { null_is_absent: table.takes_null_for_absent(), hides: false, faults: Vec::new() };
    let empty = Map::new();
    match value {
        Value::Null => check.fields(table, &empty, &root),
        Value::Object(fields) => check.fields(table, fields, &root),
        other => check.value(&Kind::AnyObject, other, &root, ""),
    }
    check.faults
}

struct Check {
    null_is_absent: bool,
    /// True if messages show only the types of values.
    hides: bool,
    faults: Vec<ConfigError>,
}

impl Check {
    fn fields(&mut self, table: &Table, given: &Map<String, Value>, at: &Path<'_>) {
        for field in table.fields {
            match self.given(given, field.name).filter(|value| !(field.takes_null && value.is_null())) {
                Some(value) => self.field(field, value, &at.field(field.name)),
                None if field.is_required && !field.unless.iter().any(|name| self.given(given, name).is_some()) => {
                    self.faults.push(ConfigError::missing(at.field(field.name).to_string(), field.allowed()));
                }
                None => {}
            }
        }
        self.needs(table, given, at);
        if !table.is_open() {
            self.unknown(table, given, at);
        }
    }

    fn given<'a>(&self, given: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
        let is_absent =
            |value: &Value| (self.null_is_absent && value.is_null()) || refused_text(value) == Some("undefined");
        given.get(name).filter(|value| !is_absent(value))
    }

    fn field(&mut self, field: &Field, value: &Value, at: &Path<'_>) {
        let (hid, known) = (self.hides, self.faults.len());
        self.hides |= field.is_secret;
        self.value(&field.kind, value, at, field.allowed.unwrap_or_default());
        self.hides = hid;
        let own = if matches!(field.kind, Kind::Host { .. }) { FaultKind::NotUsable } else { FaultKind::NotAllowed };
        for fault in self.faults.iter_mut().skip(known).filter(|fault| fault.kind == own) {
            fault.code = field.code.unwrap_or(fault.code);
        }
    }

    fn needs(&mut self, table: &Table, given: &Map<String, Value>, at: &Path<'_>) {
        for needs in table.needs {
            let applies = given.get(needs.field).and_then(Value::as_str) == Some(needs.is);
            if !applies || needs.any_of.iter().any(|name| self.given(given, name).is_some()) {
                continue;
            }
            let allowed: Vec<_> =
                needs.any_of.iter().filter_map(|name| table.field(name)).map(Field::allowed).collect();
            let path = at.field(needs.any_of.first().unwrap_or(&needs.field)).to_string();
            let value = format!("{:?}", needs.is);
            let allowed = said!("allowed.because", allowed: either(allowed), field: needs.field, value: value);
            self.faults.push(ConfigError::missing(path, allowed));
        }
    }

    fn unknown(&mut self, table: &Table, given: &Map<String, Value>, at: &Path<'_>) {
        for name in given.keys().filter(|name| table.field(name).is_none()) {
            // A name that the object already has cannot be the intended one.
            let near = near(name, table.names().filter(|known| self.given(given, known).is_none()));
            let mut near: Vec<_> = near.into_iter().map(str::to_owned).collect();
            if near.is_empty() {
                near.extend(inside(table, name));
            }
            let known: Vec<_> = table.names().collect();
            let path = at.field(name).to_string();
            self.faults.push(ConfigError { near, ..ConfigError::new(FaultKind::Unknown, path, "", known.join(", ")) });
        }
    }

    /// Checks one value. `allowed` describes the allowed values in messages; if empty, the kind's description is used.
    fn value(&mut self, kind: &Kind, value: &Value, at: &Path<'_>, allowed: &str) {
        if matches!(kind, Kind::Any) {
            return;
        }
        if let Some(fault) = refused(kind, value).or_else(|| own_fault(kind, value)) {
            let allowed = if allowed.is_empty() { kind.allowed() } else { Said::own(allowed) };
            let near = match (kind, value) {
                (Kind::Choice { words, .. }, Value::String(word)) => near(word, words.iter().copied()),
                _ => Vec::new(),
            };
            let near = near.into_iter().map(|word| format!("{word:?}")).collect();
            let fault = ConfigError::new(fault, at.to_string(), self.shown(value), allowed);
            self.faults.push(ConfigError { near, ..fault });
            return;
        }
        match (kind, value) {
            (Kind::Object(table), Value::Object(given)) => self.fields(table, given, at),
            (Kind::AnyObject, Value::Object(given)) => self.nothing_refused(given, at),
            (Kind::List { of, .. }, Value::Array(values)) => {
                for (index, value) in values.iter().enumerate() {
                    self.value(of, value, &at.index(index), "");
                }
            }
            (Kind::Record { of, .. }, Value::Object(values)) => {
                let absent = |value: &Value| self.null_is_absent && value.is_null();
                let there: Vec<_> = values.iter().filter(|(_, value)| !absent(value)).collect();
                for (name, value) in there {
                    self.value(of, value, &at.field(name), "");
                }
            }
            (Kind::Either(first, second), value) => {
                if let Some(kind) = [first, second].into_iter().find(|kind| own_fault(kind, value).is_none()) {
                    self.value(kind, value, at, allowed);
                }
            }
            _ => {}
        }
    }

    /// Checks that an object whose fields are checked elsewhere contains only JSON.
    fn nothing_refused(&mut self, given: &Map<String, Value>, at: &Path<'_>) {
        for (name, value) in given {
            self.no_refused(value, &at.field(name));
        }
    }

    fn no_refused(&mut self, value: &Value, at: &Path<'_>) {
        match value {
            value if refused_text(value).is_some() => {
                self.value(&Kind::AnyObject, value, at, JSON_VALUE);
            }
            Value::Object(fields) => self.nothing_refused(fields, at),
            Value::Array(values) => {
                values.iter().enumerate().for_each(|(index, value)| self.no_refused(value, &at.index(index)));
            }
            _ => {}
        }
    }

    fn shown(&self, value: &Value) -> String {
        if let Some(shown) = refused_text(value) {
            return if self.hides { "a value that JSON cannot hold".to_owned() } else { shown.to_owned() };
        }
        match value {
            Value::String(_) if self.hides => "a string".to_owned(),
            Value::Number(_) if self.hides => "a number".to_owned(),
            Value::Array(_) if self.hides => "an array".to_owned(),
            Value::Object(_) if self.hides => "an object".to_owned(),
            value => ConfigError::shown(value),
        }
    }
}

/// Finds the name one object further in.
fn inside(table: &Table, name: &str) -> Option<String> {
    let holds = |field: &&Field| matches!(field.kind, Kind::Object(inner) if inner.field(name).is_some());
    table.fields.iter().find(holds).map(|field| format!("{}.{name}", field.name))
}

/// Returns the fault of a value that represents a JavaScript value without a JSON form, such as NaN.
fn refused(kind: &Kind, value: &Value) -> Option<FaultKind> {
    let is_number = matches!(refused_text(value)?, "NaN" | "Infinity" | "-Infinity");
    let is_host = matches!(kind, Kind::Host { .. });
    Some(if is_number && !is_host { FaultKind::OutOfRange } else { FaultKind::NotUsable })
}

fn refused_text(value: &Value) -> Option<&str> {
    value.as_object()?.get(REFUSED)?.as_str()
}

/// Returns the fault of the value itself; values inside it are checked separately.
pub(super) fn own_fault(kind: &Kind, value: &Value) -> Option<FaultKind> {
    use FaultKind::{NotAllowed, NotUsable, OutOfRange, WrongType};
    let unless = |ok: bool, fault| (!ok).then_some(fault);
    match kind {
        Kind::Flag { .. } => unless(value.is_boolean(), WrongType),
        Kind::False => unless(value == &Value::Bool(false), WrongType),
        Kind::Integer { min, max, .. } => match value {
            Value::Number(_) => unless(
                whole_number(value).is_some_and(|number| ((*min).into()..=(*max).into()).contains(&number)),
                OutOfRange,
            ),
            _ => Some(WrongType),
        },
        Kind::Number { min, max, .. } => match value {
            Value::Number(number) => {
                unless(number.as_f64().is_some_and(|number| (*min..=*max).contains(&number)), OutOfRange)
            }
            _ => Some(WrongType),
        },
        Kind::Text { not_blank, reserved, .. } => match value {
            Value::String(text) => {
                let is_missing = *not_blank && text.trim().is_empty();
                (is_missing || reserved.contains(&&**text)).then_some(NotAllowed)
            }
            _ => Some(WrongType),
        },
        Kind::Name { .. } => match value {
            Value::String(text) => unless(!text.trim().is_empty(), NotAllowed),
            _ => Some(WrongType),
        },
        Kind::Choice { words, .. } => match value {
            Value::String(text) => unless(words.contains(&&**text), NotAllowed),
            _ => Some(WrongType),
        },
        Kind::Object(_) | Kind::AnyObject | Kind::Record { .. } => unless(value.is_object(), WrongType),
        Kind::List { .. } => unless(value.is_array(), WrongType),
        // The least of the faults: a number out of range is nearer to what was meant than a text.
        Kind::Either(first, second) => match (own_fault(first, value)?, own_fault(second, value)?) {
            (WrongType, fault) => Some(fault),
            (fault, _) => Some(fault),
        },
        Kind::Any => None,
        Kind::Host { .. } => unless(value.get(HELD).is_some(), NotUsable),
    }
}

/// JavaScript has one kind of number: 5.0 is 5.
pub(super) fn whole_number(value: &Value) -> Option<i128> {
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() < 9e15;
    let exact = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    exact.or_else(|| value.as_f64().filter(is_whole).map(|number| number as i128))
}
