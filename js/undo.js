"use strict";

// Undoes single changes of a condensation on which no later changes depend.

const { contentsOf } = require("./fingerprints.js");
const { messageOf } = require("./errors.js");
const { applyPlan } = require("./plan.js");
const { pointersIn } = require("./pointers.js");
const { attempt, dataOf, resolved } = require("./restore-data.js");

/**
 * Undoes the changes `only` of `messages` as far as possible: a text is restored if all its changes are undone and it
 * is as the condensation left it; dropped messages are restored together, in place of what replaced them. `known` is
 * what was read of `data`.
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
  // Refusing one change may be a reason to refuse others.
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
  refuseMisleading(work, wanted, { groups, groupsOf, refuse });
  const undone = new Set([...wanted].flatMap((id) => groupsOf.get(id)));
  const asked = [...new Set(only)];
  const answer = {
    restored: asked.filter((id) => wanted.has(id)),
    refused: asked.filter((id) => refused.has(id)).map((id) => refused.get(id)),
  };
  if (undone.size === 0) return { messages, ...answer, restoreData: data };
  const { back, left, contents } = work.done(undone);
  return {
    messages: back,
    ...answer,
    restoreData: dataOf(left, { original: known.original, condensed: contents.join("") }, groups, known.format),
  };
}

/** Maximum number of trials to find which changes mislead by themselves; those still unknown then are refused together. */
const MAX_TRIALS = 64;

/** Refuses changes that would make pointers elsewhere resolve to other lines than now. */
function refuseMisleading(work, wanted, { groups, groupsOf, refuse }) {
  const refuseAll = (ids, { needed, messageIndex }) => {
    for (const id of ids) {
      if (messageIndex === undefined) {
        const others = needed.filter((other) => !wanted.has(other));
        refuseWithout(id, others, refuse);
      } else {
        refuse(id, "misleads", `a pointer in messages[${messageIndex}] would lead to other lines, and no change put it there`, {
          messageIndex,
        });
      }
    }
  };
  const isFine = ({ needed, messageIndex }) => messageIndex === undefined && needed.every((id) => wanted.has(id));
  refuseReturning(work, wanted, { groups, groupsOf, refuse });
  if (wanted.size === 0) return;
  const all = [...wanted];
  const whole = misledBy(work, all, groups, groupsOf);
  if (isFine(whole)) return;
  const clusters = clustersOf(wanted, groups, groupsOf);
  let trials = 0;
  const tried = (some) => {
    trials++;
    const ids = some.flat();
    return { ids, trial: misledBy(work, ids, groups, groupsOf) };
  };
  // Bisects, because most changes can be undone without misleading any pointer.
  const look = (some) => {
    if (some.length === 0 || trials >= MAX_TRIALS) return;
    const { ids, trial } = tried(some);
    if (isFine(trial)) return;
    if (some.length === 1) refuseAll(ids, trial);
    else for (const half of [some.slice(0, some.length >> 1), some.slice(some.length >> 1)]) look(half);
  };
  if (clusters.length > 1) look(clusters);
  const rest = [...wanted];
  if (rest.length === 0) return;
  const together = rest.length === all.length ? whole : misledBy(work, rest, groups, groupsOf);
  if (!isFine(together)) refuseAll(rest, together);
}

/**
 * Refuses changes that would restore pointers that resolve to other lines than before, with the changes that removed
 * those lines. Without one of them, another may resolve to other lines.
 */
function refuseReturning(work, wanted, { groups, groupsOf, refuse }) {
  const clusterOf = new Map(clustersOf(wanted, groups, groupsOf).flatMap((cluster) => cluster.map((id) => [id, cluster])));
  for (;;) {
    const undone = new Set([...wanted].flatMap((id) => groupsOf.get(id)));
    // Most changes restore no pointers, and then the messages need not be read here.
    if (!work.returnsPointers(undone)) return;
    const needed = new Map();
    for (const { own, group } of work.misled(undone)) {
      const cluster = clusterOf.get(groups[own]?.find((id) => wanted.has(id)));
      if (!cluster) continue;
      if (!needed.has(cluster)) needed.set(cluster, new Set());
      for (const other of groups[group]) if (!wanted.has(other)) needed.get(cluster).add(other);
    }
    if (needed.size === 0) return;
    for (const [cluster, others] of needed) for (const id of cluster) refuseWithout(id, [...others], refuse);
  }
}

/** Refuses a change because a pointer would resolve to other lines without these. */
function refuseWithout(id, others, refuse) {
  refuse(id, "needs_others", `a pointer would lead to other lines without ${namesOf(others)}: undo them together`, { with: others });
}

/**
 * Returns the other changes that must be undone together with these, so that no pointer resolves to other lines than
 * before; or the message with a pointer that no change wrote.
 */
function misledBy(work, ids, groups, groupsOf) {
  const all = new Set(ids);
  for (;;) {
    const undone = new Set([...all].flatMap((id) => groupsOf.get(id)));
    const places = work.misled(undone);
    if (places.length === 0) return { needed: [...all].filter((id) => !ids.includes(id)), messageIndex: undefined };
    const size = all.size;
    for (const { group } of places) for (const id of groups[group] ?? []) all.add(id);
    for (const id of all) for (const group of groupsOf.get(id)) for (const other of groups[group]) all.add(other);
    if (all.size === size) return { needed: [], messageIndex: places[0].message };
  }
}

/** Divides the ids into the most lists that can be undone separately. */
function clustersOf(ids, groups, groupsOf) {
  const left = new Set(ids);
  const clusters = [];
  for (const first of ids) {
    if (!left.delete(first)) continue;
    const cluster = [first];
    for (const id of cluster) {
      for (const other of groupsOf.get(id).flatMap((group) => groups[group])) if (left.delete(other)) cluster.push(other);
    }
    clusters.push(cluster);
  }
  return clusters;
}

/** Returns changes as the beginning of a sentence, by their ids. */
function listed(ids) {
  return `${namesOf(ids)} ${ids.length === 1 ? "is" : "are"}`;
}

function namesOf(ids) {
  if (ids.length === 1) return `the change ${ids[0]}`;
  return `the changes ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ` and ${ids.length - 5} more` : ""}`;
}

/** Messages with the edits that undo their changes. */
class Work {
  /** For each edit, the same edit with the value it restores, or the reason why it cannot. */
  #resolved = new Map();
  /** The targets of the pointers in the messages, once needed. */
  #pointers;

  constructor(messages, { edits, contents, format }) {
    this.messages = messages;
    this.format = format;
    this.edits = edits;
    this.contents = contents;
    const now = attempt("messages", () => contentsOf(messages.slice(0, contents.length), format));
    this.isSame = contents.map((content, index) => content === now[index]);
    this.places = new Map(edits.map((edit, index) => [edit, `restoreData.edits[${index}]`]));
    this.byGroup = new Map();
    for (const edit of edits) {
      if (this.byGroup.has(edit.group)) this.byGroup.get(edit.group).push(edit);
      else this.byGroup.set(edit.group, [edit]);
    }
  }

  /** Returns why a group cannot be undone in any case; undefined if it can. */
  obstacle(group) {
    for (const edit of this.byGroup.get(group) ?? []) {
      const messageIndex = this.#changedAt(edit);
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

  /** Returns the messages after these edits. */
  #back(taken) {
    return applyPlan(
      this.messages,
      taken.map((edit) => this.#resolve(edit).edit),
      { format: this.format },
    ).messages;
  }

  /**
   * Returns the places of pointers that would resolve to other lines if these groups were undone, with the group that
   * wrote each; and the places of restored pointers that would resolve to other lines than before the condensation,
   * with the groups that removed those lines.
   */
  misled(undone) {
    this.#pointers ??= pointersIn(this.messages, this.format);
    const { edits: before, unresolved } = this.#pointers;
    const taken = this.edits.filter(({ group }) => undone.has(group));
    // An edit that cannot be made is refused when it is requested.
    if (taken.some((edit) => !this.#resolve(edit).edit)) return [];
    const returning = taken.filter((edit) => this.#mayPoint(edit));
    if (before.length + unresolved.length + returning.length === 0) return [];
    const back = this.#back(taken);
    const after = pointersIn(back, this.format);
    const shift = shiftBy(taken);
    const places = byPlace(after.edits);
    const takenOf = byMessage(taken);
    const isTaken = ({ message, path }) => takenOf.get(message)?.some((edit) => edit.op !== "set" || isWithin(edit.path, path));
    const misled = before.filter((edit) => !isTaken(edit) && !isSameAs(edit, places.get(placeOf(edit, shift(edit.message)))));
    const groupOf = ({ message, path }) =>
      this.edits.find((edit) => edit.message === message && !undone.has(edit.group) && (edit.path?.[1] ?? path[1]) === path[1])?.group;
    const elsewhere = misled.map((edit) => ({ message: edit.message, group: groupOf(edit) }));
    return returning.length === 0 ? elsewhere : [...elsewhere, ...this.#misledThere(returning, undone, { back, after, shift, places })];
  }

  /** Returns true if undoing these groups may restore pointers. */
  returnsPointers(undone) {
    return this.edits.some((edit) => undone.has(edit.group) && this.#mayPoint(edit));
  }

  /** Returns true if the value that an edit restores may contain pointers to other texts. */
  #mayPoint(edit) {
    const known = this.#resolve(edit);
    known.mayPoint ??= /\[[1-9]\d{0,9} lines? as /.test(JSON.stringify(known.edit?.value ?? ""));
    return known.mayPoint;
  }

  /** Returns a message that an edit concerns and that is not as the condensation left it. */
  #changedAt(edit) {
    const places = edit.op === "insert" ? [edit.before - 1, edit.before] : [edit.message];
    return places.find((index) => index >= 0 && index < this.contents.length && !this.isSame[index]);
  }

  /** Returns true if an edit can be made, because its message is as the condensation left it. */
  #isPossible(edit) {
    return this.#changedAt(edit) === undefined && this.#resolve(edit).edit !== undefined;
  }

  /** Returns the messages before the condensation, as far as they can be restored, and the targets of their pointers. */
  get #original() {
    if (this.originally === undefined) {
      const edits = this.edits.filter((edit) => this.#isPossible(edit));
      const messages = this.#back(edits);
      const pointers = pointersIn(messages, this.format).edits;
      this.originally = { messages, ofMessage: byMessage(pointers), places: byPlace(pointers), shift: shiftBy(edits) };
    }
    return this.originally;
  }

  /** Returns the edits that restore each line. */
  get #byLine() {
    if (this.linesOfEdits === undefined) {
      this.linesOfEdits = new Map();
      for (const edit of this.edits.filter((one) => this.#isPossible(one))) {
        for (const line of new Set(textsIn(this.#resolve(edit).edit.value).flatMap((value) => linesOf({ value })))) {
          if (this.linesOfEdits.has(line)) this.linesOfEdits.get(line).push(edit);
          else this.linesOfEdits.set(line, [edit]);
        }
      }
    }
    return this.linesOfEdits;
  }

  /** Does the same as `misled` for the pointers that these edits restore. */
  #misledThere(returning, undone, { back, after, shift, places }) {
    const original = this.#original;
    const left = new Set(this.edits.filter((edit) => !undone.has(edit.group) && this.#isPossible(edit)));
    const now = byMessage(after.edits);
    const placesIn = (messages) => new Map(messages.map((message, index) => [message, index]));
    const [placesNow, placesThen] = [placesIn(back), placesIn(original.messages)];
    const misled = [];
    for (const edit of returning) {
      const { value } = this.#resolve(edit).edit;
      const placeIn = (inserted, shifted) => (edit.op === "insert" ? inserted.get(value.message) : shifted(edit.message));
      const [at, was] = [placeIn(placesNow, shift), placeIn(placesThen, original.shift)];
      const isOfIt = ({ path }) => edit.op !== "set" || isWithin(edit.path, path);
      const here = (now.get(at) ?? []).filter(isOfIt);
      const wrong = here.filter((pointer) => !isSameAs(pointer, original.places.get(placeOf(pointer, was))));
      const there = (original.ofMessage.get(was) ?? []).filter(isOfIt);
      const missing = there.filter((pointer) => !isSameAs(pointer, places.get(placeOf(pointer, at))));
      if (wrong.length + missing.length === 0) continue;
      const known = new Set(here.flatMap(linesOf));
      const lines = missing.flatMap(linesOf).filter((line) => line.length > 3 && !known.has(line));
      const some = lines.slice(0, MAX_TELLING_LINES).map((line) => (this.#byLine.get(line) ?? []).filter((other) => left.has(other)));
      const others = some.length === 0 ? [] : some[0].filter((other) => some.every((edits) => edits.includes(other)));
      const message = edit.message ?? edit.before;
      for (const { group } of others.length > 0 ? others : left) misled.push({ message, group, own: edit.group });
    }
    return misled;
  }

  /** Returns the messages after undoing these groups, and what is then left to undo. */
  done(undone) {
    const taken = this.edits.filter(({ group }) => undone.has(group));
    const back = this.#back(taken);
    const shift = shiftBy(taken);
    const touched = new Set(taken.filter(({ op }) => op !== "insert").map(({ message }) => message));
    const left = this.edits.filter(({ group }) => !undone.has(group)).map((edit) => this.#moved(edit, shift, touched));
    const length = back.length - (this.messages.length - Math.min(this.messages.length, this.contents.length));
    // Messages that stay are not read again. A message that was edited since stays recognisable as such.
    const contents = new Array(length);
    this.contents.forEach((content, index) => {
      if (!touched.has(index)) contents[shift(index)] = content;
    });
    const anew = Array.from(contents.keys()).filter((index) => contents[index] === undefined);
    contentsOf(
      anew.map((index) => back[index]),
      this.format,
    ).forEach((content, at) => {
      contents[anew[at]] = content;
    });
    return { back, left, contents };
  }

  /** Returns an edit adjusted to the messages after others have been undone. A recipe that uses lines they changed becomes its text. */
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

/** Returns the texts in a value. */
function textsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function byMessage(edits) {
  const all = new Map();
  for (const edit of edits) {
    if (all.has(edit.message)) all.get(edit.message).push(edit);
    else all.set(edit.message, [edit]);
  }
  return all;
}

const byPlace = (edits) => new Map(edits.map((edit) => [placeOf(edit, edit.message), edit]));

/** Returns true if one path leads to the same value as another, or into it. */
const isWithin = (outer, path) => outer.every((step, index) => step === path[index]);

/** Returns the lines of a text without leading numbers, because the target of a pointer may have other numbers or none. */
const linesOf = ({ value }) =>
  typeof value === "string" ? value.split("\n").map((line) => line.replace(/^\s*\d+(?:→|\t| ?\| ?)/, "").trim()) : [];

/** This many lines identify the change that removed them. */
const MAX_TELLING_LINES = 5;

const placeOf = ({ path }, message) => `${message} ${JSON.stringify(path)}`;

/** Returns true if two edits write the same value: the target of a pointer is always a text. */
const isSameAs = ({ op, value }, other) => op === other?.op && value === other.value;

/** Returns the function that maps a message's index to its index after these edits. */
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

/** Returns how many of the sorted `places` are at most `index`. */
function firstAbove(places, index) {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle] <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Undoes the changes `only` with all that depend on them: other changes of the same texts, and pointers that would
 * resolve to other lines. A change that cannot be undone even so does not include its dependants. The result lists
 * the included ones in `dependants`.
 */
function undoWithDependants(messages, known, data, only) {
  const asked = new Set(only);
  const refused = new Map();
  for (;;) {
    const ids = new Set(asked);
    let answer;
    do {
      answer = undo(messages, known, data, [...ids]);
    } while (addAll(ids, answer.refused));
    const failed = answer.refused.filter(({ id }) => asked.has(id));
    for (const one of failed) {
      asked.delete(one.id);
      refused.set(one.id, one);
    }
    // Without the requested changes that were refused, fewer may be included.
    if (failed.length > 0) continue;
    const restored = answer.restored.filter((id) => asked.has(id));
    const dependants = answer.restored.filter((id) => !asked.has(id));
    const refusals = [...new Set(only)].filter((id) => refused.has(id)).map((id) => refused.get(id));
    return { ...answer, restored, dependants, refused: refusals };
  }
}

/** Adds the changes that refusals require. Returns true if any is new. */
function addAll(ids, refused) {
  const size = ids.size;
  for (const { with: others = [] } of refused) for (const other of others) ids.add(other);
  return ids.size > size;
}

module.exports = { undo, undoWithDependants };
