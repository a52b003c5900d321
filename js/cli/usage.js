"use strict";

// The usage in one line.

/** The argument of a command, as `[HISTORY...]`. */
function argumentOf({ arguments: { name, isMany, isOptional } }) {
  const taken = `${name}${isMany ? "..." : ""}`;
  return isOptional ? `[${taken}]` : taken;
}

/** The usage of a command. The name of the default command can be omitted. */
const usageOf = (command, isDefault = false) => `roo-condense ${isDefault ? "" : `${command.name} `}${argumentOf(command)} [options]`;

module.exports = { argumentOf, usageOf };
