// The host of the studio, whose page and components are in `roo-condense/ui`.

import type { CondensationManager } from "./manager.js";
import type { MessageLike } from "./messages.js";
import type { ManagerOptions, PresetName } from "./options.js";
import type { RestoreData } from "./results.js";

/** What was read of a history. */
export interface ReadHistory<M extends MessageLike = MessageLike> {
  messages: readonly M[];
  bytes?: number | undefined;
  /** Writes the text of its file with other messages, for what is copied or downloaded. Default: the messages as JSON. */
  textWith?: ((messages: readonly any[]) => string) | undefined;
  /**
   * Writes the text of a file that undoes a download of condensed messages; it is downloaded beside them. Default: the restore data as JSON, for
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
  /** Reads it; asked again whenever it may have changed. What it throws is shown. */
  read(): ReadHistory<M> | Promise<ReadHistory<M>>;
  /** Writes a condensed history and what leads back from it. Without it the page may only look. */
  save?: ((messages: readonly M[], restoreData: RestoreData) => SavedHistory | Promise<SavedHistory>) | undefined;
  /**
   * Writes the messages as they were before a saving, with those that were added since; `saving` is what `savings` listed, or the restore data that `save`
   * was given. It is called only while the history begins with the messages that this saving left. Without it the page offers no undo of saving.
   */
  undoSave?: ((messages: readonly M[], saving: StudioSaving) => SavedHistory | Promise<SavedHistory>) | undefined;
  /**
   * Lists the restore data of earlier savings, the newest last; asked after each `read`. The page offers to undo the newest that fits the messages. Without it
   * the host knows what was saved since it was made. What it throws counts as none.
   */
  savings?: (() => Iterable<StudioSaving> | Promise<Iterable<StudioSaving>>) | undefined;
  /** Whether saving adds to its file instead of replacing what was there, which the page says before. Default: false. */
  grows?: boolean | undefined;
  /** Tells when it may have changed. Returns what ends that. */
  watch?: ((changed: () => void) => () => void) | undefined;
}

/** Restore data of an earlier saving. Other fields, such as where it is stored, come back to `undoSave` as they are. */
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
  /** Names it in requests, such as its path. */
  id: string;
  /** Whose it is: `claude`, `codex`, `roo`, `zoo`, `cline`; another name is shown as it is. */
  agent: string;
  /** For people, such as its path. */
  name: string;
  /** When it was written last, in milliseconds since 1970. */
  changed: number;
  bytes: number;
}

/** Finds sessions, which a page without a history lists. */
export interface StudioSessions {
  /** `folders`: where it looked. `sessions`: the newest first. */
  find(): { folders: string[]; sessions: FoundSession[] } | Promise<{ folders: string[]; sessions: FoundSession[] }>;
  /** The session with this id as a history; called only with ids that `find` gave last. What it throws is shown. */
  open(id: string): StudioHistory<any>;
}

/** Settings of automatic condensing, which the page shows and changes. Those that are absent are as the manager has them. */
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
  /** How much of a conversation may stay if somebody condenses it by hand, in percent, 5 to 100: what the page begins with. Default: what it advises for the window. */
  targetPercent?: number | undefined;
}

/** Where a host keeps the settings that the page changes. */
export interface StudioSettingsStore {
  /** Reads them; asked again before each use. What it throws is shown. */
  read(): StudioSettings | Promise<StudioSettings>;
  /** Stores them, all that were chosen. Only settings that the manager accepts are stored. */
  write(settings: StudioSettings): unknown;
  /** Where they stand, for people: a file, a program. Default: they are said to last as long as the host. */
  keptIn?: string | undefined;
}

/** Options of {@link createStudioHost}. */
export interface StudioHostOptions {
  histories: readonly StudioHistory<any>[];
  /** The model's context window in tokens, if known. */
  contextWindow?: number | undefined;
  /** Whether the model has recall ({@link createRecall}, `roo-condense mcp`): then the page advises a tenth of the window. Default: false, half of it at most. */
  recall?: boolean | undefined;
  /** The system prompt; it counts towards the tokens. */
  systemPrompt?: string | undefined;
  /** The tool definitions; they count towards the tokens. */
  tools?: readonly object[] | undefined;
  /** `en` or `fr`. Default: that of the browser. */
  language?: string | undefined;
  /** Whether users may open other files by dropping them on the page. Default: true. */
  canOpen?: boolean | undefined;
  /** Reads the messages in the text of such a file. Default: JSON, an array of messages or an object with one in `messages`. What it throws is shown. */
  readText?: ((name: string, text: string) => readonly any[] | ReadHistory<any>) | undefined;
  /**
   * Keeps settings of automatic condensing, which the page then offers to change. What the page tries follows them, by a copy of the manager; the manager itself
   * is the host's to change. Default: the page has no such settings.
   */
  settings?: StudioSettingsStore | undefined;
  /** Finds sessions on this machine, for a page without a history. Without it the page asks for a file. */
  sessions?: StudioSessions | undefined;
  /** Makes one file of HTML of what the page shows, for its button *Report*. Without it there is none. `title` is for the head of the page. */
  report?: ((data: object, options: { title: string }) => string | Promise<string>) | undefined;
  /** Writes such a file when it was condensed; a page without a disk may have it downloaded. Without it these cannot be saved. */
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
  /** Handles the requests of a channel. Returns a function that ends that. */
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
