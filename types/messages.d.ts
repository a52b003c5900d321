// Messages, their blocks, and what is not legal about them.

/** The least a block has to be. */
export interface BlockLike {
  readonly type: string;
}

/**
 * The least a message has to be. A host's own message type (Anthropic's `MessageParam`, Roo-Code's `ApiMessage`) goes in and comes out;
 * all further fields are kept. Messages are never mutated, and an unchanged one comes back as the same object.
 */
export interface MessageLike {
  readonly role: string;
  readonly content: string | readonly BlockLike[];
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

/** A block of any other type. Carried through untouched. */
export interface OtherBlock {
  type: string;
  [field: string]: unknown;
}

/** A content block as the Anthropic Messages API has it. */
export type Block = TextBlock | ToolUseBlock | ToolResultBlock | ImageBlock | ThinkingBlock | OtherBlock;

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
}

/**
 * - `not_a_message`: not an object with a role; `unknown_role`: neither user nor assistant
 * - `first_not_user`, `same_role_twice`: the order of roles
 * - `empty_content`, `empty_text`: nothing, or only white space
 * - `misplaced_tool_use`, `misplaced_tool_result`: in a message of the wrong role
 * - `invalid_tool_input`: `tool_use.input` is no object; `unnamed_tool_use`: no id or name
 * - `unanswered_tool_use`, `orphan_tool_result`, `repeated_tool_result`: calls and results do not pair up
 * - `unreadable_block`: lacks a field of its type
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
  | "unreadable_block";

/**
 * What is not legal in `messages`, in order of appearance; empty when all is well. Tool calls in the last message may be unanswered:
 * hosts condense between a call and its answer. Synchronous.
 *
 * @throws {TypeError} `invalid_messages` when it is not an array, `not_serializable` when it has no JSON.
 */
export function validateMessages(messages: readonly unknown[]): Problem[];
