"use strict";

// Lists problems of messages: violations of their format's rules, and content that a service does not know.

const native = require("#native");
const { checked, notAllowed, readable, refuseUnknown } = require("./errors.js");
const { asRead, requireFormat, seenIn } = require("./formats.js");
const { requireMessages, serializeMessages } = require("./serialize.js");
const { NAMES, refusedBy } = require("./service-refusals.js");

function validateMessages(messages, options) {
  refuseUnknown("options", options, ["format", "service"]);
  const { format: own, service } = readable("options", () => ({ format: options?.format, service: options?.service }));
  requireFormat(own);
  const named = formatForService(service, own);
  requireMessages(messages, "messages");
  // Condensing and counting refuse messages of an unreadable format; here every problem is listed.
  const { format, index, told } = readable("messages", () => seenIn(messages, named));
  const json = serializeMessages(asRead(messages, format), "messages");
  const problems = JSON.parse(checked(() => native.findProblems(json, format)));
  if (told) return [{ messageIndex: index, code: "unsupported_format", message: told }, ...problems];
  if (service === undefined) return problems;
  // A role unknown to the format was already reported.
  const refused = readable("messages", () => refusedBy(service, messages)).filter(
    ({ code, messageIndex }) => !problems.some((problem) => problem.code === code && problem.messageIndex === messageIndex),
  );
  return [...problems, ...refused].sort((one, other) => one.messageIndex - other.messageIndex);
}

/** Returns the format of messages for a service. */
function formatForService(service, format) {
  if (service === undefined) return format;
  if (!NAMES.includes(service)) throw notAllowed("options.service", service, NAMES.map((name) => `"${name}"`).join(", "));
  if (format !== undefined && format !== service) throw notAllowed("options.format", format, `"${service}", the format of options.service`);
  return service;
}

module.exports = { validateMessages };
