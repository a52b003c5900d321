// Recall: finding and reading what was said, shown and done earlier in a conversation.

import type { RecallHit } from "./data.js";
import type { MessageLike } from "./messages.js";
import type { RecallOptions, RecallReadOptions, RecallSearchOptions } from "./options.js";
import type { RestoreData } from "./results.js";

/** A conversation as recall takes it: its messages, or condensed ones with the restore data that lead back. */
export type RecalledMessages =
  | readonly MessageLike[]
  | {
      readonly messages: readonly MessageLike[];
      /** That of the condensation which led to `messages`; of several in a row, the oldest first. */
      readonly restoreData?: RestoreData | readonly RestoreData[] | undefined;
    };

/** A store in the shape of Keyv: a Keyv with any of its adapters (files, SQLite, Redis), a Map, or an object with these two. */
export interface RecallStore {
  /** The text that was set under `key`, or a promise of it; `undefined` or `null` where there is none. */
  get(key: string): unknown;
  /** Keeps a text, or fails by throwing or rejecting. What it returns is not looked at: the text is read back. */
  set(key: string, value: string): unknown;
}

/** The result of a search. */
export interface RecallFound {
  /** Text for the model: the hits, as whole lines; or one sentence that says that there are none. */
  text: string;
  /** The hits, the best first. */
  hits: RecallHit[];
  /** Number of entries that have a word of the query. */
  matching: number;
  /** Tokens of the hits. */
  tokens: number;
}

/** Lines of an entry. */
export interface RecallRead {
  /** Text for the model: a line that says what it is, and the lines; or one sentence that says that there is no such key. */
  text: string;
  /** Whether there is an entry of this key. */
  found: boolean;
  /** The lines, exactly. Absent if the key is unknown. */
  content?: string;
  /** First and last line that is there, from 1. Absent if the key is unknown. */
  lines?: [first: number, last: number];
  /** Number of lines of the entry. Absent if the key is unknown. */
  total?: number;
  /** Where to read on, as the option `lines` takes it. Absent if everything is there. */
  next?: string;
  /** The key. Absent if it is unknown. */
  key?: string;
}

// formats of the tool: written by npm run generate

/** The formats of {@link Recall.tool}. */
export type RecallToolFormat =
  | "anthropic"
  | "openai-chat"
  | "openai-responses"
  | "gemini"
  | "bedrock-converse"
  | "ai-sdk"
  | "langchain"
  | "mastra";

// end of formats of the tool

/** Recall over one conversation. */
export interface Recall {
  /**
   * Puts what a condensation left out into the option `store`; settles when that is read back from it. Go on with the result's messages only then, so that
   * nothing is left out that cannot be recalled.
   * @throws {TypeError | Error} by rejection: `store_failed`, after which the messages before the condensation are still what to go on with; `invalid_argument`
   */
  keep(result: { readonly restoreData: RestoreData }): Promise<void>;
  /**
   * Searches by words, in any order: names, paths, commands, error texts, or a question.
   * @throws {TypeError | RangeError} by rejection: `invalid_argument`, `out_of_range`, `invalid_messages`, `unsupported_format`, `not_serializable`, `invalid_restore_data`
   */
  search(query: string, options?: RecallSearchOptions): Promise<RecallFound>;
  /**
   * Reads an entry, or lines of it; `next` says where to read on.
   * @throws {TypeError | RangeError} by rejection, as {@link Recall.search}
   */
  read(key: string, options?: RecallReadOptions): Promise<RecallRead>;
  /**
   * The tool's definition, to be put beside the application's own. Those for `ai-sdk`, `langchain` and `mastra` run by themselves; calls in the other formats are
   * answered by {@link Recall.answer}.
   * @throws {TypeError} `invalid_argument`
   */
  tool(format: RecallToolFormat): any;
  /**
   * The result of a call of the tool, such as an Anthropic `tool_use` block, in the format of the call; docs/recall.md says what a call is in each format. Nothing in the
   * call's parameters is an error: the result says what is wrong with them.
   * @throws {TypeError} by rejection: `invalid_argument` for a value that is no call
   */
  answer(call: object): Promise<any>;
  /** One line for the conversation that says that the tool brings back what was left out. */
  readonly hint: string;
}

/**
 * Makes the conversation searchable, whatever of it is left out of the model's view. The messages that the host still has are the store; nothing is written.
 *
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { type Message, createRecall } from "roo-condense";
 *
 * declare const messages: Message[];
 * const recall = createRecall({ messages });
 * const { text, hits } = await recall.search("which port does the server use?");
 * const entry = await recall.read(hits[0]?.key ?? "", { lines: "1-40" });
 * console.log(text, entry.text);
 * ```
 */
export function createRecall(options: RecallOptions): Recall;
