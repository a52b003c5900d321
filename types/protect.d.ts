// What stays word for word.

import type { MessageLike } from "./messages.js";

/**
 * What stays word for word through every provider, whatever the target: blocks that any of the rules is about, with the calls of results and the results of
 * calls. A target that cannot be met because of it is missed, and the result says so.
 */
export interface ConfiguredProtect {
  /** Calls of these tools and what they answered: names or globs (`*` for any characters, `?` for one). */
  tools?: readonly string[] | undefined;
  /** Calls about these files and what they answered: paths or globs, from any folder on (`AGENTS.md`, `src/*.ts`). */
  paths?: readonly string[] | undefined;
  /** Messages, by their index in the conversation of the call, from 0. */
  messages?: readonly number[] | undefined;
  /** Blocks in which one of these texts stands: what somebody says, the parameters of a call, or what it answered. */
  text?: readonly string[] | undefined;
}

/**
 * {@link ConfiguredProtect} for a manager or a call, with what JSON cannot hold.
 *
 * @example
 * ```ts
 * import { CondensationManager } from "roo-condense";
 *
 * const manager = new CondensationManager({
 *   protect: { tools: ["ask_*"], paths: ["AGENTS.md"], text: [/\bnever\b.+/i], messages: (message) => message.role === "user" },
 * });
 * ```
 */
export interface Protect extends Omit<ConfiguredProtect, "messages" | "text"> {
  /** Messages by their index, or a function that is asked for each: what it returns counts as true or false. What it throws is `invalid_argument`. */
  messages?: readonly number[] | ((message: MessageLike, index: number) => unknown) | undefined;
  /** Texts; of a regular expression each of its matches. */
  text?: readonly (string | RegExp)[] | undefined;
}
