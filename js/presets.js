"use strict";

// The presets of the smart provider.

const native = require("#native");

/** Returns the presets of the smart provider by name. */
const presets = () => JSON.parse(native.smartPresets());

module.exports = { presets };
