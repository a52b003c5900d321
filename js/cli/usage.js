"use strict";

// The usage of commands in one line.

const shown = ({ name, isMany, isOptional }) => {
  const taken = `${name}${isMany ? "..." : ""}`;
  return isOptional ? `[${taken}]` : taken;
};

/** Returns the arguments of a command, as `[HISTORY...]`. */
const argumentOf = (command) => [command.arguments, ...(command.words ? [command.words] : [])].map(shown).join(" ");

/** Returns the usage of a command. The name of the default command can be omitted. */
const usageOf = (command, isDefault = false) => `roo-condense ${isDefault ? "" : `${command.name} `}${argumentOf(command)} [options]`;

module.exports = { argumentOf, usageOf };
