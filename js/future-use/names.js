"use strict";

// Finds names that the assistant uses later and that were only in the older part of the prefix: paths, code
// identifiers, hashes.

const { share } = require("./cuts.js");
const { textOfMessage } = require("./texts.js");

const MAX_NAME = 120;

// The length is limited, so that a line of a megabyte does not take a minute.
const PATH = String.raw`[\w.\-]{0,120}(?:\/[\w.\-]+)+`;
const IDENTIFIER = String.raw`[A-Za-z_$][\w$]{5,}`;
const HASH = String.raw`\b[0-9a-f]{7,40}\b`;
const CANDIDATE = new RegExp(`${PATH}|${IDENTIFIER}|${HASH}`, "g");

/** Returns true for names. Unlike words of prose, an identifier has a capital after its first letter, or an underscore, a `$` or a digit. */
function isName(text) {
  if (text.length > MAX_NAME) return false;
  if (text.includes("/")) return text.length >= 6 && /[A-Za-z]/.test(text);
  const isCamelCase = /[A-Z]/.test(text.slice(1)) && /[a-z]/.test(text);
  return isCamelCase || /[_$0-9]/.test(text);
}

/** Yields each name in a text, and its position. */
function* mentions(text) {
  for (const { 0: found, index } of text.matchAll(CANDIDATE)) {
    if (isName(found)) yield { name: found.replace(/[.-]+$/, ""), index };
  }
}

function namesOf(messages) {
  const names = new Set();
  for (const message of messages) for (const { name } of mentions(textOfMessage(message))) names.add(name);
  return names;
}

/** Returns the names that are needed after a cut. */
function neededNames({ older, kept, future }) {
  const [known, there] = [namesOf(older), namesOf(kept)];
  return [...namesOf(future)].filter((name) => known.has(name) && !there.has(name));
}

/** Returns the share of the names that are still present. */
function keptNames(messages, needed) {
  const there = namesOf(messages);
  return share(needed, (name) => there.has(name));
}

module.exports = { keptNames, mentions, namesOf, neededNames };
