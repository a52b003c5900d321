"use strict";

// The functions of the drop-in read histories that the host made. Where reading one fails (a getter that throws, a proxy that was revoked), the
// error says where; whatever else is thrown, by a handler of the host for example, is passed on as it is.

const { isRooCondenseError, notReadable } = require("../errors.js");
const { faultyPlace } = require("../place.js");

/**
 * The functions of a module of Roo-Code's, with errors that name the place where a history cannot be read.
 * @template {Record<string, (...values: any[]) => any>} T
 * @param {T} functions
 * @returns {T}
 */
function withPlaces(functions) {
  return /** @type {T} */ (Object.fromEntries(Object.entries(functions).map(([name, call]) => [name, withPlace(call)])));
}

function withPlace(call) {
  return (...values) => {
    try {
      const answer = call(...values);
      return answer instanceof Promise ? answer.then(settled, (error) => fail(error, values)) : answer;
    } catch (error) {
      return fail(error, values);
    }
  };
}

/** What `underWay` resolves to becomes the response here, right before the host gets it: later nothing is seen of what arrives. */
const settled = (answer) => (typeof answer === "function" ? answer() : answer);

/** Throws the error about the place that cannot be read, or else `error`. */
function fail(error, values) {
  if (!isRooCondenseError(error)) {
    for (const [value, name] of histories(values[0])) {
      // A BigInt is no fault here: nothing is written as JSON.
      const place = faultyPlace(value, name, { bigints: true, cycles: true });
      if (place !== undefined) throw notReadable(place, error);
    }
  }
  throw error;
}

/** What may be a history: the first parameter, or `messages` of the options that it is. */
function* histories(first) {
  try {
    if (Array.isArray(first)) yield [first, "messages"];
    else if (typeof first === "object" && first !== null) yield [first.messages, "options.messages"];
  } catch (cause) {
    throw notReadable("options", cause);
  }
}

module.exports = { withPlaces };
