"use strict";

// Finds the fields, roles, items and parts of messages that a service refuses because it does not know them.

const isObject = require("./is-object.js");
const SERVICES = require("./service-fields.js");

const partsOf = ({ content, parts, output }) => [content, parts, output].find(Array.isArray) ?? [];
const quoted = (names) => names.map((name) => `"${name}"`).join(", ");
/** Gemini accepts both forms of a name. */
const inCamelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** @typedef {{ messageIndex: number, blockIndex?: number, code: string, message: string }} Problem */

class Refusals {
  /** @type {Problem[]} */
  problems = [];
  #marks = 0;

  constructor(service) {
    this.service = service;
    this.fields = SERVICES[service];
  }

  message(message, messageIndex) {
    if (!isObject(message)) return;
    const { key, messages } = this.fields;
    const kind = message[key] ?? (key === "type" && message.role !== undefined ? "message" : undefined);
    const place = { messageIndex };
    if (Object.hasOwn(messages, String(kind))) this.#unknownFields(message, messages[kind], place);
    else if (kind !== undefined)
      this.#add(
        place,
        key === "role" ? "unknown_role" : "unknown_block",
        `${key} is "${kind}"; the service knows ${quoted(Object.keys(messages))}`,
      );
    for (const [blockIndex, part] of partsOf(message).entries()) this.#part(part, { messageIndex, blockIndex });
  }

  #part(part, place, isInner = false) {
    if (!isObject(part)) return;
    const { parts, part: ofAny } = this.fields;
    if (ofAny) this.#unknownFields(part, ofAny, place);
    else if (Object.hasOwn(parts, String(part.type))) this.#unknownFields(part, parts[part.type], place);
    else if (part.type !== undefined)
      this.#add(place, "unknown_block", `type is "${part.type}"; the service knows ${quoted(Object.keys(parts))}`);
    this.#cacheMark(part, place);
    // A result has its own parts, which have no further ones.
    if (!isInner) for (const inner of partsOf(part)) this.#part(inner, place, true);
  }

  #unknownFields(value, known, place) {
    const isKnown = (name) => known.includes(this.service === "gemini" ? inCamelCase(name) : name);
    for (const name of Object.keys(value).filter((name) => value[name] !== undefined && !isKnown(name)))
      this.#add(place, "unknown_field", `has a field "${name}"; the service takes ${quoted(known)}`);
  }

  #cacheMark(part, place) {
    const { field, most } = this.fields.cacheMarks ?? {};
    if (field === undefined || !isObject(part[field])) return;
    this.#marks++;
    if (this.#marks === most + 1) this.#add(place, "too_many_cache_marks", `is the fifth with ${field}; the service takes ${most}`);
  }

  #add(place, code, message) {
    this.problems.push({ ...place, code, message });
  }
}

/**
 * Lists everything in messages that the service of their format does not know.
 * @param {string} service
 * @param {readonly any[]} messages
 */
function refusedBy(service, messages) {
  const refusals = new Refusals(service);
  for (const [index, message] of messages.entries()) refusals.message(message, index);
  return refusals.problems;
}

module.exports = { NAMES: Object.keys(SERVICES), refusedBy };
