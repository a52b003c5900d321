// Messages, their blocks, and what is invalid about them.

import type { Problem, TextDiff, UnresolvedPointer } from "./data.js";

/** The minimum that a block must have. */
export interface BlockLike {
  readonly type: string;
}

// formats: written by npm run generate

/**
 * The formats of histories, as the option `format` names them; docs/formats.md says how each is recognised.
 *
 * - `anthropic`: Anthropic Messages API, Roo-Code, Cline
 * - `openai-chat`: OpenAI Chat Completions, also its older functions; Mistral (`toolCalls` in JavaScript), Ollama (without ids), litellm, SWE-agent, Inspect
 * - `openai-responses`: items of OpenAI's Responses API
 * - `ai-sdk-model`: AI SDK 5 to 7, `ModelMessage`
 * - `ai-sdk-ui`: AI SDK 5 to 7, `UIMessage`
 * - `langchain`: LangChain and LangGraph: instances, plain, stored (`data`) and serialised (`lc`)
 * - `gemini`: Gemini `Content`, in camel case or in the snake case of Python's client
 * - `bedrock-converse`: Amazon Bedrock Converse
 * - `opencode`: OpenCode, Kilo Code: `{ info, parts }`
 * - `goose`: messages of Goose's sessions
 */
export type MessageFormat =
  | "anthropic"
  | "openai-chat"
  | "openai-responses"
  | "ai-sdk-model"
  | "ai-sdk-ui"
  | "langchain"
  | "gemini"
  | "bedrock-converse"
  | "opencode"
  | "goose";

// end of formats

/** The format of messages. */
export interface FormatOptions {
  /** Default: what is seen in the messages. Where they are text alone, `anthropic`, which most formats look like then. */
  format?: MessageFormat | undefined;
}

/**
 * The minimum that a message must have. You can pass your own message type (Anthropic's `MessageParam` and `BetaMessageParam`, Roo-Code's
 * `ApiMessage`, and
 * types of the formats in {@link MessageFormat}), and get the same type back. All further fields are kept. Messages are never mutated, and
 * an unchanged message
 * is returned as the same object.
 */
export interface MessageLike {
  /** The speaker. Absent in formats that name it in another field: LangChain, OpenCode, items of OpenAI's Responses. */
  readonly role?: string | undefined;
  /** A string or blocks; in other formats absent, null, or parts of their own. */
  readonly content?: unknown;
  /** Replaces the role in LangChain's messages and items of OpenAI's Responses. */
  readonly type?: unknown;
  /** The content, in UI messages of the AI SDK, Gemini's contents and OpenCode's messages. */
  readonly parts?: unknown;
  /** Contains the speaker, in OpenCode's messages. */
  readonly info?: unknown;
  /** The message itself, if LangChain serialised it. */
  readonly kwargs?: unknown;
}

/** Text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** A tool call. */
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** A tool result. */
export interface ToolResultBlock {
  type: "tool_result";
  /** The `id` of its call. */
  tool_use_id: string;
  content?: string | Block[] | undefined;
  is_error?: boolean | undefined;
}

/** An image. Counts `ceil(sqrt(length of data))` tokens, or 300 when there is no data (Roo-Code's estimate). */
export interface ImageBlock {
  type: "image";
  source: { type: string; media_type?: string | undefined; data?: string | undefined; url?: string | undefined };
}

/** Thinking of the model. Never changed. */
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  signature?: string | undefined;
}

/** Thinking of the model, encrypted by the service. Never changed. */
export interface RedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

/** The `type` of an {@link OtherBlock}: those of the Anthropic Messages API, and any other text. */
export type OtherBlockType =
  | "document"
  | "search_result"
  | "tool_reference"
  | "server_tool_use"
  | "web_search_tool_result"
  | "web_fetch_tool_result"
  | "code_execution_tool_result"
  | "bash_code_execution_tool_result"
  | "text_editor_code_execution_tool_result"
  | "tool_search_tool_result"
  | "mcp_tool_use"
  | "mcp_tool_result"
  | "container_upload"
  | "compaction"
  | UnlistedType;

// An enum, because it is the only string type that TypeScript distinguishes from the literals above when it narrows a union.
declare enum Unlisted {
  Other = "any other text",
}

/**
 * Any other string as the `type` of a block, so that `block.type === "text"` narrows a {@link Block} to a {@link TextBlock}. To write or compare one:
 * `"of_the_host" as UnlistedType`. Not needed with your own message type.
 */
export type UnlistedType = Unlisted;

/** A block of any other type. Never changed. */
export interface OtherBlock {
  type: OtherBlockType;
  [field: string]: unknown;
}

/**
 * A content block of the Anthropic Messages API.
 *
 * @example Narrowing by type.
 * ```ts
 * import type { Block } from "roo-condense";
 *
 * const textOf = (block: Block): string => (block.type === "text" ? block.text.trim() : "");
 * ```
 */
export type Block = TextBlock | ToolUseBlock | ToolResultBlock | ImageBlock | ThinkingBlock | RedactedThinkingBlock | OtherBlock;

/** A message of the Anthropic Messages API, for applications without a type of their own. */
export interface Message {
  role: "user" | "assistant";
  content: string | Block[];
  /** Further fields (`ts`, `isSummary`, `condenseId`, ...) are kept. */
  [field: string]: unknown;
}

// services: written by npm run generate

/** A service, named by the format of its messages. `openai-chat` is OpenAI itself: other services with its protocol may accept more fields. */
export type MessageService = "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "bedrock-converse";

// end of services

/** Options of {@link validateMessages}. */
export interface ValidateOptions extends FormatOptions {
  /** Also lists fields and blocks that this service rejects as unknown. `format` is then the service's. Default: only the rules of the format. */
  service?: MessageService | undefined;
}

/**
 * Lists what is invalid in `messages`, in order of appearance; empty if all is well. Tool calls in the last message may have no result, because applications
 * condense between a call and its result. Synchronous.
 *
 * @throws {TypeError} `invalid_messages` when it is not an array, `not_serializable` when it has no JSON, `invalid_argument` for an unknown `service`.
 * @example
 * ```ts
 * import { validateMessages } from "roo-condense";
 *
 * for (const { messageIndex, code, message } of validateMessages(messages)) console.warn(messageIndex, code, message);
 * ```
 */
export function validateMessages(messages: readonly unknown[], options?: ValidateOptions): Problem[];

/**
 * Replaces pointers (`[34 lines as below from "export function parseDay("]`) by the lines they point to, using nothing but the messages, and restores the
 * numbers of lines below a heading (`[34 lines, every 10th numbered:]`). Messages and blocks without pointers are the same objects; if nothing changes, so is
 * the array. A line that looks like a pointer but points to nothing is left unchanged and listed. The texts never become more than 64 times as long in total,
 * plus 16 MB. Synchronous.
 *
 * Content that was cut, or replaced by a later message, is not brought back; use `restore` for that.
 *
 * @throws {TypeError} `invalid_messages` when it is not an array, `not_serializable` when it has no JSON.
 * @example
 * ```ts
 * import { createLosslessProvider, expand } from "roo-condense";
 *
 * const { messages: condensed } = await createLosslessProvider({ strict: true }).condense({ messages });
 * const { messages: readable, unresolved } = expand(condensed);
 * ```
 */
export function expand<Message>(messages: Message[], options?: FormatOptions): { messages: Message[]; unresolved: UnresolvedPointer[] };

/** Limits of {@link diffMessages}. */
export interface DiffLimits {
  /** Lines around each difference. Default: 2. */
  context?: number;
  /** Largest number of removed lines, and of added lines, of each text. Default: 200. */
  lines?: number;
  /** Largest number of characters of each line. Default: 400. */
  characters?: number;
}

/**
 * Compares two versions of a message, text by text and line by line; empty if no text differs. `null` is a message that does not exist. Texts with more than
 * 4,000 differing lines in a row are shown as removed and added as a whole. Synchronous.
 *
 * @throws {RangeError} `out_of_range` for limits that are no whole numbers from 0 to 1,000,000.
 * @throws {TypeError} `invalid_argument` for limits that are unknown, `not_serializable` when a message has no JSON.
 * @example
 * ```ts
 * import { createLosslessProvider, diffMessages } from "roo-condense";
 *
 * const { messages: condensed } = await createLosslessProvider().condense({ messages });
 * for (const { hunks } of diffMessages(messages[3], condensed[3])) for (const { lines } of hunks) console.log(lines);
 * ```
 */
export function diffMessages(before: unknown, after: unknown, limits?: DiffLimits): TextDiff[];

// biome-ignore lint/complexity/noUselessEmptyExport: without it, a declaration file exports `Unlisted` too.
export {};
