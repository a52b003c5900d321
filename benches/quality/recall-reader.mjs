// Recall as a command for readers of the reading test (docs/measurements.md): a conversation in a file stands for the session, and each call is logged.
//
//   node benches/quality/recall-reader.mjs STORE search "words"
//   node benches/quality/recall-reader.mjs STORE read KEY [FROM-TO]
//
// STORE is the JSON of a conversation: an array of messages, or { messages }. Calls are appended to STORE without `.json`, with `.log`: a JSON array [what, words, tokens] a line.

import fs from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";

const { countTokens, createRecall } = createRequire(import.meta.url)("../../index.js");

const [store, what, ...words] = process.argv.slice(2);
const inputs = { search: () => ({ query: words.join(" ") }), read: () => ({ key: words[0], lines: words[1] }) };
if (!store || !Object.hasOwn(inputs, what)) {
  console.error('usage: recall-reader.mjs STORE search "words" | recall-reader.mjs STORE read KEY [FROM-TO]');
  process.exit(2);
}
const read = JSON.parse(fs.readFileSync(store, "utf8"));
const recall = createRecall({ messages: Array.isArray(read) ? read : read.messages });
const call = { type: "tool_use", id: "call", name: "recall", input: inputs[what]() };
const { content } = await recall.answer(call);
fs.appendFileSync(store.replace(/(\.json)?$/, ".log"), `${JSON.stringify([what, words.join(" "), countTokens(content)])}\n`);
console.log(content);
