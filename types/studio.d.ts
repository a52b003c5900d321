// The host of the studio, whose page and components are in `roo-condense/ui`.

import type { CondensationManager } from "./manager.js";
import type { MessageLike } from "./messages.js";
import type { ManagerOptions, PresetName } from "./options.js";
import type { RestoreData } from "./results.js";

/** The content of a history. */
export interface ReadHistory<M extends MessageLike = MessageLike> {
  messages: readonly M[];
  bytes?: number | undefined;
  /** Returns the text of the history's file with other messages, to be copied or downloaded. Default: the messages as JSON. */
  textWith?: ((messages: readonly any[]) => string) | undefined;
  /**
   * Returns the text of a file that undoes a download of condensed messages; it is downloaded beside them. Default: the restore data as
   * JSON, for
   * {@link restore}.
   */
  restoreWith?: ((messages: readonly any[], restoreData: RestoreData) => string) | undefined;
}

/** A history that the studio shows. */
export interface StudioHistory<M extends MessageLike = MessageLike> {
  /** Its id in requests, such as its path. */
  id: string;
  /** The name for people. Default: the id. */
  name?: string | undefined;
  /** Reads the history; called again whenever it may have changed. The page shows the error if it throws. */
  read(): ReadHistory<M> | Promise<ReadHistory<M>>;
  /** Writes a condensed history and its restore data. Without it, the page cannot save. */
  save?: ((messages: readonly M[], restoreData: RestoreData) => SavedHistory | Promise<SavedHistory>) | undefined;
  /**
   * Writes the messages from before a save, followed by the messages added since. `saving` is an element of `savings`, or has the restore
   * data given to `save`.
   * Called only while the history begins with the messages that this save wrote. Without it, the page offers no undo of saves.
   */
  undoSave?: ((messages: readonly M[], saving: StudioSaving) => SavedHistory | Promise<SavedHistory>) | undefined;
  /**
   * Lists the restore data of earlier saves, the newest last; called after each `read`. The page offers to undo the newest save that fits
   * the messages. Without
   * it, the host knows the saves since it was created. If it throws, the list counts as empty.
   */
  savings?: (() => Iterable<StudioSaving> | Promise<Iterable<StudioSaving>>) | undefined;
  /** Whether a save appends to the file instead of replacing its content; the page announces it before. Default: false. */
  grows?: boolean | undefined;
  /** Calls `changed` when the history may have changed. Returns a function that stops this. */
  watch?: ((changed: () => void) => () => void) | undefined;
}

/** Restore data of an earlier save. `undoSave` receives other fields, such as the place of the data, unchanged. */
export interface StudioSaving {
  restoreData: RestoreData;
  [more: string]: unknown;
}

/** Where a history was written. */
export interface SavedHistory {
  file: string;
  /** The backup of the original. */
  backup?: string | undefined;
  /** The file with the restore data. */
  restoreData?: string | undefined;
}

/** A session that a host has found. */
export interface FoundSession {
  /** Its id in requests, such as its path. */
  id: string;
  /** The agent that wrote it: `claude`, `codex`, `roo`, `zoo`, `cline`. Other names are shown unchanged. */
  agent: string;
  /** The name for people, such as its path. */
  name: string;
  /** Time of the last write, in milliseconds since 1970. */
  changed: number;
  bytes: number;
}

/** Finds sessions. A page without a history lists them. */
export interface StudioSessions {
  /** `folders`: where it looked. `sessions`: the newest first. */
  find(): { folders: string[]; sessions: FoundSession[] } | Promise<{ folders: string[]; sessions: FoundSession[] }>;
  /** Returns the session with this id as a history; called only with ids from the last `find`. The page shows the error if it throws. */
  open(id: string): StudioHistory<any>;
}

/** Settings of automatic condensing, which the page shows and changes. Absent ones have the manager's values. */
export interface StudioSettings
  extends Pick<
    ManagerOptions,
    | "autoCondenseContext"
    | "autoCondenseContextPercent"
    | "profileThresholds"
    | "provider"
    | "condensingApiConfigId"
    | "customCondensingPrompt"
  > {
  /** The preset of the provider `smart`; see `manager.setPreset`. */
  preset?: PresetName | undefined;
  /** Initial target for condensing by hand, in percent of the conversation, 5 to 100. Default: the target that the page advises for the window. */
  targetPercent?: number | undefined;
}

/** Where a host keeps the settings that the page changes. */
export interface StudioSettingsStore {
  /** Reads the settings; called before each use. The page shows the error if it throws. */
  read(): StudioSettings | Promise<StudioSettings>;
  /** Stores all chosen settings. Called only with settings that the manager accepts. */
  write(settings: StudioSettings): unknown;
  /** Where the settings are stored, for people: a file, a program. Default: the page says that they last as long as the host. */
  keptIn?: string | undefined;
}

/** Options of {@link createStudioHost}. */
export interface StudioHostOptions {
  histories: readonly StudioHistory<any>[];
  /** The model's context window in tokens, if known. */
  contextWindow?: number | undefined;
  /** Whether the model has recall ({@link createRecall}, `roo-condense mcp`). With it, the page advises a tenth of the window, else at most half. Default: false. */
  recall?: boolean | undefined;
  /** The system prompt; it counts towards the tokens. */
  systemPrompt?: string | undefined;
  /** The tool definitions; they count towards the tokens. */
  tools?: readonly object[] | undefined;
  /** `en` or `fr`. Default: that of the browser. */
  language?: string | undefined;
  /** Whether users may open other files by dropping them on the page. Default: true. */
  canOpen?: boolean | undefined;
  /** Reads the messages from a dropped file's text. Default: JSON, an array of messages, or an object with one in `messages`. The page shows its errors. */
  readText?: ((name: string, text: string) => readonly any[] | ReadHistory<any>) | undefined;
  /**
   * Stores settings of automatic condensing, which the page then offers to change. Dry runs of the page apply them to a copy of the
   * manager. The manager itself
   * is changed only by your application. Default: the page has no such settings.
   */
  settings?: StudioSettingsStore | undefined;
  /** Finds sessions on this machine, for a page without a history. Without it, the page asks for a file. */
  sessions?: StudioSessions | undefined;
  /** Returns the page's content as one HTML file, for the button *Report*. `title` is for the head of the file. Without it, there is no such button. */
  report?: ((data: object, options: { title: string }) => string | Promise<string>) | undefined;
  /** Writes a dropped file after it was condensed; without a disk, it may start a download. Without this function, dropped files cannot be saved. */
  saveOpened?: ((name: string, messages: readonly any[], restoreData: RestoreData) => SavedHistory | Promise<SavedHistory>) | undefined;
}

/**
 * The channel for messages. For a VS Code webview: `{ postMessage: (message) => webview.postMessage(message), onMessage: (listener) =>
 * webview.onDidReceiveMessage(listener) }`.
 */
export interface StudioPort {
  postMessage(message: unknown): unknown;
  /** Returns a function or a disposable that stops listening. */
  onMessage(listener: (message: unknown) => void): unknown;
}

/** Handles the requests of a page. */
export interface StudioHost {
  /** Handles one request; never rejects. */
  answer(
    message: unknown,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<{ id: number; answer: unknown } | { id: number; error: { code: string; message: string } }>;
  /** Handles the requests of a channel. Returns a function that stops this. */
  connect(port: StudioPort): () => void;
  /** Ends all work and stops watching. */
  dispose(): void;
}

/**
 * Creates the host of the studio, which handles the page's requests about the given histories with a manager. Dry runs do not count in the manager's metrics,
 * and no LLM is called unless the user starts it.
 *
 * @throws {TypeError} `invalid_argument`
 * @example In a VS Code extension, whose `webview` is the channel.
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { CondensationManager, createStudioHost, type StudioPort } from "roo-condense";
 *
 * export function showStudio(path: string, port: StudioPort) {
 *   const read = async () => ({ messages: JSON.parse(await readFile(path, "utf8")) });
 *   const host = createStudioHost(new CondensationManager(), { histories: [{ id: path, read }] });
 *   host.connect(port);
 *   return host;
 * }
 * ```
 */
export function createStudioHost(manager: CondensationManager, options: StudioHostOptions): StudioHost;

/** Options of {@link studioPage}. */
export interface StudioPageOptions {
  /** The address of `roo-condense/ui/page/studio.js` for the webview (`webview.asWebviewUri`). It loads `components.js` and `react.js` from the same folder. */
  scriptUri: string;
  /** The address of `roo-condense/ui/page/studio.css`. */
  styleUri: string;
  /** `webview.cspSource` */
  cspSource: string;
  /** `en` or `fr`. Default: that of the browser. */
  language?: string | undefined;
}

/**
 * Returns the HTML of a webview that shows the studio, with a Content-Security-Policy that allows nothing else.
 * @example
 * ```ts
 * import { studioPage } from "roo-condense";
 *
 * const html = studioPage({ scriptUri: "https://file/studio.js", styleUri: "https://file/studio.css", cspSource: "https://file" });
 * ```
 */
export function studioPage(options: StudioPageOptions): string;
