"use strict";

// Creates the messages for people that originate in JavaScript: a code and values. The words are in the addon
// (src/words/en.json), so that a page can use another language.

/** Creates a message: its English, with code and values. */
function told(code, values = {}) {
  const said = { code, values };
  // Loaded only now, because help does not depend on the addon.
  const native = require("#native");
  return { message: JSON.parse(native.english(JSON.stringify(said))), said };
}

module.exports = { told };
