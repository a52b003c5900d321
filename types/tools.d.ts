// Tools: what they do, what their parameters are called, and what becomes of their calls.

/**
 * What a tool does, as far as it matters for what of its calls and answers can be left out.
 *
 * - `read`: shows files
 * - `write`: sets the whole content of a file
 * - `edit`: changes a file: exchanges a text (`old`, `new`), a list of texts (`edits`), by SEARCH/REPLACE blocks or a patch (`diff`), or inserts
 *   lines (`line`, `content`)
 * - `editor`: any of the three, as its parameter `command` says: `view`, `create`, `str_replace`, `insert`
 * - `search`: shows lines that match
 * - `list`: names files
 * - `command`: runs a command line
 * - `web`: fetches or searches pages, or works in a browser
 * - `ask`: asks or tells the user something; the answer is what the user says
 * - `todo`: sets the list of things to do
 * - `item`: adds an item to that list, or changes one (`subject`, `taskId`, `status`)
 * - `plan`: presents a plan (`speech`)
 * - `agent`: starts a sub-agent
 * - `skill`: loads instructions for a kind of work, which `label` names
 * - `mode`: switches the mode in which the agent works, which `label` names
 * - `touch`: deletes or moves a file, or changes it in a way that the conversation does not show
 * - `other`: nothing that is followed
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
  | "other";

/** The name of a parameter, or several that mean the same. They come before the common names (`path`, `file_path`, `content`, …), which still count. */
export type ParameterNames = string | readonly string[] | undefined;

/**
 * What becomes of the calls of a tool. What stands because of it stands word for word through every provider, whatever the target (which is then missed,
 * with the warning `target_not_met`); limits are those of the providers `truncation` and `smart`, which leave the newest messages as they are:
 * `preserveRecentCount`, or five. `changes` name the rule, with the operation `tool_rule`.
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
  /** So many of the newest calls stand, with their answers; calls of all tools that a glob names count together. Older answers keep `maxTokens`, or nothing. */
  keep?: number | undefined;
  /** The most tokens that stay of an answer, at least 20: the lines that are likeliest to be used again. */
  maxTokens?: number | undefined;
  /** Whether answers are left out. */
  suppress?: boolean | undefined;
  /** Whether calls and their answers are never touched. */
  protect?: boolean | undefined;
  /** Whether calls that failed stand, with their answers. */
  keepErrors?: boolean | undefined;
  /** Whether what is done to answers is done to long parameters too. Default: false. */
  inputs?: boolean | undefined;
}

/** What a tool does and what its parameters are called, and what becomes of its calls. An unknown field is an error. */
export interface ToolDescription extends ToolRule {
  /** What the tool does. */
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
  /** Whether it is replaced wherever it stands. */
  replaceAll?: ParameterNames;
  /** A list of changes, each with an old and a new text. */
  edits?: ParameterNames;
  /** SEARCH/REPLACE blocks or a patch. */
  diff?: ParameterNames;
  /** The line to insert at. */
  line?: ParameterNames;
  /** The first line to read. */
  offset?: ParameterNames;
  /** How many lines to read. */
  limit?: ParameterNames;
  /** The last line to read. */
  lastLine?: ParameterNames;
  /** The command line. */
  command?: ParameterNames;
  /** What to search for. */
  pattern?: ParameterNames;
  /** The address of a page. */
  url?: ParameterNames;
  /** The list of things to do. */
  todos?: ParameterNames;
  /** What is moved. */
  from?: ParameterNames;
  /** Where to. */
  to?: ParameterNames;
  /** What the assistant says to the user. */
  speech?: ParameterNames;
  /** What a call is about, in a few words: it is what markers and reports call it by. Default: the file, the command, the pattern or the address. */
  label?: ParameterNames;
  /** Whether the answer is what the user says; it is then kept as such. Default: true for `ask`, false for the others. */
  asksUser?: boolean | undefined;
  /** Whether it may be called in XML in a text: `<name><parameter>…</parameter></name>`. Default: true. */
  inXml?: boolean | undefined;
}

/**
 * What a tool of the host means: what it does, and where that is needed, what its parameters are called; or what becomes of its calls. A row that says only
 * the one leaves the other as it is known.
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
 * Meanings of tools and what becomes of their calls, by name or by glob (`*` for any characters, `?` for one). They come before the tools that are known, names before globs, and of
 * two globs the one that fixes more of a name. A name counts for the same tool of an MCP server too: `mcp__files__fs_grab`.
 */
export type ToolMeanings = Readonly<Record<string, ToolMeaning>>;
