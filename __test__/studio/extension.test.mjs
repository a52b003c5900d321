// The extension in examples/: bundled as it is packaged, loaded with a stand-in for VS Code, and used.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
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
  const state = { settings: defaults(), answer: "Condense", said: [], errors: [], cancelled: false };
  const openPanel = (_type, title, _column, options) => {
    const listeners = [];
    const sent = [];
    const closed = [];
    const webview = {
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
    ProgressLocation: { Notification: 15 },
    env: { language: "fr" },
    commands: {
      registerCommand(name, command) {
        commands.set(name, command);
        return { dispose() {} };
      },
    },
    workspace: {
      getConfiguration: (section) => ({ get: (name, other) => state.settings[`${section}.${name}`] ?? other }),
      createFileSystemWatcher: () => ({ onDidChange() {}, onDidCreate() {}, dispose() {} }),
    },
    window: {
      createWebviewPanel: openPanel,
      showOpenDialog: async () => undefined,
      async showInformationMessage(...words) {
        state.said.push(words);
        return words.includes(state.answer) ? state.answer : undefined;
      },
      showErrorMessage: (words) => state.errors.push(words),
      withProgress: (_options, task) => task({}, { onCancellationRequested: (listener) => state.cancelled && listener() }),
    },
  });
  return { commands, panels, state };
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

  test("every setting is read, and its default is accepted", () => {
    const source = readFileSync(path.join(extension, "src", "extension.js"), "utf8");
    for (const name of Object.keys(defaults())) expect(source).toContain(`stored.get("${name.replace("roo-condense.", "")}"`);
  });
});

describe("condensing", () => {
  test("asks, makes a backup, writes, and undoes it", async () => {
    await run("condense");
    expect(host.state.errors).toEqual([]);
    expect(host.state.said[0][0]).toMatch(/^65.293 tokens become \d+.\d{3}; \d.* would be lost to the model\.$/);
    expect(readFileSync(`${history}.bak`, "utf8")).toBe(original);
    expect(stored().id).toBe("claude-code");
    expect(JSON.stringify(stored()).length).toBeLessThan(original.length * 0.7);
    await run("restore");
    expect(stored().messages).toEqual(messages);
    expect(existsSync(`${history}.undo.json`)).toBe(false);
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
    expect(panel.options.localResourceRoots.map(({ fsPath }) => fsPath)).toEqual([path.join(folder, "dist")]);
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
