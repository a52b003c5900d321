// Options, from their definitions in src. Written by `npm run generate`.

import type { SystemTextBlock, ThinkingOption } from "./calls.js";
import type { ProgressEvent } from "./data.js";
import type { HandlerOption } from "./handlers.js";
import type { SummaryStore } from "./manager.js";
import type { MessageFormat, MessageLike } from "./messages.js";
import type { Protect } from "./protect.js";
import type { BuiltInProvider, CondensationProvider } from "./providers.js";
import type { RecalledMessages, RecallStore } from "./recall.js";
import type { ResultStore } from "./result.js";
import type { RestoreData } from "./results.js";
import type { Encoding, Scale } from "./tokens.js";
import type { ToolMeanings } from "./tools.js";

/** The id of a built-in provider. */
export type BuiltInProviderId =
  | "native"
  | "smart"
  | "lossless"
  | "truncation"
  | "pipeline"
  | "adaptive"
  | "cost_aware"
  | "quality_first"
  | "per_user"
  | "ab_test"
  | "progressive";

/** The id of a provider: a built-in one, which editors complete, or that of a custom provider. */
export type ProviderId = BuiltInProviderId | (string & {});

/** The name of a configuration of the smart provider. `quality` is another name for `conservative`. */
export type PresetName = "conservative" | "quality" | "balanced" | "aggressive" | "multi_zone" | "selective";

/**
 * Content to keep word for word in every provider, even if the target is missed: blocks that match any of the rules, with the calls of results and the results
 * of calls. The result reports a missed target, and rules that match nothing (warning `protect_unmatched`).
 */
export interface ConfiguredProtect {
  /** Calls of these tools and what they answered: names or globs (* for any characters, ? for one). */
  tools?: readonly string[] | undefined;
  /**
   * Calls about these files and what they answered: paths or globs (* for any characters, **\/ for any folders or none), from any folder on; a folder stands
   * for all that is in it. Spellings of the same path are equal: `\` or `/`, `./`, `C:` or `c:` (`/c/`, `/mnt/c/`), accents as macOS or others write them; on
   * Windows drives, upper and lower case.
   */
  paths?: readonly string[] | undefined;
  /** Messages, by their index in the conversation of the call. */
  messages?: readonly number[] | undefined;
  /**
   * Blocks of any type in which one of these texts stands. Words, call parameters (including their names and numbers), results, documents and search results
   * with their titles, thinking. Thinking that the model would refuse after a change is removed all the same.
   */
  text?: readonly string[] | undefined;
}

/** How to treat a summary that misses items it must keep; see {@link SummaryQuality}. */
export interface SummaryCheckConfig {
  /** The mark: a summary that tells less of what must survive is below it. 0 to 1. Default: 0.8. */
  minScore?: number | undefined;
  /** Whether a summary below the mark is asked for once more, with what is missing named. The better summary is used. Default: true. */
  askAgain?: boolean | undefined;
  /** Whether what is missing then is put behind it. It is appended word for word, in at most 800 tokens. Default: true. */
  complete?: boolean | undefined;
  /**
   * Whether the model says which of what seems to be missing is told in other words. It is one more small request, about constraints and tasks. Default: false.
   */
  askModel?: boolean | undefined;
}

/** Configuration of the native provider. */
export interface NativeConfig {
  /** How many of the newest messages stay as they are; more where roles or tool pairs ask for it. 1 to 10. Default: 3. */
  maxMessagesToKeep?: number | undefined;
  /** The system prompt to summarise by; blank for the default. A prompt given with the call or the profile wins. Default: empty. */
  customCondensingPrompt?: string | undefined;
  /**
   * The profile of the manager whose handler and price are for the summary. It is one of `ManagerOptions.profiles`. Default, and with the warning
   * `handler_missing` if the profile has no handler: the condensing handler.
   */
  condensingApiConfigId?: string | undefined;
  /**
   * Tokens of the condensing model's context window, when its handler does not know. Longer histories are summarised in parts. The summaries of the parts are
   * then merged. 1024 to 100,000,000. Default: 128,000.
   */
  contextWindow?: number | undefined;
  /** How many parts of a long history are summarised at once. 1 to 16. Default: 3. */
  maxConcurrency?: number | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
  /**
   * How the summary is asked for: `append` sends the host's own request (`context.tools`, `systemPrompt` and messages, byte for byte) with the question as the
   * last message, so that the service reads it from its prompt cache; `own` sends a request made for the purpose; `auto` appends where the same handler serves
   * conversation and summaries. To append, the messages must be those of the call, and the handler must support it: Anthropic's API, and custom handlers. A
   * request that does not fit the model's window is summarised in parts, as with `own`. The cache costs about a tenth of the price. Default: `auto`.
   */
  summaryRequest?: "auto" | "append" | "own" | undefined;
  /**
   * The reaction to a summary that leaves out what must survive; `true` for the defaults, `false` for none: the result tells of it anyway. It must keep names
   * in use, changed files, open tasks and constraints of the user. `result.summaryQuality` reports them. Default: false.
   */
  summaryCheck?: boolean | SummaryCheckConfig | undefined;
}

/** The meaning of a tool, the names of its parameters, and a rule for its calls, each of them if it is set. */
export interface ToolRow {
  /** The kind of event that its calls are. */
  meaning?:
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
    | "other"
    | undefined;
  /** Its parameter that names the file. */
  path?: string | readonly string[] | undefined;
  /** Its parameter that names several files. */
  files?: string | readonly string[] | undefined;
  /** Its parameter with the whole new content, or with the lines to insert. */
  content?: string | readonly string[] | undefined;
  /** Its parameter with the text to be replaced. */
  old?: string | readonly string[] | undefined;
  /** Its parameter with what replaces that. */
  new?: string | readonly string[] | undefined;
  /** Its parameter that says whether the text is replaced wherever it stands. */
  replaceAll?: string | readonly string[] | undefined;
  /** Its parameter with a list of changes, each with an old and a new text. */
  edits?: string | readonly string[] | undefined;
  /** Its parameter with SEARCH/REPLACE blocks or a patch. */
  diff?: string | readonly string[] | undefined;
  /** Its parameter with the line to insert at. */
  line?: string | readonly string[] | undefined;
  /** Its parameter with the first line to read. */
  offset?: string | readonly string[] | undefined;
  /** Its parameter with the number of lines to read. */
  limit?: string | readonly string[] | undefined;
  /** Its parameter with the last line to read. */
  lastLine?: string | readonly string[] | undefined;
  /** Its parameter with the command line. */
  command?: string | readonly string[] | undefined;
  /** Its parameter with what to search for. */
  pattern?: string | readonly string[] | undefined;
  /** Its parameter with the address of a page. */
  url?: string | readonly string[] | undefined;
  /** Its parameter with the list of things to do. */
  todos?: string | readonly string[] | undefined;
  /** Its parameter that names what is moved. */
  from?: string | readonly string[] | undefined;
  /** Its parameter that says where to. */
  to?: string | readonly string[] | undefined;
  /** Its parameter with what the assistant says to the user. */
  speech?: string | readonly string[] | undefined;
  /** Its parameter that says in a few words what a call is about. */
  label?: string | readonly string[] | undefined;
  /** Whether its answer is what the user says. Default: true for ask, false for the others. */
  asksUser?: boolean | undefined;
  /** Whether it may be called in XML in a text: <name><parameter>…</parameter></name>. Default: true. */
  inXml?: boolean | undefined;
  /** Number of its newest calls that stay word for word, whatever the target. Of older answers `maxTokens` stay, or nothing. 0 to 1,000,000. */
  keep?: number | undefined;
  /** The most tokens that stay of each of its answers. 20 to 1,000,000,000. */
  maxTokens?: number | undefined;
  /** Whether its answers are left out. */
  suppress?: boolean | undefined;
  /** Whether its calls and their answers stay word for word, whatever the target. */
  protect?: boolean | undefined;
  /** Whether its calls that failed stay word for word, with their answers, whatever the target. */
  keepErrors?: boolean | undefined;
  /** Whether what is done to answers is done to long parameters too. Default: false. */
  inputs?: boolean | undefined;
}

/** Configuration of the lossless provider. Every result is verified by expanding it again; `docs/markers.md` shows what the model reads. */
export interface LosslessConfig {
  /** Say the lines of a file once, however often it was read, written and listed. Default: true. */
  deduplicateFileReads?: boolean | undefined;
  /** Say lines of other tool results once: logs, test output, listings, searches. Default: true. */
  consolidateToolResults?: boolean | undefined;
  /** Leave out what a later message replaced. What is left out is in restoreData only. Default: true. */
  removeObsoleteState?: boolean | undefined;
  /**
   * Remember what was found in the newest conversation, so that it is not looked through twice when an estimate comes before the condensation. The result is
   * the same either way. Default: true.
   */
  maintainReferenceCache?: boolean | undefined;
  /** Do only what can be read back from the conversation itself: turns removeObsoleteState off. Default: false. */
  strict?: boolean | undefined;
  /**
   * Which copy stays: the newest, so that every pointer leads to a later message; or the oldest, which leaves the beginning of the history, and so the model
   * provider's prompt cache, alone. Default: `last`.
   */
  keep?: "last" | "first" | undefined;
  /** In so many of the newest messages nothing obsolete is left out, and lines keep their numbers. 0 to 1,000,000. Default: 4. */
  preserveRecentCount?: number | undefined;
  /** A pointer that saves fewer tokens is not put: a text in many small pieces is hard to read. 1 to 1,000,000. Default: 24. */
  minTokensSaved?: number | undefined;
  /** Change long texts in the parameters of tool calls too. Default: true. */
  toolParameters?: boolean | undefined;
  /** Operation: a result becomes a pointer to one that is the same. Results name it `reference`. Default: true. */
  reference?: boolean | undefined;
  /** Operation: a result becomes a pointer into one that contains it. Results name it `containment`. Default: true. */
  containment?: boolean | undefined;
  /** Operation: of a file that was shown in another version too, only the differences stay. Results name it `diff`. Default: true. */
  diff?: boolean | undefined;
  /** Operation: lines that stand elsewhere become a pointer. Results name it `repeated_lines`. Default: true. */
  repeatedLines?: boolean | undefined;
  /** Operation: numbers of lines are left out behind a heading that restores them. Results name it `line_numbers`. Default: true. */
  lineNumbers?: boolean | undefined;
  /** Operation: snapshots of the environment but the newest are left out. Results name it `environment_snapshot`. Default: true. */
  environmentSnapshots?: boolean | undefined;
  /**
   * Operation: of what was read of a file, the lines that a later edit, write or view of the whole file replaced are left out (lines); or all of it, once the
   * file was changed in any way and then read or written again (file): what is true of it goes too, and is lost; or nothing (off). Results name it `stale_read`
   * or `stale_file`. Default: `lines`.
   */
  staleReads?: "lines" | "file" | "off" | undefined;
  /** Operation: what was written to a file that was written again later is left out. Results name it `overwritten_write`. Default: true. */
  overwrittenWrites?: boolean | undefined;
  /** Operation: lists of things to do but the newest are left out. Results name it `todo_list`. Default: true. */
  todoLists?: boolean | undefined;
  /** Operation: edits that failed before the same file was edited are left out. Results name it `failed_edit`. Default: true. */
  failedEdits?: boolean | undefined;
  /**
   * The actions of tools, and the rules for their calls, by name or by glob (* for any characters, ? for one). They count before those that are known, names
   * before globs. They win over those of the manager. Default: none.
   */
  tools?: ToolMeanings | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** The lossless step before the passes of the smart provider. */
export interface LosslessPrelude {
  /** Whether the lossless provider goes first. Default: true. */
  enabled?: boolean | undefined;
  /** Its configuration. */
  operations?: LosslessConfig | undefined;
}

/** One summary in the place of the selected messages. */
export interface BatchSummaryConfig {
  /** The profile whose handler writes the summary. It is one of the manager's; its price counts, too. Default: the condensing handler. */
  apiProfile?: string | undefined;
  /** The system prompt; blank for that of the native provider. */
  customPrompt?: string | undefined;
  /** Messages that stay at the start; the first always does. 0 to 1,000,000,000. Default: 1. */
  keepFirst?: number | undefined;
  /** Messages that stay at the end, when the selection leaves fewer. 0 to 1,000,000,000. Default: 1. */
  keepLast?: number | undefined;
  /**
   * The reaction to a summary that leaves out what must survive; `true` for the defaults, `false` for none: the result tells of it anyway. It must keep names
   * in use, changed files, open tasks and constraints of the user. `result.summaryQuality` reports them. Default: false.
   */
  summaryCheck?: boolean | SummaryCheckConfig | undefined;
}

/** How to treat the selected messages together. */
export interface BatchConfig {
  /** Whether they stay or one summary takes their place. The summary is like the native provider's. */
  operation: "keep" | "summarize";
  /** How the summary is written. */
  summarizationConfig?: BatchSummaryConfig | undefined;
}

/** How to truncate a text. Without a limit: to 5 lines, and parameters to 100 characters. */
export interface TruncateParams {
  /** Characters that stay. 1 to 1,000,000,000. */
  maxChars?: number | undefined;
  /** Lines that stay. With neither, 5 lines, and 100 characters of parameters. 1 to 1,000,000,000. */
  maxLines?: number | undefined;
  /**
   * In place of limits for each text: all texts of the pass that are truncated so keep as many tokens together as there are texts times this, and the salient
   * ones more of them. 1 to 1,000,000,000.
   */
  averageTokens?: number | undefined;
  /**
   * Characters that stay at the beginning of a text. With this or keepSuffix, a text longer than maxChars keeps its ends, whatever the strategy. Without
   * `maxChars`, texts longer than both ends together do. A note stands between the ends. Default: 0 with `keepSuffix`. 1 to 1,000,000,000.
   */
  keepPrefix?: number | undefined;
  /** Characters that stay at the end of a text. Default: 0 with `keepPrefix`. 1 to 1,000,000,000. */
  keepSuffix?: number | undefined;
  /** Characters that stay of each line. 20 to 1,000,000,000. Default: 500. */
  maxLineChars?: number | undefined;
  /** Whether a marker says what is missing. Without one, `salient` works like `head`. Default: true. */
  addEllipsis?: boolean | undefined;
  /** Which part stays: what is most likely to be used again, the first lines, or the first and the last. Default: `salient`. */
  strategy?: "salient" | "head" | "head_tail" | undefined;
}

/** How to summarise a text. */
export interface SummarizeParams {
  /**
   * The profile whose handler writes the summary. It is one of `ManagerOptions.profiles`; its price counts, too. Default, and with the warning
   * `handler_missing` if the profile has no handler: the condensing handler. Presets name `condensing`, the role of a cheap profile; they cause no warning, and
   * a condensing handler wins over it.
   */
  apiProfile?: string | undefined;
  /** The longest summary. Texts of no more tokens are left as they are. The rest of a longer one is cut off. 16 to 1,000,000,000. Default: 150. */
  maxTokens?: number | undefined;
  /** Texts of fewer characters are left as they are. 0 to 1,000,000,000. Default: 0. */
  minChars?: number | undefined;
  /**
   * The system prompt; blank for one that fits the kind of content. With the built-in one, one request asks for up to eight texts of up to 600 tokens each, if
   * that costs less.
   */
  customPrompt?: string | undefined;
}

/** An operation on a text. A text is never replaced by one with as many tokens or more. */
export interface ContentOperation {
  /** The operation on a text. `suppress` leaves a note; in parameters it keeps texts of up to 100 characters, which say what a call was about. */
  operation: "keep" | "suppress" | "truncate" | "summarize";
  /** How. Parameters of other operations are ignored. */
  params?: { truncate?: TruncateParams | undefined; summarize?: SummarizeParams | undefined } | undefined;
}

/** An operation for each content kind; kinds without one are kept. */
export interface ContentOperations {
  /** The words of the user and the assistant; kept when absent. */
  messageText?: ContentOperation | undefined;
  /** The parameters of tool calls; kept when absent. */
  toolParameters?: ContentOperation | undefined;
  /** The results of tools; kept when absent. */
  toolResults?: ContentOperation | undefined;
}

/** Tokens for each content kind. */
export interface ContentThresholds {
  /** With fewer tokens it is left as it is. 0 to 1,000,000,000. Default: 0. */
  messageText?: number | undefined;
  /** With fewer tokens they are left as they are. 0 to 1,000,000,000. Default: 0. */
  toolParameters?: number | undefined;
  /** With fewer tokens they are left as they are. 0 to 1,000,000,000. Default: 0. */
  toolResults?: number | undefined;
}

/** Operations on the texts of one message. */
export interface MessageOverride {
  /** Index in the messages as they were given. 0 to 1,000,000,000. */
  messageIndex: number;
  /** In place of those for all messages. */
  operations?: ContentOperations | undefined;
  /** In place of those for all messages. */
  messageTokenThresholds?: ContentThresholds | undefined;
}

/** How to treat each text of the selected messages. */
export interface IndividualConfig {
  /** For all messages. Kinds of content without an operation are kept. */
  defaults: ContentOperations;
  /** For all messages. Content of a kind with fewer tokens in one message is left unchanged. Default: none. */
  messageTokenThresholds?: ContentThresholds | undefined;
  /** Other operations for single messages. */
  overrides?: readonly MessageOverride[] | undefined;
}

/** The fields of `SmartPass`. */
export interface PassSettings {
  /**
   * The name of the pass in reports; no two passes share one. It is not one of the built-in steps: `tool_rules`, `lossless_prelude`, `salient_to_target`,
   * `no_more_tokens_than`, `one_summary`.
   */
  id: string;
  /** The name for people. Default: the id. */
  name?: string | undefined;
  /** The description for people. */
  description?: string | undefined;
  /** The messages that it works on. The first and the newest are never included. */
  selection: object;
  /** Each text on its own, or the selected messages as one. They are several groups if other messages stand between them. */
  mode: "individual" | "batch";
  /** The operation on the selected messages as one. Required for `batch`. */
  batchConfig?: BatchConfig | undefined;
  /** The operations on each text. Required for `individual`. */
  individualConfig?: IndividualConfig | undefined;
  /** When it runs. Default: always. */
  execution?: object | undefined;
}

/** The fields of `SmartConfig`. */
export interface SmartSettings {
  /** The configuration that the other fields replace parts of. Default: `balanced`. */
  preset?: PresetName | undefined;
  /**
   * Which thresholds the passes of the preset have: those of its design, or those learned from recorded conversations. `learned` exist for `aggressive`, and
   * for `balanced` without a handler. Ignored with `passes` of your own. To learn your own: `calibrateThresholds`. Default: `fixed`.
   */
  thresholds?: "fixed" | "learned" | undefined;
  /** The name for people. */
  name?: string | undefined;
  /** The description for people. */
  description?: string | undefined;
  /** Off leaves every conversation as it is. If there is a target, the manager's fallback runs then. Default: true. */
  enabled?: boolean | undefined;
  /** The lossless step before the passes. */
  losslessPrelude?: LosslessPrelude | undefined;
  /**
   * Done in this order. They run until the target is reached. Without a handler, salient truncation replaces summaries of single texts, and batch summaries are
   * skipped.
   */
  passes?: readonly PassSettings[] | undefined;
  /** Requests for summaries under way at once. 1 to 32. Default: 4. */
  maxConcurrency?: number | undefined;
  /**
   * When the whole would save fewer tokens, nothing is changed: a change makes the model provider's prompt cache miss. If even the shortest summaries would
   * save fewer, no LLM is called. 0 to 1,000,000,000. Default: 0.
   */
  minReductionTokens?: number | undefined;
  /**
   * When the passes leave more than the target, salient truncation goes on. Default: as the preset says; false with passes of one's own. It also replaces a
   * pass without an LLM that would remove more than the target requires. All presets but `selective` have it.
   */
  meetTarget?: boolean | undefined;
  /** The result has no more tokens than this preset would leave. A model is asked for that only where its answers decide. Default: the preset's setting. */
  noMoreTokensThan?: PresetName | undefined;
  /**
   * The actions of tools, and the rules for their calls, by name or by glob (* for any characters, ? for one). They count before those that are known, names
   * before globs. They win over those of the manager. Default: none.
   */
  tools?: ToolMeanings | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** Configuration of the truncation provider. */
export interface TruncationConfig {
  /** `content` cuts old tool results and parameters, `window` drops the oldest messages. Default: `content`. */
  mode?: "content" | "window" | undefined;
  /**
   * Which lines stay: those most likely to be used again, the first ones, or the first and the last. `auto` is `salient` when there is a target and no limit of
   * the other strategies is set, `head` otherwise. The limits of the others are `truncationMode`, `maxToolResultLines`, `maxLineChars`, `maxToolParamChars`,
   * `preserveUserMessages` and `preserveAssistantText`. With `truncationMode: "suppress"`, `salient` means `head`. Default: `auto`.
   */
  strategy?: "auto" | "salient" | "head" | "head_tail" | undefined;
  /** Whether old results and parameters are cut or replaced by a note. Not for `salient`. Default: `truncate`. */
  truncationMode?: "truncate" | "suppress" | undefined;
  /** The newest messages that stay whole; with a target, they are cut if it cannot be met otherwise. 1 to 1000. Default: 5. */
  preserveRecentCount?: number | undefined;
  /**
   * Lines that stay of an old tool result. With a target and no value of its own, as many as fit. `salient` uses it only without a target. 1 to 100,000.
   * Default: 5.
   */
  maxToolResultLines?: number | undefined;
  /** Characters that stay of each of those lines. Not for `salient`. 20 to 1,000,000. Default: 500. */
  maxLineChars?: number | undefined;
  /**
   * Characters that stay of a long string in tool parameters. With a target and no value of its own, as many as fit. Not for `salient`, which shortens
   * parameters only if a target requires it. 1 to 1,000,000. Default: 100.
   */
  maxToolParamChars?: number | undefined;
  /** Whether what the user wrote stays whole. Not for `salient`, which shortens it only if a target cannot be met otherwise. Default: true. */
  preserveUserMessages?: boolean | undefined;
  /** Whether what the assistant wrote stays whole. Not for `salient`, which shortens it only if there is a target. Default: true. */
  preserveAssistantText?: boolean | undefined;
  /** Texts of fewer tokens are not touched. `salient` uses it only without a target. 0 to 1,000,000. Default: 100. */
  minTokensForTruncation?: number | undefined;
  /**
   * The actions of tools, and the rules for their calls, by name or by glob (* for any characters, ? for one). They count before those that are known, names
   * before globs. They win over those of the manager. Default: none.
   */
  tools?: ToolMeanings | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** A stage of a pipeline. */
export interface PipelineStage {
  /** The id of a provider: of this library, or one that the host has registered. */
  provider: ProviderId;
  /** Overrides fields of its configuration, as `config` of a call does. */
  config?: object | undefined;
  /**
   * Tokens that this stage may leave, where that is more than the target of the call; `false`: it is not told of any target. Default: the target of the call.
   * It is counted locally.
   */
  target?: false | number | undefined;
}

/** Configuration of the strategy `pipeline`. */
export interface PipelineConfig {
  /** Asked in this order, each on what the one before has left, until the target is reached. Default: lossless, truncation, native. */
  stages?: readonly (ProviderId | PipelineStage)[] | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** A provider for a range of ratios of tokens to target. */
export interface AdaptiveBand {
  /** For ratios of tokens to target below this; absent in the last band alone, which is for all others. 0 or more. */
  below?: number | undefined;
  /** The id of a provider: of this library, or one that the host has registered. */
  provider: ProviderId;
  /** Overrides fields of its configuration, as `config` of a call does. */
  config?: object | undefined;
}

/** Configuration of the strategy `adaptive`. */
export interface AdaptiveConfig {
  /**
   * By how many times the target there is, from the smallest ratio up. Default: below 1.2 lossless, below 2 truncation, below 3 native, else smart with the
   * preset aggressive.
   */
  bands?: readonly AdaptiveBand[] | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `cost_aware`. */
export interface CostAwareConfig {
  /** Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded. 0 or more. Default: 0.05. */
  maxCost?: number | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `quality_first`. */
export interface QualityFirstConfig {
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** The preferences of a user. */
export interface UserPreferences {
  /** The id of a provider: of this library, or one that the host has registered. Default: `smart`. */
  preferredProvider?: ProviderId | undefined;
  /**
   * Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded. If the provider could cost more, `cost_aware` runs
   * instead. Default: no limit. 0 or more.
   */
  maxCostPerCondensation?: number | undefined;
  /** For the smart provider: over 0.8 the preset conservative, over 0.5 balanced, else aggressive. 0 to 1. Default: 0.6. */
  qualityThreshold?: number | undefined;
  /** Configuration of the preferred provider; it comes before qualityThreshold. */
  customConfig?: object | undefined;
}

/** Configuration of the strategy `per_user`. */
export interface PerUserConfig {
  /** The preferences of each user, by `context.userId`. Default: none. */
  users?: Readonly<Record<string, UserPreferences>> | undefined;
  /** For users of whom nothing is known, and where no user is named. Default: `smart` with the preset `balanced`. */
  default?: UserPreferences | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** One of the providers that an experiment compares. */
export interface AbTestVariant {
  /** The name of the variant in reports; no two variants share one. */
  name: string;
  /** The id of a provider: of this library, or one that the host has registered. Default: `native`. */
  provider?: ProviderId | undefined;
  /** Overrides fields of its configuration, as `config` of a call does. */
  config?: object | undefined;
  /** The prompt that it summarises by; it comes before that of the call. */
  customCondensingPrompt?: string | undefined;
  /**
   * The profile of the manager whose handler, and so whose model, and price are for its summaries. It is one of `ManagerOptions.profiles`. Default, and with
   * the warning `handler_missing` if the profile has no handler: those of the call.
   */
  condensingApiConfigId?: string | undefined;
  /** How many get it, in relation to the other variants. 0 or more. Default: 1. */
  share?: number | undefined;
}

/** Configuration of the strategy `ab_test`. */
export interface AbTestConfig {
  /** The name of the experiment; others assign independently of it. `manager.getExperiment` has it by this name. Default: `ab_test`. */
  experiment?: string | undefined;
  /** The variants; each user always gets the same one. Default: A, native, and B, smart with the preset balanced. */
  variants?: readonly AbTestVariant[] | undefined;
  /** Another one assigns anew. Default: empty. */
  salt?: string | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `progressive`. */
export interface ProgressiveConfig {
  /** Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded. 0 or more. Default: 0.1. */
  budget?: number | undefined;
  /**
   * Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls. It adds to what the call and the manager
   * protect. Default: nothing.
   */
  protect?: ConfiguredProtect | undefined;
  /**
   * The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the
   * prompt cache holds up to there. Default: 0. The largest of manager, call and configuration wins. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** Multipliers for requests above a number of tokens. */
export interface LongContextPricing {
  /** That number of tokens, including cached ones. 0 to 4,294,967,295. */
  thresholdTokens: number;
  /** Factor of the price. Default: 1. 0 or more. */
  inputPriceMultiplier?: number | undefined;
  /** Factor of the price. Default: 1. 0 or more. */
  outputPriceMultiplier?: number | undefined;
  /** Factor of the price. Default: 1. 0 or more. */
  cacheWritesPriceMultiplier?: number | undefined;
  /** Factor of the price. Default: 1. 0 or more. */
  cacheReadsPriceMultiplier?: number | undefined;
  /** The service tiers they apply to. Default: all. Requests for summaries use the tier `default`. */
  appliesToServiceTiers?: readonly string[] | undefined;
}

/** Prices for requests up to a size. */
export interface PriceTier {
  /** A service tier (`flex`, `priority`) that must be requested; such tiers are ignored. */
  name?: string | undefined;
  /** The largest request it applies to, in tokens; `null` or `Infinity` for no limit. 0 to 4,294,967,295. */
  contextWindow?: number | null | undefined;
  /** Price of request tokens. 0 or more. */
  inputPrice?: number | undefined;
  /** Price of response tokens. 0 or more. */
  outputPrice?: number | undefined;
  /** Price of tokens written to the prompt cache. 0 or more. */
  cacheWritesPrice?: number | undefined;
  /** Price of tokens read from the prompt cache. 0 or more. */
  cacheReadsPrice?: number | undefined;
}

/**
 * The price of a model, in dollars per million tokens. The fields are those of Roo-Code's model information, which can be passed as it is: other fields are
 * ignored. A missing price counts as 0.
 */
export interface ModelPrice {
  /** Price of request tokens. 0 or more. */
  inputPrice?: number | null | undefined;
  /** Price of response tokens. 0 or more. */
  outputPrice?: number | null | undefined;
  /** Price of tokens written to the prompt cache. 0 or more. */
  cacheWritesPrice?: number | null | undefined;
  /** Price of tokens read from the prompt cache. 0 or more. */
  cacheReadsPrice?: number | null | undefined;
  /** Multipliers for requests above a number of tokens; a missing one is 1. */
  longContextPricing?: LongContextPricing | null | undefined;
  /** Other prices by the size of the request, in rising order. */
  tiers?: readonly PriceTier[] | null | undefined;
}

/** Settings of a profile, besides its threshold. */
export interface ProfileOptions {
  /** The profile whose handler and price to use for summaries under this one. If it has no handler, the result has the warning `handler_missing`. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt for summaries. The call's prompt wins. Default: the manager's. */
  customCondensingPrompt?: string | null | undefined;
  /** Largest cost of one condensation under this profile, in dollars. Default: the manager's. 0 or more. */
  maxCostPerCondensation?: number | undefined;
  /** The handler for conversations under this profile. */
  handler?: HandlerOption | undefined;
  /** The price of handlers that have none of their own. */
  price?: ModelPrice | null | undefined;
}

/** When automatic condensing pauses because it gains nothing. The Roo-Code drop-in's `guard` is the same. */
export interface GuardOptions {
  /** Attempts without gain after which automatic condensing pauses. 1 or more. Default: 3. */
  attempts?: number | undefined;
  /** In so many milliseconds. A pause that is longer starts the count again. 0 or more. Default: 60,000. */
  windowMs?: number | undefined;
  /** An attempt that removes a smaller share of the tokens is one without gain. A failed attempt is one, too. 0 to 100. Default: 5. */
  minGainPercent?: number | undefined;
}

/** Options of a {@link CondensationManager}. Unknown options are an error. */
export interface ManagerOptions {
  /**
   * Id of the provider that is active at first. An id that looks like a misspelt one of a known provider is refused; any other unknown id may be registered
   * later, and calls reject with `unknown_provider` until then. Default: `native`; if neither the call nor the manager has a handler, `lossless`, with
   * `truncation` as fallback if the target is missed.
   */
  provider?: ProviderId | undefined;
  /**
   * Custom providers, and built-in ones with a configuration of their own, to register at once. `provider` and `fallback` may name them. Default: none; see
   * {@link CondensationManager.registerProvider}.
   */
  providers?: readonly (CondensationProvider<any> | BuiltInProvider)[] | undefined;
  /** The handler of the conversation's own model; see `ProviderCallOptions.handler`. Default: none. */
  handler?: HandlerOption | undefined;
  /** The handler that writes summaries. Default: `handler`. */
  condensingHandler?: HandlerOption | undefined;
  /**
   * Whether a condensation is due when the threshold is reached. If false, it is due only when the window is full; the oldest messages are then dropped
   * (`truncation`). Default: true.
   */
  autoCondenseContext?: boolean | undefined;
  /** The threshold, in percent of the context window. 5 to 100. Default: 100. */
  autoCondenseContextPercent?: number | undefined;
  /** Thresholds by profile, in percent: 5 to 100, or -1 to inherit the global one; any other number warns and inherits. Default: none. */
  profileThresholds?: Readonly<Record<string, number>> | undefined;
  /**
   * Settings of profiles, by id. If nothing else decides, the profile named `condensing` writes all summaries, those of presets included: the place for a cheap
   * model. Default: none.
   */
  profiles?: Readonly<Record<string, ProfileOptions>> | undefined;
  /**
   * Ids of the providers to try, in order, when a provider fails or misses the target; `false` for none. Unknown ids are treated as in `provider`. Default:
   * `native`, `lossless`, `truncation` after `smart`; `lossless`, `truncation` after `native`, a strategy or a custom provider; `truncation` after `lossless`;
   * none after `truncation`.
   */
  fallback?: readonly ProviderId[] | false | undefined;
  /** The store for summaries, so that none is requested twice; `false` for none. Default, and for `true`: up to 8 MiB of memory. */
  cache?: SummaryStore | boolean | null | undefined;
  /** Largest total cost of this manager in dollars. A summary that would probably exceed it is not requested: `cost_limit`. Default: no limit. 0 or more. */
  maxCost?: number | undefined;
  /**
   * Largest cost of one condensation in dollars, fallbacks included. A request that would probably exceed it is not sent: `cost_limit`. A profile's and a
   * call's own limit win. Default: no limit. 0 or more.
   */
  maxCostPerCondensation?: number | undefined;
  /** Dollars above which one condensation causes a warning and an alert (`high_cost`); `false` for never. Default: 0.1. */
  costAlert?: false | number | undefined;
  /** The profile whose handler and price to use for summaries, for calls without a profile and for profiles that name none. Default: none. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt for summaries, for profiles without one. The call's prompt wins. Default: a built-in prompt. */
  customCondensingPrompt?: string | null | undefined;
  /** Share of the due point, in percent, from which {@link CondensationManager.prepare} prepares a condensation. 0 to 100. Default: 80. */
  prepareFromPercent?: number | undefined;
  /** The guard against repeated condensing without gain; `false` for none. Default: see `GuardOptions`. */
  guard?: false | GuardOptions | undefined;
  /** The token encoding. Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** Factor from tokens of that encoding to the model's own. Default: 1. */
  scale?: Scale | undefined;
  /** How to treat signed thinking after a change, for calls that do not say. Default: `auto`. */
  thinking?: ThinkingOption | undefined;
  /**
   * Meanings of your own tools, for all providers: their calls can then be followed to files, and are described by what they are about. Default: none; the
   * tools of the known agents are built in.
   */
  tools?: ToolMeanings | undefined;
  /** Content to keep word for word in every condensation, by every provider. Default: nothing. */
  protect?: Protect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0. 0 or more.
   */
  frozenMessages?: number | undefined;
}

/** The fields of `ConversationContext` beside the messages. `null` is the same as absent. */
export interface ContextFields {
  /** The system prompt: a string, or text blocks like Anthropic's `system`. It counts towards the tokens and never changes. Default: none. */
  systemPrompt?: string | readonly SystemTextBlock[] | null | undefined;
  /**
   * The tools of your application's own requests, as it sends them to its model. With them and `systemPrompt`, a summary is requested by appending one message
   * to your own request, so the service can read the rest from its prompt cache (`NativeConfig.summaryRequest`). Messages are sent with `role` and `content`
   * only, byte for byte. Default: none; summaries are separate requests.
   */
  tools?: readonly object[] | null | undefined;
  /** The handler of the conversation's own model, used if the option `handler` is absent. Default: none. */
  apiHandler?: HandlerOption | null | undefined;
  /** Identifies the conversation for the loop guard. Default: all conversations share one. */
  taskId?: string | null | undefined;
  /** Identifies the user, for strategies that depend on the user (`createPerUser`, `createAbTest`). Default: none. */
  userId?: string | null | undefined;
  /** Tokens in the context without the last message, as the API reported them. Required for `condenseIfNeeded`. 0 or more. */
  totalTokens?: number | null | undefined;
  /** Tokens in the context with the last message, for applications that count so; used if `totalTokens` is absent. Default: counted locally. 0 or more. */
  tokenCount?: number | null | undefined;
  /** Whether the call is a dry run. It stands in the context of custom providers, which may pass it on; here it has no effect. */
  isPreview?: boolean | null | undefined;
  /** The model's context window in tokens. Required for `condenseIfNeeded`. 1 or more. */
  contextWindow?: number | null | undefined;
  /** Tokens reserved for the response; -1, as vscode-lm reports "unlimited", is the same as absent. Default, and for 0: 8192. 0 or more. */
  maxTokens?: number | null | undefined;
  /** The profile whose threshold, handlers, prompt and price apply, and whose metrics count the call. Default: none. */
  profileId?: string | null | undefined;
  /**
   * The name of the conversation's model, which decides how its thinking is treated (`CondenseOptions.thinking`). Default: the model of `handler`, or else the
   * one calibrated last.
   */
  model?: string | null | undefined;
  /**
   * Whether that model has preserved thinking: it refuses a request if anything before signed thinking has changed. Default: by the name of the model; Claude
   * Opus, Sonnet and Haiku 5.5, Fable 5.1, Mythos 5.1 and later have it.
   */
  preservedThinking?: boolean | null | undefined;
}

/**
 * Facts for a decision by cost. A condensation invalidates the prompt cache once, from the first change on, and makes every later request smaller. Both effects
 * are computed with the price of the conversation's model (`price` of the call, its handler or profile).
 */
export interface EconomicsOptions {
  /** Requests still to come, the next one included. Default: the number of assistant messages so far, 1 to 200. 0 to 1000000. */
  expectedRequests?: number | undefined;
  /** Milliseconds since the last request. Default: the cache is warm. 0 or more. */
  msSinceLastRequest?: number | undefined;
  /** Milliseconds for which the model's provider keeps a prompt. The default is Anthropic's. Default: 300,000. 0 or more. */
  cacheLifetimeMs?: number | undefined;
  /**
   * Tokens that a condensation leaves. They are counted like `totalTokens`; the call's `targetTokens` wins. A smaller target costs less and loses more.
   * Default: 40,000, or half of what the window allows if that is less. 0 or more.
   */
  targetTokens?: number | undefined;
  /**
   * Tokens that a condensation must free, or nothing is done (`clears_too_little`). Default: a quarter of those that it leaves. They are counted like
   * `totalTokens`. 0 or more.
   */
  clearAtLeast?: number | undefined;
  /**
   * Which copy of what is repeated the provider `lossless` leaves while the cache is warm. `first` keeps more of the beginning cached. `keep` in `config` wins.
   * Default: `first`.
   */
  keep?: "first" | "last" | undefined;
  /** Messages of the last request. Default: all before the last one of the assistant. 0 or more. */
  sentMessages?: number | undefined;
}

/** Options of one call of a manager. */
export interface CondenseOptions {
  /** Id of the provider. Default: the active one; if none was chosen, `native` with a handler and `lossless` without. */
  provider?: ProviderId | undefined;
  /** The format of the messages. Default: what is seen in them. Where they are text alone, `anthropic`, which most formats look like then. */
  format?: MessageFormat | undefined;
  /**
   * The target: the largest number of tokens to leave, system prompt included. If `newContextTokens` is larger, the result has the warning `target_not_met`.
   * Counted like `totalTokens` if given, else by the handler's `countTokens`, else locally. In `condenseIfNeeded` it is capped by the context window minus the
   * reserved response. Default: none; the provider's configuration decides. 0 or more.
   */
  targetTokens?: number | undefined;
  /** Fields of the provider's configuration, for this call only. Fallback providers do not receive them. Default: none. */
  config?: object | undefined;
  /** The handler of the conversation's own model. Its `countTokens` decides totals, and it writes summaries if there is no `condensingHandler`. */
  handler?: HandlerOption | undefined;
  /** The handler that writes summaries. A call's handlers win over its profile's, and those over the manager's. Default: `handler`. */
  condensingHandler?: HandlerOption | undefined;
  /** The system prompt for summaries. Blank or absent: the profile's, the provider configuration's, or the default. */
  customCondensingPrompt?: string | undefined;
  /**
   * Price of the conversation's own model, for `PromptCacheEffect`, and for summaries if there is no `condensingHandler`. Default: the price of `handler`, or
   * else of the profile.
   */
  price?: ModelPrice | null | undefined;
  /**
   * Largest cost of this condensation in dollars, fallbacks included (`ManagerOptions.maxCostPerCondensation`). Default: the profile's, or the manager's. 0 or
   * more.
   */
  maxCostPerCondensation?: number | undefined;
  /** How to treat signed thinking after a change. Default: the manager's setting, or `auto`. */
  thinking?: ThinkingOption | undefined;
  /** Content to keep word for word, in addition to what the manager and the provider's configuration protect. Default: nothing. */
  protect?: Protect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0. 0 or more.
   */
  frozenMessages?: number | undefined;
  /**
   * For `condenseIfNeeded` and `decide`: decide by cost. A condensation runs when it pays, whatever the threshold; a full window always makes it due.
   * `condense` ignores this. Default: the trigger alone decides.
   */
  economics?: EconomicsOptions | undefined;
  /** Whether the model is offered the tool of {@link createRecall}: the note on messages that were left out then says how to call it. Default: false. */
  recall?: boolean | undefined;
  /** Whether your application started the call, not its user. Passed on to custom providers. Default: false. */
  isAutomatic?: boolean | undefined;
  /**
   * Aborts the work; the result then has the error `aborted`. The signal's own listeners and `onabort` are left alone. An object without usable events is
   * `invalid_argument`.
   */
  signal?: AbortSignal | undefined;
  /**
   * Called with progress events, never after the result. If it throws, or its promise rejects by then, the result has a warning; later rejections are ignored.
   */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
}

/** A provider to try in a dry run. */
export interface ProviderTrial {
  /** The id of the provider. */
  provider: ProviderId;
  /** Fields of its configuration, such as `{ preset: "balanced" }`. Default: none. */
  config?: object | undefined;
  /** Providers that are tried next if it fails or leaves more than the target. Default: none. */
  fallback?: readonly ProviderId[] | undefined;
  /** The id of the result. Default: the id of the provider. */
  id?: string | undefined;
}

/** Options of an inspection by a manager. */
export interface ManagerInspectOptions {
  /** The format of the messages. Default: what is seen in them. Where they are text alone, `anthropic`, which most formats look like then. */
  format?: MessageFormat | undefined;
  /** A target in tokens: reported as a line, and passed to `providers`. Default: none. 0 or more. */
  targetTokens?: number | undefined;
  /** Number of largest blocks, and of items of each kind of waste, to report. 0 or more. Default: 20. */
  largest?: number | undefined;
  /**
   * Providers to try in a dry run, one after the other, without fallbacks; `true` for all that are not made of others, `smart` with the presets `conservative`,
   * `balanced` and `aggressive`. No LLM is called: summaries are estimated. Default: none.
   */
  providers?: boolean | readonly ProviderTrial[] | undefined;
  /** For `providers`: see `ProviderCallOptions`. */
  handler?: HandlerOption | undefined;
  /** For `providers`: see `ProviderCallOptions`. */
  condensingHandler?: HandlerOption | undefined;
  /** For `providers`: see `ProviderCallOptions`. */
  price?: ModelPrice | null | undefined;
  /** Aborts the dry runs, which then have the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link httpHandler}. `null` is the same as absent; an unknown field is an error. */
export interface HttpHandlerOptions {
  /** The protocol: the Anthropic Messages API, or chat completions of OpenAI, OpenRouter, Ollama, vLLM, LM Studio, DeepSeek and others. */
  api: "anthropic" | "openai";
  /** The service's name of the model. */
  model: string;
  /**
   * An http or https address, with or without `/v1`. With a key (or a header that authenticates), plain http is allowed for this machine only, unless
   * `insecure` is set. Default: the API's own service.
   */
  baseUrl?: string | null | undefined;
  /** The key; empty counts as absent. Required for the API's own service, unless a header authenticates. */
  apiKey?: string | null | undefined;
  /** Additional headers, which replace built-in ones of the same name. Their values count as secrets. */
  headers?: Readonly<Record<string, string>> | null | undefined;
  /** Largest response in tokens. Default: the service's; 8192 for `anthropic`, whose protocol requires a number. 1 to 4,294,967,295. */
  maxTokens?: number | null | undefined;
  /** Temperature, for `anthropic` to 1. Not sent again to a model that refuses it. Default: the service's. 0 to 2. */
  temperature?: number | null | undefined;
  /** Time limit of the whole request in milliseconds, retries and waiting included. 1 to 86,400,000. Default: 300,000. */
  timeoutMs?: number | null | undefined;
  /** Largest time in milliseconds until the first part of the response, and between any two. 1 to 86,400,000. Default: 120,000. */
  idleTimeoutMs?: number | null | undefined;
  /** Number of retries if the service is busy or the connection drops. A wait that the service requests is respected. 0 to 10. Default: 3. */
  retries?: number | null | undefined;
  /** Milliseconds before the first retry; each further wait doubles, up to 30,000, with jitter. 0 to 86,400,000. Default: 500. */
  retryDelayMs?: number | null | undefined;
  /** Largest response in bytes. 1024 to 1,073,741,824. Default: 8,388,608. */
  maxResponseBytes?: number | null | undefined;
  /** Whether to allow sending a key over plain http to another machine, where others on the network can read it. Default: false. */
  insecure?: boolean | null | undefined;
  /** The price of the model. Default: the profile's, or none; the cost is then 0 unless the service reports it. */
  price?: ModelPrice | null | undefined;
  /** The model's context window in tokens. Default: `contextWindow` of the native provider's configuration. 1 to 4,294,967,295. */
  contextWindow?: number | null | undefined;
}

/** Options of {@link callbackHandler}. */
export interface CallbackHandlerOptions {
  /** Time limit of the whole request in milliseconds, retries and waiting included. 1 to 86,400,000. Default: 300,000. */
  timeoutMs?: number | undefined;
  /** Largest time in milliseconds until the first part of the response, and between any two. 1 to 86,400,000. Default: 120,000. */
  idleTimeoutMs?: number | undefined;
  /** The model's context window in tokens. Default: that of `getModel()`. 1 to 4,294,967,295. */
  contextWindow?: number | undefined;
  /** The price of the model. Default: that of `getModel()`. */
  price?: ModelPrice | undefined;
}

/** Options of {@link createRecall}. An unknown field is an error. */
export interface RecallOptions {
  /**
   * The conversation, or a function that gives it, at once or by a promise. It is read again at each call: messages that were appended are added to the index,
   * and if one was changed or removed, everything is read anew.
   */
  messages: RecalledMessages | (() => RecalledMessages | Promise<RecalledMessages>);
  /** Restore data of `messages`, where they are condensed; of several condensations in a row, the oldest first. */
  restoreData?: RestoreData | readonly RestoreData[] | undefined;
  /** The format of the messages. Default: what is seen in them. */
  format?: MessageFormat | undefined;
  /** Tokens of an answer to a search at most. 100 or more. Default: 1000. */
  maxTokens?: number | undefined;
  /**
   * Keeps what condensations leave out, for hosts that keep neither the whole messages nor restore data: {@link Recall.keep} writes to it, and every call reads
   * it. Not beside `restoreData`.
   */
  store?: RecallStore | undefined;
  /** The name of this conversation in `store`; required there. Conversations of other names are never read. */
  conversation?: string | undefined;
}

/** Options of {@link Recall.search}. An unknown field is an error. */
export interface RecallSearchOptions {
  /** Tokens of the answer at most. Default: as for {@link createRecall}. 100 or more. */
  maxTokens?: number | undefined;
}

/** Options of {@link Recall.read}. An unknown field is an error. */
export interface RecallReadOptions {
  /** The lines: `"40-80"`, `"40"`, `"40-"`, or `[40, 80]`. Default: from the first, as many as fit. */
  lines?: string | number | readonly [number, number] | undefined;
  /** Tokens of the lines at most. 100 or more. Default: 2000. */
  maxTokens?: number | undefined;
}

/** The fields of `RecommendAnswers` beside conversation and handler. */
export interface RecommendFields {
  /** The thing that matters most. */
  priority?: "simplicity" | "zero_loss" | "speed" | "cost" | "quality" | "control" | undefined;
  /** Largest cost of one condensation in dollars. 0 or more. */
  budgetPerCondensation?: number | undefined;
  /** Longest time of one condensation in milliseconds. 0 or more. */
  maxLatencyMs?: number | undefined;
  /** Acceptable loss of information in percent. 0 to 100. */
  acceptableLoss?: number | undefined;
  /** Share of the tokens to remove in percent. 0 to 100. */
  reductionPercent?: number | undefined;
  /** How much you want to configure. */
  configuration?: "none" | "presets" | "some" | "custom" | "per_message" | undefined;
  /** The kind of user. */
  userProfile?: "solo_developer" | "startup_team" | "enterprise_production" | "research_compliance" | undefined;
  /** The purpose. */
  scenario?:
    | "standard"
    | "limited_budget"
    | "critical_quality"
    | "long_conversation"
    | "local_development"
    | "critical_production"
    | "prototype"
    | "compliance"
    | "multi_tenant"
    | undefined;
  /** Whether there is a handler. Default: whether `handler` is usable; unknown without it. */
  hasHandler?: boolean | undefined;
  /**
   * The model's context window in tokens. A conversation that fills more than half of it gets a target: half of the window, with `recall` a tenth, unless
   * removing only what is repeated or was replaced leaves room enough. 1 or more.
   */
  contextWindow?: number | undefined;
  /** Largest number of tokens to leave. 0 or more. */
  targetTokens?: number | undefined;
  /** The price of the conversation's own model, if the handler does not know it. */
  price?: ModelPrice | undefined;
}

/** Options of {@link condenseResult}. An unknown field is an error. */
export interface CondenseResultOptions {
  /** Tokens that the result may have. 1 or more. */
  budget: number;
  /** The conversation before the result, in any format that is read. Names that it uses stay, and lines that stand in it become a pointer. Default: none. */
  messages?: readonly MessageLike[] | undefined;
  /** The call that the result answers, where `messages` does not have it: files that were read and diffs are recognised by it. */
  call?: { name: string; input?: unknown | undefined } | undefined;
  /** The exit code of the command, a whole number; `null` is the same as absent. The note in the result says it. */
  exitCode?: number | null | undefined;
  /** The format of `messages` and the result. Default: what is seen in them. */
  format?: MessageFormat | undefined;
  /** The encoding that tokens are counted in. Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /**
   * The model is offered the tool of {@link createRecall}, and the host keeps the whole messages, or gives it the same `store`: the note names the tool.
   * Default: false.
   */
  recall?: boolean | undefined;
  /** Keeps the whole result where it is shortened, under a key of its content, read back before the note says so. Default: none. */
  store?: ResultStore | undefined;
}

/** Options for learning thresholds. */
export interface CalibrateOptions {
  /**
   * The preset to learn for, one with passes that call no LLM: `aggressive`, `multi_zone`, or `balanced`, whose thresholds are then those for work without a
   * model. Default: `aggressive`.
   */
  preset?: PresetName | undefined;
  /** The share of tokens to remove, in percent, above 0 and below 100. Default: as much as the preset's own thresholds remove. */
  goal?: { reductionPercent?: number | undefined } | undefined;
  /** Number of cut histories to condense for each try, evenly spread over all. 1 to 1000. Default: 24. */
  maxCuts?: number | undefined;
  /** The format of the messages. Default: recognised from each history. */
  format?: MessageFormat | undefined;
  /** Aborts the work; the promise then rejects with the code `aborted`. */
  signal?: AbortSignal | null | undefined;
  /** Called after each try with the number of tries so far, and the largest number that there may be. */
  onProgress?: ((progress: { tried: number; most: number }) => void) | null | undefined;
}
