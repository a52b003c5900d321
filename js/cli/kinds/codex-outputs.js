"use strict";

// Outputs of tools as Codex sends them: when it reads a rollout again, it cuts the middle out of long ones
// (`process_item`; not within `replacement_history`). The rule was tried with Codex 0.171:
// __test__/cli/codex-outputs.test.mjs has the outputs of many sizes that a fake service received.

const isObject = require("../../is-object.js");

const CUT = new Set(["function_call_output", "custom_tool_call_output"]);
/** Bytes per token, as Codex estimates them. */
const BYTES_PER_TOKEN = 4;
/** Models that Codex 0.171 knows, by the beginning of their name. Their limit is 10,000 tokens, and a fifth for JSON. */
const KNOWN_MODELS = ["gpt-5.5", "gpt-5.6-", "gpt-6-", "gpt-6.1-", "gpt-6.2-", "gpt-daybreak-", "codex-auto-review"];
const OF_KNOWN = { limit: 12_000, bytesPerUnit: BYTES_PER_TOKEN, unit: "tokens" };
/** The limit for any other model: 10,000 bytes, and a fifth. */
const OF_OTHERS = { limit: 12_000, bytesPerUnit: 1, unit: "chars" };

/**
 * Returns how much of an output Codex sends to a model. The user's `tool_output_token_limit` and `--model` are not in
 * the rollout.
 * @param {unknown} model that of the newest turn
 */
const limitFor = (model) => (KNOWN_MODELS.some((known) => String(model).startsWith(known)) ? OF_KNOWN : OF_OTHERS);

/** Returns true if a byte continues a UTF-8 character. */
const isWithin = (byte) => (byte & 0xc0) === 0x80;

/** Cuts the middle out of a text so that at most `most` bytes are left, half of them at each end, without splitting characters. */
function withoutMiddle(text, most, { unit }) {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let head = Math.floor(most / 2);
  let tail = bytes.length - (most - head);
  while (head > 0 && isWithin(bytes[head])) head--;
  while (tail < bytes.length && isWithin(bytes[tail])) tail++;
  const removed =
    unit === "tokens" ? Math.ceil((bytes.length - most) / BYTES_PER_TOKEN) : [...bytes.subarray(head, tail).toString()].length;
  return `${bytes.subarray(0, head)}…${removed} ${unit} truncated…${bytes.subarray(tail)}`;
}

/** Returns the parts of an output: its texts share the limit, the first ones first. Empty ones are not sent. */
function partsWithin(parts, policy) {
  let left = policy.limit;
  let omitted = 0;
  const sent = parts.flatMap((part) => {
    if (part?.type !== "input_text" || typeof part.text !== "string") return [part];
    if (left === 0 || part.text === "") {
      omitted += part.text === "" ? 0 : 1;
      return [];
    }
    const text = withoutMiddle(part.text, left * policy.bytesPerUnit, policy);
    left = text === part.text ? left - Math.ceil(Buffer.byteLength(text) / policy.bytesPerUnit) : 0;
    return [text === part.text ? part : { ...part, text }];
  });
  if (omitted > 0) sent.push({ type: "input_text", text: `[omitted ${omitted} text items ...]` });
  return sent;
}

/** Returns an item as Codex sends it; the same object if it is sent whole. */
function asSent(item, policy) {
  const { type, output } = item;
  if (!CUT.has(type)) return item;
  if (typeof output === "string") {
    const text = withoutMiddle(output, policy.limit * policy.bytesPerUnit, policy);
    return text === output ? item : { ...item, output: text };
  }
  if (!Array.isArray(output) || !output.every(isObject)) return item;
  const parts = partsWithin(output, policy);
  const isWhole = parts.length === output.length && parts.every((part, index) => part === output[index]);
  return isWhole ? item : { ...item, output: parts };
}

module.exports = { asSent, limitFor };
