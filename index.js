"use strict";

const native = require("./js/native.js");

exports.version = native.version;
