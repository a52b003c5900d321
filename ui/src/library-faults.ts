// Faults of configurations and of files, which the library says in English, in the language of the page. A test makes them and fails on one that is not
// known here.

import type { Format } from "./format.js";
import { type Parts, type Rule, type Translate, byRules, ifKnown } from "./sentences.js";
import { visibleText } from "./text.js";

/** What can stand in such a sentence: a number, words of a file or a configuration, what is allowed, why JSON is none. */
type Part = "number" | "name" | "allowed" | "because" | "why";

const FAULTS: readonly Rule<Part>[] = [
  [/^(?<path>\S+) is missing; allowed: (?<allowed>.+)$/s, "config.missing", { path: "name", allowed: "because" }],
  [/^(?<path>\S+) is unknown; known: (?<names>.+)$/s, "config.unknown", { path: "name", names: "name" }],
  [/^(?<path>\S+) is unknown; did you mean (?<near>.+)\?$/s, "config.near", { path: "name", near: "name" }],
  [
    /^(?<path>\S+): (?<value>.+) is not allowed; allowed: (?<allowed>.+)$/s,
    "config.notAllowed",
    { path: "name", value: "name", allowed: "because" },
  ],
  [
    /^(?<name>.+):(?<line>\d+):(?<column>\d+): not JSON: (?<why>.+)$/s,
    "file.notJson",
    { name: "name", line: "number", column: "number", why: "why" },
  ],
  [/^(?<name>.+) holds nothing but white space$/s, "file.blank", { name: "name" }],
  [/^(?<name>.+) is empty$/s, "file.empty", { name: "name" }],
  [/^(?<name>.+): there is no such file$/s, "file.gone", { name: "name" }],
  [/^(?<name>.+): is a folder$/s, "file.folder", { name: "name" }],
  [/^(?<name>.+): no permission to read it$/s, "file.forbidden", { name: "name" }],
  [/^(?<name>.+) is not a history: an array of messages expected, .+$/s, "file.noArray", { name: "name" }],
  [
    /^(?<name>.+) is not a history: none of its (?<count>\d+) elements has a "role"; .+$/s,
    "file.noRole",
    { name: "name", count: "number" },
  ],
  [
    /^(?<name>.+) is not a history: none of its (?<count>\d+) lines holds a message, .+$/s,
    "file.noMessage",
    { name: "name", count: "number" },
  ],
  [/^(?<name>.+) is not a history: message (?<index>\d+): .+$/s, "file.foreign", { name: "name", index: "name" }],
  [
    /^the condensed conversation has (?<after>\d+) tokens, not fewer than the (?<before>\d+) it had$/,
    "said.context_grew",
    { after: "number", before: "number" },
  ],
];

/** What an option may be, and on what that depends. */
const BECAUSE: readonly Rule<Part>[] = [
  [
    /^(?<allowed>.+), because (?<field>\w+) is (?<value>"[^"]*")$/s,
    "allowed.because",
    { allowed: "allowed", field: "name", value: "name" },
  ],
  [/^(?<allowed>.+)$/s, "allowed.this", { allowed: "allowed" }],
];

const ALLOWED: readonly Rule<Part>[] = [
  [/^true or false$/, "allowed.flag"],
  [/^a whole number, (?<least>\d+) or more$/, "allowed.wholeFrom", { least: "number" }],
  [/^a whole number from (?<least>\d+) to (?<most>\d+)$/, "allowed.whole", { least: "number", most: "number" }],
  [/^a number from (?<least>[\d.]+) to (?<most>[\d.]+)$/, "allowed.number", { least: "number", most: "number" }],
  [/^a string, not empty and none of (?<names>.+)$/s, "allowed.otherText", { names: "name" }],
  [/^a string that is not empty$/, "allowed.someText"],
  [/^a string$/, "allowed.text"],
  [/^an object with (?<names>.+)$/s, "allowed.objectWith", { names: "name" }],
  [/^an object$/, "allowed.object"],
  [/^an array of passes$/, "allowed.passes"],
  [/^an id that no other pass has$/, "allowed.ownId"],
  // Words as they are written.
  [/^(?<allowed>"[^"]*"(?:, "[^"]*")*)$/s, "allowed.this", { allowed: "name" }],
];

const WHY: readonly Rule<Part>[] = [
  [/^the (?:file|line) ends inside a string$/, "json.UnexpectedEndOfString"],
  [/^a value expected, but .+$/s, "json.ValueExpected"],
  [/^an unknown escape inside a string$/, "json.InvalidEscapeCharacter"],
];

/** Says a fault of the library; undefined where it is not known. What is not known in it stays as it was said. */
export function libraryFaultIn(t: Translate, format: Format): (said: string) => string | undefined {
  const orAsSaid = (rules: readonly Rule<Part>[]) => (said: string) => ifKnown(() => byRules(t, rules, parts, said)) ?? said;
  const parts: Parts<Part> = {
    number: (said) => format.number(Number(said)),
    name: (said) => said,
    allowed: orAsSaid(ALLOWED),
    because: orAsSaid(BECAUSE),
    why: orAsSaid(WHY),
  };
  return (said) => ifKnown(() => visibleText(byRules(t, FAULTS, parts, said)));
}
