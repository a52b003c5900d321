"use strict";

// Looks at histories of coding agents, and condenses them. All there is to it: a manager, the host's half of the studio, and a panel.

const path = require("node:path");
const vscode = require("vscode");
const { CondensationManager, createStudioHost, studioPage, countTokens, restore } = require("roo-condense");
const { addUndo, historyIn, pathOfUndo, readHistory, readUndo, removeUndo, writeHistory } = require("./files.js");
const { contextWindow, protectedPaths, readSettings, writeSettings } = require("./settings.js");

const PANEL = "roo-condense.studio";

const newManager = (options) => new CondensationManager({ ...options, protect: { paths: protectedPaths() } });

/** A manager by the settings of the user. They may be wrong in a hundred ways; the library says which, and the user reads it. */
function managerBySettings({ preset, targetPercent: _, ...options }) {
  const manager = newManager(options);
  manager.setPreset(preset);
  return manager;
}

/** The history that a command is about: of the explorer's menu, or else one that the user picks, the one in the editor first. */
async function pickHistory(resource) {
  if (resource instanceof vscode.Uri) return resource.fsPath;
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("A history of an agent"),
      filters: { [vscode.l10n.t("Histories")]: ["json", "jsonl"] },
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

/** A file as the studio's host takes it. */
function historyOf(file) {
  let canWrite = true;
  const undoSave = async (messages, saving) => {
    const backup = await writeHistory(file, messages, { isUndone: true });
    await removeUndo(file, saving.restoreData);
    return { file, backup };
  };
  return {
    id: file,
    name: path.basename(file),
    async read() {
      const history = await readHistory(file);
      canWrite = history.textWith !== undefined;
      return history;
    },
    // Whether a file can be written is known when it was read.
    get save() {
      return canWrite ? (messages, restoreData) => save(file, messages, restoreData) : undefined;
    },
    get undoSave() {
      return canWrite ? undoSave : undefined;
    },
    savings: async () => (await readUndo(file)).map((restoreData) => ({ restoreData })),
    watch(changed) {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(path.dirname(file), path.basename(file)));
      watcher.onDidChange(changed);
      watcher.onDidCreate(changed);
      return () => watcher.dispose();
    },
  };
}

/** Shows the studio in a panel, a new one or one that VS Code has put back. */
function showStudio(context, file, panel) {
  const dist = vscode.Uri.joinPath(context.extensionUri, "dist");
  const { webview } = panel;
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  const host = createStudioHost(newManager(), {
    histories: [historyOf(file)],
    contextWindow: contextWindow(),
    language: vscode.env.language,
    readText: historyIn,
    settings: { read: readSettings, write: writeSettings, keptIn: vscode.l10n.t("the settings of VS Code") },
  });
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

function openStudio(context, file) {
  const options = { retainContextWhenHidden: true };
  showStudio(context, file, vscode.window.createWebviewPanel(PANEL, path.basename(file), vscode.ViewColumn.Active, options));
}

/** Tokens that may be left: as the settings say, else as the studio advises for the window. */
async function targetFor(file, messages, { targetPercent }) {
  if (targetPercent !== undefined) return targetPercent < 100 ? Math.floor((countTokens(messages) * targetPercent) / 100) : undefined;
  const host = createStudioHost(newManager(), { histories: [historyOf(file)], contextWindow: contextWindow() });
  const { answer, error } = await host.answer({ id: 1, method: "inspect", params: { history: file } });
  host.dispose();
  if (error) throw new Error(error.message);
  return answer.advice.targetTokens;
}

/** Condenses as the settings say, after a question that says what that does. */
async function condense(file) {
  const settings = readSettings();
  const { messages } = await readHistory(file);
  const result = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Condensing…"), cancellable: true },
    async (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const targetTokens = await targetFor(file, messages, settings);
      return managerBySettings(settings).condense({ messages }, { targetTokens, signal: stop.signal });
    },
  );
  if (result.error) throw result.error;
  if (!result.didCondense) return void vscode.window.showInformationMessage(vscode.l10n.t("There is nothing to gain."));
  const { originalTokens, finalTokens } = result.stats;
  const lost = result.survival?.total.lost.tokens ?? 0;
  const shown = (tokens) => tokens.toLocaleString(vscode.env.language);
  const yes = vscode.l10n.t("Condense");
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t("{0} tokens become {1}; {2} would be lost to the model.", shown(originalTokens), shown(finalTokens), shown(lost)),
    { modal: true, detail: vscode.l10n.t("The file is replaced after a backup. You can undo it.") },
    yes,
  );
  if (answer === yes) await save(file, result.messages, result.restoreData);
}

/** Undoes the newest condensation. Messages that were added since stay. */
async function undo(file) {
  const restoreData = (await readUndo(file)).at(-1);
  if (!restoreData) return void vscode.window.showInformationMessage(vscode.l10n.t("This history was not condensed here."));
  const { messages } = await readHistory(file);
  await writeHistory(file, restore({ messages, restoreData }), { isUndone: true });
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
  // Panels that were open when VS Code ended. The page leaves the ids of its histories, which are files here.
  const serializer = { deserializeWebviewPanel: async (panel, state) => showStudio(context, state.histories[0], panel) };
  context.subscriptions.push(vscode.window.registerWebviewPanelSerializer(PANEL, serializer));
}

module.exports = { activate };
