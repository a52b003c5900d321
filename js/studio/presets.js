"use strict";

const native = require("#native");

/** The presets of the smart provider by name. */
const presets = () => JSON.parse(native.smartPresets());

module.exports = { presets };
