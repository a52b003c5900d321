// Conversations for the tests of summaries.

const words = (count, seed) => Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 97}`).join(" ");

/** Words of user and assistant in turn, `count` messages, the user's first. */
export function talk(count, wordsEach = 60) {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: index === 0 ? `Fix the parser in src/parse.ts. ${words(wordsEach, 0)}` : words(wordsEach, index),
    ts: 1_700_000_000_000 + index,
  }));
}

/** An agent at work: every message of the user but the first answers a tool call; the same long file is read again and again. */
export function toolWork(rounds, lines = 80) {
  const file = Array.from({ length: lines }, (_, index) => `export const value${index} = compute(${index}, "${words(4, index)}");`).join(
    "\n",
  );
  const messages = [{ role: "user", content: [{ type: "text", text: "Make the tests pass." }], ts: 1 }];
  for (let round = 0; round < rounds; round++) {
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: `Reading, round ${round}.` },
        { type: "tool_use", id: `toolu_${round}`, name: "read_file", input: { path: `src/file${round % 3}.ts` } },
      ],
      ts: 2 + 2 * round,
    });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${round}`, content: file }], ts: 3 + 2 * round });
  }
  return messages;
}
