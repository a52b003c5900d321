"use strict";

// Forms of src/markers that JavaScript puts into conversations, too. They stand here again because the drop-in for Roo-Code starts without the addon; a test compares them.

module.exports = {
  RECALL_HINT: '[Everything left out here can be brought back: call recall with {"query": "words to look for"}]',
  SUMMARY_ABOVE: "[The messages before this point were condensed into the summary above. Continue from there.]",
  TEXT_SUPPRESSED: "[Message text suppressed]",
};
