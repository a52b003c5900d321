"use strict";

// What is put into a conversation from JavaScript in forms that the addon writes, too: it has the words (src/markers).

/** @type {Record<"summaryAbove" | "textSuppressed", string> | undefined} */
let forms;

/** @param {"summaryAbove" | "textSuppressed"} name */
const marker = (name) => (forms ??= JSON.parse(require("#native").markers()))[name];

module.exports = { marker };
