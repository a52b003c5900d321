// Tools of the host: a history whose tools have names of their own is condensed as well as one whose tools are known.

import { describe, expect, it } from "vitest";
import { api, thrown } from "./support.mjs";

const { CondensationManager, createLosslessProvider, createSmartProvider, createTruncationProvider, restore } = api;

const KNOWN = { read: "read_file", write: "write_to_file", path: "path", content: "content" };
const INVENTED = { read: "fs_grab", write: "fs_put", path: "target", content: "body" };
const tools = {
  fs_grab: { meaning: "read", path: "target" },
  "fs_p*": { meaning: "write", path: "target", content: "body" },
};

const source = (version, count = 120) =>
  Array.from({ length: count }, (_, line) => `export const value${line} = compute(${line}, "${version}");`).join("\n");
const numbered = (text) =>
  text
    .split("\n")
    .map((line, index) => `${index + 1} | ${line}`)
    .join("\n");

/** What happens, in any dialect: [what, file, content]. */
const steps = [
  ["read", "src/a.ts", source("one")],
  ["read", "src/b.ts", source("other")],
  ["read", "src/a.ts", source("one")],
  ["write", "src/a.ts", source("two")],
  ["read", "src/a.ts", source("two")],
  ["write", "src/a.ts", source("three")],
  ["write", "src/a.ts", source("four")],
  ["read", "src/b.ts", source("other")],
  ["read", "src/c.ts", "short"],
  ["read", "src/d.ts", "short"],
];

/** A write is believed where its answer proves it: here as Roo-Code answers. */
const answer = (what, file, content) => (what === "read" ? numbered(content) : `The content was successfully saved to ${file}.`);

function native(names) {
  const rounds = steps.flatMap(([what, file, content], index) => {
    const input = { [names.path]: file, ...(what === "write" && { [names.content]: content }) };
    const id = `t${index}`;
    return [
      { role: "assistant", content: [{ type: "tool_use", id, name: names[what], input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: answer(what, file, content) }] },
    ];
  });
  return [{ role: "user", content: "Rework the sources." }, ...rounds];
}

function xml(names) {
  const rounds = steps.flatMap(([what, file, content]) => {
    const body = what === "write" ? `<${names.content}>\n${content}\n</${names.content}>\n` : "";
    const call = `<${names[what]}>\n<${names.path}>${file}</${names.path}>\n${body}</${names[what]}>`;
    return [
      { role: "assistant", content: `I go on.\n\n${call}` },
      {
        role: "user",
        content: [
          { type: "text", text: `[${names[what]} for '${file}'] Result:` },
          { type: "text", text: answer(what, file, content) },
        ],
      },
    ];
  });
  return [{ role: "user", content: "Rework the sources." }, ...rounds];
}

/** What was done to which block. */
const done = ({ changes }) => changes.map(({ messageIndex, blockIndex, operation }) => [messageIndex, blockIndex, operation]);

const reasons = ({ changes }) => changes.map(({ reason }) => reason);
const withKnownNames = (text) => text.replaceAll(INVENTED.read, KNOWN.read).replaceAll(INVENTED.write, KNOWN.write);

describe.each([
  ["native", native],
  ["XML", xml],
])("in the %s dialect", (_, dialect) => {
  const known = dialect(KNOWN);
  const invented = dialect(INVENTED);

  it("lossless follows files through invented tools as through known ones", async () => {
    const expected = await createLosslessProvider().condense({ messages: known });
    const operations = new Set(expected.changes.map(({ operation }) => operation));
    expect([...operations]).toEqual(expect.arrayContaining(["stale_read", "overwritten_write"]));

    const unnamed = await createLosslessProvider().condense({ messages: invented });
    expect(unnamed.stats.reductionPercent).toBeLessThan(expected.stats.reductionPercent - 5);

    for (const result of [
      await createLosslessProvider({ tools }).condense({ messages: invented }),
      await createLosslessProvider().condense({ messages: invented }, { config: { tools } }),
      await new CondensationManager({ tools }).condense({ messages: invented }, { provider: "lossless" }),
    ]) {
      expect(done(result)).toEqual(done(expected));
      expect(Math.abs(result.stats.reductionPercent - expected.stats.reductionPercent)).toBeLessThan(1);
      expect(restore(result)).toEqual(invented);
    }
  });

  // Without a target: with one, the tokens of the names themselves decide what just fits.
  it.each([
    ["salient", () => createTruncationProvider({ strategy: "salient", maxToolResultLines: 20, tools })],
    ["head", () => createTruncationProvider({ strategy: "head", tools })],
    ["smart", () => createSmartProvider({ preset: "multi_zone", tools })],
  ])("%s does with invented tools what it does with known ones", async (_name, create) => {
    const expected = await create().condense({ messages: known });
    const result = await create().condense({ messages: invented });
    expect(done(result)).toEqual(done(expected));
    expect(reasons(result).map(withKnownNames)).toEqual(reasons(expected));
  });

  it("calls are named by what they are about", async () => {
    const { changes } = await createTruncationProvider({ strategy: "salient", maxToolResultLines: 20, tools }).condense({
      messages: invented,
    });
    expect(changes.some(({ reason }) => reason.includes("fs_grab src/a.ts"))).toBe(true);
  });
});

it("the answer of a tool that asks the user is what the user says", async () => {
  const words = Array.from({ length: 200 }, (_, line) => `I want ${line} of them.`).join("\n");
  const ask = (name) => [
    { role: "user", content: "Start." },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name, input: { text: "How many?" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: words }] },
    ...Array.from({ length: 6 }, (_, index) => ({ role: index % 2 ? "user" : "assistant", content: `Word ${index}.` })),
  ];
  const head = { strategy: "head", maxToolResultLines: 3 };
  const cut = await createTruncationProvider(head).condense({ messages: ask("inquire") });
  expect(cut.didCondense).toBe(true);
  const kept = await createTruncationProvider({ ...head, tools: { "inq*": "ask" } }).condense({ messages: ask("inquire") });
  expect(kept.didCondense).toBe(false);
});

describe("wrong rows are named, all at once", () => {
  const wrong = { tools: { "my_*": { meaning: "write", path: 3 }, peek: "reed" } };
  const message = /^tools\["my_\*"\]\.path .*the name of a parameter, .*\ntools\.peek .*"read", /;

  it.each([
    ["a manager", () => new CondensationManager(wrong)],
    ["lossless", () => createLosslessProvider(wrong)],
    ["truncation", () => createTruncationProvider(wrong)],
    ["smart", () => createSmartProvider(wrong)],
  ])("by %s", (_, create) => {
    expect(create).toThrowError(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });

  it("by validateConfig", () => {
    expect(
      createLosslessProvider()
        .validateConfig(wrong)
        .errors.map(({ path }) => path),
    ).toEqual(['tools["my_*"].path', "tools.peek"]);
  });
});

describe("rules of tools", () => {
  const rules = { "browser_*": { keep: 2 }, read_file: { maxTokens: 100 }, execute_command: { keepErrors: true } };
  const long = (word) => Array.from({ length: 80 }, (_, line) => `${word} ${line} says something about value${line}`).join("\n");
  const round = (name, index, failed) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `t${index}`, name, input: { path: `src/${index}.ts`, command: `make ${index}` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${index}`, content: long(name), ...(failed && { is_error: true }) }],
    },
  ];
  const names = [
    "browser_look",
    "read_file",
    "execute_command",
    "browser_click",
    "read_file",
    "execute_command",
    "browser_look",
    "read_file",
  ];
  const messages = [
    { role: "user", content: "Mend the shop." },
    ...names.flatMap((name, index) => round(name, index, index === 2)),
    ...["One.", "Two.", "Three."].flatMap((content) => [
      { role: "assistant", content },
      { role: "user", content: "Go on." },
    ]),
  ];
  const answers = (condensed) =>
    condensed.flatMap(({ content }) => (typeof content === "string" ? [] : content)).filter(({ type }) => type === "tool_result");

  it.each([
    ["truncation", { targetTokens: 3600 }],
    ["smart", { targetTokens: 3600 }],
    ["truncation", {}],
  ])("of a manager hold with %s and %j, and changes name them", async (provider, options) => {
    const manager = new CondensationManager({ provider, tools: rules, fallback: false });
    const result = await manager.condense({ messages }, options);
    expect(result.error).toBeUndefined();
    const of = (index) => answers(result.messages).find(({ tool_use_id: id }) => id === `t${index}`);
    for (const kept of [2, 3, 6]) expect(of(kept).content).toBe(long(names[kept]));
    expect(of(0).content).toMatch(/^\[Tool result of 80 lines left out\]$/);
    for (const cut of [1, 4, 7]) if (of(cut)) expect(api.countTokens(of(cut).content)).toBeLessThanOrEqual(100);
    const told = result.changes.filter(({ operation }) => operation === "tool_rule").map(({ reason }) => reason);
    expect(told).toContain('rule of the tools "browser_*": older than the newest 2 calls, left out: browser_look src/0.ts');
    expect(restore(result)).toEqual(messages);
  });

  it("in a provider's configuration, and of lossless only what stands", async () => {
    const cut = await createTruncationProvider({ tools: rules }).condense({ messages }, { targetTokens: 3000 });
    expect(answers(cut.messages)[0].content).toMatch(/left out/);
    const protect = { "browser_*": { protect: true } };
    const lossless = await createLosslessProvider({ tools: protect }).condense({ messages });
    expect(answers(lossless.messages)[6]).toBe(answers(messages)[6]);
  });

  it("miss a target that they leave no room for, and say so", async () => {
    const manager = new CondensationManager({ provider: "truncation", tools: { "*": { protect: true } } });
    const { warnings } = await manager.condense({ messages }, { targetTokens: 500 });
    expect(warnings.map(({ code }) => code)).toEqual(["target_not_met"]);
  });

  it.each([
    [{ browser: { kep: 2 } }, "tools.browser.meaning", "tools.browser.kep is unknown; did you mean keep?"],
    [{ browser: { keep: -1 } }, "tools.browser.keep", "a whole number from 0 to 1000000"],
    [{ "a_*": { maxTokens: 3 } }, 'tools["a_*"].maxTokens', "a whole number from 20 to 1000000000"],
    [{ a: { inputs: true } }, "tools.a.meaning", "missing"],
    [{ a: { keepErrors: "yes" } }, "tools.a.keepErrors", "true or false"],
  ])("%j is refused", (tools, field, shows) => {
    for (const create of [() => new CondensationManager({ tools }), () => createSmartProvider({ tools })])
      expect(thrown(create)).toMatchObject({ field, message: expect.stringContaining(shows) });
  });
});
