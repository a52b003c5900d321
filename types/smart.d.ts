// The smart provider.

import type { Message, MessageLike } from "./messages.js";
import type { ConfiguredProtect, ContentOperations, ContentThresholds, LosslessConfig, PresetName, SummaryCheckConfig } from "./options.js";
import type { BuiltInProvider } from "./providers.js";
import type { ToolMeanings } from "./tools.js";

/**
 * Configuration of the smart provider. Its fields replace those of the preset. Unknown fields are an error, and every error names its place:
 * `passes[1].individualConfig.defaults.toolResults.operation`.
 */
export interface SmartConfig<M extends MessageLike = Message> {
  /** The preset that the other fields modify. Default: `balanced`. */
  preset?: PresetName | undefined;
  /** The name for people. */
  name?: string | undefined;
  /** The description for people. */
  description?: string | undefined;
  /** Whether the provider does anything. If false and there is a target, the manager's fallback runs. Default: true. */
  enabled?: boolean | undefined;
  /** Whether the lossless provider runs first (default: true), and its configuration. */
  losslessPrelude?: { enabled?: boolean | undefined; operations?: LosslessConfig | undefined } | undefined;
  /**
   * The passes, in order, until the target is reached. Without a handler, salient truncation replaces summaries of single texts, and batch summaries are
   * skipped.
   */
  passes?: readonly SmartPass<M>[] | undefined;
  /** Largest number of simultaneous summary requests, 1 to 32. Default: 4. */
  maxConcurrency?: number | undefined;
  /**
   * Smallest number of tokens worth a change, because a change invalidates the prompt cache. If even the shortest summaries would save fewer, no LLM is called.
   * Default: 0.
   */
  minReductionTokens?: number | undefined;
  /**
   * The thresholds of the preset's passes: `fixed`, those of its design, or `learned`, from recorded conversations, which exist for `aggressive`, and for
   * `balanced` without a handler. Ignored with `passes` of your own. To learn your own: {@link calibrateThresholds}. Default: `fixed`.
   */
  thresholds?: "fixed" | "learned" | undefined;
  /**
   * Whether salient truncation continues if the passes miss the target, and replaces a pass without an LLM that would remove more than the target requires.
   * Default: true for all presets but `selective`; false with `passes` of your own.
   */
  meetTarget?: boolean | undefined;
  /**
   * Limits the result to the tokens that this preset would leave. With a handler, the preset runs only if the passes call an LLM, and calls the LLM itself only
   * if even its shortest responses could make it smaller. Default: the preset's setting.
   */
  noMoreTokensThan?: PresetName | undefined;
  /** Meanings of your own tools; they win over the manager's. Default: none. */
  tools?: ToolMeanings | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/** One pass of the smart provider. */
export interface SmartPass<M extends MessageLike = Message> {
  /**
   * The id for reports. Unique, and not one of the built-in steps: `tool_rules`, `lossless_prelude`, `salient_to_target`, `no_more_tokens_than`, `one_summary`.
   */
  id: string;
  /** The name for people. Default: the id. */
  name?: string | undefined;
  /** The description for people. */
  description?: string | undefined;
  /** The messages to work on. The first and the newest are never included. */
  selection: SmartSelection<M>;
  /** `individual`: each text on its own; `batch`: the selected messages together, or in several groups if other messages are between them. */
  mode: "individual" | "batch";
  /** Required for `individual`. */
  individualConfig?: IndividualConfig | undefined;
  /** Required for `batch`. */
  batchConfig?: BatchConfig | undefined;
  /** When the pass runs. Default: always. */
  execution?:
    | { type?: "always" | undefined }
    | {
        type: "conditional";
        /** At least one of these fields. */
        condition: {
          /** The pass runs if conversation and system prompt have more tokens than this. */
          tokenThreshold?: number | undefined;
          /**
           * Called once for each message of the call. Of the selected messages, only those for which it returns true are changed; the pass runs if there are
           * any.
           */
          executeIf?: ((context: PassMessage<M>) => boolean) | undefined;
          /** The same for JSON: indices in the messages of the call. `executeIf` wins. */
          messageIndices?: readonly number[] | undefined;
        };
      }
    | undefined;
}

/** Input to a condition. */
export interface PassMessage<M extends MessageLike = Message> {
  message: M;
  /** Index in the messages of the call. */
  messageIndex: number;
  /** Number of messages after it: 0 for the newest. */
  messageAge: number;
}

/** The messages that a pass works on: all but the newest, all but a share of the newest, or listed or chosen ones. */
export type SmartSelection<M extends MessageLike = Message> =
  | {
      type: "preserve_recent";
      /** Number of newest messages to skip, 1 or more. */
      keepRecentCount: number;
      /** Largest number of tokens in the newest messages that are skipped; the newest one always is. Default: no limit. */
      keepRecentTokens?: number | undefined;
    }
  | {
      type: "preserve_percent";
      /** Share of the messages to skip, 0 to 100 percent; rounded up. */
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

/** How to treat each text of the selected messages. */
export interface IndividualConfig {
  /** Operations by content kind; kinds without one are kept. */
  defaults: ContentOperations;
  /** Smallest content of a kind in one message, in tokens; smaller content is left unchanged. Default: none. */
  messageTokenThresholds?: ContentThresholds | undefined;
  /** Exceptions for single messages; `messageIndex` is the index in the messages of the call. */
  overrides?:
    | readonly {
        messageIndex: number;
        operations?: ContentOperations | undefined;
        messageTokenThresholds?: ContentThresholds | undefined;
      }[]
    | undefined;
}

/** How to treat the selected messages together. */
export interface BatchConfig {
  /** `summarize` replaces them by one summary, like the native provider. */
  operation: "keep" | "summarize";
  /** Parameters of `summarize`. */
  summarizationConfig?:
    | {
        /** The system prompt. Default: that of the native provider. */
        customPrompt?: string | undefined;
        /** Messages to keep at the start; the first one always is. Default: 1. */
        keepFirst?: number | undefined;
        /** Messages to keep at the end if the selection would leave fewer. Default: 1. */
        keepLast?: number | undefined;
        /** The manager's profile whose handler and price to use for this summary. Default: the condensing handler. */
        apiProfile?: string | undefined;
        /** How to treat a summary that misses items it must keep. Default: false. */
        summaryCheck?: boolean | SummaryCheckConfig | undefined;
      }
    | undefined;
}

/**
 * Creates the smart provider, id `smart`: lossless first, then passes one after the other, until the target is reached.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example A preset, and a modified preset.
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
 * The presets of the smart provider. They are frozen, including their passes; to change one, copy it (`structuredClone`).
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
