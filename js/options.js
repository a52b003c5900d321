"use strict";

// Reads options of functions that are implemented in JavaScript. The addon defines the options (src/options), checks them and has their
// defaults. Functions and objects of the host remain in JavaScript.

const native = require("#native");
const { checked, missing, notAllowed, readable } = require("./errors.js");
const isObject = require("./is-object.js");
const { isHeld, refused, serialize } = require("./serialize.js");

/** Represents a usable value that remains in JavaScript. */
const HELD = { $held: true };

/** @typedef {((value: any) => boolean) | { [field: string]: Kept }} Kept checks a value that remains in JavaScript, or the fields of an object */

/**
 * Returns the options with their defaults. Each field is read once, so that the value checked is the value used.
 * @param {string} type the interface that the addon defines
 * @param {unknown} options
 * @param {{ [field: string]: Kept }} kept
 * @param {string} [allowed] what the options must be
 * @returns {any}
 */
function checkedOptions(type, options, kept, allowed = "an object") {
  if (options === undefined) throw missing("options", allowed);
  if (!isObject(options)) throw notAllowed("options", options, allowed);
  const { given, shown } = fieldsOf(options, "options", kept);
  const defaults = JSON.parse(checked(() => native.checkOptions(type, serialize(shown, "options"))));
  return { ...defaults, ...given };
}

/** Returns the fields of an object, and the form of them that is passed to the addon. */
function fieldsOf(object, field, kept) {
  const given = Object.create(null);
  const shown = Object.create(null);
  for (const name of readable(field, () => namesIn(object))) {
    const place = `${field}.${name}`;
    const value = readable(place, () => object[name]);
    // An unknown name is refused with any value.
    shown[name] = refused(value);
    if (value === undefined) continue;
    const how = Object.hasOwn(kept, name) ? kept[name] : undefined;
    const inner = isObject(how) && isObject(value) ? fieldsOf(value, place, how) : undefined;
    given[name] = inner ? inner.given : value;
    shown[name] = inner ? inner.shown : readable(place, () => shownAs(value, how));
  }
  return { given, shown };
}

function shownAs(value, how) {
  if (typeof how === "function") return how(value) ? HELD : refused(value);
  return isHeld(value) && (typeof value !== "object" || value === null) ? value : refused(value);
}

/** Returns the names of all fields, inherited ones included. */
function namesIn(object) {
  const names = [];
  for (const name in object) names.push(name);
  return names;
}

module.exports = { checkedOptions, namesIn };
