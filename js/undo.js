"use strict";

// Undoing single changes of a condensation: those on which nothing stands that came later.

const { contentsOf } = require("./fingerprints.js");
const { messageOf } = require("./errors.js");
const { applyPlan } = require("./plan.js");
const { attempt, dataOf, resolved } = require("./restore-data.js");

/**
 * Undoes the changes `only` of `messages`, as far as that is possible: a text comes back when all changes of it are undone and it is what the
 * condensation left; messages that were dropped come back together, in the place of what was put there. `known` is what was read of `data`.
 */
function undo(messages, known, data, only) {
  const { groups } = known;
  const wanted = new Set(only);
  const work = new Work(messages, known);
  const refused = new Map();
  const refuse = (id, code, reason, more) => {
    wanted.delete(id);
    refused.set(id, { id, code, reason, ...more });
  };
  const groupsOf = new Map();
  groups.forEach((ids, group) => {
    for (const id of ids) groupsOf.set(id, [...(groupsOf.get(id) ?? []), group]);
  });
  for (const id of wanted) {
    const own = groupsOf.get(id);
    if (!own) {
      refuse(id, "unknown_change", "is no change of this condensation, or nothing is left of it");
      continue;
    }
    const obstacle = own.map((group) => work.obstacle(group)).find(Boolean);
    if (obstacle) refuse(id, "changed_since", obstacle.reason, { messageIndex: obstacle.messageIndex });
  }
  // Refusing one may be a reason to refuse others.
  for (let before = -1; before !== wanted.size; ) {
    before = wanted.size;
    const missing = new Map();
    for (const id of [...wanted]) {
      const own = groupsOf.get(id);
      for (const group of own) {
        if (!missing.has(group))
          missing.set(
            group,
            groups[group].filter((other) => !wanted.has(other)),
          );
      }
      const others = own.length === 1 ? missing.get(own[0]) : [...new Set(own.flatMap((group) => missing.get(group)))];
      if (others.length > 0)
        refuse(id, "needs_others", `${listed(others)} about the same text or messages: undo them together`, { with: others });
    }
  }
  const undone = new Set([...wanted].flatMap((id) => groupsOf.get(id)));
  const asked = [...new Set(only)];
  const answer = {
    restored: asked.filter((id) => wanted.has(id)),
    refused: asked.filter((id) => refused.has(id)).map((id) => refused.get(id)),
  };
  if (undone.size === 0) return { messages, ...answer, restoreData: data };
  const { back, left, contents } = work.done(undone);
  return { messages: back, ...answer, restoreData: dataOf(left, { original: known.original, condensed: contents.join("") }, groups) };
}

/** Changes as the beginning of a sentence, by their ids. */
function listed(ids) {
  if (ids.length === 1) return `the change ${ids[0]} is`;
  return `the changes ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ` and ${ids.length - 5} more` : ""} are`;
}

/** Messages with the edits that lead back. */
class Work {
  /** Of each edit the same with what it puts back, or why it cannot. */
  #resolved = new Map();

  constructor(messages, { edits, contents }) {
    this.messages = messages;
    this.edits = edits;
    this.contents = contents;
    const now = attempt("messages", () => contentsOf(messages.slice(0, contents.length)));
    this.isSame = contents.map((content, index) => content === now[index]);
    this.places = new Map(edits.map((edit, index) => [edit, `restoreData.edits[${index}]`]));
    this.byGroup = new Map();
    for (const edit of edits) {
      if (this.byGroup.has(edit.group)) this.byGroup.get(edit.group).push(edit);
      else this.byGroup.set(edit.group, [edit]);
    }
  }

  /** Why a group cannot be undone whatever else is; undefined when nothing speaks against it. */
  obstacle(group) {
    for (const edit of this.byGroup.get(group) ?? []) {
      const places = edit.op === "insert" ? [edit.before - 1, edit.before] : [edit.message];
      const messageIndex = places.find((index) => index >= 0 && index < this.contents.length && !this.isSame[index]);
      if (messageIndex !== undefined || this.messages.length < this.contents.length) {
        return { reason: `messages[${messageIndex ?? this.messages.length}] is no longer what the condensation left there`, messageIndex };
      }
      const { error } = this.#resolve(edit);
      if (error) return { reason: messageOf(error) };
    }
    return undefined;
  }

  #resolve(edit) {
    if (!this.#resolved.has(edit)) {
      try {
        this.#resolved.set(edit, { edit: resolved(edit, this.places.get(edit), this.messages) });
      } catch (error) {
        this.#resolved.set(edit, { error });
      }
    }
    return this.#resolved.get(edit);
  }

  /** The messages when these groups are undone, and what is then left to undo. */
  done(undone) {
    const taken = this.edits.filter(({ group }) => undone.has(group));
    const back = applyPlan(
      this.messages,
      taken.map((edit) => this.#resolve(edit).edit),
    ).messages;
    const shift = shiftBy(taken);
    const touched = new Set(taken.filter(({ op }) => op !== "insert").map(({ message }) => message));
    const left = this.edits.filter(({ group }) => !undone.has(group)).map((edit) => this.#moved(edit, shift, touched));
    const length = back.length - (this.messages.length - Math.min(this.messages.length, this.contents.length));
    const contents = contentsOf(back.slice(0, length));
    // A message that somebody edited stays recognisable as one.
    this.contents.forEach((content, index) => {
      if (!touched.has(index)) contents[shift(index)] = content;
    });
    return { back, left, contents };
  }

  /** An edit for the messages as they are when others have been undone. A recipe that takes lines from what these touched becomes its text. */
  #moved(edit, shift, touched) {
    if (edit.op === "insert") return { ...edit, before: shift(edit.before) };
    if (["drop", "drop_block", "insert_block"].includes(edit.op)) return { ...edit, message: shift(edit.message) };
    const { recipe, ...rest } = edit;
    const moved = { ...rest, message: shift(edit.message) };
    if (recipe === undefined) return moved;
    const { edit: plain } = recipe.texts.some(([message]) => touched.has(message)) ? this.#resolve(edit) : {};
    if (plain) return { ...moved, value: plain.value };
    return { ...moved, recipe: { ...recipe, texts: recipe.texts.map(([message, path]) => [shift(message), path]) } };
  }
}

/** Where a message stands when these edits have been made. */
function shiftBy(edits) {
  const steps = edits
    .filter(({ op }) => op === "drop" || op === "insert")
    .map(({ op, message, before }) => (op === "drop" ? [message + 1, -1] : [before, 1]));
  steps.sort(([one], [other]) => one - other);
  const places = steps.map(([place]) => place);
  const sums = [0];
  for (const [, step] of steps) sums.push(sums[sums.length - 1] + step);
  return (index) => index + sums[firstAbove(places, index)];
}

/** How many of the sorted `places` are at most `index`. */
function firstAbove(places, index) {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle] <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

module.exports = { undo };
