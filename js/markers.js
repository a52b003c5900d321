"use strict";

// The forms in src/markers that JavaScript also writes or recognises. They are repeated here because the drop-in for
// Roo-Code starts without the addon; a test compares them.

module.exports = {
  RECALL_HINT: '[Everything left out here can be brought back: call recall with {"query": "words to look for"}]',
  SUMMARY_ABOVE: "[The messages before this point were condensed into the summary above. Continue from there.]",
  SUMMARY_OF_12: "[Summary of 12 messages]",
  TEXT_SUPPRESSED: "[Message text suppressed]",
};
