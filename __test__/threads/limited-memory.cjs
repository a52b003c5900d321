// Condenses histories of so many megabytes each, all at once, and after them a small one; `warm` only loads the vocabulary. Prints what came of each, and the
// most address space that was used.

const { readFileSync } = require("node:fs");
const process = require("node:process");
const api = require("../../index.js");

function history(megabytes) {
  const text = Array.from({ length: 500 }, (_, line) => `line ${line} of what the tool had to say`).join("\n");
  const messages = [{ role: "user", content: "Look." }];
  for (let bytes = 0, id = 0; bytes < megabytes * 1e6; bytes += text.length, id++) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: `t${id}`, name: "read_file", input: { path: `a${id}` } }] });
    const content = `${id}\n${text.replaceAll("line ", `line ${id}.`)}`;
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${id}`, content }] });
  }
  return messages;
}

async function condense(megabytes) {
  try {
    const result = await api.createTruncationProvider().condense({ messages: history(megabytes) }, { targetTokens: 2000 });
    return result.error?.code ?? "condensed";
  } catch ({ code, message }) {
    return `${code}: ${message}`;
  }
}

/** Loads the vocabulary. */
async function warmed() {
  try {
    await api.warmUp();
    return "loaded";
  } catch ({ code, message }) {
    return `${code}: ${message}`;
  }
}

(async () => {
  if (process.argv[2] === "warm") return console.log(JSON.stringify({ came: [await warmed()] }));
  const came = await Promise.all(process.argv.slice(2).map((megabytes) => condense(Number(megabytes))));
  came.push(await condense(0.1));
  const [, peak] = /VmPeak:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "latin1"));
  console.log(JSON.stringify({ came, kilobytes: Number(peak) }));
})();
