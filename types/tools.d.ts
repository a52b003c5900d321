// Tools: what they do, the names of their parameters, and how to treat their calls.

import type { ToolRow } from "./options.js";

/**
 * The meaning of a tool, as far as it decides what can be pruned from its calls and results.
 *
 * - `read`: shows files
 * - `write`: sets the whole content of a file
 * - `edit`: changes a file: replaces a text (`old`, `new`) or a list of texts (`edits`), applies SEARCH/REPLACE blocks or a patch (`diff`), or inserts lines
 *   (`line`, `content`)
 * - `editor`: any of the three, depending on its parameter `command`: `view`, `create`, `str_replace`, `insert`
 * - `search`: shows matching lines
 * - `list`: lists files
 * - `command`: runs a command line
 * - `web`: fetches or searches pages, or works in a browser
 * - `ask`: asks or tells the user something; its result is the user's words
 * - `todo`: sets the todo list
 * - `item`: adds or changes an item of the todo list (`subject`, `taskId`, `status`)
 * - `plan`: presents a plan (`speech`)
 * - `agent`: starts a subagent
 * - `skill`: loads instructions for a kind of work, named by `label`
 * - `mode`: switches the agent's mode, named by `label`
 * - `touch`: deletes or moves a file, or changes it in a way that the conversation does not show
 * - `recall`: brings back what stands in this or an earlier conversation; its results go first when the conversation is condensed
 * - `other`: anything else
 */
export type ToolKind = NonNullable<ToolRow["meaning"]>;

/** The name of a parameter, or several names for it. They win over the common names (`path`, `file_path`, `content`, …), which still count. */
export type ParameterNames = string | readonly string[] | undefined;

/**
 * How to treat the calls of a tool. Content kept by a rule is kept word for word by every provider, even if the target is missed (warning `target_not_met`).
 * Limits apply in the providers `truncation` and `smart`, which leave the newest messages alone: `preserveRecentCount`, or five. Their `changes` have the
 * operation `tool_rule` and name the rule.
 *
 * @example
 * ```ts
 * import { CondensationManager } from "roo-condense";
 *
 * const manager = new CondensationManager({
 *   tools: { "browser_*": { keep: 2 }, read_file: { maxTokens: 800 }, execute_command: { keepErrors: true } },
 * });
 * ```
 */
export type ToolRule = Pick<ToolRow, "keep" | "maxTokens" | "suppress" | "protect" | "keepErrors" | "inputs">;

/** The meaning of a tool, the names of its parameters, and a rule for its calls. Unknown fields are an error. */
export interface ToolDescription extends ToolRow {
  meaning: ToolKind;
}

/**
 * The meaning of one of your tools, with the names of its parameters if needed, or a rule for its calls. If only one of them is given, the other stays as it is
 * known.
 *
 * @example
 * ```ts
 * import { CondensationManager, type ToolMeaning } from "roo-condense";
 *
 * const tools: Record<string, ToolMeaning> = {
 *   fs_grab: { meaning: "read", path: "target" },
 *   fs_put: { meaning: "write", path: "target", content: "body" },
 *   "browser_*": "web",
 * };
 * const manager = new CondensationManager({ tools });
 * ```
 */
export type ToolMeaning = ToolKind | ToolDescription | ToolRule;

/**
 * Meanings of tools and rules for their calls, by name or glob (`*` for any characters, `?` for one). They win over the known tools, names win over globs, and
 * of two globs the more specific one wins. A name includes the same tool of an MCP server: `mcp__files__fs_grab`.
 */
export type ToolMeanings = Readonly<Record<string, ToolMeaning>>;
