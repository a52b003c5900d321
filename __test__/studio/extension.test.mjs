// The extension in examples/: bundled as it is packaged, loaded with a stand-in for VS Code, and used.

import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CondensationManager, countTokens, presets } from "../../index.js";
import { addonName, debugAddon, readJson, root } from "../../scripts/tools.mjs";

const extension = path.join(root, "examples", "vscode-extension");
const manifest = readJson(path.join(extension, "package.json"));
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-vscode-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const history = path.join(folder, "history.json");
const original = readFileSync(path.join(root, "fixtures", "claude-code.json"), "utf8");
const { messages } = JSON.parse(original);

/** What the extension asks of VS Code, and what it is answered. */
const vscode = {};
const defaults = () =>
  Object.fromEntries(Object.entries(manifest.contributes.configuration.properties).map(([name, { default: value }]) => [name, value]));

class Uri {
  constructor(fsPath) {
    this.fsPath = fsPath;
  }
  static joinPath(uri, ...parts) {
    return new Uri(path.join(uri.fsPath, ...parts));
  }
}

function standIn() {
  const commands = new Map();
  const panels = [];
  const serializers = new Map();
  const state = { settings: defaults(), answer: "Condense", said: [], errors: [], cancelled: false };
  const openPanel = (_type, title, _column, options) => {
    const listeners = [];
    const sent = [];
    const closed = [];
    const webview = {
      options: {},
      cspSource: "vscode-webview://x",
      html: "",
      asWebviewUri: (uri) => `vscode-webview://x${uri.fsPath}`,
      postMessage: (message) => sent.push(message),
      onDidReceiveMessage(listener) {
        listeners.push(listener);
        return { dispose: () => listeners.splice(0) };
      },
    };
    const panel = {
      title,
      options,
      webview,
      sent,
      listeners,
      onDidDispose: (listener) => closed.push(listener),
      close: () => closed.forEach((each) => each()),
    };
    panels.push(panel);
    return panel;
  };
  Object.assign(vscode, {
    Uri,
    RelativePattern: class {},
    ViewColumn: { Active: -1 },
    ConfigurationTarget: { Global: 1 },
    l10n: { t: (words, ...values) => words.replace(/\{(\d)\}/g, (_, at) => values[at]) },
    ProgressLocation: { Notification: 15 },
    env: { language: "fr" },
    commands: {
      registerCommand(name, command) {
        commands.set(name, command);
        return { dispose() {} };
      },
    },
    workspace: {
      getConfiguration: (section) => ({
        get: (name, other) => state.settings[`${section}.${name}`] ?? other,
        async update(name, value, target) {
          expect(target).toBe(vscode.ConfigurationTarget.Global);
          state.settings[`${section}.${name}`] = value ?? defaults()[`${section}.${name}`];
        },
      }),
      createFileSystemWatcher: () => ({ onDidChange() {}, onDidCreate() {}, dispose() {} }),
    },
    window: {
      createWebviewPanel: openPanel,
      registerWebviewPanelSerializer(type, serializer) {
        serializers.set(type, serializer);
        return { dispose() {} };
      },
      showOpenDialog: async () => undefined,
      async showInformationMessage(...words) {
        state.said.push(words);
        return words.includes(state.answer) ? state.answer : undefined;
      },
      showErrorMessage: (words) => state.errors.push(words),
      withProgress: (_options, task) => task({}, { onCancellationRequested: (listener) => state.cancelled && listener() }),
    },
  });
  return { commands, panels, serializers, openPanel, state };
}

let main;
let host;

beforeAll(() => {
  const env = { ...process.env, ROO_CONDENSE_BINARY: process.env.ROO_CONDENSE_BINARY ?? debugAddon };
  const built = spawnSync(process.execPath, [path.join(extension, "build.mjs")], { env, encoding: "utf8" });
  expect(built.stderr).toBe("");
  cpSync(path.join(extension, "dist"), path.join(folder, "dist"), { recursive: true });
  mkdirSync(path.join(folder, "node_modules", "vscode"), { recursive: true });
  writeFileSync(path.join(folder, "node_modules", "vscode", "index.js"), "module.exports = globalThis[Symbol.for('stand-in')];");
  globalThis[Symbol.for("stand-in")] = vscode;
  main = createRequire(path.join(folder, "x.js"))("./dist/extension.js");
});

beforeEach(() => {
  for (const name of readdirSync(folder).filter((each) => each.startsWith("history"))) rmSync(path.join(folder, name));
  writeFileSync(history, original);
  host = standIn();
  main.activate({ extensionUri: new Uri(folder), subscriptions: [] });
});

const run = (name) => host.commands.get(`roo-condense.${name}`)(new Uri(history));
const stored = () => JSON.parse(readFileSync(history, "utf8"));

describe("the package", () => {
  test("is one bundle, the addon and the page", () => {
    expect(readdirSync(path.join(folder, "dist")).sort()).toEqual(
      [addonName(), "components.js", "extension.js", "react.js", "studio.css", "studio.js"].sort(),
    );
    expect(readFileSync(path.join(folder, "dist", "extension.js"), "utf8")).not.toContain(root);
  });

  test("every command that is announced is there, and the reverse", () => {
    expect([...host.commands.keys()].sort()).toEqual(manifest.contributes.commands.map(({ command }) => command).sort());
  });

  test("every setting is read", () => {
    const source = readFileSync(path.join(extension, "src", "settings.js"), "utf8");
    for (const name of Object.keys(defaults())) expect(source).toContain(`"${name.replace("roo-condense.", "")}"`);
  });

  test("its settings name every provider and every preset", () => {
    const { "roo-condense.provider": provider, "roo-condense.preset": preset } = manifest.contributes.configuration.properties;
    expect(provider.enum).toEqual(new CondensationManager().listProviders().map(({ id }) => id));
    expect([...preset.enum].sort()).toEqual(Object.keys(presets).sort());
  });

  test("all its words are there in English and in French", () => {
    const english = readJson(path.join(extension, "package.nls.json"));
    const french = readJson(path.join(extension, "package.nls.fr.json"));
    const named = [...JSON.stringify(manifest).matchAll(/"%([\w.]+)%"/g)].map(([, name]) => name);
    expect(Object.keys(english).sort()).toEqual(named.sort());
    expect(Object.keys(french).sort()).toEqual(named);
    const source = readFileSync(path.join(extension, "src", "extension.js"), "utf8");
    const said = [...source.matchAll(/l10n\.t\("([^"]+)"/g)].map(([, words]) => words);
    const bundle = readJson(path.join(extension, "l10n", "bundle.l10n.fr.json"));
    expect(Object.keys(bundle).sort()).toEqual([...new Set(said)].sort());
    for (const [words, translated] of Object.entries(bundle))
      expect(translated.match(/\{\d\}/g) ?? [], words).toEqual(words.match(/\{\d\}/g) ?? []);
  });
});

describe("condensing", () => {
  test("asks, makes a backup, writes, and undoes it", async () => {
    await run("condense");
    expect(host.state.errors).toEqual([]);
    expect(host.state.said[0][0]).toMatch(/^65.293 tokens become \d+.\d{3}; \d.* would be lost to the model\.$/);
    expect(readFileSync(`${history}.bak`, "utf8")).toBe(original);
    expect(stored().id).toBe("claude-code");
    expect(JSON.stringify(stored()).length).toBeLessThan(original.length * 0.8);
    await run("restore");
    expect(readFileSync(history, "utf8")).toBe(original);
    expect(existsSync(`${history}.undo.json`)).toBe(false);
  });

  test.skipIf(process.platform === "win32")("a file keeps its mode, and a link stays one", async () => {
    const behind = path.join(folder, "behind.json");
    renameSync(history, behind);
    chmodSync(behind, 0o664);
    symlinkSync(behind, history);
    await run("condense");
    expect(readFileSync(behind, "utf8").length).toBeLessThan(original.length * 0.8);
    expect([lstatSync(history).isSymbolicLink(), statSync(behind).mode & 0o777]).toEqual([true, 0o664]);
    expect(statSync(`${history}.undo.json`).mode & 0o777).toBe(0o600);
    await run("restore");
    expect(readFileSync(behind, "utf8")).toBe(original);
    expect([lstatSync(history).isSymbolicLink(), statSync(behind).mode & 0o777]).toEqual([true, 0o664]);
    rmSync(history);
  });

  test("a file that only has the name of a backup is passed over", async () => {
    writeFileSync(`${history}.bak`, "{broken");
    await run("condense");
    await run("restore");
    expect(host.state.errors).toEqual([]);
    expect(readFileSync(history, "utf8")).toBe(original);
    expect(readFileSync(`${history}.bak`, "utf8")).toBe("{broken");
  });

  test("what else the file says since is not undone with it", async () => {
    await run("condense");
    writeFileSync(history, JSON.stringify({ ...stored(), id: "renamed" }));
    await run("restore");
    expect(stored()).toEqual({ ...JSON.parse(original), id: "renamed" });
  });

  test("undoes several, the newest first, with messages added between", async () => {
    await run("condense");
    const between = stored();
    const added = [
      { role: "user", content: "And now?" },
      { role: "assistant", content: "Now we are done." },
    ];
    writeFileSync(history, JSON.stringify({ ...between, messages: [...between.messages, ...added] }));
    host.state.settings["roo-condense.targetPercent"] = 30;
    await run("condense");
    expect(stored().messages.length).toBeLessThan(between.messages.length);
    await run("restore");
    await run("restore");
    expect(host.state.errors).toEqual([]);
    expect(stored().messages).toEqual([...messages, ...added]);
  });

  test("without a yes nothing is written", async () => {
    host.state.answer = "no";
    await run("condense");
    expect(readFileSync(history, "utf8")).toBe(original);
    expect(readdirSync(folder).filter((name) => name.startsWith("history"))).toEqual(["history.json"]);
  });

  test("can be cancelled", async () => {
    host.state.cancelled = true;
    await run("condense");
    expect(host.state.errors).toHaveLength(1);
    expect(readFileSync(history, "utf8")).toBe(original);
  });

  test.each(["lossless", "truncation", "smart", "pipeline"])("by %s", async (provider) => {
    host.state.settings["roo-condense.provider"] = provider;
    await run("condense");
    expect(host.state.errors).toEqual([]);
    expect(existsSync(`${history}.undo.json`)).toBe(true);
  });
});

describe("one message a line", () => {
  const file = path.join(folder, "history.jsonl");
  const lines = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
  const messagesIn = () =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("is condensed and undone", async () => {
    writeFileSync(file, lines(messages));
    await host.commands.get("roo-condense.condense")(new Uri(file));
    expect(host.state.errors).toEqual([]);
    expect(readFileSync(file, "utf8").length).toBeLessThan(lines(messages).length * 0.8);
    await host.commands.get("roo-condense.restore")(new Uri(file));
    expect(messagesIn()).toEqual(messages);
  });

  test("what an agent has not finished, and the records of Claude Code, are looked at only", async () => {
    for (const text of [
      `${lines(messages)}{"role": "us`,
      lines(messages.map((message) => ({ type: message.role, message, uuid: "x", isSidechain: false }))),
    ]) {
      writeFileSync(file, text);
      await host.commands.get("roo-condense.studio")(new Uri(file));
      const panel = host.panels.at(-1);
      panel.listeners.forEach((listener) => listener({ studio: 1, id: 1, method: "hello", params: {} }));
      await expect.poll(() => panel.sent[0]?.answer?.histories).toMatchObject([{ messages: 200, canWrite: false }]);
      panel.close();
      await host.commands.get("roo-condense.condense")(new Uri(file));
      expect(host.state.errors.at(-1)).toMatch(/is written by its agent alone, or not finished/);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });
});

describe("what is wrong is told", () => {
  test("a setting", async () => {
    host.state.settings["roo-condense.provider"] = "nobody";
    await run("condense");
    expect(host.state.errors[0]).toMatch(/nobody/);
  });

  test("a file that is no history", async () => {
    writeFileSync(history, "{}");
    await run("condense");
    expect(host.state.errors[0]).toMatch(/holds no array of messages/);
  });

  test("nothing to undo", async () => {
    await run("restore");
    expect(host.state.said[0][0]).toMatch(/was not condensed here/);
  });

  test("messages that were edited since", async () => {
    await run("condense");
    const edited = stored();
    edited.messages[2] = { role: "user", content: "Something else." };
    writeFileSync(history, JSON.stringify(edited));
    const before = readFileSync(history, "utf8");
    await run("restore");
    expect(host.state.errors).toHaveLength(1);
    expect(readFileSync(history, "utf8")).toBe(before);
  });
});

describe("the studio", () => {
  /** Asks as the page does. */
  async function ask(panel, id, method, params) {
    panel.listeners.forEach((listener) => listener({ studio: 1, id, method, params }));
    await expect.poll(() => panel.sent.find((message) => message.id === id), { timeout: 30_000 }).toBeDefined();
    return panel.sent.find((message) => message.id === id);
  }

  test("is a panel that runs its own files alone, and answers", async () => {
    await run("studio");
    expect(host.state.errors).toEqual([]);
    const [panel] = host.panels;
    expect(panel.title).toBe("history.json");
    expect(panel.webview.options.localResourceRoots.map(({ fsPath }) => fsPath)).toEqual([path.join(folder, "dist")]);
    expect(panel.webview.html).toContain("default-src &#39;none&#39;; script-src vscode-webview://x;");
    for (const name of ["studio.js", "studio.css"]) expect(panel.webview.html).toContain(path.posix.join("dist", name));
    const { answer } = await ask(panel, 1, "hello", {});
    expect(answer).toMatchObject({
      histories: [{ name: "history.json", messages: 200, canWrite: true }],
      contextWindow: 200_000,
      language: "fr",
    });
    const { answer: condensed } = await ask(panel, 2, "condense", { history, provider: "lossless" });
    await ask(panel, 3, "save", { condensation: condensed.id });
    expect(JSON.stringify(stored()).length).toBeLessThan(original.length * 0.8);
    panel.close();
    await run("restore");
    expect(stored().messages).toEqual(messages);
  });

  test("and *Condense a History* go by the same settings, which the studio changes", async () => {
    await run("studio");
    const [panel] = host.panels;
    const { answer: hello } = await ask(panel, 1, "hello", {});
    // As advised for the window, unless somebody says how far.
    expect([hello.canSet, hello.targetPercent]).toEqual([true, undefined]);
    const { answer: before } = await ask(panel, 2, "settings", {});
    expect(before).toMatchObject({
      settings: { autoCondenseContext: true, provider: "lossless", preset: "balanced" },
      canAsk: false,
    });
    const changed = { ...before.settings, provider: "smart", preset: "aggressive", targetPercent: 30 };
    await ask(panel, 3, "changeSettings", { settings: { ...changed, profileThresholds: { cheap: 60 } } });
    expect(host.state.settings).toMatchObject({
      "roo-condense.provider": "smart",
      "roo-condense.preset": "aggressive",
      "roo-condense.targetPercent": 30,
      "roo-condense.profileThresholds": { cheap: 60 },
    });
    // As the page asks: of the tokens that the inspection counts.
    const { answer: inspected } = await ask(panel, 4, "inspect", { history });
    const targetTokens = Math.floor((inspected.inspection.tokens.messages * 30) / 100);
    const { answer: condensed } = await ask(panel, 5, "condense", { history, targetTokens });
    await ask(panel, 6, "save", { condensation: condensed.id });
    const byStudio = stored();
    writeFileSync(history, original);
    await run("condense");
    expect(stored()).toEqual(byStudio);
    const { error } = await ask(panel, 7, "changeSettings", { settings: { provider: "losless" } });
    expect(error.code).toBe("unknown_provider");
    expect(host.state.settings["roo-condense.provider"]).toBe("smart");
    panel.close();
  });

  test("and *Condense a History* leave what is advised for the window, unless the settings say how far", async () => {
    host.state.settings["roo-condense.contextWindow"] = 60_000;
    await run("studio");
    const [panel] = host.panels;
    const { answer } = await ask(panel, 1, "inspect", { history });
    expect(answer.advice.targetTokens).toBe(30_000);
    panel.close();
    await run("condense");
    expect(host.state.errors).toEqual([]);
    const left = countTokens(stored().messages);
    expect(left).toBeLessThanOrEqual(30_000);
    expect(left).toBeGreaterThan(25_000);
    // 100 says that there is no target, whatever the window.
    writeFileSync(history, original);
    host.state.settings["roo-condense.targetPercent"] = 100;
    await run("condense");
    expect(countTokens(stored().messages)).toBeGreaterThan(40_000);
  });

  test("is put back where VS Code starts again, by what its page left", async () => {
    const panel = host.openPanel("roo-condense.studio", "history.json", -1, {});
    await host.serializers.get("roo-condense.studio").deserializeWebviewPanel(panel, { histories: [history] });
    const { answer } = await ask(panel, 1, "hello", {});
    expect(answer.histories).toMatchObject([{ id: history, messages: 200 }]);
    panel.close();
  });

  test("undoes a saving in a panel opened later, with messages added since", async () => {
    await run("condense");
    const added = { role: "user", content: "And now?" };
    writeFileSync(history, JSON.stringify({ ...stored(), messages: [...stored().messages, added] }));
    await run("studio");
    const [panel] = host.panels;
    const { answer } = await ask(panel, 1, "hello", {});
    expect(answer.histories[0]).toMatchObject({ canUndo: true });
    const { answer: undone } = await ask(panel, 2, "undoSave", { history });
    expect(undone).toMatchObject({ file: history, added: 1 });
    expect(stored().messages).toEqual([...messages, added]);
    expect(existsSync(`${history}.undo.json`)).toBe(false);
    panel.close();
  });
});
