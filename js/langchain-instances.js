"use strict";

// Creates messages that are inserted between instances of LangChain's classes as instances, because its functions
// (`trimMessages`, `mapChatMessagesToStoredMessages`) call methods of each message. LangChain is not loaded here: the
// classes are those of the surrounding messages.

const { isInstance } = require("./formats.js");

/** Names of LangChain's classes, by the type of their messages. */
const CLASSES = { human: "HumanMessage", ai: "AIMessage", system: "SystemMessage" };

/** Iterates over the classes of which a message is an instance, its own first. */
function* classesOf(message) {
  for (let own = Object.getPrototypeOf(message); own !== null; own = Object.getPrototypeOf(own)) if (own.constructor) yield own.constructor;
}

/**
 * Returns LangChain's class with this name among those of a message, but not an application's subclass, nor the class
 * of chunks, which merge with the next one.
 */
const namedClass = (message, name) => [...classesOf(message)].find((own) => Object.hasOwn(own, "lc_name") && own.lc_name() === name);

/** Returns the common base class of all messages: the topmost that can serialize a message. */
const baseOf = (message) => [...classesOf(message)].findLast((own) => Object.hasOwn(own.prototype, "toDict"));

/** Creates a class for a type without an example: derived from LangChain's own base class, and serialized under LangChain's name. */
function classOfType(type, Base) {
  return class extends Base {
    static lc_name() {
      return CLASSES[type];
    }
    type = type;
    _getType() {
      return type;
    }
  };
}

/** Returns the distance between a message and the place where another is inserted. */
const distance = (index, before) => (index < before ? before - index : index - before + 1);

/** Returns the class for a message of a type inserted before another; undefined if the message next to it is not an instance. */
function classFor(type, before, messages) {
  const near = messages.map((message, index) => ({ message, away: distance(index, before) })).sort((one, other) => one.away - other.away);
  const next = near[0]?.message;
  if (!isInstance(next) || !(type in CLASSES)) return undefined;
  for (const { message } of near.filter((each) => isInstance(each.message))) {
    const found = namedClass(message, CLASSES[type]);
    if (found) return found;
  }
  const Base = baseOf(next);
  return Base && classOfType(type, Base);
}

/**
 * Returns the edits of a plan. Added messages become instances if the messages around them are.
 * @param {any[]} plan
 * @param {readonly any[]} messages
 */
function withInstances(plan, messages) {
  return plan.map((edit) => {
    const added = edit.op === "insert" ? edit.value.message : undefined;
    const Class = added && classFor(added.type, edit.before, messages);
    return Class ? { ...edit, value: { message: new Class({ content: added.content }) } } : edit;
  });
}

module.exports = { withInstances };
