// Content to keep word for word.

import type { MessageLike } from "./messages.js";
import type { ConfiguredProtect } from "./options.js";

/**
 * {@link ConfiguredProtect} for a manager or a call, including what JSON cannot hold.
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
  /**
   * Messages by their index, or a function that is called for each message and returns a truthy value to protect it. If it throws, the error is
   * `invalid_argument`.
   */
  messages?: readonly number[] | ((message: MessageLike, index: number) => unknown) | undefined;
  /** Texts, or regular expressions, of which every match counts. */
  text?: readonly (string | RegExp)[] | undefined;
}
