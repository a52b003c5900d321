// The smart provider.

import type { LosslessConfig } from "./lossless.js";
import type { Message, MessageLike } from "./messages.js";
import type { SummaryCheckConfig } from "./native.js";
import type { BuiltInProvider } from "./providers.js";
import type { ToolMeanings } from "./tools.js";
import type { ConfiguredProtect } from "./protect.js";

/** A configuration of the smart provider by name. `quality` is another name for `conservative`. */
export type PresetName = "conservative" | "quality" | "balanced" | "aggressive" | "multi_zone" | "selective";

/**
 * Configuration of the smart provider. Fields that are given replace those of the preset. An unknown field is an error, and every error
 * names its place: `passes[1].individualConfig.defaults.toolResults.operation`.
 */
export interface SmartConfig<M extends MessageLike = Message> {
  /** What the other fields replace parts of. Default: `balanced`. */
  preset?: PresetName | undefined;
  /** For people. */
  name?: string | undefined;
  /** For people. */
  description?: string | undefined;
  /** Off leaves every conversation as it is; with a target, the next provider of a manager's chain goes on. Default: true. */
  enabled?: boolean | undefined;
  /** Whether the lossless provider goes first (default: true), and its configuration. */
  losslessPrelude?: { enabled?: boolean | undefined; operations?: LosslessConfig | undefined } | undefined;
  /**
   * Done in this order, until the target is reached. Without a handler, salient truncation stands in for summaries of single texts, and batch
   * summaries are skipped.
   */
  passes?: readonly SmartPass<M>[] | undefined;
  /** Requests for summaries under way at once, 1 to 32. Default: 4. */
  maxConcurrency?: number | undefined;
  /**
   * When the whole would save fewer tokens, nothing is changed: a change makes the model provider's prompt cache miss. No model is asked when even
   * the shortest summaries would save fewer. Default: 0.
   */
  minReductionTokens?: number | undefined;
  /**
   * Which thresholds the passes of the preset have: those of its design, or those learned from recorded conversations, which `aggressive` has, and `balanced`
   * where there is no model to ask. With `passes` of one's own it says nothing. Thresholds of your own: {@link calibrateThresholds}. Default: `fixed`.
   */
  thresholds?: "fixed" | "learned" | undefined;
  /**
   * When the passes leave more than the target, salient truncation goes on; and it takes the place of a pass without a model that would cut more than
   * the target asks for. Default: true for all presets but `selective`; false with `passes` of one's own.
   */
  meetTarget?: boolean | undefined;
  /**
   * The result has no more tokens than this preset would leave. With a handler it is tried only where the passes ask a model, and the model is asked for it
   * only where even the shortest answers could make it the smaller. Default: what the preset says.
   */
  noMoreTokensThan?: PresetName | undefined;
  /** What tools of the host do; they come before those of the manager. Default: none. */
  tools?: ToolMeanings | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * So many messages at the beginning of the conversation stay as they are, with nothing put between them, whatever the target, so that the prompt
   * cache of the model's provider holds up to there. The largest of what manager, call and configuration say counts. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/** One step of the smart provider. */
export interface SmartPass<M extends MessageLike = Message> {
  /** What reports call it; no two passes share one, and none is called like a step of its own: `tool_rules`, `lossless_prelude`, `salient_to_target`, `no_more_tokens_than`, `one_summary`. */
  id: string;
  /** For people. Default: the id. */
  name?: string | undefined;
  /** For people. */
  description?: string | undefined;
  /** Which messages it works on. The first and the newest are never among them. */
  selection: SmartSelection<M>;
  /** `individual`: each text on its own; `batch`: the selected messages as one, or as several where others stand between them. */
  mode: "individual" | "batch";
  /** Needed for `individual`. */
  individualConfig?: IndividualConfig | undefined;
  /** Needed for `batch`. */
  batchConfig?: BatchConfig | undefined;
  /** When it runs. Default: always. */
  execution?:
    | { type?: "always" | undefined }
    | {
        type: "conditional";
        /** At least one of the two. */
        condition: {
          /** It runs when the conversation and the system prompt have more tokens than this. */
          tokenThreshold?: number | undefined;
          /** Of the messages that it selects, it works on those for which this returns true; it runs when there are any. Asked once for each message of the call. */
          executeIf?: ((context: PassMessage<M>) => boolean) | undefined;
          /** The same in JSON: indices in the messages of the call. `executeIf` comes before it. */
          messageIndices?: readonly number[] | undefined;
        };
      }
    | undefined;
}

/** A message, as a condition is asked about it. */
export interface PassMessage<M extends MessageLike = Message> {
  message: M;
  /** Index in the messages of the call. */
  messageIndex: number;
  /** How many messages of the call came after it: 0 for the newest. */
  messageAge: number;
}

/** Which messages a pass works on: all but the newest ones, all but a share of the newest ones, or those that are named or chosen. */
export type SmartSelection<M extends MessageLike = Message> =
  | {
      type: "preserve_recent";
      /** 1 or more. */
      keepRecentCount: number;
      /** The newest messages that are left alone have no more tokens than this; the newest one always is. Default: no limit. */
      keepRecentTokens?: number | undefined;
    }
  | {
      type: "preserve_percent";
      /** 0 to 100; the number of messages is rounded up. */
      keepPercentage: number;
      /** As in `preserve_recent`. Default: no limit. */
      keepRecentTokens?: number | undefined;
    }
  | {
      type: "custom";
      /** Indices in the messages of the call. */
      messageIndices: readonly number[];
    }
  | {
      type: "custom";
      /** Called with the messages of the call; returns some of them, the same objects. */
      customSelector: (messages: M[]) => readonly M[];
    };

/** What is done to each text of the selected messages. */
export interface IndividualConfig {
  /** By content kind; what is not named is kept. */
  defaults: ContentOperations;
  /** Content of a kind with fewer tokens in a message is left as it is. Default: none. */
  messageTokenThresholds?: ContentThresholds | undefined;
  /** What is different for single messages; `messageIndex` is the index in the messages of the call. */
  overrides?:
    | readonly {
        messageIndex: number;
        operations?: ContentOperations | undefined;
        messageTokenThresholds?: ContentThresholds | undefined;
      }[]
    | undefined;
}

/** An operation for each content kind. */
export interface ContentOperations {
  /** What the user and the assistant say. */
  messageText?: ContentOperation | undefined;
  /** Texts in the parameters of tool calls. */
  toolParameters?: ContentOperation | undefined;
  /** What tools answered. */
  toolResults?: ContentOperation | undefined;
}

/** Tokens for each content kind. */
export interface ContentThresholds {
  messageText?: number | undefined;
  toolParameters?: number | undefined;
  toolResults?: number | undefined;
}

/** What is done to a text. No text is ever replaced by one with as many tokens or more. */
export interface ContentOperation {
  /** `suppress` leaves a note; of parameters, it leaves texts of up to 100 characters, which say what a call was about. */
  operation: "keep" | "suppress" | "truncate" | "summarize";
  /** For the operations that take parameters; others are ignored. */
  params?: { truncate?: TruncateParams | undefined; summarize?: SummarizeParams | undefined } | undefined;
}

/** How a text is cut. With no limit: 5 lines, and 100 characters of parameters. */
export interface TruncateParams {
  /** Characters that stay, 1 or more. */
  maxChars?: number | undefined;
  /** Lines that stay, 1 or more. */
  maxLines?: number | undefined;
  /**
   * In place of limits for each text: all texts of the pass that are truncated so keep as many tokens together as there are texts times this, and the
   * salient ones more of them. 1 or more.
   */
  averageTokens?: number | undefined;
  /**
   * Characters that stay at the beginning of a text, 1 or more. With this or `keepSuffix`, a text longer than `maxChars` (default: both together) keeps those
   * ends, whatever the `strategy`, with a note of what is missing between them. Default: 0 where `keepSuffix` is given.
   */
  keepPrefix?: number | undefined;
  /** Characters that stay at the end of a text, 1 or more. Default: 0 where `keepPrefix` is given. */
  keepSuffix?: number | undefined;
  /** Characters that stay of each line, 20 or more. Default: 500. */
  maxLineChars?: number | undefined;
  /** Whether a marker says what is missing. Without one, `salient` cuts like `head`. Default: true. */
  addEllipsis?: boolean | undefined;
  /** Which part stays: what is most likely to be used again, the first lines, or the first and the last. Default: `salient`. */
  strategy?: "salient" | "head" | "head_tail" | undefined;
}

/** How a text is summarised. */
export interface SummarizeParams {
  /**
   * The longest summary in tokens, 16 or more; what a model writes beyond that is cut off. Texts of no more tokens are left as they are. Default: 150.
   */
  maxTokens?: number | undefined;
  /** Texts of fewer characters are left as they are. Default: 0. */
  minChars?: number | undefined;
  /**
   * The system prompt. Default: one that fits the content kind; with it, up to eight texts of up to 600 tokens are asked for in one request, where
   * that costs less.
   */
  customPrompt?: string | undefined;
  /**
   * The profile of the manager (`ManagerOptions.profiles`) whose handler and price are for these summaries. Default, and with the warning
   * `handler_missing` where the profile has no handler: the condensing handler. Presets name `condensing`, a cheap profile by its role: without the
   * warning, and after a handler that is given for summaries.
   */
  apiProfile?: string | undefined;
}

/** What is done to the selected messages as one. */
export interface BatchConfig {
  /** `summarize` puts one summary in their place, as the native provider does. */
  operation: "keep" | "summarize";
  /** For `summarize`. */
  summarizationConfig?:
    | {
        /** The system prompt. Default: that of the native provider. */
        customPrompt?: string | undefined;
        /** Messages that stay at the start; the first one always does. Default: 1. */
        keepFirst?: number | undefined;
        /** Messages that stay at the end where the selection would leave fewer. Default: 1. */
        keepLast?: number | undefined;
        /** The profile of the manager whose handler and price are for this summary. Default: the condensing handler. */
        apiProfile?: string | undefined;
        /** What is done about a summary that leaves out what must survive. Default: false. */
        summaryCheck?: boolean | SummaryCheckConfig | undefined;
      }
    | undefined;
}

/**
 * The smart provider, id `smart`: lossless first, then passes one after the other, until the target is reached.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example A preset; or one of which parts are replaced.
 * ```ts
 * import { createSmartProvider } from "roo-condense";
 *
 * const { messages: condensed, passes } = await createSmartProvider("balanced").condense({ messages }, { targetTokens: 50_000 });
 *
 * const own = createSmartProvider({
 *   preset: "conservative",
 *   passes: [
 *     {
 *       id: "old-results",
 *       selection: { type: "preserve_recent", keepRecentCount: 8 },
 *       mode: "individual",
 *       individualConfig: {
 *         defaults: { toolResults: { operation: "summarize", params: { summarize: { maxTokens: 120, minChars: 2000 } } } },
 *         messageTokenThresholds: { toolResults: 500 },
 *       },
 *     },
 *   ],
 * });
 * ```
 */
export function createSmartProvider<M extends MessageLike = Message>(config?: SmartConfig<M> | PresetName): BuiltInProvider<SmartConfig<M>>;

/**
 * The presets of the smart provider, to be read, or copied (`structuredClone`) and changed: they are frozen, their passes too.
 *
 * @example
 * ```ts
 * import { createSmartProvider, presets } from "roo-condense";
 *
 * const [first] = presets.balanced.passes ?? [];
 * const firstPassOnly = createSmartProvider({ ...presets.balanced, passes: first ? [first] : [] });
 * ```
 */
export const presets: Readonly<Record<PresetName, SmartConfig>>;
