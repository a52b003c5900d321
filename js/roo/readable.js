"use strict";

// The drop-in reads histories that the host made. If reading one fails (a getter throws, a proxy was revoked), the
// error names the place; all other errors, for example of a handler of the host, are passed on unchanged.

const { isRooCondenseError, notReadable } = require("../errors.js");
const { faultyPlace } = require("../place.js");

/**
 * Wraps the functions of a Roo-Code module so that errors name the place where a history cannot be read.
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

/** Turns the result of `underWay` into the response directly before the host receives it, because later messages would be missed. */
const settled = (answer) => (typeof answer === "function" ? answer() : answer);

/** Throws an error about the place that cannot be read, or else `error` itself. */
function fail(error, values) {
  if (!isRooCondenseError(error)) {
    for (const [value, name] of histories(values[0])) {
      // A BigInt is no fault here, because nothing is written as JSON.
      const place = faultyPlace(value, name, { bigints: true, cycles: true });
      if (place !== undefined) throw notReadable(place, error);
    }
  }
  throw error;
}

/** Yields the values that may be a history: the first parameter, or its field `messages` if it is an object of options. */
function* histories(first) {
  try {
    if (Array.isArray(first)) yield [first, "messages"];
    else if (typeof first === "object" && first !== null) yield [first.messages, "options.messages"];
  } catch (cause) {
    throw notReadable("options", cause);
  }
}

module.exports = { withPlaces };
