"use strict";

// Fingerprints of texts, values and messages, as the addon calculates them (src/conversation/fingerprint.rs). They
// detect changes by others, which must neither be overwritten nor be used to rebuild texts.

const native = require("#native");
const { stringify } = require("./deep-json.js");
const { asRead } = require("./formats.js");

/** Digits per message in the result of `contentsOf`. */
const DIGITS = 8;

/** Returns the fingerprint of a value: `length:hash`. A value that JSON cannot hold has that of `null`. */
const fingerprintOf = (value) => (typeof value === "string" ? native.fingerprintText(value) : fingerprintsOf([value])[0]);

/** Returns the fingerprint of each value. */
const fingerprintsOf = (values) => native.fingerprintValues(stringify(values));

/** Returns the length in a fingerprint, for a text its UTF-16 units; undefined if it is not a fingerprint. */
function lengthIn(fingerprint) {
  const found = typeof fingerprint === "string" ? /^(\d{1,10}):[0-9a-f]{16}$/.exec(fingerprint) : null;
  return found ? Number(found[1]) : undefined;
}

/** Returns the content hash of each message of a format, as an array. Fields that hosts add and remove make no difference. */
const contentsOf = (messages, format) => divided(native.contentsOf(stringify(asRead(messages, format)), format));

/** Divides a string of contents. */
const divided = (contents) => contents.match(/.{8}/g) ?? [];

/** Returns the number of messages and a hash of their contents. */
const fingerprintOfMessages = (messages, format) => native.fingerprintMessages(stringify(asRead(messages, format)), format);

module.exports = { DIGITS, contentsOf, divided, fingerprintOf, fingerprintOfMessages, fingerprintsOf, lengthIn };
