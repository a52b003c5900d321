// Types of roo-condense/roo. Written by hand but for the options of a new result; `__test__/types` is compiled against them.
//
// Roo-Code's modules for condensing and for the window, with the host's services as parameters. "2025" is the
// generation that replaces the history (`sliding-window`, `condense`), "2026" the one that tags it
// (`context-management`, `condense`). Zoo-Code, which continues Roo-Code, uses the functions of 2026; its additions
// are options that Roo-Code leaves out.
//
// Units everywhere: tokens are the host's (`apiHandler.countTokens` and the numbers that the API reports); costs are
// US dollars, prices US dollars per million tokens; times (`ts`, `windowMs`) are milliseconds; thresholds are percent
// of the context window. Only `countTokens`, old tool results and a manager need the native binary.
//
// A history may grow during a call: messages that the host pushes to its array meanwhile are in the response as the
// same objects, after the condensed ones (`newContextTokens` does not count them). If the host changed the array
// otherwise, the response has an `error` and that array.

import type { ResultStore } from "../../types/result.js";
import type { RestoreData } from "../../types/results.js";

// Messages ----------------------------------------------------------------------------------------------------------------------------

/** The fields that a content block must have. */
export interface RooBlock {
  readonly type: string;
}

/**
 * The fields that a message must have, as Roo-Code's `ApiMessage` and Anthropic's `MessageParam` do. All further
 * fields are kept. Messages are never mutated; an unchanged one comes back as the same object, an unchanged history
 * as the same array.
 */
export interface RooMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly RooBlock[];
  /** The time of the message, in milliseconds since 1970. */
  readonly ts?: number | undefined;
  /** True for the summary of a condensation. */
  readonly isSummary?: boolean | undefined;
}

/** A message of 2026, with tags that say which summary or marker replaces it. */
export interface RooTaggedMessage extends RooMessage {
  /** On a summary: the id of its condensation. */
  readonly condenseId?: string | undefined;
  /** The `condenseId` of the summary that replaces the message. */
  readonly condenseParent?: string | undefined;
  /** On the marker of a truncation: its id. */
  readonly truncationId?: string | undefined;
  /** The `truncationId` of the marker that hides the message. */
  readonly truncationParent?: string | undefined;
  /**
   * The `truncationId` of the marker, or the `condenseId` of the summary, that hides the thinking in the message,
   * which was produced after the hidden messages.
   */
  readonly thinkingParent?: string | undefined;
  /** True for a marker, which says that messages before it are hidden. */
  readonly isTruncationMarker?: boolean | undefined;
  /**
   * On messages that a manager kept: the `condenseId` of their condensation. `cleanupAfterTruncation` removes them
   * when that condensation is gone.
   */
  readonly condensedBy?: string | undefined;
}

// Host --------------------------------------------------------------------------------------------------------------------------------

/** The part of Roo-Code's `ApiHandler` that is used. */
export interface RooApiHandler {
  /** Asks the model. Called with two arguments in 2025, with three in 2026. */
  createMessage?(systemPrompt: string, messages: any[], metadata?: any): AsyncIterable<any>;
  /** Tokens of content blocks. */
  countTokens(content: any[]): Promise<number>;
  /**
   * `info.supportsImages` decides whether images become text; `info.contextWindow` (tokens) is passed to a manager,
   * and so is `id`, the model that reads the conversation, which decides what happens to signed thinking.
   */
  getModel?(): { readonly info: object };
}

/** The part of a telemetry service that is used; both methods may be missing. */
export interface RooTelemetry {
  /**
   * 2025: `(taskId, isAutomatic, hasCustomPrompt, hasCondensingHandler)`; 2026: the first three. Called before
   * condensing, even if nothing is condensed.
   */
  captureContextCondensed?(taskId: string, isAutomatic: boolean, hasCustomPrompt: boolean, hasCondensingHandler?: boolean): void;
  /** Called by every truncation, even if it removes nothing. */
  captureSlidingWindowTruncation?(taskId: string): void;
}

/** The first argument of a manager's `condense`. */
export interface RooManagerContext {
  /** 2025: the history; 2026: its effective form. */
  messages: any[];
  systemPrompt?: string;
  taskId?: string;
  /** Tokens of the model's window: from the window's options, else from its handler. */
  contextWindow?: number;
  /** The window's `currentProfileId`, else the host's `profileId`. It selects the handler, the prompt, the price and the metrics. */
  profileId?: string;
  /** `apiHandler.getModel().id`: the model that reads the conversation, even if another one writes the summary. */
  model?: string;
}

/** The part of this package's `CondensationManager` that is used; any object of this shape will do. */
export interface RooManager {
  /**
   * Called with `{ isAutomatic, signal?, handler?, condensingHandler?, customCondensingPrompt?, targetTokens? }`; the
   * handlers are the host's own. The window gives `targetTokens`: the smaller of what its arithmetic and what the
   * threshold allows, in the manager's tokens if it is one of this package, else in the host's. When a manager of
   * this package met it and the host still counts too many, it is asked once or twice more for the provider
   * `truncation`.
   */
  condense(context: any, options?: any): Promise<RooManagerResult>;
  /** Returns how the manager counts. Default: `targetTokens` is in the host's tokens. */
  getEffectiveConfig?(profileId?: string): { readonly encoding: any; readonly scale: number };
  /** Returns the threshold of a profile, in percent, for profiles for which the host has none. Default: only the host's thresholds count. */
  effectiveThreshold?(profileId?: string): number;
  /** Returns true if the profile has a handler of its own, which then replaces `handler`. Default: it has none. */
  hasHandler?(profileId: string): boolean;
}

/** The part of a `CondensationManager.condense` result that is used. */
export interface RooManagerResult {
  messages: readonly any[];
  /** Empty if the provider makes none. */
  summary?: string;
  didCondense: boolean;
  /** Dollars, even if the condensation failed. */
  cost?: number;
  /** Tokens; used if the handler counts none. */
  prevContextTokens?: number;
  newContextTokens?: number;
  /** Includes the code `target_not_met` if the manager knows that no more can be saved. */
  warnings?: readonly { readonly code: string }[];
  error?: { code: string; message: string; cause?: unknown };
  metrics?: { providerId?: string };
}

/** When to pause automatic condensing that saves nothing. Same as the `guard` of a manager. */
export interface RooGuard {
  /** The number of attempts in a row without gain after which condensing pauses, 1 or more. Default: 3. */
  attempts?: number | undefined;
  /** The length of the pause after the last of them, in milliseconds; a longer interval between attempts restarts the count. Default: 60,000. */
  windowMs?: number | undefined;
  /** The share of the tokens that an attempt must remove, 0 to 100 percent; less, or a failure, is an attempt without gain. Default: 5. */
  minGainPercent?: number | undefined;
}

/** Services of the host. All are optional; without any of the options in the second half everything is as in Roo-Code. */
export interface RooHost {
  /** Translates a key such as `common:errors.condense_failed`. Default: English sentences that say how to proceed. */
  t?: ((key: string, parameters?: any) => string) | undefined;
  /** The telemetry service, looked up at each call. Default: none. */
  telemetry?: (() => RooTelemetry | undefined) | undefined;
  /**
   * Removes images from messages for a model that cannot see them. Default: image blocks of messages become the text
   * `[Referenced image in conversation]` unless `apiHandler.getModel().info.supportsImages`.
   */
  removeImages?: ((messages: any[], apiHandler: any) => any[]) | undefined;
  /**
   * Returns the messages that are sent for a history, if these are not the history itself: `compressOldToolResults`,
   * as the host calls it before every request. The reported tokens count those messages. So `manager` receives them,
   * its result is measured as it will be sent, and that result is stored. Set it wherever `manager` is set; without
   * `manager` it is not called. The history is in its effective form (2026). An error that it throws rejects the
   * condensation. Default: the history.
   */
  messagesForApi?: ((messages: any[], apiHandler: any) => any[] | PromiseLike<any[]>) | undefined;
  /**
   * The default prompts. `summary`: the system prompt of the request for a summary; `condense` (2026): its last
   * message. A custom prompt of the user replaces the first in 2025 and the second in 2026. Default: prompts of this
   * package.
   */
  prompts?: { summary?: string | undefined; condense?: string | undefined } | undefined;
  /** 2026: returns the structure of the files that were read, a section each. A rejection is reported to `error` and is no failure. Default: none. */
  foldFiles?: ((paths: string[], options: { cwd: string; rooIgnoreController?: any }) => Promise<string[]>) | undefined;
  /** The function that the window calls to condense: the host's own module, if others may replace it. Default: the one of this package. */
  summarizeConversation?: ((...parameters: any[]) => Promise<any>) | undefined;
  /** Receives warnings. Default: `console.warn`. */
  warn?: ((...values: any[]) => void) | undefined;
  /** Receives descriptions of failures. Default: `console.error`. */
  error?: ((...values: any[]) => void) | undefined;

  /**
   * Fixes known faults, default false. Truncating hides visible messages, not ones that a summary already replaces.
   * Neither a window nor a condensation of 2025 separates a call from its result; in 2025 a short user message stands
   * between the summary and a kept assistant message. A summary larger than the history is refused (2026). An `error`
   * chunk is a failure. A reserve for the answer that leaves less than a tenth of the window, so that every request
   * would be due, is reduced until half of the window is left. `guard` is on.
   */
  fixes?: boolean | undefined;
  /**
   * Condenses by any provider of this package, instead of by a request for a summary. Pass it to `createCondense` and
   * `createTaggedCondense`, or to the window if there is no `summarizeConversation`. A condensation that fails or
   * saves nothing has an `error`. The window then leaves no more than the limit: a result still over it is truncated
   * in the same call, and one that does not fit even then has an `error` that says why.
   */
  manager?: RooManager | undefined;
  /**
   * Content that stays word for word with the manager, in addition to what the manager protects itself. Needs
   * `manager`. Rules that match nothing are reported to `warn`, once. Default: nothing.
   */
  protect?: import("../../types/protect.js").Protect | undefined;
  /**
   * Makes the window count all messages that the last reported usage does not include: those after the newest answer,
   * or after the newest condensation. Roo-Code counts the newest message only, so it condenses late when several
   * tools answered in messages of their own. Default: false. The caller of `willManageContext` gives it the tokens;
   * `countNewTokens` counts them.
   */
  countAllNew?: boolean | undefined;
  /**
   * How to treat signed thinking after changed or removed messages; default: the manager's option, or `auto`.
   * `auto`: removed for models that would refuse it (Claude with preserved thinking, by `apiHandler.getModel().id`),
   * kept for others; `keep`: kept; `drop`: removed. Thinking that is kept and may be refused is reported to `warn`.
   * Tagged histories lose nothing: a truncation tags the messages (`thinkingParent`), and `getEffectiveApiHistory`
   * shows them without their thinking as long as the marker is there. `truncateConversation` called directly knows no
   * model unless it is given the handler as fourth parameter: without it only `drop` removes thinking.
   */
  thinking?: "auto" | "keep" | "drop" | undefined;
  /** The profile of condensations outside a window; a window passes its `currentProfileId` to the manager. Default: none. */
  profileId?: string | ((taskId: string) => string | undefined) | undefined;
  /** Pauses automatic condensing that saves nothing. Default: off, or with its own defaults if `fixes` is on. */
  guard?: RooGuard | false | undefined;
  /**
   * Cancels a call, even while a function of the host hangs (`countTokens`, `createMessage`, `messagesForApi`,
   * `foldFiles`; after half a second also `summarizeConversation` or a custom manager that ignores the signal): the
   * response has an `error` and the `cost` so far, and the history is neither changed nor truncated. Looked up once
   * in each call. Default: none.
   */
  signal?: AbortSignal | ((taskId: string) => AbortSignal | undefined) | undefined;
  /** Asked for the summary instead of the conversation's handler, unless the call names one. Ignored if it has no `createMessage`. */
  condensingHandler?: object | ((taskId: string) => object | undefined) | undefined;
}

// Condensing --------------------------------------------------------------------------------------------------------------------------

/** The result of a condensation. Plain data, safe to clone. */
export interface SummarizeResponse<M extends RooMessage = RooMessage> {
  /** The new history, or the same array if nothing was done. */
  messages: M[];
  /** The summary; a sentence about the savings if the manager's provider makes none; empty if there is an `error`. */
  summary: string;
  /** Dollars, even if the condensation failed. */
  cost: number;
  /** Tokens of the next request without the newest answer; absent if there is an `error`. */
  newContextTokens?: number;
  /**
   * The failure, for the user; absent if there was none. With a manager it can come with new messages: it then says
   * that they do not fit the window, and why.
   */
  error?: string;
  /** 2026: details of the failure from the API or the manager. */
  errorDetails?: string;
  /** 2026: the id of the condensation. */
  condenseId?: string;
}

/** The 2025 module for condensing: the summary replaces the messages it summarises. */
export interface Condense<M extends RooMessage = RooMessage> {
  /** The number of newest messages that are kept unchanged: 3. */
  readonly N_MESSAGES_TO_KEEP: 3;
  /** Percent: 5. */
  readonly MIN_CONDENSE_THRESHOLD: 5;
  /** Percent: 100. */
  readonly MAX_CONDENSE_THRESHOLD: 100;
  /**
   * Condenses to the first message, the summary and the newest three. Refusals and failures are in `error`.
   *
   * @param prevContextTokens Tokens before; a result of as many or more is refused.
   * @throws The error that `createMessage` throws, as in Roo-Code.
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
  /** Returns the messages since the last summary, with a user message in front; the same array if there is no summary. */
  getMessagesSinceLastSummary<T extends M>(messages: T[]): T[];
  /**
   * Returns the first `length` messages, as after a rewind. `lossless` leaves pointers to later lines; lines that are
   * cut off replace the pointers to them. Unchanged messages are the same objects; the same array is returned if
   * nothing is cut off. Synchronous. Needs the binary only if there are such pointers.
   *
   * @param length Messages that stay, 0 or more.
   * @throws {TypeError} `invalid_argument`; `RangeError` with `out_of_range` for `length`.
   */
  rewindTo<T extends M>(messages: T[], length: number): T[];
}

/**
 * Creates the 2025 module for condensing.
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
   * Zoo-Code: asked for the summary instead of `apiHandler`, which still counts. Ignored with a warning if it has no
   * `createMessage`. Default: the host's `condensingHandler`.
   */
  condensingApiHandler?: object | undefined;
  systemPrompt: string;
  taskId: string;
  /** True if the window asks. Only then the summary includes environment details, and the guard counts. */
  isAutomaticTrigger?: boolean | undefined;
  /** Replaces the last message of the request; ignored if blank. */
  customCondensingPrompt?: string | undefined;
  /** Third argument of `createMessage`; its array `tools` is counted. */
  metadata?: object | undefined;
  /** Appended to the summary if the trigger is automatic. */
  environmentDetails?: string | undefined;
  /** Paths for `host.foldFiles`, which is called only if `cwd` is given, too. */
  filesReadByRoo?: string[] | undefined;
  cwd?: string | undefined;
  rooIgnoreController?: unknown;
}

/** The 2026 module for condensing: the summary is appended; the messages it replaces stay, tagged. */
export interface TaggedCondense<M extends RooMessage = RooMessage> {
  /** Percent: 5. */
  readonly MIN_CONDENSE_THRESHOLD: 5;
  /** Percent: 100. */
  readonly MAX_CONDENSE_THRESHOLD: 100;
  /**
   * Tags all messages and appends the summary. A manager's result for the effective history is appended as copies,
   * the first of them as the summary message. Refusals and failures are in `error`; rejects only if
   * `apiHandler.countTokens` does.
   */
  summarizeConversation<T extends M>(options: TaggedSummarizeOptions<T>): Promise<SummarizeResponse<T>>;
  /** Returns the messages from the last summary on; the same array if there is none. */
  getMessagesSinceLastSummary<T extends M>(messages: T[]): T[];
  /** Returns the messages that the API gets: those from the last summary on, without hidden ones and without results whose call is missing. */
  getEffectiveApiHistory<T extends M>(messages: T[]): T[];
  /** Removes tags whose summary or marker was removed from the history, so that the messages they hid show again. */
  cleanupAfterTruncation<T extends M>(messages: T[]): T[];
  /** Appends a user message that answers all calls without a result; the same array if there are none. */
  injectSyntheticToolResults<T extends M>(messages: T[]): T[];
  /** Returns the messages with tool blocks as text. */
  transformMessagesForCondensing<T extends RooMessage>(messages: readonly T[]): T[];
  /** Returns the content with tool blocks as text; unchanged if it has none. */
  convertToolBlocksToText<C extends string | readonly RooBlock[]>(content: C): C;
  /** Returns `[Tool Use: name]`, then a line for each parameter. */
  toolUseToText(block: { readonly name: string; readonly input?: unknown }): string;
  /** Returns `[Tool Result]` or `[Tool Result (Error)]`, then the content; images are `[Image]`. */
  toolResultToText(block: { readonly content?: string | readonly RooBlock[] | undefined; readonly is_error?: boolean | undefined }): string;
  /** Returns the `<command>` blocks of a message, a line break between them; empty if there are none. */
  extractCommandBlocks(message: RooMessage): string;
}

/**
 * Creates the 2026 module for condensing.
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

/** The numbers that decide whether the context has to be managed. */
export interface WindowUsage {
  /** Tokens of the conversation as the API last reported them. */
  totalTokens: number;
  /** Tokens of the model's window. A value that is not above 0 counts as unknown, and 128,000 is assumed. */
  contextWindow: number;
  /** Tokens reserved for the answer. Default, also for 0, null and the -1 ("unlimited") of vscode-lm: 8192. */
  maxTokens?: number | null | undefined;
  /** True to condense; truncation happens in any case. */
  autoCondenseContext: boolean;
  /** Percent of the window at which condensing is due. */
  autoCondenseContextPercent: number;
  /**
   * Zoo-Code, for vscode-lm: true if percentages refer to the window less `maxTokens` (ignored if it is no reserve)
   * instead of the whole window; 100 if that leaves nothing. Default: false.
   */
  useAvailableInputForContextPercent?: boolean | undefined;
  /**
   * Percent by profile: 5 to 100, or -1 to inherit; any other value causes a warning and inherits. A manager may have
   * a threshold for profiles that inherit.
   */
  profileThresholds: Record<string, number>;
  /** The profile in use; passed to a manager. */
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

/** The result of the 2025 window. */
export interface SlidingWindowResponse<M extends RooMessage = RooMessage> extends SummarizeResponse<M> {
  /** Tokens before: `totalTokens` and those of the last message, or of all new ones (`countAllNew`). */
  prevContextTokens: number;
}

/** The 2025 module for the window: messages that no longer fit are removed. */
export interface SlidingWindow<M extends RooMessage = RooMessage> {
  /** The share of the window that is always left free: 0.1. */
  readonly TOKEN_BUFFER_PERCENTAGE: 0.1;
  /** Counts by the handler; returns 0 without asking it if there is nothing to count. */
  estimateTokenCount(content: readonly RooBlock[], apiHandler: RooApiHandler): Promise<number>;
  /** Counts all messages that the last reported usage does not include; see {@link RooHost.countAllNew}. */
  countNewTokens<T extends M>(messages: T[], apiHandler: RooApiHandler): Promise<number>;
  /** Keeps the first message and removes the next `floor((n - 1) * fracToRemove)`, rounded down to an even number. */
  truncateConversation<T extends M>(messages: T[], fracToRemove: number, taskId: string, apiHandler?: RooApiHandler): T[];
  /**
   * Condenses if due; truncates by half if the tokens are over the limit and condensing is off or failed. With a
   * manager: truncates by as much as necessary, even after it condensed.
   */
  truncateConversationIfNeeded<T extends M>(options: SlidingWindowOptions<T>): Promise<SlidingWindowResponse<T>>;
}

/**
 * Creates the 2025 module for the window.
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

/** The result of the 2026 `truncateConversation`. */
export interface TruncationResult<M extends RooMessage = RooMessage> {
  /** The history with tags and the marker; the same array if nothing was hidden. */
  messages: M[];
  truncationId: string;
  /** The number of messages that were hidden. */
  messagesRemoved: number;
}

/** The arguments of `manageContext`. */
export interface ContextManagementOptions<M extends RooMessage = RooMessage>
  extends WindowUsage,
    Omit<TaggedSummarizeOptions<M>, "isAutomaticTrigger"> {}

/** The arguments of `willManageContext`. */
export interface WillManageContextOptions extends WindowUsage {
  /** Tokens of the newest message, which the API has not reported yet; with `countAllNew` the result of `countNewTokens`. */
  lastMessageTokens: number;
}

/** The result of `manageContext`. */
export interface ContextManagementResponse<M extends RooMessage = RooMessage> extends SummarizeResponse<M> {
  /** Tokens before: `totalTokens` and those of the last message, or of all new ones (`countAllNew`). */
  prevContextTokens: number;
  /** The id of the truncation, if there was one. */
  truncationId?: string;
  /** The number of messages that a truncation has hidden. */
  messagesRemoved?: number;
  /** After a truncation: tokens of the system prompt and of the visible messages; with a manager the same as `newContextTokens`. */
  newContextTokensAfterTruncation?: number;
}

/** The 2026 module for the window: messages that no longer fit are hidden. */
export interface ContextManagement<M extends RooMessage = RooMessage> {
  /** The share of the window that is always left free: 0.1. */
  readonly TOKEN_BUFFER_PERCENTAGE: 0.1;
  /** Counts by the handler; returns 0 without asking it if there is nothing to count. */
  estimateTokenCount(content: readonly RooBlock[], apiHandler: RooApiHandler): Promise<number>;
  /** Counts all messages that the last reported usage does not include; see {@link RooHost.countAllNew}. */
  countNewTokens<T extends M>(messages: T[], apiHandler: RooApiHandler): Promise<number>;
  /** Hides as many of the visible messages as the 2025 function removes, and inserts a marker after them. */
  truncateConversation<T extends M>(messages: T[], fracToRemove: number, taskId: string, apiHandler?: RooApiHandler): TruncationResult<T>;
  /** Returns true if `manageContext` would condense or truncate. Synchronous. */
  willManageContext(options: WillManageContextOptions): boolean;
  /**
   * Condenses if due; truncates by half if the tokens are over the limit and condensing is off or failed. With a
   * manager: truncates by as much as necessary, even after it condensed.
   */
  manageContext<T extends M>(options: ContextManagementOptions<T>): Promise<ContextManagementResponse<T>>;
}

/**
 * Creates the 2026 module for the window.
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

/** Options that say which tool results are old and long. */
export interface OldToolResultsOptions {
  /** Results with no more characters than this stay unchanged, 0 or more. Default: 500. */
  minChars?: number | undefined;
  /** The number of answers of the model after its own turn that make a result old, 1 or more. Default: 3. */
  turns?: number | undefined;
  /**
   * Names of the tools whose results may be shortened; results whose call is not in the history always may. Default:
   * `read_file`, `search_files`, `list_files`, `codebase_search`, `execute_command`, `read_command_output`.
   */
  tools?: readonly string[] | undefined;
  /**
   * How to treat signed thinking after the first shortened result: `auto` removes it for models that would refuse
   * it (Claude with preserved thinking), `drop` always, `keep` never. Every answer makes another turn old, so such
   * models see only the oldest thinking. Default: `auto`.
   */
  thinking?: "auto" | "keep" | "drop" | undefined;
  /** The name of the model that reads the history: `apiHandler.getModel().id`. Default: unknown; thinking then stays unless the option is `drop`. */
  model?: string | undefined;
}

/**
 * Shortens old tool results in the messages that are sent, before every request, and leaves the stored history alone;
 * it replaces Zoo-Code's function for this. A result is reduced to at most eight lines, those most likely to be used
 * again, and says what is missing. Lines to which pointers of an earlier condensation lead stay. No model is asked. A
 * host with a `manager` tells it about this: {@link RooHost.messagesForApi}. Results must be `tool_result` blocks;
 * results in texts, as in 2025, stay.
 *
 * The same history always gives the same bytes, in every process. When a history grows, nothing changes before the
 * results that have become old since, so the prompt cache of the model's provider holds up to there. The work for a
 * turn is remembered: later calls only look through the history.
 *
 * @param history The messages to be sent. Never mutated; unchanged messages and blocks are the same objects in the new array.
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
 * Returns the data that `restore` of `roo-condense` needs to turn the result of `compressOldToolResults` back into
 * the history, as plain JSON.
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

// options of a new result: written by npm run generate

/** Options of {@link onToolResult}. An unknown field is an error. */
export interface OnToolResultOptions {
  /** The most tokens that the result may have. 1 or more. Default: 4000. */
  budget?: number | undefined;
  /** The task's history: names that it uses stay in the result. Default: none. */
  history?: readonly RooMessage[] | undefined;
  /** The name of the tool and the parameters of its call: a file read by `read_file` stays whole up to ten times the budget. */
  tool?: string | undefined;
  /** The parameters of the call. */
  params?: unknown | undefined;
  /** The exit code of a command, repeated in the last line of a shortened result. */
  exitCode?: number | null | undefined;
  /** Keeps the full text of a shortened result: the option `store` of `condenseResult`. */
  store?: ResultStore | undefined;
}

// end of options of a new result

/**
 * Shortens a new tool result before it is pushed to the task, as `condenseResult` of `roo-condense` does: endings and
 * errors stay word for word. A result within the budget is returned unchanged, and so is one that `store` failed to
 * keep.
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
        /** The service tiers that they apply to. Default: all. */
        appliesToServiceTiers?: readonly string[] | undefined;
      }
    | undefined;
}

/** The cost of a request. */
export interface ApiCost {
  /** Includes cached tokens. */
  totalInputTokens: number;
  totalOutputTokens: number;
  /** Dollars. */
  totalCost: number;
}

/**
 * Calculates the cost of a request whose `inputTokens` exclude cached ones, as Anthropic counts. Equal to Roo-Code's
 * to the last bit.
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
 * Calculates the cost of a request whose `inputTokens` include cached ones, as OpenAI counts. Equal to Roo-Code's to
 * the last bit.
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
 * Counts tokens by Roo-Code's rule: o200k_base, times 1.5, rounded up once per call. An image counts the square root
 * of the length of its base64 data, rounded up, or 300 without data; blocks of other types count nothing.
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
