"use strict";

// Converts messages of other formats to Anthropic's for code that reads only those: custom providers, recall, the
// texts in the studio.

const native = require("#native");
const { checked } = require("./errors.js");
const { asRead, takeAsOurs } = require("./formats.js");
const { serialize } = require("./serialize.js");

function projected(messages, format, isEach) {
  if (format === undefined) return messages;
  const json = serialize(asRead(messages, format), "messages");
  return takeAsOurs(JSON.parse(checked(() => native.projectMessages(json, format, isEach))));
}

/** Returns messages of `format` as Anthropic's, joined as providers read them (docs/formats.md); without a format, unchanged. */
const asOurs = (messages, format) => projected(messages, format, false);

/** Does the same, with one message for each of the caller's. */
const eachAsOurs = (messages, format) => projected(messages, format, true);

module.exports = { asOurs, eachAsOurs };
