// One new tool result, shortened before it enters a conversation.

import type { ShortenedResult } from "./data.js";
import type { MessageFormat, MessageLike } from "./messages.js";
import type { Encoding } from "./tokens.js";

/** A store of {@link condenseResult}, in the shape of Keyv. */
export interface ResultStore {
  /** The text that was set under `key`, or a promise of it; `undefined` or `null` where there is none. */
  get(key: string): unknown;
  /** Keeps a text, or fails by throwing or rejecting. What it returns is not looked at: the text is read back. */
  set(key: string, value: string): unknown;
  /** The place at which the agent's own tools find the text of a key, such as the path of a file, or a promise of it. The note in the result names it. */
  where?(key: string): string | undefined | PromiseLike<string | undefined>;
}

/** Options of {@link condenseResult}. An unknown field is an error. */
export interface CondenseResultOptions {
  /** Tokens that the result may have, 1 or more. Required. */
  budget: number;
  /** The conversation before the result, in any format that is read. Names that it uses stay, and lines that stand in it become a pointer. Default: none. */
  messages?: readonly MessageLike[] | undefined;
  /** The call that the result answers, where `messages` does not have it: files that were read and diffs are recognised by it. */
  call?: { name: string; input?: unknown } | undefined;
  /** The exit code of the command, a whole number; `null` is the same as absent. The note in the result says it. */
  exitCode?: number | null | undefined;
  /** The format of `messages` and the result. Default: what is seen in them. */
  format?: MessageFormat | undefined;
  /** The encoding that tokens are counted in. Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** The model is offered the tool of {@link createRecall}, and the host keeps the whole messages, or gives it the same `store`: the note names the tool. Default: false. */
  recall?: boolean | undefined;
  /** Keeps the whole result where it is shortened, under a key of its content, read back before the note says so. Default: none. */
  store?: ResultStore | undefined;
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
