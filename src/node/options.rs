//! Options of functions whose values JavaScript uses itself: checked here, where they are defined.

use napi_derive::napi;
use serde_json::Value;

use super::{
    piece_options,
    thrown::{Result, settings, thrown, told, wrong_config},
};
use crate::{
    llm::HANDLER_TABLES,
    manager::OPTION_TABLES,
    options::{ConfigError, Table, declarations},
    providers::CALIBRATE_TABLE,
    recall, recommend, result, strategies,
};

/// The tables of all options whose types the package exports.
fn tables() -> impl Iterator<Item = &'static Table> {
    let providers = strategies::all().map(|known| (known.table)());
    let functions = recall::TABLES.into_iter().chain([recommend::TABLE, result::TABLE, CALIBRATE_TABLE]);
    providers.chain(OPTION_TABLES).chain(HANDLER_TABLES).chain(functions)
}

/// Returns options as interfaces of TypeScript, for `npm run generate`: the options whose types the package exports,
/// or the options of the pieces with these names.
#[napi(catch_unwind)]
pub fn option_types(interfaces: Option<Vec<String>>) -> String {
    let Some(interfaces) = interfaces else { return declarations(tables()) };
    let is_wanted = |table: &&Table| interfaces.iter().any(|name| table.is_interface(name));
    declarations(piece_options::TABLES.into_iter().filter(is_wanted))
}

/// Checks the options of a function, which have this interface. Returns the defaults of its fields as JSON.
#[napi(catch_unwind)]
pub fn check_options(interface: String, options: String) -> Result<String> {
    let Some(table) = tables().chain(piece_options::TABLES).find(|table| table.is_interface(&interface)) else {
        return Err(thrown("internal_error", format!("there are no options {interface}")));
    };
    let options: Value = settings(&options)?;
    let faults: Vec<_> = table.faults(&options).into_iter().map(ConfigError::of_argument).collect();
    if faults.is_empty() { told(&table.defaults()) } else { Err(wrong_config(faults)) }
}
