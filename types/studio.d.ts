// The host of the studio, whose page and components are in `roo-condense/ui`.

import type { CondensationManager } from "./manager.js";
import type { MessageLike } from "./messages.js";
import type { RestoreData } from "./results.js";

/** A history for the studio. */
export interface StudioHistory<M extends MessageLike = MessageLike> {
  /** Its id in requests, such as its path. */
  id: string;
  /** The name for people. Default: the id. */
  name?: string | undefined;
  /** Reads the history; called again whenever it may have changed. An exception is shown to the user. */
  read(): { messages: readonly M[]; bytes?: number | undefined } | Promise<{ messages: readonly M[]; bytes?: number | undefined }>;
  /** Writes a condensed history and its restore data. Without it, the page is read-only. */
  save?: ((messages: readonly M[], restoreData: RestoreData) => SavedHistory | Promise<SavedHistory>) | undefined;
  /** Undoes `save`; `saved` is what that returned. Called only while the history is as `save` left it. Without it, the page cannot undo saving. */
  undoSave?: ((saved: SavedHistory) => SavedHistory | Promise<SavedHistory>) | undefined;
  /** Calls `changed` when the history may have changed. Returns a function that stops watching. */
  watch?: ((changed: () => void) => () => void) | undefined;
}

/** The files of a saved history. */
export interface SavedHistory {
  file: string;
  /** The backup of the original. */
  backup?: string | undefined;
  /** The file with the restore data. */
  restoreData?: string | undefined;
}

/** Options of {@link createStudioHost}. */
export interface StudioHostOptions {
  histories: readonly StudioHistory<any>[];
  /** The model's context window in tokens, if known. */
  contextWindow?: number | undefined;
  /** The system prompt; it counts towards the tokens. */
  systemPrompt?: string | undefined;
  /** The tool definitions; they count towards the tokens. */
  tools?: readonly object[] | undefined;
  /** `en` or `fr`. Default: that of the browser. */
  language?: string | undefined;
  /** Whether users may open other files by dropping them on the page. Default: true. */
  canOpen?: boolean | undefined;
  /**
   * Reads the messages of such a file from its text. Default: JSON, an array of messages or an object with one in `messages`. An exception is shown to the
   * user.
   */
  readText?: ((name: string, text: string) => readonly any[]) | undefined;
  /** Writes such a file after condensing; a page without a disk may offer a download. Without it, such files cannot be saved. */
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
