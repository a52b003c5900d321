"use strict";

// `roo-condense explain CODE`: explains a code of an error, a warning or a problem in messages, and what to do; for a number, an exit code.

const codes = require("./codes.json");
const { MEANINGS, codeName } = require("./exit-codes.js");
const { wrap } = require("./terminal.js");

/** The exit codes of the command line, by the words of `--json`. */
const OF_EXITS = Object.fromEntries(MEANINGS.map(([code, meaning]) => [codeName(code), { code, meaning }]));

const KINDS = { warning: "warning", problem: "problem in messages" };

const ended = (text) => `${text}${/[.!?]$/.test(text) ? "" : "."}`;
const sentence = (text) => ended(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);

/** Returns the explanation of a code in lines of `width`. */
function explain(code, width) {
  const exit = /^\d+$/.test(code) ? MEANINGS.find(([number]) => number === Number(code)) : undefined;
  const own = OF_EXITS[code];
  const known = Object.hasOwn(codes, code) ? codes[code] : [];
  const parts = [
    ...(exit ? [`Exit code ${exit[0]}: ${exit[1]}.`] : []),
    ...known.flatMap(({ kind, how, when, help }) => [
      `${sentence(KINDS[kind] ?? `error, ${how}`)} ${sentence(when)}`,
      `What to do: ${ended(help)}`,
    ]),
    ...(own && known.length === 0 ? [`Exit code ${own.code}: ${own.meaning}.`] : []),
  ];
  const lines = parts.flatMap((part) => wrap(part.replaceAll("`", ""), width - 2).map((line) => `  ${line}`));
  return `${[code, ...lines].join("\n")}\n`;
}

module.exports = { explain };
