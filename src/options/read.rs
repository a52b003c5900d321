//! A table held against what was written.

use serde_json::Value;

use super::{ConfigError, Settings, Table, check, schema};

impl Table {
    /// Checks `value`: an object, or null for all defaults.
    ///
    /// # Errors
    /// Every fault: of the fields in their order, then of unknown ones.
    pub fn read<'a>(&'static self, value: &'a Value) -> Result<Settings<'a>, Vec<ConfigError>> {
        let faults = check::faults(self, value, self.root());
        if faults.is_empty() { Ok(Settings::new(self, Some(value))) } else { Err(faults) }
    }

    /// JSON Schema 2020-12 of an object with these fields.
    #[must_use]
    pub fn schema(&self) -> Value {
        schema::of(self)
    }
}
