// Messages, their blocks, and what is not legal about them.

/** The least a block has to be. */
export interface BlockLike {
  readonly type: string;
}

/**
 * The formats of histories, as the option `format` names them; docs/formats.md says what each is.
 *
 * - `anthropic`: the Anthropic Messages API, Roo-Code, Cline
 * - `openai-chat`: OpenAI Chat Completions, and those who speak it
 * - `openai-responses`: items of OpenAI's Responses API
 * - `ai-sdk-model`, `ai-sdk-ui`: `ModelMessage` and `UIMessage` of the AI SDK, versions 5 to 7
 * - `langchain`: messages of LangChain and LangGraph, instances and their JSON
 * - `gemini`: Gemini's `Content`
 * - `bedrock-converse`: messages of Amazon Bedrock's Converse API
 * - `opencode`: messages of OpenCode and Kilo Code, `{ info, parts }`
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
  | "opencode";

/** Which format messages are in. */
export interface FormatOptions {
  /** Default: what is seen in the messages. Where they are text alone, `anthropic`, which most formats look like then. */
  format?: MessageFormat | undefined;
}

/**
 * The least a message has to be. A host's own message type (Anthropic's `MessageParam` and `BetaMessageParam`, Roo-Code's `ApiMessage`, and those of the
 * formats in {@link MessageFormat}) goes in and comes out; all further fields are kept. Messages are never mutated, and an unchanged one comes back as the same
 * object.
 */
export interface MessageLike {
  /** Absent in formats that name who speaks elsewhere: LangChain, OpenCode, items of OpenAI's Responses. */
  readonly role?: string | undefined;
  /** A string or blocks; in other formats absent, null, or parts of their own. */
  readonly content?: unknown;
  /** In the place of a role, in LangChain's messages and items of OpenAI's Responses. */
  readonly type?: unknown;
  /** What is said, in UI messages of the AI SDK, Gemini's contents and OpenCode's messages. */
  readonly parts?: unknown;
  /** Who speaks, in OpenCode's messages. */
  readonly info?: unknown;
  /** The message itself, where it is serialised by LangChain. */
  readonly kwargs?: unknown;
}

/** Text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** The assistant calls a tool. */
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** What a tool answered. */
export interface ToolResultBlock {
  type: "tool_result";
  /** The `id` of the call it answers. */
  tool_use_id: string;
  content?: string | Block[] | undefined;
  is_error?: boolean | undefined;
}

/** An image. Counts `ceil(sqrt(length of data))` tokens, or 300 when there is no data (Roo-Code's estimate). */
export interface ImageBlock {
  type: "image";
  source: { type: string; media_type?: string | undefined; data?: string | undefined; url?: string | undefined };
}

/** What the model thought. Never changed. */
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  signature?: string | undefined;
}

/** What the model thought, encrypted by the service. Never changed. */
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

// An enum, because it is the one kind of text that TypeScript keeps apart from the literals above when it narrows a union by them.
declare enum Unlisted {
  Other = "any other text",
}

/**
 * Any text, as the `type` of a block: none of those that are listed, so that `block.type === "text"` tells that a {@link Block} is a
 * {@link TextBlock}. To write or compare one: `"of_the_host" as UnlistedType`. With a message type of one's own there is no need to.
 */
export type UnlistedType = Unlisted;

/** A block of any other type. Carried through untouched. */
export interface OtherBlock {
  type: OtherBlockType;
  [field: string]: unknown;
}

/**
 * A content block as the Anthropic Messages API has it.
 *
 * @example What it is can be asked by its type.
 * ```ts
 * import type { Block } from "roo-condense";
 *
 * const textOf = (block: Block): string => (block.type === "text" ? block.text.trim() : "");
 * ```
 */
export type Block = TextBlock | ToolUseBlock | ToolResultBlock | ImageBlock | ThinkingBlock | RedactedThinkingBlock | OtherBlock;

/** A message as the Anthropic Messages API has it, for hosts without a type of their own. */
export interface Message {
  role: "user" | "assistant";
  content: string | Block[];
  /** Further fields (`ts`, `isSummary`, `condenseId`, ...) are kept. */
  [field: string]: unknown;
}

/** A breach of the shape that the Anthropic Messages API accepts. */
export interface Problem {
  /** Index of the message. */
  messageIndex: number;
  /** Index of the block, if it is about one. */
  blockIndex?: number;
  /** What is wrong, as a fixed word. */
  code: ProblemCode;
  /** What is wrong, for a person. */
  message: string;
  /** The id of the call, where calls and results do not pair up. */
  toolId?: string;
}

/**
 * - `not_a_message`: not an object with a role; `unknown_role`: neither user nor assistant
 * - `first_not_user`, `same_role_twice`: the order of roles
 * - `empty_content`, `empty_text`: nothing, or only white space
 * - `misplaced_tool_use`, `misplaced_tool_result`: in a message of the wrong role
 * - `invalid_tool_input`: `tool_use.input` is no object; `unnamed_tool_use`: no id or name
 * - `unanswered_tool_use`, `orphan_tool_result`, `repeated_tool_result`: calls and results do not pair up
 * - `unreadable_block`: lacks a field of its type
 * - `unsupported_format`: in a format that is not read, or in several; condensing and counting refuse it
 *
 * Of the formats of others alone:
 *
 * - `empty_tool_calls`: `tool_calls` is there and empty (OpenAI Chat Completions)
 * - `unnamed_tool_result`: a tool message without the id of its call (LangChain)
 * - `reasoning_without_item`: a reasoning item without the item that followed it; `invalid_id`: an id without the prefix of its kind (OpenAI Responses)
 */
export type ProblemCode =
  | "not_a_message"
  | "unknown_role"
  | "first_not_user"
  | "same_role_twice"
  | "empty_content"
  | "empty_text"
  | "misplaced_tool_use"
  | "misplaced_tool_result"
  | "invalid_tool_input"
  | "unnamed_tool_use"
  | "unanswered_tool_use"
  | "orphan_tool_result"
  | "repeated_tool_result"
  | "unreadable_block"
  | "unsupported_format"
  | "empty_tool_calls"
  | "unnamed_tool_result"
  | "reasoning_without_item"
  | "invalid_id";

/**
 * What is not legal in `messages`, in order of appearance; empty when all is well. Tool calls in the last message may be unanswered:
 * hosts condense between a call and its answer. Synchronous.
 *
 * @throws {TypeError} `invalid_messages` when it is not an array, `not_serializable` when it has no JSON.
 * @example
 * ```ts
 * import { validateMessages } from "roo-condense";
 *
 * for (const { messageIndex, code, message } of validateMessages(messages)) console.warn(messageIndex, code, message);
 * ```
 */
export function validateMessages(messages: readonly unknown[], options?: FormatOptions): Problem[];

/** A line that looks like a pointer and leads nowhere. */
export interface UnresolvedPointer {
  /** Index of the message. */
  messageIndex: number;
  /** Index of the block; 0 when the content is a string. */
  blockIndex: number;
  /** The line, without its number. */
  text: string;
}

/**
 * Puts the lines that pointers lead to (`[34 lines as below from "export function parseDay("]`) in their place, knowing nothing but the
 * messages, and gives lines below a heading (`[34 lines, every 10th numbered:]`) their numbers back. Messages and blocks without pointers are the same objects;
 * where nothing changes, so is the array. What looks like a pointer and leads nowhere stays as it is and is listed. Whatever the
 * pointers ask for, the texts get at most 64 times as long as they were together, and 16 MB more. Synchronous.
 *
 * What a later message replaced, or was cut, is not brought back: `restore` does that.
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

/** How a text of a message differs from what it was; see {@link diffMessages}. */
export interface TextDiff {
  /** The block it stands in; 0 when the content is a string. */
  blockIndex: number;
  /** From the message to the text, such as `["content", 0, "text"]`. */
  path: (string | number)[];
  /** What differs, in order, each with the lines around it. */
  hunks: DiffHunk[];
  /** Differing lines that are left out, because there are too many. */
  omittedLines: number;
}

/** Lines that differ, with those around them. */
export interface DiffHunk {
  /** The first line in the text before, from 1. */
  beforeLine: number;
  /** The first line in the text after, from 1. */
  afterLine: number;
  lines: DiffLine[];
}

/** A line of a {@link DiffHunk}. */
export interface DiffLine {
  /** Whether it stands in both texts, only in the one before, or only in the one after. */
  kind: "same" | "removed" | "added";
  /** What it says, without its line end; of a long line the part where it differs. Texts of histories may hold control characters. */
  text: string;
  /** Characters before that part, where there are any. */
  charactersBefore?: number;
  /** Characters after it, where there are any. */
  charactersAfter?: number;
}

/** How much {@link diffMessages} shows. */
export interface DiffLimits {
  /** Lines around what differs. Default: 2. */
  context?: number;
  /** Lines of each text, of those that go and those that come. Default: 200. */
  lines?: number;
  /** Characters of each line. Default: 400. */
  characters?: number;
}

/**
 * What differs between two versions of a message, text by text and line by line; empty when no text does. `null` stands for a message that was not
 * there, or is not any more. Texts of which more than 4,000 lines in a row differ are not compared: all of one goes, all of the other comes. Synchronous.
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
