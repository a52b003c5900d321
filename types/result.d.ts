// One new tool result, shortened before it enters a conversation.

import type { ShortenedResult } from "./data.js";
import type { CondenseResultOptions } from "./options.js";

/** A store of {@link condenseResult}, in the shape of Keyv. */
export interface ResultStore {
  /** The text that was set under `key`, or a promise of it; `undefined` or `null` where there is none. */
  get(key: string): unknown;
  /** Keeps a text, or fails by throwing or rejecting. What it returns is not looked at: the text is read back. */
  set(key: string, value: string): unknown;
  /** The place at which the agent's own tools find the text of a key, such as the path of a file, or a promise of it. The note in the result names it. */
  where?(key: string): string | undefined | PromiseLike<string | undefined>;
}

/** The result of {@link condenseResult}. */
export interface CondensedResult<Result> extends ShortenedResult {
  /** The result in the same form; the same object if nothing was left out. */
  result: Result;
  /** The key under which `store` has the whole result, for the recall tool; absent if nothing was stored. The store's own key is `roo-condense:result:` and this. */
  key?: string;
}

/**
 * Shortens one new tool result before it enters a conversation. The lines that say how the call ended and what failed stay word for word, before all others; the last
 * line says how much is missing, and how to get it. Works off the main thread. Throws nothing away without a note, and writes no line anew.
 *
 * `result` is a string, a tool result block or message of a format that is read (Anthropic's `tool_result`, OpenAI's `tool` message and `function_call_output`, Gemini's
 * `functionResponse`, Bedrock's `toolResult`, the AI SDK's `tool-result`, LangChain's `ToolMessage`), or a result of MCP.
 *
 * Rejects with `invalid_argument`, `out_of_range`, `invalid_messages`, `unsupported_format`, `unknown_encoding` or `not_serializable` for wrong arguments, and with
 * `store_failed` where the store did not keep the whole, or has not confirmed it within 10 seconds: go on with that.
 *
 * @example
 * ```ts
 * import { condenseResult } from "roo-condense";
 *
 * const { result, tokensBefore, tokensAfter } = await condenseResult(output, { budget: 4000, exitCode: 1, messages });
 * ```
 */
export function condenseResult<Result>(result: Result, options: CondenseResultOptions): Promise<CondensedResult<Result>>;
