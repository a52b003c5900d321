// What holds for every history: random ones, with summaries, truncations, two user messages in a row, and calls without results.

import { describe, expect, test } from "vitest";
import { createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { createRandom } from "../../fixtures/random.mjs";
import { assistant, brokenPairs, call, handler, recordingHost, result, text, user } from "./support.mjs";

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed + 1);

/** A legal conversation, but for user messages that follow each other; the newest call may lack its result. */
function randomHistory(random) {
  const messages = [user("the task", 1000)];
  const length = 2 + Math.floor(random() * 24);
  let open = [];
  for (let index = 1; index < length; index++) {
    const ts = 1000 * (index + 1);
    if (open.length > 0) {
      messages.push(user([...open.map((id) => result(id)), ...(random() < 0.3 ? [text("go on")] : [])], ts));
      open = [];
    } else if (random() < 0.25) {
      messages.push(user(`remark ${index}`, ts));
    } else if (random() < 0.6) {
      open = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, at) => `call_${index}_${at}`);
      messages.push(assistant([text("next"), ...open.map((id) => call(id))], ts));
    } else {
      messages.push(assistant(`answer ${index} `.repeat(8), ts));
    }
  }
  return messages;
}

const { host } = recordingHost({ fixes: true, guard: false });
const management = createContextManagement(host);
const condense = createTaggedCondense(host);

/** Drops a random run of messages after the first, and rewrites another. */
const randomManager = (random) => ({
  async condense({ messages }) {
    if (messages.length < 3) return { messages, didCondense: false };
    const from = 1 + Math.floor(random() * (messages.length - 2));
    const kept = [...messages.slice(0, from), ...messages.slice(from + 1 + Math.floor(random() * 3))];
    return {
      messages: kept.map((message) => (random() < 0.2 && typeof message.content === "string" ? { ...message, content: "…" } : message)),
      didCondense: true,
    };
  },
});

const plain = (messages) => messages.map(({ role, content, ts }) => ({ role, content, ts }));
/** What legal input may break: the newest calls, which wait for their results. */
const waiting = (messages) => brokenPairs(messages).filter((id) => messages.at(-1).content.some?.((block) => block.id === id));

describe.each(SEEDS.slice(0, 3).map((first) => [first, SEEDS.filter((seed) => seed % 3 === first % 3)]))("histories %i", (_, seeds) => {
  test("with the fixes no window parts a call from its result, however often it slides", () => {
    for (const seed of seeds) {
      const { next: random } = createRandom(seed);
      const messages = randomHistory(random);
      let tagged = messages;
      let replaced = messages;
      for (const fraction of [0.5, random(), 0.5]) {
        const before = condense.getEffectiveApiHistory(tagged).filter((message) => !message.isTruncationMarker).length;
        const truncation = management.truncateConversation(tagged, fraction, "task");
        tagged = truncation.messages;
        const effective = condense.getEffectiveApiHistory(tagged).filter((message) => !message.isTruncationMarker);
        expect(before - effective.length, `seed ${seed}`).toBe(truncation.messagesRemoved);
        expect(brokenPairs(effective), `seed ${seed}`).toEqual(waiting(effective));
        replaced = createSlidingWindow(host).truncateConversation(replaced, fraction, "task");
        expect(brokenPairs(replaced), `seed ${seed}`).toEqual(waiting(replaced));
        expect(replaced[0]).toBe(messages[0]);
      }
      const restored = condense.cleanupAfterTruncation(tagged.filter((message) => !message.isTruncationMarker));
      expect(restored, `seed ${seed}`).toEqual(messages);
    }
  });

  test("condensing and truncating in any order, and rewinding step by step, gives back every state on the way", async () => {
    for (const seed of seeds) {
      const { next: random } = createRandom(seed);
      let history = randomHistory(random);
      const states = [];
      for (let step = 0; step < 4; step++) {
        states.push(history);
        const byManager = createTaggedCondense({ ...host, manager: random() < 0.6 ? randomManager(random) : undefined });
        const response = await byManager.summarizeConversation({
          messages: history,
          apiHandler: handler([text("s")]),
          systemPrompt: "",
          taskId: "task",
        });
        const last = Math.max(...response.messages.map(({ ts }) => ts));
        history = [
          ...response.messages,
          assistant(`after ${step} `.repeat(20), last + 1000),
          user(`go on ${step} `.repeat(20), last + 2000),
        ];
      }
      for (const state of states.reverse()) {
        const newest = Math.max(...state.map(({ ts }) => ts));
        const rewound = condense.cleanupAfterTruncation(history.filter((message) => message.ts <= newest));
        expect(rewound, `seed ${seed}`).toEqual(state);
        expect(plain(condense.getEffectiveApiHistory(rewound)), `seed ${seed}`).toEqual(plain(condense.getEffectiveApiHistory(state)));
      }
    }
  });
});
