// Content to keep word for word.

import type { MessageLike } from "./messages.js";

/**
 * Content to keep word for word in every provider, even if the target is missed: blocks that match any of the rules, with the calls of results and the results
 * of calls. The result reports a missed target, and rules that match nothing (warning `protect_unmatched`).
 */
export interface ConfiguredProtect {
  /** Calls of these tools and their results: names or globs (`*` for any characters, `?` for one). */
  tools?: readonly string[] | undefined;
  /**
   * Calls about these files and their results: paths or globs, relative to any folder (`AGENTS.md`, `src/*.ts`, `C:\proj\src`). A folder includes everything in
   * it (`src`, `src/`). `*` matches any characters, slashes included; two of them and a slash match any folders or none; `?` matches one character. Spellings of the same path are equal: `\`
   * or `/`, `./`, `C:` or `c:` (`/c/`, `/mnt/c/`), accents as macOS or others write them; on Windows drives, upper and lower case.
   */
  paths?: readonly string[] | undefined;
  /** Messages by their index in the conversation of the call, from 0. */
  messages?: readonly number[] | undefined;
  /**
   * Blocks that contain one of these texts, of any type: words, call parameters (including their names and numbers), results, documents and search results with
   * their titles, thinking. Thinking that the model would refuse after a change is removed all the same.
   */
  text?: readonly string[] | undefined;
}

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
