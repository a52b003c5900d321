"use strict";

// Finds passages that the assistant later replaces in a file (`old_string`, two or more lines) and that were whole in
// one block of the older part.

const { share } = require("./cuts.js");
const { blocksOf, textOf, withoutLineNumbers } = require("./texts.js");

const strings = (input) => Object.values(input ?? {}).filter((value) => typeof value === "string");
const readable = (block) => withoutLineNumbers(block.type === "tool_use" ? strings(block.input).join("\n") : textOf(block));
/** Returns the texts of blocks as an agent quotes them. */
const readables = (messages) => messages.flatMap(blocksOf).map(readable);
const stands = (texts, passage) => texts.some((text) => text.includes(passage));

/** Returns the passages that are needed after a cut. */
function neededEdits({ older, kept, future }) {
  const [old, there] = [readables(older), readables(kept)];
  return replacedIn(future).filter((passage) => stands(old, passage) && !stands(there, passage));
}

/** Returns the passages of two or more lines that messages replace. */
function replacedIn(messages) {
  return messages
    .flatMap(blocksOf)
    .filter((block) => block.type === "tool_use" && typeof block.input?.old_string === "string")
    .map((block) => block.input.old_string.trim())
    .filter((passage) => passage.includes("\n"));
}

/** Returns the share of the passages that are still whole in one block. */
function keptEdits(messages, needed) {
  const texts = readables(messages);
  return share(needed, (passage) => stands(texts, passage));
}

module.exports = { keptEdits, neededEdits, readables, replacedIn, stands };
