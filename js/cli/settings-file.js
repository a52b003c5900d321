"use strict";

// Stores the settings of automatic condensing that the studio's page changes: in a file that the user names, or else
// as long as the studio runs.

const fs = require("node:fs");
const { readObject } = require("./condensation.js");
const { writeOutput } = require("./output-file.js");

/**
 * Creates a store of settings for the studio's host. A missing file contains none.
 * @param {string | undefined} file
 * @returns {import("../../types/studio.js").StudioSettingsStore}
 */
function settingsStore(file) {
  let kept = {};
  if (file === undefined) {
    return {
      read: () => kept,
      write: (settings) => {
        kept = settings;
      },
    };
  }
  const read = () => (fs.existsSync(file) ? readObject("--settings", file) : {});
  // Read now, so that an unreadable file is reported at once.
  read();
  return { keptIn: file, read, write: (settings) => writeOutput(file, `${JSON.stringify(settings, null, 2)}\n`, {}, true) };
}

module.exports = { settingsStore };
