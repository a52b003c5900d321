// The studio without a server: the library and the host's half of the page in a worker. What is opened never leaves the browser.

import { load } from "./index.mjs";

/** What came before there was somebody to answer. */
const early = [];
let hear = (message) => void early.push(message);
addEventListener("message", ({ data }) => hear(data));

/** From now on messages go to this listener, those that came before first. */
function listen(listener) {
  hear = listener;
  for (const message of early.splice(0)) listener(message);
}

/** The name of a file beside another: `history.json` and `restore` give `history.restore.json`. */
const besides = (name, what) => `${name.replace(/\.jsonl?$/i, "")}.${what}.json`;

/** Has a condensed history downloaded, with what leads back from it. */
function saveOpened(name, messages, restoreData) {
  const saved = { file: besides(name, "condensed"), restoreData: besides(name, "condensed.restore") };
  postMessage({ download: { name: saved.file, text: `${JSON.stringify(messages, null, 2)}\n` } });
  postMessage({ download: { name: saved.restoreData, text: JSON.stringify(restoreData) } });
  return saved;
}

async function start() {
  await load(new URL("../roo-condense.wasm", location.href));
  // Only now: the library looks for the addon when it is loaded.
  const { CondensationManager, createStudioHost } = await import("../../index.js");
  const { historyIn } = await import("../../js/cli/history-text.js");
  const host = createStudioHost(new CondensationManager(), { histories: [], readText: historyIn, saveOpened });
  host.connect({ postMessage: (message) => postMessage(message), onMessage: listen });
}

start().catch((error) =>
  listen(({ id }) => postMessage({ studio: 1, id, error: { code: "not_loaded", message: String(error?.message ?? error) } })),
);
