"use strict";

// The usage in one line.

/** What a command takes, as `[HISTORY...]`. */
function argumentOf({ arguments: { name, isMany, isOptional } }) {
  const taken = `${name}${isMany ? "..." : ""}`;
  return isOptional ? `[${taken}]` : taken;
}

/** The usage of a command. `condense` can do without its name. */
const usageOf = (command, isDefault = false) => `roo-condense ${isDefault ? "" : `${command.name} `}${argumentOf(command)} [options]`;

module.exports = { argumentOf, usageOf };
