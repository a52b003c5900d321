"use strict";

const isObject = require("./is-object.js");

/** Whether a value can keep texts for this package: it has `get` and `set`, as a Map and a Keyv do. */
module.exports = (value) =>
  (isObject(value) || typeof value === "function") && typeof value.get === "function" && typeof value.set === "function";
