"use strict";

const fs = require("node:fs");
const path = require("node:path");

/**
 * Creates a folder and its parents. Node's own `recursive` never returns if a file system reports a missing parent although it refuses
 * new folders, as /proc does.
 * @param {string} folder
 * @param {number} [mode] of the folders it makes
 */
function makeFolder(folder, mode) {
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    // A file has that name. The message for EEXIST would suggest `--force`, which overwrites an output file.
    if (error.code === "EEXIST") error.code = "ENOTDIR";
    const above = path.dirname(folder);
    if (error.code !== "ENOENT" || fs.existsSync(above)) throw error;
    makeFolder(above, mode);
    makeFolder(folder, mode);
  }
}

module.exports = { makeFolder };
