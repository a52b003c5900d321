// The native provider.

import type { ConfiguredProtect } from "./protect.js";
import type { BuiltInProvider } from "./providers.js";

/** What is done about a summary that leaves out what must survive; see {@link SummaryQuality}. */
export interface SummaryCheckConfig {
  /** The mark, 0 to 1: a summary that tells a smaller share of what must survive is below it. Default: 0.8. */
  minScore?: number | undefined;
  /** Whether a summary below the mark is asked for once more, with what is missing named; the better of the two is taken. Default: true. */
  askAgain?: boolean | undefined;
  /** Whether what is missing then is put behind it, word for word, in at most 800 tokens. Default: true. */
  complete?: boolean | undefined;
  /**
   * Whether the model is asked which constraints and tasks that seem to be missing the summary tells in other words, where it is below the mark: one more,
   * small request. Default: false.
   */
  askModel?: boolean | undefined;
}

/** Configuration of the native provider. */
export interface NativeConfig {
  /** How many of the newest messages stay as they are, 1 to 10; more where roles or tool pairs ask for it. Default: 3. */
  maxMessagesToKeep?: number | undefined;
  /** The system prompt to summarise by. A prompt given with the call or the profile wins. Default, and for a blank one: the built-in prompt. */
  customCondensingPrompt?: string | undefined;
  /**
   * The profile of the manager (`ManagerOptions.profiles`) whose handler and price are for the summary. Default, and with the warning `handler_missing` where
   * the profile has no handler: the condensing handler.
   */
  condensingApiConfigId?: string | undefined;
  /**
   * Tokens of the condensing model's window when its handler does not know, 1024 to 100,000,000. Longer histories are summarised in parts, which are
   * then merged. Default: 128,000.
   */
  contextWindow?: number | undefined;
  /** How many parts of a long history are summarised at once, 1 to 16. Default: 3. */
  maxConcurrency?: number | undefined;
  /** What stays word for word beside the summary, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * So many messages at the beginning of the conversation stay as they are, with nothing put between them, whatever the target, so that the prompt
   * cache of the model's provider holds up to there. The largest of what manager, call and configuration say counts. Default: 0.
   */
  frozenMessages?: number | undefined;
  /**
   * How the summary is asked for. `append`: the host's own request (`context.tools`, `context.systemPrompt` and the messages, byte for byte) with the question
   * as the last message, so that the service reads all but the question from its prompt cache, at about a tenth of the price. `own`: a request made for the
   * purpose. `auto`: `append` where the same handler serves conversation and summaries, `context.tools` is given, the messages are those that came in, and
   * the handler can (Anthropic's API, and handlers of the host); else `own`. What does not fit the model's window is asked for in parts, as `own`. Default: `auto`.
   */
  summaryRequest?: "auto" | "append" | "own" | undefined;
  /**
   * What is done about a summary that leaves out names in use, changed files, open tasks or constraints of the user: `true` for the defaults of
   * {@link SummaryCheckConfig}, `false` for nothing. `result.summaryQuality` tells of it anyway. Default: false.
   */
  summaryCheck?: boolean | SummaryCheckConfig | undefined;
}

/**
 * The native provider, id `native`: one summary by a model takes the place of everything between the first message and the newest ones. With a
 * `targetTokens`, what a reader needs most beside it stands around it up to there: a log, and messages as they were. It needs a
 * handler; without one the result has the error `handler_invalid`.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createNativeProvider, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-haiku-4-5", apiKey: process.env.ANTHROPIC_API_KEY });
 * const result = await createNativeProvider({ maxMessagesToKeep: 5 }).condense({ messages, systemPrompt }, { handler });
 * console.log(result.error?.message ?? result.summary);
 * ```
 *
 * A summary that leaves out what must survive is asked for once more, and then completed.
 *
 * @example
 * ```ts
 * import { createNativeProvider, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-haiku-4-5", apiKey: process.env.ANTHROPIC_API_KEY });
 * const { summaryQuality } = await createNativeProvider({ summaryCheck: { minScore: 0.9 } }).condense({ messages }, { handler });
 * for (const { kind, text } of summaryQuality?.missing ?? []) console.warn(`the summary has lost the ${kind}: ${text}`);
 * ```
 */
export function createNativeProvider(config?: NativeConfig): BuiltInProvider<NativeConfig>;
