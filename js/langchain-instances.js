"use strict";

// Messages that are put between instances of LangChain's classes, as instances: its functions (`trimMessages`, `mapChatMessagesToStoredMessages`) call methods of each message.
// LangChain is not loaded here: the classes are those of the messages around.

const { isInstance } = require("./formats.js");

/** Names of LangChain's classes, by the type of their messages. */
const CLASSES = { human: "HumanMessage", ai: "AIMessage", system: "SystemMessage" };

/** The classes that a message is an instance of, its own first. */
function* classesOf(message) {
  for (let own = Object.getPrototypeOf(message); own !== null; own = Object.getPrototypeOf(own)) if (own.constructor) yield own.constructor;
}

/** LangChain's class of this name among those of a message: neither one that an application made of it nor that of chunks, which add themselves to the next one. */
const namedClass = (message, name) => [...classesOf(message)].find((own) => Object.hasOwn(own, "lc_name") && own.lc_name() === name);

/** The class that all classes of messages are made of: the topmost that can write a message down. */
const baseOf = (message) => [...classesOf(message)].findLast((own) => Object.hasOwn(own.prototype, "toDict"));

/** A class of a type of which no message is there: made of LangChain's own base class, and written down under LangChain's name. */
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

/** How far a message is from where another is added. */
const distance = (index, before) => (index < before ? before - index : index - before + 1);

/** The class for a message of a type that stands before another; undefined where the message next to it is no instance. */
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
 * The edits of a plan, with added messages as instances where those around are.
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
