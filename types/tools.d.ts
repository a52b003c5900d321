// Tools: what they do, the names of their parameters, and how to treat their calls.

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
export type ToolKind =
  | "read"
  | "write"
  | "edit"
  | "editor"
  | "search"
  | "list"
  | "command"
  | "web"
  | "ask"
  | "todo"
  | "item"
  | "plan"
  | "agent"
  | "skill"
  | "mode"
  | "touch"
  | "recall"
  | "other";

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
export interface ToolRule {
  /** Number of newest calls to keep, with their results; all tools that a glob matches count together. Older results keep `maxTokens`, or nothing. */
  keep?: number | undefined;
  /** Largest number of tokens to keep of a result, at least 20: the lines most likely to be used again. */
  maxTokens?: number | undefined;
  /** Whether to drop results. */
  suppress?: boolean | undefined;
  /** Whether to leave calls and their results unchanged. */
  protect?: boolean | undefined;
  /** Whether to keep failed calls, with their results. */
  keepErrors?: boolean | undefined;
  /** Whether the rule applies to long parameters, too. Default: false. */
  inputs?: boolean | undefined;
}

/** The meaning of a tool, the names of its parameters, and a rule for its calls. Unknown fields are an error. */
export interface ToolDescription extends ToolRule {
  /** The meaning of the tool. */
  meaning: ToolKind;
  /** The file. */
  path?: ParameterNames;
  /** Several files. */
  files?: ParameterNames;
  /** The whole new content of the file, or the lines to insert. */
  content?: ParameterNames;
  /** The text to be replaced. */
  old?: ParameterNames;
  /** What replaces it. */
  new?: ParameterNames;
  /** Whether every occurrence is replaced. */
  replaceAll?: ParameterNames;
  /** A list of changes, each with an old and a new text. */
  edits?: ParameterNames;
  /** SEARCH/REPLACE blocks or a patch. */
  diff?: ParameterNames;
  /** The line to insert at. */
  line?: ParameterNames;
  /** The first line to read. */
  offset?: ParameterNames;
  /** Number of lines to read. */
  limit?: ParameterNames;
  /** The last line to read. */
  lastLine?: ParameterNames;
  /** The command line. */
  command?: ParameterNames;
  /** What to search for. */
  pattern?: ParameterNames;
  /** The address of a page. */
  url?: ParameterNames;
  /** The todo list. */
  todos?: ParameterNames;
  /** The source of a move. */
  from?: ParameterNames;
  /** Its destination. */
  to?: ParameterNames;
  /** What the assistant says to the user. */
  speech?: ParameterNames;
  /** What a call is about, in a few words; used in markers and reports. Default: the file, the command, the pattern or the address. */
  label?: ParameterNames;
  /** Whether the result is the user's words, which are then treated as such. Default: true for `ask`, false for all others. */
  asksUser?: boolean | undefined;
  /** Whether it may be called in XML in a text: `<name><parameter>…</parameter></name>`. Default: true. */
  inXml?: boolean | undefined;
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
