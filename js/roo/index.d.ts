// Types of roo-condense/roo. Written by hand; `__test__/types` is compiled against them.
//
// What Roo-Code's modules for condensing and for the window do, with the host's services as parameters. "2025" is the generation that
// replaces the history (`sliding-window`, `condense`), "2026" the one that tags it (`context-management`, `condense`). Zoo-Code, which carries
// Roo-Code on, is served by the functions of 2026: what it adds are options that Roo-Code does not give.
//
// Units everywhere: tokens are the host's (`apiHandler.countTokens`, and what the API reports); costs are US dollars, prices US dollars per
// million tokens; times (`ts`, `windowMs`) are milliseconds; thresholds are percent of the context window. Only `countTokens`, old tool results and a
// manager need the native binary.
//
// A history may grow while a call works on it: messages that the host pushes to its array meanwhile are in the response, the same objects, behind what was
// made of the others (`newContextTokens` does not count them). Where the host changed the array otherwise, the response has an `error` and that array.

import type { ResultStore } from "../../types/result.js";
import type { RestoreData } from "../../types/results.js";

// Messages ----------------------------------------------------------------------------------------------------------------------------

/** The least a content block has to be. */
export interface RooBlock {
  readonly type: string;
}

/**
 * The least a message has to be; Roo-Code's `ApiMessage` and Anthropic's `MessageParam` are. All further fields are kept. Messages are never
 * mutated; an unchanged one comes back as the same object, an unchanged history as the same array.
 */
export interface RooMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly RooBlock[];
  /** When it was said, in milliseconds since 1970. */
  readonly ts?: number | undefined;
  /** It is the summary of a condensation. */
  readonly isSummary?: boolean | undefined;
}

/** A message of 2026, with the tags that say what stands for it. */
export interface RooTaggedMessage extends RooMessage {
  /** On a summary: the id of its condensation. */
  readonly condenseId?: string | undefined;
  /** The `condenseId` of the summary that stands for the message. */
  readonly condenseParent?: string | undefined;
  /** On the marker of a truncation: its id. */
  readonly truncationId?: string | undefined;
  /** The `truncationId` of the marker that hides the message. */
  readonly truncationParent?: string | undefined;
  /** The `truncationId` of the marker, or the `condenseId` of the summary, that hides the thinking in the message: it was made behind what is hidden. */
  readonly thinkingParent?: string | undefined;
  /** It says that messages before it are hidden. */
  readonly isTruncationMarker?: boolean | undefined;
  /** On what a manager kept: the `condenseId` of the condensation it is part of. `cleanupAfterTruncation` removes it when that is gone. */
  readonly condensedBy?: string | undefined;
}

// Host --------------------------------------------------------------------------------------------------------------------------------

/** What is used of Roo-Code's `ApiHandler`. */
export interface RooApiHandler {
  /** Asks the model. Called with two arguments in 2025, with three in 2026. */
  createMessage?(systemPrompt: string, messages: any[], metadata?: any): AsyncIterable<any>;
  /** Tokens of content blocks. */
  countTokens(content: any[]): Promise<number>;
  /**
   * `info.supportsImages` decides whether images become text, `info.contextWindow` (tokens) is told to a manager, and so is `id`, the model that reads the
   * conversation: it decides what becomes of signed thinking.
   */
  getModel?(): { readonly info: object };
}

/** What is used of a telemetry service; both methods may be missing. */
export interface RooTelemetry {
  /** 2025: `(taskId, isAutomatic, hasCustomPrompt, hasCondensingHandler)`; 2026: the first three. Called first, also when nothing is condensed. */
  captureContextCondensed?(taskId: string, isAutomatic: boolean, hasCustomPrompt: boolean, hasCondensingHandler?: boolean): void;
  /** Called by every truncation, also when it removes nothing. */
  captureSlidingWindowTruncation?(taskId: string): void;
}

/** What a condensation by a manager is about. */
export interface RooManagerContext {
  /** 2025: the history; 2026: its effective form. */
  messages: any[];
  systemPrompt?: string;
  taskId?: string;
  /** Tokens of the model's window: as the window says, else where its handler tells. */
  contextWindow?: number;
  /** The window's `currentProfileId`, else the host's `profileId`: whose handler, prompt and price apply, and whose metrics count. */
  profileId?: string;
  /** `apiHandler.getModel().id`: the model that reads the conversation, whoever writes the summary. */
  model?: string;
}

/** What is used of a `CondensationManager` of this package; an object of this shape will do. */
export interface RooManager {
  /**
   * Called with `{ isAutomatic, signal?, handler?, condensingHandler?, customCondensingPrompt?, targetTokens? }`; the handlers are the host's own. The
   * window gives `targetTokens`: what its arithmetic allows, and what the threshold allows, whichever is less, in tokens of the manager where it is one
   * of this package, else in the host's. When a manager of this package met it and the host still counts too many, it is asked once or twice more for the
   * provider `truncation`.
   */
  condense(context: any, options?: any): Promise<RooManagerResult>;
  /** How the manager counts. Default: what is asked for is in the host's tokens. */
  getEffectiveConfig?(profileId?: string): { readonly encoding: any; readonly scale: number };
  /** The threshold of a profile, in percent; used for profiles for which the host has none. Default: the host's alone. */
  effectiveThreshold?(profileId?: string): number;
  /** Whether the profile has a handler of its own, which then takes the place of `handler`. Default: it has none. */
  hasHandler?(profileId: string): boolean;
}

/** What is used of the result of `CondensationManager.condense`. */
export interface RooManagerResult {
  messages: readonly any[];
  /** Empty when the provider makes none. */
  summary?: string;
  didCondense: boolean;
  /** Dollars, also of a condensation that failed. */
  cost?: number;
  /** Tokens; used when the handler counts none. */
  prevContextTokens?: number;
  newContextTokens?: number;
  /** With the code `target_not_met` where the manager knows that no more can be saved. */
  warnings?: readonly { readonly code: string }[];
  error?: { code: string; message: string; cause?: unknown };
  metrics?: { providerId?: string };
}

/** When automatic condensing without gain is given up for a while. The `guard` of a manager means the same. */
export interface RooGuard {
  /** So many attempts in a row without gain are enough, 1 or more. Default: 3. */
  attempts?: number | undefined;
  /** For so many milliseconds after the last of them none is made; a pause that is longer starts the count again. Default: 60,000. */
  windowMs?: number | undefined;
  /** An attempt that removes less than this share of the tokens is one without gain, 0 to 100 percent; so is one that fails. Default: 5. */
  minGainPercent?: number | undefined;
}

/** Services of the host. All are optional; without any of the options in the second half everything is as in Roo-Code. */
export interface RooHost {
  /** Translates a key such as `common:errors.condense_failed`. Default: English sentences that say what to do. */
  t?: ((key: string, parameters?: any) => string) | undefined;
  /** The telemetry service, looked up at each call. Default: none. */
  telemetry?: (() => RooTelemetry | undefined) | undefined;
  /**
   * Takes images out of what goes to a model that cannot see them. Default: image blocks of messages become the text
   * `[Referenced image in conversation]` unless `apiHandler.getModel().info.supportsImages`.
   */
  removeImages?: ((messages: any[], apiHandler: any) => any[]) | undefined;
  /**
   * What is sent of a history, where that is not the history itself: `compressOldToolResults` as the host calls it before every request. The reported tokens
   * are of that, so `manager` gets it, what it leaves is measured as it will be sent, and is what is stored. To be given wherever `manager` is; without
   * that it is not called. The history is in its effective form (2026). What it throws, the condensation throws. Default: the history.
   */
  messagesForApi?: ((messages: any[], apiHandler: any) => any[] | PromiseLike<any[]>) | undefined;
  /**
   * The default prompts. `summary`: the system prompt of the request for a summary; `condense` (2026): its last message. A custom prompt of
   * the user replaces the first in 2025 and the second in 2026. Default: prompts of this package.
   */
  prompts?: { summary?: string | undefined; condense?: string | undefined } | undefined;
  /** 2026: the structure of the files that were read, a section each. A rejection is told to `error` and is no failure. Default: none. */
  foldFiles?: ((paths: string[], options: { cwd: string; rooIgnoreController?: any }) => Promise<string[]>) | undefined;
  /** What the window calls to condense: the host's own module, where others may replace it. Default: that of this package. */
  summarizeConversation?: ((...parameters: any[]) => Promise<any>) | undefined;
  /** Takes warnings. Default: `console.warn`. */
  warn?: ((...values: any[]) => void) | undefined;
  /** Takes descriptions of failures. Default: `console.error`. */
  error?: ((...values: any[]) => void) | undefined;

  /**
   * Mends known faults, default false: truncating hides what is visible instead of what a summary already stands for; no window parts a call
   * from its result, and neither does a condensation of 2025, where a short message of the user stands between the summary and a kept message of the
   * assistant; a summary larger than the history is refused (2026); an `error` chunk is a failure; a reserve for the answer that leaves less than a
   * tenth of the window, so that every request would be due, counts as so much that half of the window is left; and `guard` is on.
   */
  fixes?: boolean | undefined;
  /**
   * Condenses instead of one request for a summary: any provider of this package. To be given to `createCondense` and
   * `createTaggedCondense`, or to the window when there is no `summarizeConversation`. What fails or saves nothing is an `error`. The window then leaves
   * no more than is allowed: what is still over it is truncated in the same call, and what even then does not fit has an `error` that says why.
   */
  manager?: RooManager | undefined;
  /**
   * What stays word for word whatever the manager does, beside what it protects itself. Needs `manager`. Of rules that are about nothing `warn` is told, once.
   * Default: nothing.
   */
  protect?: import("roo-condense").Protect | undefined;
  /**
   * Whether the window counts all messages that the last reported usage leaves out: those after the newest answer, or after the newest condensation.
   * Roo-Code counts the newest message only, and is late when several tools answered in messages of their own. Default: false.
   * `willManageContext` is told the tokens by its caller; `countNewTokens` counts them for it.
   */
  countAllNew?: boolean | undefined;
  /**
   * What is done with signed thinking behind what was changed or removed, default: as the manager says, or `auto`. `auto`: it goes for models that would refuse
   * it (Claude with preserved thinking, by `apiHandler.getModel().id`) and stays for others; `keep`: it stays; `drop`: it goes. Of that which stays and may
   * be refused `warn` is told. Tagged histories lose nothing: a truncation tags the messages (`thinkingParent`), and `getEffectiveApiHistory` shows them
   * without their thinking as long as the marker is there. `truncateConversation` on its own knows no model unless it is given the
   * handler as fourth parameter: without it only `drop` removes any.
   */
  thinking?: "auto" | "keep" | "drop" | undefined;
  /** The profile of condensations that no window asks for, which tells the manager its `currentProfileId`. Default: none. */
  profileId?: string | ((taskId: string) => string | undefined) | undefined;
  /** Stops automatic condensing that leads nowhere. Default: off, or with its own defaults when `fixes` is on. */
  guard?: RooGuard | false | undefined;
  /**
   * Cancels a call, also while a function of the host hangs (`countTokens`, `createMessage`, `messagesForApi`, `foldFiles`; after half a second
   * `summarizeConversation` or a manager of the host's own that does not hear the signal): the response has an `error` and the `cost` so far, the history is unchanged and is not truncated instead. Asked for once in
   * each call. Default: none.
   */
  signal?: AbortSignal | ((taskId: string) => AbortSignal | undefined) | undefined;
  /** Asked for the summary instead of the conversation's handler, unless the call names one. Gives way when it has no `createMessage`. */
  condensingHandler?: object | ((taskId: string) => object | undefined) | undefined;
}

// Condensing --------------------------------------------------------------------------------------------------------------------------

/** What a condensation gives. Plain data, safe to clone. */
export interface SummarizeResponse<M extends RooMessage = RooMessage> {
  /** The new history, or the same array when nothing was done. */
  messages: M[];
  /** The summary; by a manager whose provider makes none, a sentence on what was saved; empty when there is an `error`. */
  summary: string;
  /** Dollars, also of a condensation that failed. */
  cost: number;
  /** Tokens of the next request without the newest answer; absent when there is an `error`. */
  newContextTokens?: number;
  /**
   * What went wrong, for the user; absent when all went well. With a manager it can stand beside new messages: that they do not fit the window, and why.
   */
  error?: string;
  /** 2026: what the API or the manager said of the failure. */
  errorDetails?: string;
  /** 2026: the id of the condensation. */
  condenseId?: string;
}

/** The 2025 module for condensing: the summary takes the place of what it summarises. */
export interface Condense<M extends RooMessage = RooMessage> {
  /** The newest messages, which are kept as they are: 3. */
  readonly N_MESSAGES_TO_KEEP: 3;
  /** Percent: 5. */
  readonly MIN_CONDENSE_THRESHOLD: 5;
  /** Percent: 100. */
  readonly MAX_CONDENSE_THRESHOLD: 100;
  /**
   * Condenses to the first message, the summary and the newest three. Refusals and failures are in `error`.
   *
   * @param prevContextTokens Tokens before; a result of as many or more is refused.
   * @throws What `createMessage` throws, as in Roo-Code.
   */
  summarizeConversation<T extends M>(
    messages: T[],
    apiHandler: RooApiHandler,
    systemPrompt: string,
    taskId: string,
    prevContextTokens: number,
    isAutomaticTrigger?: boolean,
    customCondensingPrompt?: string,
    condensingApiHandler?: object,
  ): Promise<SummarizeResponse<T>>;
  /** The messages since the last summary, with a user message in front; the same array when there is no summary. */
  getMessagesSinceLastSummary<T extends M>(messages: T[]): T[];
  /**
   * The first `length` messages, as after a rewind. `lossless` leaves pointers to lines further down; where these are cut off, they stand in the place of the
   * pointers. Unchanged messages are the same objects; the same array when nothing is cut off. Synchronous. Needs the binary only where there are such pointers.
   *
   * @param length Messages that stay, 0 or more.
   * @throws {TypeError} `invalid_argument`; `RangeError` with `out_of_range` for `length`.
   */
  rewindTo<T extends M>(messages: T[], length: number): T[];
}

/**
 * The 2025 module for condensing.
 * @throws {TypeError} `invalid_argument` when `host` cannot be used.
 * @example
 * ```ts
 * import { createCondense } from "roo-condense/roo";
 *
 * const { summarizeConversation } = createCondense({ fixes: true });
 * const { messages: condensed, error } = await summarizeConversation(messages, apiHandler, systemPrompt, "task", 120_000, true);
 * ```
 */
export function createCondense<M extends RooMessage = RooMessage>(host?: RooHost): Condense<M>;

/** The arguments of the 2026 `summarizeConversation`. */
export interface TaggedSummarizeOptions<M extends RooMessage = RooMessage> {
  messages: M[];
  apiHandler: RooApiHandler;
  /**
   * Zoo-Code: asked for the summary instead of `apiHandler`, which still counts. One without `createMessage` gives way, with a warning. Default: the
   * host's `condensingHandler`.
   */
  condensingApiHandler?: object | undefined;
  systemPrompt: string;
  taskId: string;
  /** Whether the window asks. Only then environment details go into the summary, and the guard counts. */
  isAutomaticTrigger?: boolean | undefined;
  /** Replaces the last message of the request; blank means none. */
  customCondensingPrompt?: string | undefined;
  /** Third argument of `createMessage`; its `tools`, an array, are counted. */
  metadata?: object | undefined;
  /** Ends the summary when the trigger is automatic. */
  environmentDetails?: string | undefined;
  /** Paths for `host.foldFiles`, which is asked when `cwd` is given, too. */
  filesReadByRoo?: string[] | undefined;
  cwd?: string | undefined;
  rooIgnoreController?: unknown;
}

/** The 2026 module for condensing: the summary is appended, what it stands for stays and is tagged. */
export interface TaggedCondense<M extends RooMessage = RooMessage> {
  /** Percent: 5. */
  readonly MIN_CONDENSE_THRESHOLD: 5;
  /** Percent: 100. */
  readonly MAX_CONDENSE_THRESHOLD: 100;
  /**
   * Tags all messages and appends the summary. With a manager: appends what it made of the effective history, as copies of which the first
   * is the summary message. Refusals and failures are in `error`; rejects only when `apiHandler.countTokens` does.
   */
  summarizeConversation<T extends M>(options: TaggedSummarizeOptions<T>): Promise<SummarizeResponse<T>>;
  /** The messages from the last summary on; the same array when there is none. */
  getMessagesSinceLastSummary<T extends M>(messages: T[]): T[];
  /** What the API gets: the messages from the last summary on, without hidden ones and without results whose call is not there. */
  getEffectiveApiHistory<T extends M>(messages: T[]): T[];
  /** After messages were removed: takes away tags whose summary or marker is gone, so that what they hid shows again. */
  cleanupAfterTruncation<T extends M>(messages: T[]): T[];
  /** Appends a user message that answers all calls without a result; the same array when there are none. */
  injectSyntheticToolResults<T extends M>(messages: T[]): T[];
  /** The messages with tool blocks as text. */
  transformMessagesForCondensing<T extends RooMessage>(messages: readonly T[]): T[];
  /** The content with tool blocks as text; the same when it has none. */
  convertToolBlocksToText<C extends string | readonly RooBlock[]>(content: C): C;
  /** `[Tool Use: name]`, then a line for each parameter. */
  toolUseToText(block: { readonly name: string; readonly input?: unknown }): string;
  /** `[Tool Result]` or `[Tool Result (Error)]`, then the content; images are `[Image]`. */
  toolResultToText(block: { readonly content?: string | readonly RooBlock[] | undefined; readonly is_error?: boolean | undefined }): string;
  /** The `<command>` blocks of a message, a line break between them; empty when there are none. */
  extractCommandBlocks(message: RooMessage): string;
}

/**
 * The 2026 module for condensing.
 * @throws {TypeError} `invalid_argument` when `host` cannot be used.
 * @example
 * ```ts
 * import { createTaggedCondense } from "roo-condense/roo";
 *
 * const { summarizeConversation, getEffectiveApiHistory } = createTaggedCondense();
 * const { messages: tagged } = await summarizeConversation({ messages, apiHandler, systemPrompt, taskId: "task" });
 * const forTheModel = getEffectiveApiHistory(tagged);
 * ```
 */
export function createTaggedCondense<M extends RooMessage = RooMessage>(host?: RooHost): TaggedCondense<M>;

// The window --------------------------------------------------------------------------------------------------------------------------

/** What decides whether the context has to be managed. */
export interface WindowUsage {
  /** Tokens of the conversation as the API last reported them. */
  totalTokens: number;
  /** Tokens of the model's window. One that is no number above 0 is not known, and taken to have 128,000. */
  contextWindow: number;
  /** Tokens kept free for the answer. Default, also for 0, null and the -1 ("unlimited") of vscode-lm: 8192. */
  maxTokens?: number | null | undefined;
  /** Whether to condense; truncation happens in any case. */
  autoCondenseContext: boolean;
  /** Percent of the window at which condensing is due. */
  autoCondenseContextPercent: number;
  /**
   * Zoo-Code, for vscode-lm: whether percent are of the window less `maxTokens` (less nothing for those that are no reserve) instead of the whole;
   * 100 when that leaves nothing. Default: false.
   */
  useAvailableInputForContextPercent?: boolean | undefined;
  /** Percent by profile: 5 to 100, or -1 to inherit; anything else is warned of and inherits. For profiles that inherit, a manager may have one. */
  profileThresholds: Record<string, number>;
  /** The profile in use; a manager is told. */
  currentProfileId: string;
}

/** The arguments of `truncateConversationIfNeeded`. */
export interface SlidingWindowOptions<M extends RooMessage = RooMessage> extends WindowUsage {
  messages: M[];
  apiHandler: RooApiHandler;
  systemPrompt: string;
  taskId: string;
  customCondensingPrompt?: string | undefined;
  /** Asked for the summary instead of `apiHandler`. */
  condensingApiHandler?: object | undefined;
}

/** What the 2025 window gives. */
export interface SlidingWindowResponse<M extends RooMessage = RooMessage> extends SummarizeResponse<M> {
  /** Tokens before: `totalTokens` and those of the last message, or of all new ones (`countAllNew`). */
  prevContextTokens: number;
}

/** The 2025 module for the window: what no longer fits is removed. */
export interface SlidingWindow<M extends RooMessage = RooMessage> {
  /** The share of the window that is never filled: 0.1. */
  readonly TOKEN_BUFFER_PERCENTAGE: 0.1;
  /** Tokens by the handler's count; 0 without asking it when there is nothing to count. */
  estimateTokenCount(content: readonly RooBlock[], apiHandler: RooApiHandler): Promise<number>;
  /** Tokens of all messages that the last reported usage leaves out; see {@link RooHost.countAllNew}. */
  countNewTokens<T extends M>(messages: T[], apiHandler: RooApiHandler): Promise<number>;
  /** Keeps the first message and removes the next `floor((n - 1) * fracToRemove)`, rounded down to an even number. */
  truncateConversation<T extends M>(messages: T[], fracToRemove: number, taskId: string, apiHandler?: RooApiHandler): T[];
  /**
   * Condenses when that is due; truncates by half when it is not wanted or failed, and the tokens are over what is allowed. With a manager: by as much as
   * it takes to fit, also what it condensed.
   */
  truncateConversationIfNeeded<T extends M>(options: SlidingWindowOptions<T>): Promise<SlidingWindowResponse<T>>;
}

/**
 * The 2025 module for the window.
 * @throws {TypeError} `invalid_argument` when `host` cannot be used.
 * @example Condensing by a manager of this package.
 * ```ts
 * import { CondensationManager } from "roo-condense";
 * import { createSlidingWindow } from "roo-condense/roo";
 *
 * const { truncateConversationIfNeeded } = createSlidingWindow({ manager: new CondensationManager({ provider: "lossless" }) });
 * const { messages: kept, prevContextTokens } = await truncateConversationIfNeeded({
 *   messages,
 *   apiHandler,
 *   systemPrompt,
 *   taskId: "task",
 *   totalTokens: 150_000,
 *   contextWindow: 200_000,
 *   autoCondenseContext: true,
 *   autoCondenseContextPercent: 75,
 *   profileThresholds: {},
 *   currentProfileId: "default",
 * });
 * ```
 */
export function createSlidingWindow<M extends RooMessage = RooMessage>(host?: RooHost): SlidingWindow<M>;

/** What the 2026 `truncateConversation` gives. */
export interface TruncationResult<M extends RooMessage = RooMessage> {
  /** The history with tags and the marker; the same array when nothing was hidden. */
  messages: M[];
  truncationId: string;
  /** How many messages were hidden. */
  messagesRemoved: number;
}

/** The arguments of `manageContext`. */
export interface ContextManagementOptions<M extends RooMessage = RooMessage>
  extends WindowUsage,
    Omit<TaggedSummarizeOptions<M>, "isAutomaticTrigger"> {}

/** The arguments of `willManageContext`. */
export interface WillManageContextOptions extends WindowUsage {
  /** Tokens of the newest message, which the API has not reported yet; with `countAllNew` what `countNewTokens` says. */
  lastMessageTokens: number;
}

/** What `manageContext` gives. */
export interface ContextManagementResponse<M extends RooMessage = RooMessage> extends SummarizeResponse<M> {
  /** Tokens before: `totalTokens` and those of the last message, or of all new ones (`countAllNew`). */
  prevContextTokens: number;
  /** After a truncation: its id. */
  truncationId?: string;
  /** After a truncation: how many messages were hidden. */
  messagesRemoved?: number;
  /** After a truncation: tokens of the system prompt and of the visible messages; with a manager as `newContextTokens`. */
  newContextTokensAfterTruncation?: number;
}

/** The 2026 module for the window: what no longer fits is hidden. */
export interface ContextManagement<M extends RooMessage = RooMessage> {
  /** The share of the window that is never filled: 0.1. */
  readonly TOKEN_BUFFER_PERCENTAGE: 0.1;
  /** Tokens by the handler's count; 0 without asking it when there is nothing to count. */
  estimateTokenCount(content: readonly RooBlock[], apiHandler: RooApiHandler): Promise<number>;
  /** Tokens of all messages that the last reported usage leaves out; see {@link RooHost.countAllNew}. */
  countNewTokens<T extends M>(messages: T[], apiHandler: RooApiHandler): Promise<number>;
  /** Hides as many of the visible messages as the 2025 function removes, and inserts a marker after them. */
  truncateConversation<T extends M>(messages: T[], fracToRemove: number, taskId: string, apiHandler?: RooApiHandler): TruncationResult<T>;
  /** Whether `manageContext` would condense or truncate. Synchronous. */
  willManageContext(options: WillManageContextOptions): boolean;
  /**
   * Condenses when that is due; truncates by half when it is not wanted or failed, and the tokens are over what is allowed. With a manager: by as much as
   * it takes to fit, also what it condensed.
   */
  manageContext<T extends M>(options: ContextManagementOptions<T>): Promise<ContextManagementResponse<T>>;
}

/**
 * The 2026 module for the window.
 * @throws {TypeError} `invalid_argument` when `host` cannot be used.
 * @example
 * ```ts
 * import { createContextManagement } from "roo-condense/roo";
 *
 * const { manageContext, willManageContext } = createContextManagement({ guard: { attempts: 3 } });
 * const usage = {
 *   totalTokens: 150_000,
 *   contextWindow: 200_000,
 *   autoCondenseContext: true,
 *   autoCondenseContextPercent: 75,
 *   profileThresholds: {},
 *   currentProfileId: "default",
 * };
 * if (willManageContext({ ...usage, lastMessageTokens: 900 })) {
 *   const { messages: tagged } = await manageContext({ ...usage, messages, apiHandler, systemPrompt, taskId: "task" });
 * }
 * ```
 */
export function createContextManagement<M extends RooMessage = RooMessage>(host?: RooHost): ContextManagement<M>;

// Old tool results --------------------------------------------------------------------------------------------------------------------

/** Which tool results are old and long. */
export interface OldToolResultsOptions {
  /** Results of no more characters stay as they are, 0 or more. Default: 500. */
  minChars?: number | undefined;
  /** So many answers of the model after its own turn a result is old, 1 or more. Default: 3. */
  turns?: number | undefined;
  /**
   * Names of the tools whose results may be shortened; those of a call that is not in the history may always. Default: `read_file`, `search_files`,
   * `list_files`, `codebase_search`, `execute_command`, `read_command_output`.
   */
  tools?: readonly string[] | undefined;
  /**
   * What is done with signed thinking behind the first result that is shortened: `auto` removes it for models that would refuse it (Claude with preserved
   * thinking), `drop` always, `keep` never. Every answer makes another turn old, so such models see none but the oldest thinking. Default: `auto`.
   */
  thinking?: "auto" | "keep" | "drop" | undefined;
  /** The name of the model that it is sent to: `apiHandler.getModel().id`. Default: not known, and thinking stays unless it is to be dropped. */
  model?: string | undefined;
}

/**
 * Zoo-Code's place for old tool results: shortens them in what is sent, before every request, and leaves what is stored alone. A result becomes the eight
 * lines at most that are most likely to be used again, and says what is missing. What pointers of an earlier condensation lead to stays. No model is
 * asked. A host with a `manager` tells it of this: {@link RooHost.messagesForApi}. It needs results as `tool_result` blocks; those in texts, as in 2025, stay.
 *
 * The same history always gives the same bytes, in every process. What a longer history adds changes nothing before the results that became
 * old with it, so the prompt cache of the model's provider holds up to there. What was done for a turn is remembered: later calls only look through the
 * history.
 *
 * @param history What is to be sent. Never mutated; unchanged messages and blocks are the same objects in the new array.
 * @param options A number, as Zoo-Code's own function may be given, makes no difference.
 * @throws {TypeError} as a rejection: `invalid_argument`; `not_serializable` where the history cannot be read; `binary_not_found` (Error) when there is no
 *   binary for the platform.
 * @example
 * ```ts
 * import { compressOldToolResults } from "roo-condense/roo";
 *
 * const sent = await compressOldToolResults(messages);
 * ```
 */
export function compressOldToolResults<M extends RooMessage>(history: readonly M[], options?: OldToolResultsOptions | number): Promise<M[]>;

/**
 * What `restore` of `roo-condense` needs to make the history of what `compressOldToolResults` resolved to: plain JSON data.
 *
 * @param sent The same array.
 * @throws {TypeError} `invalid_argument` for any other.
 * @example
 * ```ts
 * import { restore } from "roo-condense";
 * import { compressOldToolResults, restoreDataOf } from "roo-condense/roo";
 *
 * const sent = await compressOldToolResults(messages);
 * const history = restore({ messages: sent, restoreData: restoreDataOf(sent) });
 * ```
 */
export function restoreDataOf<M extends RooMessage>(sent: readonly M[]): RestoreData;

// New tool results --------------------------------------------------------------------------------------------------------------------

/** Options of {@link onToolResult}. An unknown field is an error. */
export interface OnToolResultOptions {
  /** Tokens that the result may have, 1 or more. Default: 4,000. */
  budget?: number | undefined;
  /** The task's history: names that it uses stay. Default: none. */
  history?: readonly RooMessage[] | undefined;
  /** The name of the tool, and the parameters of its call: a file that `read_file` read stays whole up to ten times the budget. */
  tool?: string | undefined;
  /** The parameters of the call. */
  params?: unknown;
  /** The exit code of a command, which the last line of a shortened result says. */
  exitCode?: number | null | undefined;
  /** Keeps the whole of a result that is shortened: the option `store` of `condenseResult`. */
  store?: ResultStore | undefined;
}

/**
 * Shortens a new tool result before it is pushed to the task, as `condenseResult` of `roo-condense` does: what ended and what failed stays word for word. A result
 * within the budget is returned as it is, and so is one that `store` failed to keep.
 *
 * @param result A text, or text and image blocks.
 * @throws {TypeError} as a rejection: `invalid_argument`, `out_of_range`, `invalid_messages`; `binary_not_found` (Error) when there is no binary for the platform.
 * @example
 * ```ts
 * import { onToolResult } from "roo-condense/roo";
 *
 * const content = await onToolResult(output, { history: messages, tool: "execute_command", exitCode: 1 });
 * ```
 */
export function onToolResult<Result extends string | readonly RooBlock[]>(result: Result, options?: OnToolResultOptions): Promise<Result>;

// Cost and tokens ---------------------------------------------------------------------------------------------------------------------

/** Prices in dollars per million tokens; absent and null count as 0. Roo-Code's `ModelInfo` has them. */
export interface RooModelPrice {
  inputPrice?: number | null | undefined;
  outputPrice?: number | null | undefined;
  cacheWritesPrice?: number | null | undefined;
  cacheReadsPrice?: number | null | undefined;
  /** Multipliers for requests whose input is over `thresholdTokens`. Used by `calculateApiCostOpenAI` only. */
  longContextPricing?:
    | {
        thresholdTokens: number;
        inputPriceMultiplier?: number | undefined;
        outputPriceMultiplier?: number | undefined;
        cacheWritesPriceMultiplier?: number | undefined;
        cacheReadsPriceMultiplier?: number | undefined;
        /** The service tiers they hold for. Default: all. */
        appliesToServiceTiers?: readonly string[] | undefined;
      }
    | undefined;
}

/** What a request cost. */
export interface ApiCost {
  /** Cached tokens included. */
  totalInputTokens: number;
  totalOutputTokens: number;
  /** Dollars. */
  totalCost: number;
}

/**
 * The cost of a request when `inputTokens` leave the cached ones out, as Anthropic counts. Equal to Roo-Code's to the last bit.
 *
 * @example
 * ```ts
 * import { calculateApiCostAnthropic } from "roo-condense/roo";
 *
 * const { totalCost } = calculateApiCostAnthropic({ inputPrice: 3, outputPrice: 15, cacheReadsPrice: 0.3 }, 1_000, 500, 0, 20_000);
 * ```
 */
export function calculateApiCostAnthropic(
  modelInfo: RooModelPrice,
  inputTokens: number,
  outputTokens: number,
  cacheCreationInputTokens?: number | null,
  cacheReadInputTokens?: number | null,
): ApiCost;

/**
 * The cost of a request when `inputTokens` include the cached ones, as OpenAI counts. Equal to Roo-Code's to the last bit.
 *
 * @param serviceTier Default `"default"`; matters where the long-context prices hold for some tiers only.
 * @example
 * ```ts
 * import { calculateApiCostOpenAI } from "roo-condense/roo";
 *
 * const { totalCost } = calculateApiCostOpenAI({ inputPrice: 1.25, outputPrice: 10 }, 21_000, 500, 0, 20_000);
 * ```
 */
export function calculateApiCostOpenAI(
  modelInfo: RooModelPrice,
  inputTokens: number,
  outputTokens: number,
  cacheCreationInputTokens?: number | null,
  cacheReadInputTokens?: number | null,
  serviceTier?: string,
): ApiCost;

/**
 * Tokens by Roo-Code's rule: o200k_base, times 1.5, rounded up once per call; an image counts the square root of the length of its base64
 * data, rounded up, or 300 without data; blocks of other types count nothing.
 *
 * @param options.toolBlocks Whether calls and results count, as text. Default true, as in 2026; 2025 counts nothing for them.
 * @throws {TypeError} `invalid_argument`, as a rejection; `binary_not_found` (Error) when there is no binary for the platform.
 * @example
 * ```ts
 * import { countTokens } from "roo-condense/roo";
 *
 * const tokens = await countTokens([{ type: "text", text: systemPrompt }]);
 * ```
 */
export function countTokens<B extends RooBlock>(content: readonly B[], options?: { toolBlocks?: boolean | undefined }): Promise<number>;
