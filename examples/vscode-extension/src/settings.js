"use strict";

// The settings of the user, in the configuration of VS Code.

const vscode = require("vscode");

/** Those that the studio shows and changes, by the names that it has for them. */
const OF_STUDIO = ["autoCondenseContext", "autoCondenseContextPercent", "profileThresholds", "provider", "preset", "targetPercent"];

const stored = () => vscode.workspace.getConfiguration("roo-condense");

/** A setting without a value of its own is null in VS Code. */
const readSettings = () => Object.fromEntries(OF_STUDIO.map((name) => [name, stored().get(name) ?? undefined]));

/** Stores, for all folders, what is another than before. Absent: as it is where nobody chose. */
async function writeSettings(settings) {
  const old = readSettings();
  for (const name of OF_STUDIO)
    if (JSON.stringify(settings[name]) !== JSON.stringify(old[name]))
      await stored().update(name, settings[name], vscode.ConfigurationTarget.Global);
}

/** Files to keep word for word. */
const protectedPaths = () => stored().get("protectPaths", []);
/** The window of the user's model, in tokens. */
const contextWindow = () => stored().get("contextWindow", 200_000);

module.exports = { contextWindow, protectedPaths, readSettings, writeSettings };
