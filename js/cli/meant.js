"use strict";

// Guesses what a wrong argument may have meant, for the end of its error sentence.

const { COMMANDS, FLAGS, commandNames, flagNamed, flagsOf } = require("./flags.js");
const { near } = require("../errors.js");

/** Returns the question whether one of these was meant; nothing if there are none. */
const asking = (meant) => (meant.length > 0 ? `; did you mean ${meant.join(" or ")}?` : "");

/** Returns a question about an unknown name if a known one is similar. */
const didYouMean = (name, known, before = "") => asking(near(name, known).map((each) => `${before}${each}`));

/** Minimum letters of a known word to be recognised at the beginning of a longer one: `--output` for `--out`. */
const TELLING = 3;
/** The most flags that are suggested for one letter. */
const MOST_MEANT = 4;

/** Returns a question about an unknown word: the known ones that are similar, else those that it begins with, as `openai:gpt` does with openai. */
function wordsLike(word, known, before = "") {
  const within = known.filter((each) => each.length >= TELLING && word.toLowerCase().startsWith(each));
  return didYouMean(word, known, before) || asking(within.map((each) => `${before}${each}`));
}

/** The names of all flags. */
const flagNames = FLAGS.map(({ name }) => name);

/** Returns a question about an unknown flag: the flags that are similar, or for a single letter those of the command that begin with it, else the letters that exist. */
function flagsLike(dashes, name, command) {
  if (dashes === "--") return wordsLike(name, flagNames, "--");
  const own = flagsOf(command);
  const begun = own.filter((flag) => flag.name.startsWith(name.toLowerCase())).slice(0, MOST_MEANT);
  if (begun.length > 0) return asking(begun.map((flag) => `--${flag.name}`));
  const letters = own.filter(({ short }) => short !== undefined).map(({ short, name: long }) => `-${short} (--${long})`);
  return `; flags of one letter are ${letters.join(", ")}`;
}

/** Returns the flag that a word names, with or without dashes, or nearly names; undefined if it is rather a command. */
function flagLike(word) {
  const name = word.replace(/^-+/, "");
  return near(name, commandNames).length > 0 ? undefined : flagNamed(flagNames.includes(name) ? name : near(name, flagNames)[0]);
}

/** Returns the help for a word where a command was meant: a flag of that name, commands whose description contains it, or all commands. */
function commandsLike(word) {
  const flag = flagNamed(word);
  if (flag) return `; did you mean roo-condense ${flag.commands[0] === "condense" ? "" : `${flag.commands[0]} `}HISTORY --${word}?`;
  const placed = COMMANDS.map(({ name, about }) => ({ name, at: about.toLowerCase().split(/\W+/).indexOf(word.toLowerCase()) }));
  // Commands whose description begins with the word come first.
  const said = [placed.filter(({ at }) => at === 0), placed.filter(({ at }) => at > 0)].find((found) => found.length > 0);
  return said ? asking([`the command ${said.map(({ name }) => name).join(" or ")}`]) : `; the commands are ${commandNames.join(", ")}`;
}

/** Returns the percentage that a text may mean: 50% for 50, 0.5, .5, "50 %" and "50percent"; undefined if it cannot be one. */
function percentMeant(text) {
  const [, digits, rest] = /^(\d*\.?\d+)\s*(%|p\w*)?$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  const percent = number < 1 && rest === undefined ? Math.round(number * 1e6) / 1e4 : number;
  return percent > 0 && percent <= 100 ? `${percent}%` : undefined;
}

/**
 * Returns the number of tokens that a text may mean: 20000 for 20,000, 20.000, 20_000 and 20 000; 20k for "20 k", 20kb and "20k tokens". `isShare`: a percentage
 * may also be meant. The letter O counts as a zero after a digit. Undefined if it cannot be one.
 */
function tokensMeant(text, isShare = false) {
  const digits = text.replace(/(?<=\d)o/gi, "0");
  if (/^[1-9]\d{0,2}([,._' ]\d{3})+$/.test(digits)) return digits.replace(/\D/g, "");
  const share = isShare ? percentMeant(digits) : undefined;
  if (share !== undefined) return share;
  const [, number, suffix = ""] = /^(\d+(?:\.\d+(?=\s*[km]))?)\s*([km])?(?:\s*-?[a-z]+|(?<=[km])%)?$/i.exec(digits) ?? [];
  return Number(number) > 0 && `${number}${suffix}` !== text ? `${number}${suffix}` : undefined;
}

/** Returns the number in a text with a unit: 20 for 20%, 0.05 for $0.05, and in milliseconds 2000 for 2s; undefined if it is none. */
function numberMeant(text) {
  const [, number, unit] = /^\$?(\d+(?:\.\d+)?) ?(%|\$|ms|s)?$/i.exec(text) ?? [];
  if (number === undefined || number === text) return undefined;
  return unit?.toLowerCase() === "s" ? 1000 * Number(number) : Number(number);
}

module.exports = { asking, commandsLike, didYouMean, flagLike, flagsLike, numberMeant, tokensMeant, wordsLike };
