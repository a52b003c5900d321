"use strict";

// Reads the contents of a folder that another program owns: it may be missing or unreadable, or disappear at any
// moment.

const fs = require("node:fs");

/** Returns the names in a folder, sorted; none if it cannot be read. */
function namesIn(folder) {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Returns the first bytes of a file as text; an empty text if it cannot be read. */
function headOf(file, bytes) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, "r");
    const head = Buffer.alloc(bytes);
    return head.toString("utf8", 0, fs.readSync(descriptor, head, 0, bytes, 0));
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Returns the value in a file of JSON; undefined if it cannot be read or is invalid. */
function valueIn(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns the values in lines of JSON; invalid lines are left out. */
const valuesOfLines = (text) =>
  text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });

module.exports = { headOf, namesIn, valueIn, valuesOfLines };
