"use strict";

// Finds names that the assistant uses later and that were only in the older part of the prefix: paths, code
// identifiers, hashes.

const { share } = require("./cuts.js");
const { blocksOf, textOf, textOfMessage, withoutLineNumbers } = require("./texts.js");

/** Cuts after which fewer names are needed are ignored. */
const MIN_NAMES = 10;
const MAX_NAME = 120;
/** Characters on each side that must be there too if a name counts only in its context. */
const CONTEXT = 40;

// Limited, so that a line of a megabyte does not take a minute.
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

/** Returns the share of the names that are still there. */
function keptNames(messages, needed) {
  const there = namesOf(messages);
  return share(needed, (name) => there.has(name));
}

/** Line ends: in parameters, which are JSON, the line break is escaped. */
const LINE_BREAK = /\n|\\n/;

/** Returns a name with up to 40 characters before and after it in its line. */
function inContext(text, { name, index }) {
  const end = index + name.length;
  // In JSON the first letter may belong to an escaped line break.
  const isEscaped = text[index - 1] === "\\";
  const before = isEscaped
    ? ""
    : text
        .slice(Math.max(0, index - CONTEXT), index)
        .split(LINE_BREAK)
        .at(-1);
  return `${before}${name}${text.slice(end, end + CONTEXT).split(LINE_BREAK)[0]}`;
}

function* contextsOf(messages, wanted) {
  for (const block of messages.flatMap(blocksOf)) {
    const text = withoutLineNumbers(textOf(block));
    for (const mention of mentions(text)) {
      if (wanted.has(mention.name)) yield [mention.name, inContext(text, mention)];
    }
  }
}

/** Returns the share of the names that are still somewhere in their context from the older part; a list of names is no context. */
function keptInContext(messages, needed, { older }) {
  const wanted = new Set(needed);
  const contexts = new Set([...contextsOf(older, wanted)].map(([, context]) => context));
  const there = new Set();
  for (const [name, context] of contextsOf(messages, wanted)) if (contexts.has(context)) there.add(name);
  return share(needed, (name) => there.has(name));
}

module.exports = { MIN_NAMES, keptInContext, keptNames, namesOf, neededNames };
