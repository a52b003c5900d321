import { describe, expect, test } from "vitest";
import { CondensationManager, countTokens, createLosslessProvider, createTruncationProvider } from "../../index.js";

const code = (count, name) =>
  Array.from({ length: count }, (_, line) => `export function ${name}${line}(value) { return value * ${line} + ${count}; }`).join("\n");
const numbered = (text) =>
  text
    .split("\n")
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .join("\n");
let ids = 0;
const round = (name, input, content, more = {}) => {
  const id = `call${++ids}`;
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...more }] },
  ];
};
const END = [
  { role: "assistant", content: "I see." },
  { role: "user", content: "Go on." },
];
const said = (result) => JSON.stringify(result.messages);

describe("a change is believed once it is proven", () => {
  const old = code(40, "before");
  const path = "src/a.ts";
  const session = (answer) => [
    { role: "user", content: "Mend it." },
    ...round("read_file", { path }, old),
    ...round("write_to_file", { path, content: code(40, "after") }, answer),
    ...END,
  ];
  const line = old.split("\n")[20];

  test.each([
    [JSON.stringify({ success: false, reason: "quota" })],
    [JSON.stringify({ ok: false })],
    ["exit code 1"],
    ["No space left on device"],
    ["403 Forbidden"],
    ["ツールの実行に失敗しました"],
    ["Le disque est plein."],
    ["<result>ko</result>"],
    ["ok"],
    [""],
  ])("%s proves nothing: the reading stays", async (answer) => {
    for (const provider of ["lossless", "smart"]) {
      for (const config of [{}, { preserveRecentCount: 0 }]) {
        const result = await new CondensationManager({ provider }).condense(
          { messages: session(answer) },
          provider === "lossless" ? { config } : {},
        );
        expect(said(result)).toContain(line);
        expect(said(result)).not.toMatch(/was changed|written anew/);
      }
    }
  });

  test("a host's own form of success does", async () => {
    const answer = JSON.stringify({ path, operation: "modified" });
    const result = await createLosslessProvider({ preserveRecentCount: 0 }).condense({ messages: session(answer) });
    expect(said(result)).not.toContain(line);
    expect(said(result)).toContain("[Left out: src/a.ts was changed below]");
  });
});

test("a stub of the host leads nowhere only as a note", async () => {
  const file = code(60, "kept");
  const stub =
    "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.";
  const read = (name, answer) => round("Read", { file_path: `/w/${name}.ts` }, answer);
  const messages = [
    { role: "user", content: "Refactor a.ts." },
    ...read("a", numbered(file)),
    ...Array.from({ length: 8 }, (_, index) => read(`o${index}`, numbered(code(40, `other${index}x`)))).flat(),
    ...read("a", stub),
    ...END,
  ];
  for (const [provider, targetTokens] of [["lossless"], ["truncation", 4000], ["truncation", 2000], ["truncation", 900], ["smart", 2000]]) {
    const result = await new CondensationManager({ provider }).condense({ messages }, { targetTokens });
    const isWhole = file.split("\n").every((line) => said(result).includes(line));
    expect(isWhole || !said(result).includes("refer to that instead"), `${provider} ${targetTokens}`).toBe(true);
  }
});

test("rules of one provider hold for its chain", async () => {
  const messages = [
    { role: "user", content: "Fix it." },
    ...round("secret_tool", { q: 1 }, Array.from({ length: 40 }, (_, line) => `precious line ${line}`).join("\n")),
    ...Array.from({ length: 12 }, (_, index) => round("Read", { file_path: `/w/f${index}.ts` }, numbered(code(60, `f${index}x`)))).flat(),
    ...END,
  ];
  const targetTokens = Math.floor(countTokens(messages) / 10);
  const protect = { tools: ["secret_tool"] };
  const registered = new CondensationManager({ provider: "lossless" });
  registered.registerProvider(createLosslessProvider({ protect }));
  const results = [
    await new CondensationManager({ provider: "lossless" }).condense({ messages }, { targetTokens, config: { protect } }),
    await registered.condense({ messages }, { targetTokens }),
  ];
  for (const result of results) expect(said(result)).toContain("precious line 39");
  const frozen = await new CondensationManager({ provider: "lossless" }).condense(
    { messages },
    { targetTokens, config: { frozenMessages: 5 } },
  );
  expect(frozen.messages.slice(0, 5).every((message, index) => message === messages[index])).toBe(true);
});

test("words between two pastes stay while the pastes give way", async () => {
  const log = (name) =>
    Array.from({ length: 80 }, (_, line) => `2026-11-26T15:00:${line} ${name} worker[${line}] took ${line * 7} ms`).join("\n");
  const words = "Ne touche jamais à la table payments ; elle est à l'équipe bleue.";
  const filler = (from) =>
    Array.from({ length: 8 }, (_, index) =>
      round("Read", { file_path: `/w/g${from + index}.ts` }, numbered(code(60, `g${from + index}x`))),
    ).flat();
  const messages = [
    { role: "user", content: "Fix it." },
    { role: "assistant", content: "Yes." },
    { role: "user", content: `Here is the log:\n${log("alpha")}\n\n${words}\n\nAnd the second one:\n${log("beta")}` },
    ...filler(0),
    ...filler(8),
    ...END,
  ];
  for (const share of [0.5, 0.25, 0.1]) {
    const result = await createTruncationProvider().condense({ messages }, { targetTokens: Math.floor(countTokens(messages) * share) });
    expect(said(result)).toContain(words);
  }
});

test("a note in the place of a reading is not left out again", async () => {
  const reading = (text) => ({ role: "user", content: [{ type: "text", text: `[read_file for 'src/b.rs'] Result:\n\n${text}` }] });
  const said = (content) => ({ role: "assistant", content });
  const messages = [
    { role: "user", content: "Go." },
    said("I look."),
    reading(numbered("struct Old(first, second);\nstruct Older(first, second, third);")),
    said("Again."),
    reading(numbered(code(40, "now"))),
    said("Yes."),
    ...Array.from({ length: 3 }, () => [{ role: "user", content: "Go on." }, said("Yes.")]).flat(),
  ];
  const provider = createLosslessProvider();
  const once = await provider.condense({ messages });
  expect(JSON.stringify(once.messages)).toContain("[Left out: src/b.rs was changed below]");
  expect((await provider.condense({ messages: once.messages })).didCondense).toBe(false);
});
