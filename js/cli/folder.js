"use strict";

// Contents of a folder that another program owns: it may not be there, or be unreadable, or go at any moment.

const fs = require("node:fs");

/** The names in a folder, sorted; none where it cannot be read. */
function namesIn(folder) {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The first bytes of a file as text; an empty one where it cannot be read. */
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

/** The value of a file of JSON; undefined where it cannot be read or is none. */
function valueIn(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Values of lines of JSON; lines that are none are left out. */
const valuesOfLines = (text) =>
  text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });

module.exports = { headOf, namesIn, valueIn, valuesOfLines };
