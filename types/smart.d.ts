// The smart provider.

import type { Message, MessageLike } from "./messages.js";
import type { PassSettings, PresetName, SmartSettings } from "./options.js";
import type { BuiltInProvider } from "./providers.js";

/**
 * Configuration of the smart provider. Its fields replace those of the preset. Unknown fields are an error, and every error names its place:
 * `passes[1].individualConfig.defaults.toolResults.operation`.
 */
export interface SmartConfig<M extends MessageLike = Message> extends Omit<SmartSettings, "passes"> {
  /**
   * The passes, in order, until the target is reached. Without a handler, salient truncation replaces summaries of single texts, and batch summaries are
   * skipped.
   */
  passes?: readonly SmartPass<M>[] | undefined;
}

/** One pass of the smart provider. */
export interface SmartPass<M extends MessageLike = Message> extends Omit<PassSettings, "selection" | "execution"> {
  /** The messages to work on. The first and the newest are never included. */
  selection: SmartSelection<M>;
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
