// What stays word for word.

import type { MessageLike } from "./messages.js";

/**
 * What stays word for word through every provider, whatever the target: blocks that any of the rules is about, with the calls of results and the results of
 * calls. A target that cannot be met because of it is missed, and the result says so. Of rules that are about nothing in the
 * conversation, the warning `protect_unmatched` tells.
 */
export interface ConfiguredProtect {
  /** Calls of these tools and what they answered: names or globs (`*` for any characters, `?` for one). */
  tools?: readonly string[] | undefined;
  /**
   * Calls about these files and what they answered: paths or globs, from any folder on (`AGENTS.md`, `src/*.ts`, `C:\proj\src`). A folder
   * stands for all that is in it (`src`, `src/`). `*` stands for any characters, slashes too; two of them and a slash for any folders or none; `?` for one
   * character. However a path is written, it is one: `\` or `/`, `./`, `C:` or `c:` (`/c/`, `/mnt/c/`), accents as macOS writes them or others; on drives of Windows
   * upper and lower case are the same.
   */
  paths?: readonly string[] | undefined;
  /** Messages, by their index in the conversation of the call, from 0. */
  messages?: readonly number[] | undefined;
  /**
   * Blocks in which one of these texts stands, whatever their type: what somebody says, parameters of a call (their names and numbers, too), what it answered,
   * documents and search results with their titles, thinking. Thinking that the model would refuse behind a change goes all the same.
   */
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
