"use strict";

// What texts, values and messages say, in a few bytes, as the addon makes them (src/conversation/fingerprint.rs): for what was changed by somebody else
// must neither be overwritten nor be put together from.

const native = require("#native");
const { stringify } = require("./deep-json.js");
const { asRead } = require("./formats.js");

/** Digits of a message in what `contentsOf` returns. */
const DIGITS = 8;

/** The fingerprint of a value: `length:hash`. What JSON cannot hold has that of `null`. */
const fingerprintOf = (value) => (typeof value === "string" ? native.fingerprintText(value) : fingerprintsOf([value])[0]);

/** The fingerprint of each value. */
const fingerprintsOf = (values) => native.fingerprintValues(stringify(values));

/** The length that a fingerprint names, of a text its UTF-16 units; undefined for what is none. */
function lengthIn(fingerprint) {
  const found = typeof fingerprint === "string" ? /^(\d{1,10}):[0-9a-f]{16}$/.exec(fingerprint) : null;
  return found ? Number(found[1]) : undefined;
}

/** What each message of a format says, as an array. Fields that hosts add and remove make no difference. */
const contentsOf = (messages, format) => divided(native.contentsOf(stringify(asRead(messages, format)), format));

/** The contents that a string holds. */
const divided = (contents) => contents.match(/.{8}/g) ?? [];

/** How many messages there are, and a hash of what they say. */
const fingerprintOfMessages = (messages, format) => native.fingerprintMessages(stringify(asRead(messages, format)), format);

module.exports = { DIGITS, contentsOf, divided, fingerprintOf, fingerprintOfMessages, fingerprintsOf, lengthIn };
