"use strict";

// What is told to people, where JavaScript finds it out: a code and values. The words are the addon's (src/words/en.json), so that a page can say the same
// in another language.

/** Something told: its English, and what that was made of. */
function told(code, values = {}) {
  const said = { code, values };
  // Only now: help does not depend on the addon.
  const native = require("#native");
  return { message: JSON.parse(native.english(JSON.stringify(said))), said };
}

module.exports = { told };
