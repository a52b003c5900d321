// The format of messages is seen in them: every sample is recognised as its own format, and refused as any other.

import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { api } from "../api/support.mjs";
import { SAMPLES, rounds, task } from "./rounds.mjs";

const require = createRequire(import.meta.url);
const { NAMES, seenIn } = require("../../js/formats.js");
const { resultsIn } = require("../../js/condense-result.js");

/** The format that is seen; undefined if the messages are refused. Messages without a mark are Anthropic's. */
function formatSeen(messages, named) {
  const { format = "anthropic", told } = seenIn(messages, named);
  return told === undefined ? (named ?? format) : undefined;
}

test.each(NAMES)("%s is recognised by its own marks, and by no others", (format) => {
  const conversation = [...task(format), ...rounds(format, 1, 3)];
  for (const messages of [conversation, ...SAMPLES[format].recognised]) expect(formatSeen(messages)).toBe(format);
  // LangChain's messages may hold the calls of Anthropic's models as these write them.
  const allowed = format === "anthropic" ? [format, "langchain"] : [format];
  expect(NAMES.filter((name) => formatSeen(conversation, name) !== undefined)).toEqual(allowed);
  expect(api.countTokens(conversation, { format })).toBeGreaterThan(0);
});

/** Formats in which programs keep histories and send no results: a result is beside its call, or is not sent in this form. */
const KEPT = ["ai-sdk-ui", "opencode", "goose"];

test.each(NAMES)("a result in a message of %s is found, and so can be shortened", (format) => {
  const found = SAMPLES[format].round("call_1", "read_file", { path: "a.ts" }, "one line").map((message) => resultsIn(message).length);
  expect(found).toEqual(KEPT.includes(format) ? found.map(() => 0) : [0, 1]);
});
