"use strict";

// Finds hits that a model still has in view: the response says where they are, instead of repeating them.

const { stringify } = require("../deep-json.js");

/** The name of a parameter before its value, as in entries. */
const PARAMETER = /^[\w.[\]-]+: /;
/** Returns true for lines of a hit that are quotations. */
const isQuote = (line) => line.trim() !== "" && !/^(?:…|→.*)$/.test(line) && !line.startsWith("user answered: ");

class View {
  #json;

  /** @param {readonly any[]} messages what the model is sent */
  constructor(messages) {
    this.#json = stringify(messages) ?? "";
  }

  /** Returns true if every line of a hit is in view. Lines that cannot be checked count as out of view. */
  shows({ text }) {
    const lines = text.split("\n").slice(1).filter(isQuote);
    return lines.length > 0 && lines.every((line) => this.#holds(line) || this.#holds(line.replace(PARAMETER, "")));
  }

  #holds(line) {
    const quote = line.replace(/^…|…$/g, "").trim();
    return quote === "" || this.#json.includes(JSON.stringify(quote).slice(1, -1));
  }
}

module.exports = { View, isQuote };
