// Settings of automatic condensing: where they stand, what goes by them, and what is refused.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { asking } from "./asking.mjs";
import { readJson, root } from "../../scripts/tools.mjs";
import { OF_OPERATIONS } from "../../ui/src/components/badges.tsx";

const require = createRequire(import.meta.url);
const { CondensationManager, callbackHandler, createAbTest, createStudioHost } = require("../../index.js");
const { settingsStore } = require("../../js/cli/settings-file.js");

const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hosts = [];
afterEach(() => hosts.splice(0).forEach((host) => host.dispose()));

const { messages } = readJson(path.join(root, "fixtures", "claude-code.json"));

function hostOf(settings, manager = new CondensationManager()) {
  const host = createStudioHost(manager, { histories: [{ id: "h", read: () => ({ messages }) }], settings, contextWindow: 100_000 });
  hosts.push(host);
  return asking(host);
}

describe("settings", () => {
  test("a host that keeps none has none", async () => {
    const ask = hostOf(undefined);
    expect((await ask("hello")).canSet).toBeUndefined();
    await expect(ask("settings")).rejects.toMatchObject({ code: "not_live" });
    await expect(ask("changeSettings", { settings: {} })).rejects.toMatchObject({ code: "not_live" });
  });

  test("begin as the manager has them; what was chosen comes before, and can be unchosen", async () => {
    const manager = new CondensationManager({ autoCondenseContextPercent: 80, profiles: { cheap: {} }, profileThresholds: { own: 60 } });
    manager.setProfileThreshold("cheap", 40);
    const ask = hostOf(settingsStore(undefined), manager);
    expect(await ask("settings")).toEqual({
      settings: { autoCondenseContext: true, autoCondenseContextPercent: 80, profileThresholds: { own: 60, cheap: 40 } },
      profiles: [
        { id: "cheap", hasModel: false },
        { id: "own", hasModel: false },
      ],
      canAsk: false,
    });
    const { settings } = await ask("changeSettings", { settings: { autoCondenseContextPercent: 50, profileThresholds: { own: -1 } } });
    expect(settings).toMatchObject({ autoCondenseContextPercent: 50, profileThresholds: { own: -1, cheap: 40 } });
    expect((await ask("changeSettings", { settings: {} })).settings.autoCondenseContextPercent).toBe(80);
    expect(manager.effectiveThreshold()).toBe(80);
  });

  test("what the page tries goes by them", async () => {
    const ask = hostOf(settingsStore(undefined));
    const window = async () => (await ask("inspect", { history: "h" })).inspection.window;
    expect(await window()).toMatchObject({ due: false, threshold: 100 });
    await ask("changeSettings", { settings: { autoCondenseContextPercent: 50, provider: "truncation", targetPercent: 40 } });
    expect(await window()).toMatchObject({ due: true, reason: "threshold", threshold: 50 });
    expect(await ask("condense", { history: "h", targetTokens: 20_000 })).toMatchObject({ provider: "truncation", metTarget: true });
    expect((await ask("try", { history: "h", id: "x" })).trial.provider).toBe("truncation");
    expect((await ask("hello")).targetPercent).toBe(40);
    await ask("changeSettings", {
      settings: { autoCondenseContext: false, autoCondenseContextPercent: 50, provider: "smart", preset: "conservative" },
    });
    expect(await window()).toMatchObject({ due: false });
    const passesOf = async (config) => (await ask("condense", { history: "h", ...config })).passes.map(({ id }) => id);
    expect(await passesOf({})).toEqual(await passesOf({ provider: "smart", config: { preset: "conservative" } }));
    expect(await passesOf({})).not.toEqual(await passesOf({ provider: "smart", config: { preset: "multi_zone" } }));
  });

  test("what is run with a model goes by them and counts in the host's own manager", async () => {
    const asked = [];
    const model = (name) =>
      callbackHandler({
        async *createMessage(prompt) {
          asked.push({ name, prompt });
          yield { type: "text", text: "A summary of all that was said and done before." };
          yield { type: "usage", inputTokens: 10, outputTokens: 10 };
        },
      });
    const manager = new CondensationManager({ handler: model("own"), profiles: { cheap: { handler: model("cheap") } } });
    const ask = hostOf(settingsStore(undefined), manager);
    expect(await ask("settings")).toMatchObject({ canAsk: true, profiles: [{ id: "cheap", hasModel: true }] });
    const settings = { provider: "native", condensingApiConfigId: "cheap", customCondensingPrompt: "Write it as a haiku." };
    await ask("changeSettings", { settings });
    const estimate = await ask("condense", { history: "h" });
    expect(estimate).toMatchObject({ exact: false, provider: "native" });
    expect(asked).toEqual([]);
    await ask("condense", { history: "h", ask: true });
    expect(asked.map(({ name }) => name)).toEqual(["cheap"]);
    expect(asked[0].prompt).toContain("haiku");
    expect(manager.getMetrics().total.calls).toBe(1);
  });

  test("what cannot be is refused, and not stored", async () => {
    const store = settingsStore(undefined);
    const ask = hostOf(store);
    for (const [settings, code] of [
      [{ provider: "losless" }, "unknown_provider"],
      [{ preset: "middling" }, "invalid_config"],
      [{ autoCondenseContextPercent: 3 }, "invalid_message"],
      [{ profileThresholds: { cheap: 101 } }, "invalid_message"],
      [{ targetPercent: "all" }, "invalid_message"],
    ])
      await expect(ask("changeSettings", { settings })).rejects.toMatchObject({ code });
    expect(store.read()).toEqual({});
  });

  test("stand in a file that is named, which a manager takes", async () => {
    const file = path.join(folder, "condense.json");
    const ask = hostOf(settingsStore(file));
    expect(await ask("settings")).toMatchObject({ keptIn: file });
    expect(existsSync(file)).toBe(false);
    await ask("changeSettings", { settings: { autoCondenseContextPercent: 70, profileThresholds: { cheap: 60 }, provider: "lossless" } });
    const { preset, targetPercent, ...options } = JSON.parse(readFileSync(file, "utf8"));
    expect(new CondensationManager(options).getEffectiveConfig("cheap")).toMatchObject({ threshold: 60, provider: "lossless" });
    // Somebody else may write there.
    writeFileSync(file, JSON.stringify({ autoCondenseContextPercent: 33 }));
    expect((await ask("settings")).settings.autoCondenseContextPercent).toBe(33);
    expect((await hostOf(settingsStore(file))("settings")).settings.autoCondenseContextPercent).toBe(33);
    writeFileSync(file, "nonsense");
    expect(() => settingsStore(file)).toThrow(/condense\.json/);
    await expect(ask("settings")).rejects.toThrow(/condense\.json/);
  });
});

describe("badges", () => {
  test("of operations say what the providers that do nothing else say of themselves", () => {
    const capabilities = Object.fromEntries(new CondensationManager().listProviders().map((one) => [one.id, one.capabilities]));
    const factsOf = ({ isFree, estimatedSpeed }) => ({ isFree, speed: estimatedSpeed });
    const { summarize, ...others } = OF_OPERATIONS;
    expect(summarize).toEqual(factsOf(capabilities.native));
    for (const facts of Object.values(others)) expect(facts).toEqual(factsOf(capabilities.truncation));
  });
});

test("metrics by variant of an experiment come to the page", async () => {
  const manager = new CondensationManager();
  const variants = [
    { name: "gentle", provider: "lossless" },
    { name: "hard", provider: "truncation" },
  ];
  manager.registerProvider(createAbTest({ experiment: "gentle-or-hard", variants }));
  for (let user = 0; user < 8; user++)
    await manager.condense({ messages, userId: `${user}` }, { provider: "ab_test", targetTokens: 30_000 });
  const { metrics } = await hostOf(undefined, manager)("metrics");
  const [[name, experiment]] = Object.entries(metrics.experiments);
  expect(name).toBe("gentle-or-hard");
  expect(experiment.variants).toEqual(
    expect.objectContaining({ hard: expect.objectContaining({ calls: expect.any(Number), tokensSaved: expect.any(Object) }) }),
  );
  expect(experiment.variants.gentle.calls + experiment.variants.hard.calls).toBe(8);
});
