// The table of commands and flags, and what is made from it: forgetting something in an entry fails here, by name.

import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { library } from "./support.mjs";

const require = createRequire(import.meta.url);
const { KEY_VARIABLES, readArguments } = require("../../js/cli/arguments.js");
const { COMMANDS, FLAGS, GROUPS, commandNames, flagNamed } = require("../../js/cli/flags.js");
const { PAGES, LOADING, TEXTS, WORK } = require("../../js/cli/run.js");

/** Columns for what a name means: 80 without those of the names. */
const ONE_LINE = 56;

const isRepeated = (key) => (entry, index, all) =>
  entry[key] !== undefined && all.findIndex((other) => other[key] === entry[key]) !== index;
const lineFault = (about) =>
  !about
    ? "has no about"
    : about.length > ONE_LINE
      ? `about: ${about.length} characters`
      : /\.$/.test(about)
        ? "about ends with a full stop"
        : "";

function faultsOfFlag(flag, index, all) {
  const {
    name,
    short,
    value,
    values,
    multiple,
    isFile,
    isNumber,
    most,
    about,
    details,
    for: own = {},
    options = [],
    answers,
    group,
    commands = [],
  } = flag;
  return [
    !/^[a-z]+(-[a-z]+)*$/.test(name) && "name",
    isRepeated("name")(flag, index, all) && "stands twice",
    short !== undefined && (!/^[a-zA-Z]$/.test(short) || isRepeated("short")(flag, index, all)) && `-${short}`,
    !value && (values || multiple || isFile || isNumber) && "has no name for its value",
    most !== undefined && !isNumber && "most, and no number",
    lineFault(about),
    ...Object.values(own).map(({ about: other }) => (other === undefined ? "" : lineFault(other))),
    ...Object.values(own).map(
      ({ values: words }) => words?.some((word) => !values.includes(word)) && "has a value for a command that it has not",
    ),
    options.length > 0 && answers !== undefined && "sets an option, and gives an answer",
    details !== undefined && !details.endsWith(".") && "details end without a full stop",
    !Object.hasOwn(GROUPS, group) && "is in no group",
    commands.length === 0 && "no command understands it",
    ...[...commands, ...Object.keys(own)].map((command) => !commandNames.includes(command) && `"${command}" is no command`),
    ...Object.keys(own).map((command) => !commands.includes(command) && `says what it means for ${command}, which does not understand it`),
  ].filter(Boolean);
}

const named = (entries, faultsOf) =>
  entries.flatMap((entry, index) => faultsOf(entry, index, entries).map((fault) => `${entry.name}: ${fault}`));

test("each flag is complete", () => {
  expect(named(FLAGS, faultsOfFlag)).toEqual([]);
});

test("what is forgotten is found", () => {
  const good = { name: "good", about: "Do", group: "work", commands: ["count"] };
  expect(named([good], faultsOfFlag)).toEqual([]);
  const bad = [
    { ...good, commands: [] },
    { ...good, name: "a", about: undefined },
    { ...good, name: "b", group: "none", values: ["x"] },
    good,
  ];
  expect(named(bad, faultsOfFlag)).toEqual([
    "good: no command understands it",
    "a: has no about",
    "b: has no name for its value",
    "b: is in no group",
    "good: stands twice",
  ]);
});

test("each command is complete, and somebody does its work", () => {
  const handled = Object.keys({ ...WORK, ...PAGES, ...LOADING, ...TEXTS });
  const faultsOf = (command, index, all) =>
    [
      isRepeated("name")(command, index, all) && "stands twice",
      lineFault(command.about),
      !command.arguments?.about && "its argument has no about",
      !handled.includes(command.name) && "nothing in run.js does it",
    ].filter(Boolean);
  expect(named(COMMANDS, faultsOf)).toEqual([]);
  expect(handled.filter((name) => name !== "version" && !commandNames.includes(name))).toEqual([]);
});

test("nothing can be changed", () => {
  expect(() => FLAGS[0].commands.push("count")).toThrow(TypeError);
  expect(() => Object.assign(COMMANDS[0].arguments, { name: "X" })).toThrow(TypeError);
});

test("each flag is read for the commands that understand it, and refused for others", () => {
  const someValue = ({ values, isNumber }) => (values ? values[0] : isNumber ? "1" : "40%");
  const outcome = (command, flag) => {
    try {
      readArguments([command, "a", `--${flag.name}${flag.value ? `=${someValue(flag)}` : ""}`]);
      return "";
    } catch (error) {
      return error.message;
    }
  };
  for (const flag of FLAGS.filter(({ name }) => name !== "help" && name !== "version"))
    for (const command of commandNames) {
      const refusal = command === "help" ? /is a flag of/ : /has no flag|belongs to (?:restore|recommend)/;
      const said = `--${flag.name} for ${command}: ${outcome(command, flag)}`;
      if (flag.commands.includes(command)) expect(said).not.toMatch(refusal);
      else expect(said).toMatch(refusal);
    }
});

test("providers, presets and APIs are those that the package has", () => {
  const providers = new library.CondensationManager().listProviders().map(({ id }) => id);
  expect([...flagNamed("provider").values].sort()).toEqual(providers.sort());
  expect([...flagNamed("preset").values].sort()).toEqual(Object.keys(library.presets).sort());
  expect(Object.keys(KEY_VARIABLES)).toEqual(flagNamed("llm").values);
  for (const variable of Object.values(KEY_VARIABLES)) expect(flagNamed("llm").details).toContain(variable);
});

test("presets to calibrate are those that the package can learn for", async () => {
  const { values } = flagNamed("preset").for.calibrate;
  const error = await library.calibrateThresholds([], { preset: "?" }).catch((thrown) => thrown);
  expect(error.field).toBe("options.preset");
  for (const name of Object.keys(library.presets)) expect(error.message.includes(name)).toBe(values.includes(name));
});

test("flags that answer a question take the words that the answer may be", async () => {
  const ofWords = FLAGS.filter(({ answers, values }) => answers && values);
  expect(ofWords.length).toBeGreaterThan(3);
  for (const { answers, values } of ofWords) {
    const error = await library.recommend({ [answers]: "?" }).catch((thrown) => thrown);
    expect(error.field).toBe(answers);
    expect(error.message).toContain(`one of ${values.map((word) => `"${word}"`).join(", ")};`);
  }
});
