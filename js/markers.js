"use strict";

// Forms of src/markers that JavaScript puts into conversations, too. They stand here again because the drop-in for Roo-Code starts without the addon; a test compares them.

module.exports = {
  SUMMARY_ABOVE: "[The messages before this point were condensed into the summary above. Continue from there.]",
  TEXT_SUPPRESSED: "[Message text suppressed]",
};
