// Without threads the addon works in turns, which are taken here as long as it has work: the event loop goes on between them, and brings what it waits for.

/** Milliseconds between turns in which it only waited, growing: an answer of a model takes seconds. */
const MAX_PAUSE_MS = 8;

/** Runs `next` after everything that is due, without the delay of timers. */
const soon = (next) => {
  if (typeof setImmediate === "function") return setImmediate(next);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    next();
  };
  return port2.postMessage(null);
};

/** Runs `next` later; what is only waited for keeps no process up. */
const later = (next, milliseconds) => {
  const timer = /** @type {{ unref?: () => void }} */ (/** @type {unknown} */ (setTimeout(next, milliseconds)));
  timer.unref?.();
};

/**
 * Takes the turns of an addon. Calls that are not done when it ends by a trap are told so by their listeners.
 * @param {any} addon
 */
export function takeTurns(addon) {
  const reportOfTrap = addon.reportOfTrap();
  /** @type {Set<(isEnd: boolean, json: string) => void>} */
  const open = new Set();
  for (const { prototype } of [addon.NativeManager, addon.NativeProvider]) {
    const { condense } = prototype;
    prototype.condense = function (call) {
      const { listener } = call;
      const told = (isEnd, json) => {
        if (isEnd) open.delete(told);
        listener(isEnd, json);
      };
      open.add(told);
      try {
        return condense.call(this, { ...call, listener: told });
      } catch (error) {
        open.delete(told);
        throw error;
      }
    };
  }
  let isTaking = false;
  let pause = 0;
  const turn = () => {
    try {
      if (!addon.turn()) {
        isTaking = false;
        return;
      }
    } catch {
      isTaking = false;
      for (const told of open) told(true, reportOfTrap);
      return;
    }
    pause = Math.min(pause + 1, MAX_PAUSE_MS);
    later(turn, pause);
  };
  addon.takeTurns(() => {
    pause = 0;
    if (isTaking) return;
    isTaking = true;
    soon(turn);
  });
}
