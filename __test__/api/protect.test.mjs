import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { rejected, thrown } from "./support.mjs";
import {
  CondensationManager,
  callbackHandler,
  createLosslessProvider,
  createNativeProvider,
  createSmartProvider,
  createTruncationProvider,
  expand,
  restore,
  validateMessages,
} from "../../index.js";

const lines = (name, count) => Array.from({ length: count }, (_, line) => `${name} line ${line} of a result that nobody needs`).join("\n");
const round = (id, name, input, result) => [
  { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
];

/** Twelve rounds of large results; in some of them what somebody may want to protect. */
function history() {
  const messages = [{ role: "user", content: "Mend the parser." }];
  for (let number = 0; number < 12; number++) {
    const secret = number === 3 ? "\nRULE: never push to main\n" : "";
    const [name, path] = number === 5 ? ["browser_action", undefined] : ["read_file", `src/file${number}.ts`];
    messages.push(...round(`call${number}`, name, path ? { path } : { action: "click" }, lines(`file${number}`, 60) + secret));
  }
  messages.push({ role: "assistant", content: "What now?" }, { role: "user", content: "Go on." }, { role: "assistant", content: "Yes." });
  return messages;
}

/** Whether what `round` number `number` answered stands there as it was. */
function holds(result, number) {
  const { content } = history()[2 + 2 * number];
  return result.messages.some((message) => JSON.stringify(message.content).includes(JSON.stringify(content[0]).slice(1, -1)));
}

async function* answer() {
  yield { type: "text", text: "A short summary." };
}
const handler = callbackHandler({
  createMessage: answer,
  getModel: () => ({ id: "fake", info: { contextWindow: 200_000, inputPrice: 0, outputPrice: 0 } }),
});

const PROVIDERS = [
  ["truncation to a target", (config) => createTruncationProvider(config), { targetTokens: 1500 }],
  ["truncation", (config) => createTruncationProvider(config), {}],
  ["window", (config) => createTruncationProvider({ mode: "window", ...config }), { targetTokens: 1500 }],
  ["smart", (config) => createSmartProvider({ preset: "aggressive", ...config }), { targetTokens: 1500 }],
  ["lossless", (config) => createLosslessProvider(config), {}],
  ["native", (config) => createNativeProvider(config), { handler }],
];

const RULES = [
  ["a tool", { tools: ["browser_*"] }, [5]],
  ["a path", { paths: ["file7.ts"] }, [7]],
  ["a text", { text: ["RULE: never push"] }, [3]],
  ["a message and its call", { messages: [4] }, [1]],
  ["all of them", { tools: ["browser_action"], paths: ["src/file7.ts"], text: ["never push"], messages: [3] }, [1, 3, 5, 7]],
];

describe.each(PROVIDERS)("protected by the configuration of %s", (_, create, options) => {
  test.each(RULES)("%s stays word for word, and all can be restored", async (_, protect, numbers) => {
    const messages = history();
    const result = await create({ protect }).condense({ messages }, options);
    expect(result.error).toBeUndefined();
    for (const number of numbers) expect(holds(result, number), `round ${number}`).toBe(true);
    expect(validateMessages(result.messages)).toEqual([]);
    expect(restore(result)).toEqual(history());
    expect(restore(JSON.parse(JSON.stringify(result)))).toEqual(history());
  });
});

describe("protected by the manager and by the call", () => {
  const condense = (protect, own, options = {}) =>
    new CondensationManager({ provider: "truncation", protect }).condense(
      { messages: history() },
      { targetTokens: 1500, ...options, protect: own },
    );

  test("both hold", async () => {
    const result = await condense({ tools: ["browser_*"] }, { text: ["never push"] });
    expect([holds(result, 5), holds(result, 3), holds(result, 7)]).toEqual([true, true, false]);
  });

  test.each([
    ["regular expressions", { text: [/rule: \w+ push/i] }, 3],
    ["regular expressions with flags of their own", { text: [/^rule:.*$/gimy] }, 3],
    ["functions", { messages: (message) => JSON.stringify(message).includes("file7 line 3 ") }, 7],
    ["indices of functions", { messages: (_, index) => index === 12 }, 5],
  ])("%s are asked for the messages of each call", async (_, protect, number) => {
    for (const result of [await condense(protect), await condense(undefined, protect)]) {
      expect(holds(result, number)).toBe(true);
      expect(result.stats.finalTokens).toBeLessThan(result.stats.originalTokens / 2);
    }
  });

  test("what finds nothing protects nothing", async () => {
    const result = await condense({ text: [/nowhere/, /x*/], tools: ["nobody"], paths: ["none.ts"], messages: () => false });
    expect(result.messages).toEqual((await condense()).messages);
  });

  test("a target that cannot be met is missed, and that is said", async () => {
    const result = await condense({ tools: ["*"] });
    expect(result.didCondense).toBe(false);
    expect(result.warnings.map(({ code }) => code)).toContain("target_not_met");
  });

  test.each([
    [{ protect: 1 }, "protect"],
    [{ protect: { tools: "x" } }, "protect.tools"],
    [{ protect: { text: [/x/, 7] } }, "protect.text[0]"],
    [{ protect: { messages: [-1] } }, "protect.messages[0]"],
    [{ protect: { tool: [] } }, "protect.tool"],
  ])("wrong rules are refused: %j", async (options, field) => {
    expect(thrown(() => new CondensationManager(options)).field).toBe(field);
    expect((await rejected(() => new CondensationManager().condense({ messages: [] }, options))).field).toBe(`options.${field}`);
  });

  test("a function that throws is named", async () => {
    const protect = {
      messages: () => {
        throw new Error("no");
      },
    };
    const call = () => new CondensationManager().condense({ messages: history() }, { protect });
    expect(await rejected(call)).toMatchObject({
      code: "invalid_argument",
      field: "options.protect.messages",
      message: expect.stringContaining("threw: no"),
    });
  });

  test("a provider of the host cannot leave it out", async () => {
    const manager = new CondensationManager({ protect: { text: ["never push"] } });
    manager.registerProvider({ id: "last", condense: ({ messages }) => ({ messages: messages.slice(-4) }) });
    const result = await manager.condense({ messages: history() }, { provider: "last" });
    expect(result.error).toBeUndefined();
    expect(holds(result, 3)).toBe(true);
    expect(result.messages.length).toBeLessThan(10);
    expect(validateMessages(result.messages)).toEqual([]);
  });
});

const told = ({ warnings }) => warnings.filter(({ code }) => code === "protect_unmatched");

describe("rules that are about nothing", () => {
  const wrong = {
    tools: ["nobody"],
    paths: ["D:\\nowhere", "src/file7.ts"],
    text: ["nowhere", /^nowhere$/m, /never push/],
    messages: [1, 99],
  };
  const kinds = ["protect.tools", "protect.paths", "protect.messages", "protect.text"];

  test.each(PROVIDERS)("%s tells of them, by the call", async (_, create, options) => {
    const result = await create({}).condense({ messages: history() }, { ...options, protect: wrong });
    expect(new Set(told(result).map(({ field }) => field))).toEqual(new Set(kinds));
    const messages = told(result).map(({ message }) => message);
    expect(messages).toContain('protect.paths: "D:\\\\nowhere" matches nothing in this conversation');
    expect(messages).toContain("protect.messages: 99 matches nothing in this conversation");
    expect(messages).toContain('protect.text: "nowhere" matches nothing in this conversation');
    expect(messages).toContain("protect.text: /^nowhere$/m matches nothing in this conversation");
  });

  test.each(PROVIDERS)("%s tells of them, once, by its configuration", async (_, create, options) => {
    const result = await create({ protect: { paths: ["nowhere.ts"] } }).condense({ messages: history() }, options);
    expect(told(result)).toHaveLength(1);
  });

  test("managers tell of theirs, and nothing is told of rules that hold", async () => {
    const manager = new CondensationManager({ provider: "truncation", protect: { tools: ["nobody"], text: [/nowhere/] } });
    expect(
      told(await manager.condense({ messages: history() }, { targetTokens: 1500 }))
        .map(({ field }) => field)
        .sort(),
    ).toEqual(["protect.text", "protect.tools"]);
    for (const [, protect] of RULES)
      expect(told(await createTruncationProvider().condense({ messages: history() }, { targetTokens: 1500, protect }))).toEqual([]);
  });
});

test("paths of Windows, however they are written", async () => {
  for (const stored of ["C:\\proj\\src\\parser.ts", "c:\\proj\\src\\parser.ts", "C:/proj/src/parser.ts", "/c/proj/src/parser.ts"]) {
    const messages = [history()[0], ...round("w", "read_file", { path: stored }, lines("parser", 60)), ...history().slice(1)];
    for (const path of [
      "C:\\proj\\src\\parser.ts",
      "C:/proj/src/parser.ts",
      "c:\\proj\\src\\*.ts",
      "C:\\proj\\**",
      "C:\\proj\\",
      "src\\parser.ts",
      "src/**/parser.ts",
    ]) {
      const result = await createTruncationProvider().condense({ messages }, { targetTokens: 1500, protect: { paths: [path] } });
      expect(told(result), `${stored} ${path}`).toEqual([]);
      expect(result.messages, `${stored} ${path}`).toContain(messages[2]);
    }
  }
});

test("text is found in blocks of every type, by strings and by expressions", async () => {
  const document = (data) => ({ type: "document", title: "TITLE", source: { type: "text", media_type: "text/plain", data } });
  const search = { type: "search_result", source: "u", title: "t", content: [{ type: "text", text: `FOUND ${lines("search", 40)}` }] };
  const own = [
    { role: "user", content: [document(`OF-THE-USER ${lines("document", 60)}`), { type: "text", text: "Follow it." }] },
    ...round("d", "fetch", { url: "u" }, [document(`OF-A-TOOL ${lines("document", 60)}`)]),
    ...round("s", "search", { q: "q" }, [search]),
    ...round("k", "run", { "KEY-NAME": 1 }, lines("key", 60)),
    ...round("n", "run", { port: 123456 }, lines("number", 60)),
  ];
  const messages = [{ role: "user", content: "Begin." }, { role: "assistant", content: "Yes." }, ...own, ...history().slice(1)];
  for (const [text, index] of [
    ["OF-THE-USER", 2],
    ["OF-A-TOOL", 4],
    ["FOUND", 6],
    ["KEY-NAME", 8],
    ["123456", 10],
  ]) {
    for (const rule of [text, new RegExp(text), vm.runInNewContext("new RegExp(text)", { text })]) {
      const result = await createTruncationProvider().condense({ messages }, { targetTokens: 1500, protect: { text: [rule] } });
      expect(told(result), text).toEqual([]);
      const kept = result.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      expect(kept, text).toContain(messages[index].content[0]);
    }
  }
});

describe("a pointer in what is protected", () => {
  const body = Array.from({ length: 60 }, (_, line) => `const f${line} = compute(${line * 7});`).join("\n");
  const tail = ["Done.", "Next?", "I look.", "Good.", "Yes."].map((content, at) => ({ role: at % 2 ? "user" : "assistant", content }));
  const messages = [
    { role: "user", content: "Task" },
    ...round("a", "Bash", { command: "one" }, `head KEEPME\n${body}`),
    ...round("b", "Bash", { command: "two" }, body),
    ...tail,
  ];

  test.each(PROVIDERS)("stays word for word, and so does what it leads to: %s", async (_, provider, options) => {
    const first = await createLosslessProvider({ strict: true }).condense({ messages });
    expect(first.messages[2].content[0].content).toContain("60 lines as below");
    const result = await provider({}).condense(
      { messages: first.messages },
      { ...options, targetTokens: 300, protect: { text: ["head KEEPME"] } },
    );
    for (const at of [2, 4]) expect(result.messages).toContainEqual(first.messages[at]);
    expect(expand(result.messages).unresolved).toEqual([]);
  });
});
