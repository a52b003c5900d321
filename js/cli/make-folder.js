"use strict";

const fs = require("node:fs");
const path = require("node:path");

/**
 * Makes a folder, and those above it. Node's own `recursive` never returns where a file system refuses a new folder as if the one above were missing, such as /proc.
 * @param {string} folder
 * @param {number} [mode] of the folders it makes
 */
function makeFolder(folder, mode) {
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    // Something else has that name: it is no file to be overwritten.
    if (error.code === "EEXIST") error.code = "ENOTDIR";
    const above = path.dirname(folder);
    if (error.code !== "ENOENT" || fs.existsSync(above)) throw error;
    makeFolder(above, mode);
    makeFolder(folder, mode);
  }
}

module.exports = { makeFolder };
