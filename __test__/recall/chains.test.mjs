// Chains of condensation, recall, condensation: whatever was found once is read by its key ever after, exactly, and nothing of another conversation is found.

import { describe, expect, it } from "vitest";
import roo from "../../index.js";
import { SAMPLES } from "../formats/rounds.mjs";

const { CondensationManager, createRecall } = roo;

/** Numbers that are the same at each run. */
function randomly(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS = "relay socket parser ledger compass harbor lantern orchid pepper quartz ribbon saddle timber violet walnut zephyr".split(" ");

let messageNumber = 0;
/** How a format says: words of the user, words of the assistant, a call with its result. */
const formOf = ({ user, said, round }) => ({
  said: (text) => [user(text, `${++messageNumber}`)],
  answered: (text) => [said(text, `${++messageNumber}`)],
  called: round,
});

/** A conversation that goes on by rounds. */
function conversation(form, random, name) {
  const word = () => WORDS[random(WORDS.length)];
  let round = 0;
  return () => {
    round += 1;
    const id = `${name}-${round}`;
    const lines = Array.from({ length: 20 + random(60) }, (_, line) => `${name} ${line}: ${word()} ${word()} = ${random(1000)};`);
    return [
      ...form.answered(`${name} looks at the ${word()} of ${word()} (${round}).`),
      ...form.called(id, "Bash", { command: `show ${word()} ${round}` }, lines.join("\n")),
      ...form.said(`${name}: use the ${word()} with number ${random(100_000)}, not the ${word()}.`),
    ];
  };
}

/** Goes on, condenses and asks by turns. Everything that was found is remembered with what was read. */
async function chain(format, seed) {
  const random = randomly(seed);
  const form = formOf(SAMPLES[format]);
  const next = conversation(form, random, "wombat");
  const manager = new CondensationManager({ provider: "truncation" });
  let messages = [...form.said("wombat: look at everything."), ...next(), ...next()];
  let stack = [];
  const found = new Map();
  let recall = createRecall({ messages: () => ({ messages, restoreData: stack }), format });
  for (let step = 0; step < 14; step++) {
    const what = random(4);
    if (what === 0) messages = [...messages, ...next(), ...next()];
    if (what === 1) {
      const result = await manager.condense({ messages }, { targetTokens: 600 + random(2500), format });
      expect(result.error).toBeUndefined();
      if (result.didCondense) [messages, stack] = [result.messages, [...stack, result.restoreData]];
    }
    if (what === 2) {
      // As a model does: the call and its result become part of the conversation, and nothing before them changes.
      const before = JSON.stringify(messages);
      const query = `${WORDS[random(WORDS.length)]} ${WORDS[random(WORDS.length)]}`;
      const { text, hits } = await recall.search(query);
      messages = [...messages, ...form.called(`recall-${step}`, "recall", { query }, text)];
      expect(JSON.stringify(messages).startsWith(before.slice(0, -1))).toBe(true);
      for (const { key } of hits) if (!found.has(key)) found.set(key, (await recall.read(key)).content);
    }
    // Another process, with what the host kept.
    if (what === 3) {
      [messages, stack] = JSON.parse(JSON.stringify([messages, stack]));
      recall = createRecall({ messages: () => ({ messages, restoreData: stack }), format });
    }
    for (const [key, content] of found) {
      const read = await recall.read(key);
      expect(read).toMatchObject({ found: true, content });
      expect(read.text).not.toContain("numbat");
    }
  }
  return { found, recall };
}

describe.each(Object.keys(SAMPLES))("chains of condensation and recall in %s", (format) => {
  it("leave no handle dead, read exactly, and mix no conversations", async () => {
    let handles = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const { found, recall } = await chain(format, seed * 7919);
      handles += found.size;
      const other = createRecall({ messages: conversation(formOf(SAMPLES[format]), randomly(seed), "numbat")(), format });
      for (const key of found.keys()) expect((await other.read(key)).found).toBe(false);
      expect((await other.search(WORDS.join(" "))).text).not.toContain("wombat");
      expect((await recall.search("numbat")).hits).toHaveLength(0);
    }
    expect(handles).toBeGreaterThan(20);
  });
});

describe("what was recalled", () => {
  const form = formOf(SAMPLES.anthropic);
  const lines = (name) => Array.from({ length: 60 }, (_, line) => `${name} line ${line} of the listing`).join("\n");
  const history = () => [
    ...form.said("Do it."),
    ...form.called("a", "Bash", { command: "list apples" }, lines("apple")),
    ...form.called("b", "recall", { query: "pears" }, lines("pear")),
    ...form.called("c", "Bash", { command: "list plums" }, lines("plum")),
    ...Array.from({ length: 4 }, (_, index) => form.answered(`Step ${index}.`)).flat(),
  ];

  it("goes first", async () => {
    const messages = history();
    const target = Math.floor(roo.countTokens(messages) * 0.75);
    const result = await new CondensationManager({ provider: "truncation" }).condense({ messages }, { targetTokens: target });
    const json = JSON.stringify(result.messages);
    expect(json).not.toContain("pear line");
    expect(json).toContain("apple line 59");
    expect(json).toContain("plum line 59");
    expect(roo.restore(result)).toEqual(messages);
  });

  it("is no reading of a file and not found again", async () => {
    const found = await createRecall({ messages: history() }).search("pear line listing");
    expect(found.text).not.toContain("pear line 5");
  });

  it("is not repeated while it is in view", async () => {
    const messages = history();
    const result = await new CondensationManager({ provider: "truncation" }).condense({ messages }, { targetTokens: 800 });
    const recall = createRecall({ messages: result.messages, restoreData: result.restoreData });
    const inView = await recall.search("Step 3");
    expect(inView.text).toContain("in your view above: Step 3.");
    const gone = await recall.search("apple line 12");
    expect(gone.text).toContain("apple line 12 of the listing");
    expect(gone.text).not.toContain("in your view above: apple line 12");
  });
});
