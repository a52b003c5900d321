"use strict";

// Lines of hits that a model still has in view: the answer says where they stand, instead of repeating them.

const { stringify } = require("../deep-json.js");

/** The name of a parameter before its value, as entries show it. */
const PARAMETER = /^[\w.[\]-]+: /;
/** Lines of a hit that are no quotes. */
const isQuote = (line) => line.trim() !== "" && !/^(?:…|→.*)$/.test(line) && !line.startsWith("user answered: ");

class View {
  #json;

  /** @param {readonly any[]} messages what the model is sent */
  constructor(messages) {
    this.#json = stringify(messages) ?? "";
  }

  /** Whether every line that a hit shows stands in view. What cannot be seen there counts as out of view. */
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
