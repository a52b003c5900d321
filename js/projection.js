"use strict";

// Messages of other formats as Anthropic's, for what reads those alone: providers of the host, recall, the texts that the studio shows.

const native = require("#native");
const { checked } = require("./errors.js");
const { asRead, takeAsOurs } = require("./formats.js");
const { serialize } = require("./serialize.js");

function projected(messages, format, isEach) {
  if (format === undefined) return messages;
  const json = serialize(asRead(messages, format), "messages");
  return takeAsOurs(JSON.parse(checked(() => native.projectMessages(json, format, isEach))));
}

/** Messages of `format` as Anthropic's, joined as providers read them (docs/formats.md); those of none as they are. */
const asOurs = (messages, format) => projected(messages, format, false);

/** The same with one message for each. */
const eachAsOurs = (messages, format) => projected(messages, format, true);

module.exports = { asOurs, eachAsOurs };
