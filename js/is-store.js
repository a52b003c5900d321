"use strict";

const isObject = require("./is-object.js");

/** Returns true if a value can store texts for this package: it has `get` and `set`, like a Map or a Keyv. */
module.exports = (value) =>
  (isObject(value) || typeof value === "function") && typeof value.get === "function" && typeof value.set === "function";
