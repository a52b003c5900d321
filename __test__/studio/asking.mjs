// Asks a host as a page does.

import { expect } from "vitest";

/** A function that asks `host` by the name of a method; it throws what the host answers as an error. */
export function asking(host) {
  let last = 0;
  return async (method, params) => {
    last += 1;
    const { id, answer, error } = await host.answer({ id: last, method, params });
    expect(id).toBe(last);
    if (error) throw Object.assign(new Error(error.message), error);
    return answer;
  };
}
