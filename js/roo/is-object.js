"use strict";

/** Whether the value is an object and no array. Here, because the modules of the drop-in load where there is no binary. */
module.exports = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
