// How likely a name is to be used again, fitted and tested: a logistic regression on all sets of conversations but one, and its error on that one, for each in
// turn. The coefficients of src/salience/coefficients.rs are tested beside it. A signal earns its place if the error without it is larger on sets left out.
//
//   node benches/quality/names.mjs DIR DIR...    DIR: the conversations of one project, as JSON

import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { cutsOf } from "../../js/future-use/cuts.js";
import { namesOf, neededNames } from "../../js/future-use/names.js";
import { Failure, isProgram, main, root } from "../../scripts/tools.mjs";
import { table } from "../results.mjs";
import { blocksOf, readConversations } from "./conversations.mjs";

const PLACES = [0.5, 0.62, 0.75, 0.88];
const STEPS = 25;
/** Sets in which fewer names are used next say nothing. */
const MIN_USED = 40;

/** The mean of some numbers. */
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What is looked at, by name: a number for each of the facts of a name. */
const FEATURES = {
  messages: ({ messages }) => Math.log1p(messages),
  age: ({ age }) => Math.log(age),
  uses: ({ uses }) => (uses > 0 ? Math.log1p(uses) : 0),
  "last use": ({ uses, ageOfUse }) => (uses > 0 ? 1 / (1 + ageOfUse / 10) : 0),
};
const ALL = Object.keys(FEATURES);
const MODELS = Object.fromEntries([["all", ALL], ...ALL.map((off) => [`- ${off}`, ALL.filter((name) => name !== off)])]);

/** The names of an older part that do not stand in what stays, with their facts and whether they are used next. */
function namesOfCut(cut) {
  const facts = new Map();
  const note = (names, index, key) => {
    for (const name of names) {
      const fact = facts.get(name) ?? { messages: 0, uses: 0 };
      facts.set(name, { ...fact, [key]: fact[key] + 1, [`last ${key}`]: index });
    }
  };
  for (const [at, message] of cut.older.entries()) {
    // The first message is no part of the older ones.
    const index = at + 1;
    note(namesOf([message]), index, "messages");
    const calls = blocksOf(message).filter((block) => block.type === "tool_use");
    if (message.role === "assistant" && calls.length > 0) note(namesOf([{ ...message, content: calls }]), index, "uses");
  }
  const [kept, needed] = [namesOf(cut.kept), new Set(neededNames(cut))];
  const age = (index) => Math.max(1, cut.prefix.length - (index ?? 0));
  return [...facts]
    .filter(([name]) => !kept.has(name))
    .map(([name, fact]) => ({ ...fact, age: age(fact["last messages"]), ageOfUse: age(fact["last uses"]), isUsed: needed.has(name) }));
}

const chance = (weights, row) => 1 / (1 + Math.exp(-row.reduce((sum, value, at) => sum + value * weights[at], 0)));

/** Solves a small system of linear equations. */
function solve(matrix, vector) {
  const rows = matrix.map((row, at) => [...row, vector[at]]);
  for (let at = 0; at < rows.length; at++) {
    const best = rows.slice(at).reduce((most, row, index) => (Math.abs(row[at]) > Math.abs(rows[most][at]) ? at + index : most), at);
    [rows[at], rows[best]] = [rows[best], rows[at]];
    for (let other = 0; other < rows.length; other++) {
      if (other === at) continue;
      const factor = rows[other][at] / rows[at][at];
      for (let column = at; column <= rows.length; column++) rows[other][column] -= factor * rows[at][column];
    }
  }
  return rows.map((row, at) => row[rows.length] / row[at]);
}

/** Newton's method. Each set of conversations counts the same. */
function regression(sets, rowOf) {
  const size = rowOf(sets[0][0]).length;
  let weights = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight) => -1e-6 * weight);
    const curve = weights.map((_, at) => weights.map((_, other) => (at === other ? 1e-6 : 0)));
    for (const names of sets) {
      for (const name of names) {
        const row = rowOf(name);
        const expected = chance(weights, row);
        const [error, spread] = [(Number(name.isUsed) - expected) / names.length, (expected * (1 - expected)) / names.length];
        for (let at = 0; at < size; at++) {
          slope[at] += error * row[at];
          for (let other = 0; other < size; other++) curve[at][other] += spread * row[at] * row[other];
        }
      }
    }
    const change = solve(curve, slope);
    weights = weights.map((weight, at) => weight + change[at]);
  }
  return weights;
}

/** Nats for each name. */
const logLoss = (names, of) => meanOf(names.map((name) => -Math.log(name.isUsed ? of(name) : 1 - of(name))));

/** How often a name that is used has the higher chance of two, one of which is used. */
function ranked(names, of) {
  const sorted = names.map((name) => ({ chance: of(name), isUsed: name.isUsed })).sort((one, other) => one.chance - other.chance);
  let [sum, at] = [0, 0];
  while (at < sorted.length) {
    let end = at;
    while (end < sorted.length && sorted[end].chance === sorted[at].chance) end++;
    sum += sorted.slice(at, end).filter(({ isUsed }) => isUsed).length * ((at + end + 1) / 2);
    at = end;
  }
  const used = sorted.filter(({ isUsed }) => isUsed).length;
  return (sum - (used * (used + 1)) / 2) / (used * (sorted.length - used));
}

/** How many names are expected to be used, for each that is. */
const expected = (names, of) => meanOf(names.map(of)) / meanOf(names.map(({ isUsed }) => Number(isUsed)));

/** The coefficients of names that the addon has. */
function ofTheAddon() {
  const text = readFileSync(path.join(root, "src/salience/coefficients.rs"), "utf8");
  const value = (name) => Number(new RegExp(`\\b${name}: (-?[\\d.]+)`).exec(text)?.[1] ?? 0);
  return ["name", "name_messages", "name_age", "name_uses", "name_last_use"].map(value);
}

async function names() {
  const folders = process.argv.slice(2);
  if (folders.length < 2) throw new Failure("Name the folders of two projects or more.", 2);
  const sets = folders
    .map((folder) => ({
      name: path.basename(folder),
      names: readConversations(folder).flatMap(({ messages }) => cutsOf(messages, PLACES).flatMap(namesOfCut)),
    }))
    .filter(({ names }) => names.filter(({ isUsed }) => isUsed).length >= MIN_USED);
  const rowOf = (features) => (name) => [1, ...features.map((feature) => FEATURES[feature](name))];
  const weights = ofTheAddon();
  const rows = [];
  const errors = {};
  const note = (model, set, of) => {
    const error = [logLoss(set.names, of), ranked(set.names, of), expected(set.names, of)];
    errors[model] = [...(errors[model] ?? []), error];
    rows.push([set.name, String(set.names.length), model, ...error.map((value) => value.toFixed(3))]);
  };
  for (const set of sets) {
    const others = sets.filter((other) => other !== set).map(({ names }) => names);
    const rate = meanOf(others.map((names) => meanOf(names.map(({ isUsed }) => Number(isUsed)))));
    note("rate alone", set, () => rate);
    for (const [model, features] of Object.entries(MODELS)) {
      const fitted = regression(others, rowOf(features));
      note(model, set, (name) => chance(fitted, rowOf(features)(name)));
    }
    note("the addon's", set, (name) => chance(weights, rowOf(ALL)(name)));
  }
  for (const [model, of] of Object.entries(errors)) {
    rows.push(["mean", "", model, ...of[0].map((_, at) => meanOf(of.map((error) => error[at])).toFixed(3))]);
  }
  console.log(table([["left out", "names", "model", "log loss", "ranked", "expected"], ...rows]));
  const onAll = regression(
    sets.map(({ names }) => names),
    rowOf(ALL),
  );
  console.log(`Fitted on all sets: ${["1", ...ALL].map((name, at) => `${name} ${onAll[at].toFixed(2)}`).join(", ")}`);
}

if (isProgram(import.meta.url)) await main(names);
