"use strict";

// In this form the names of what is exported are found by `import { name } from "roo-condense"`, too.
module.exports = require("./js/api.js");
