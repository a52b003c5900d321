"use strict";

// Looks at histories of coding agents, and condenses them. All there is to it: a manager, the host's half of the studio, and a panel.

const path = require("node:path");
const vscode = require("vscode");
const { CondensationManager, createSmartProvider, createStudioHost, studioPage, countTokens, restore } = require("roo-condense");
const { addUndo, pathOfUndo, readHistory, readUndo, removeUndo, writeHistory } = require("./files.js");

/** The settings of the user, as they are now. */
function settings() {
  const stored = vscode.workspace.getConfiguration("roo-condense");
  return {
    provider: stored.get("provider", "lossless"),
    preset: stored.get("preset", "balanced"),
    targetPercent: stored.get("targetPercent", 50),
    contextWindow: stored.get("contextWindow", 200_000),
    protectPaths: stored.get("protectPaths", []),
  };
}

/** Settings may be wrong in a hundred ways; the library says which, and the user reads it. */
function createManager({ provider, preset, protectPaths }) {
  const manager = new CondensationManager({ provider, protect: { paths: protectPaths } });
  manager.registerProvider(createSmartProvider(preset));
  return manager;
}

/** The history that a command is about: of the explorer's menu, or else one that the user picks, the one in the editor first. */
async function pickHistory(resource) {
  if (resource instanceof vscode.Uri) return resource.fsPath;
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: "A history of an agent",
      filters: { Histories: ["json"] },
      canSelectMany: false,
      defaultUri: vscode.window.activeTextEditor?.document.uri,
    })) ?? [];
  return picked?.fsPath;
}

/** Saves what the studio shows, and keeps what leads back. */
async function save(file, messages, restoreData) {
  const backup = await writeHistory(file, messages);
  await addUndo(file, restoreData);
  return { file, backup, restoreData: pathOfUndo(file) };
}

function openStudio(context, file) {
  const { contextWindow, ...more } = settings();
  const dist = vscode.Uri.joinPath(context.extensionUri, "dist");
  const panel = vscode.window.createWebviewPanel("roo-condense.studio", path.basename(file), vscode.ViewColumn.Active, {
    enableScripts: true,
    retainContextWhenHidden: true,
    localResourceRoots: [dist],
  });
  const history = {
    id: file,
    name: path.basename(file),
    read: () => readHistory(file),
    save: (messages, restoreData) => save(file, messages, restoreData),
    savings: async () => (await readUndo(file)).map((restoreData) => ({ restoreData })),
    undoSave: async (messages, saving) => {
      const backup = await writeHistory(file, messages);
      await removeUndo(file, saving.restoreData);
      return { file, backup };
    },
    watch(changed) {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(path.dirname(file), path.basename(file)));
      watcher.onDidChange(changed);
      watcher.onDidCreate(changed);
      return () => watcher.dispose();
    },
  };
  const host = createStudioHost(createManager(more), { histories: [history], contextWindow, language: vscode.env.language });
  const { webview } = panel;
  host.connect({ postMessage: (message) => webview.postMessage(message), onMessage: (listener) => webview.onDidReceiveMessage(listener) });
  panel.onDidDispose(() => host.dispose());
  const addressOf = (name) => String(webview.asWebviewUri(vscode.Uri.joinPath(dist, name)));
  webview.html = studioPage({
    scriptUri: addressOf("studio.js"),
    styleUri: addressOf("studio.css"),
    cspSource: webview.cspSource,
    language: vscode.env.language,
  });
}

/** Condenses as the settings say, after a question that says what that does. */
async function condense(file) {
  const { targetPercent, ...more } = settings();
  const { messages } = await readHistory(file);
  const targetTokens = Math.floor((countTokens(messages) * targetPercent) / 100);
  const result = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Condensing…", cancellable: true },
    (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return createManager(more).condense({ messages }, { targetTokens, signal: stop.signal });
    },
  );
  if (result.error) throw result.error;
  if (!result.didCondense) return void vscode.window.showInformationMessage("There is nothing to gain.");
  const { originalTokens, finalTokens } = result.stats;
  const lost = result.survival?.total.lost.tokens ?? 0;
  const shown = (tokens) => tokens.toLocaleString(vscode.env.language);
  const answer = await vscode.window.showInformationMessage(
    `${shown(originalTokens)} tokens become ${shown(finalTokens)}; ${shown(lost)} would be lost to the model.`,
    { modal: true, detail: "The file is replaced after a backup. You can undo it." },
    "Condense",
  );
  if (answer === "Condense") await save(file, result.messages, result.restoreData);
}

/** Undoes the newest condensation. Messages that were added since stay. */
async function undo(file) {
  const restoreData = (await readUndo(file)).at(-1);
  if (!restoreData) return void vscode.window.showInformationMessage("This history was not condensed here.");
  const { messages } = await readHistory(file);
  await writeHistory(file, restore({ messages, restoreData }));
  await removeUndo(file, restoreData);
}

function activate(context) {
  const commands = { studio: (file) => openStudio(context, file), condense, restore: undo };
  for (const [name, command] of Object.entries(commands)) {
    const registered = vscode.commands.registerCommand(`roo-condense.${name}`, async (resource) => {
      try {
        const file = await pickHistory(resource);
        if (file) await command(file);
      } catch (error) {
        vscode.window.showErrorMessage(error.message);
      }
    });
    context.subscriptions.push(registered);
  }
}

module.exports = { activate };
