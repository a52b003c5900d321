// Results as data, from their structs in src. Written by `npm run generate`.

import type { ThinkingOption } from "./calls.js";
import type { LlmErrorCode, ProblemCode, WarningCode } from "./codes.js";
import type { CondensationError } from "./errors.js";
import type { TokensByKind } from "./inspect.js";
import type { ModelPrice, ProviderId } from "./options.js";
import type { Change, ChangeOperation } from "./results.js";
import type { Encoding } from "./tokens.js";

/** Reports that a result came from a preparation. */
export interface AppliedPreparation {
  /** Messages of the snapshot. */
  messages: number;
  /** Dollars that preparing it has cost, which are not in the cost of the result. */
  cost: number;
}

/** Measurements of a condensation. */
export interface CondensationMetrics {
  /** Id of the provider that changed the conversation last, or else was called; empty if none was. */
  providerId: string;
  /** Milliseconds. */
  timeElapsed: number;
  tokensSaved: number;
  originalTokens: number;
  condensedTokens: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /**
   * The passes of the smart provider that changed something, as `pass_` and the id, or `tool_rules`,
   * `lossless_prelude` and `salient_to_target` for the steps before and after them; then `operationsPerformed`.
   */
  operationsApplied: string[];
  /**
   * How much of what it must keep the summary covers, 0 to 1: `summaryQuality.score`. Absent unless a model
   * summarised messages.
   */
  summaryQualityScore?: number;
  /**
   * Share of the tokens that are not lost, 0 to 1: readable word for word or through a pointer, quoted in the
   * log, covered by a summary (how well, says `summaryQualityScore`), or replaced by a later message. An
   * estimate of what a reader still has: `1 - survival.total.lost.tokens / survival.total.before.tokens`. Absent
   * if nothing changed.
   */
  informationPreservation?: number;
}

/** The metrics entry of one condensation, fallbacks included. */
export interface CondensationRecord {
  /** When it ended, in milliseconds since 1970. */
  timestamp: number;
  /** Id of the provider that did the work, or else was called. */
  providerId: string;
  /** The profile, if any. */
  profileId?: string;
  /** The error code, if it failed. */
  error?: string;
  /** Dollars. */
  cost: number;
  /** Tokens before. */
  originalTokens: number;
  /** Tokens after. */
  finalTokens: number;
  /** 0 to 100. */
  reductionPercent: number;
  /** Milliseconds. */
  latencyMs: number;
  /** How much of what it must keep the summary covers, 0 to 1; absent if it was not measured, like the next one. */
  summaryQualityScore?: number;
  /** Share of the tokens that are not lost, 0 to 1. */
  informationPreservation?: number;
}

/** A result without its messages. */
export interface CondensationReport {
  /** Dollars spent, including by providers that failed. */
  cost: number;
  /** Tokens in the context before: `totalTokens` as reported, or else as counted. */
  prevContextTokens: number;
  /**
   * Tokens in the context after: `prevContextTokens * stats.finalTokens / stats.originalTokens`, rounded up. So
   * all fields show the same reduction, and the target is met exactly if this is at most `targetTokens`;
   * otherwise `warnings` has `target_not_met`. One token more still meets it if a handler counts, because its
   * counts are rounded.
   */
  newContextTokens: number;
  /** The failure, if the condensation failed. */
  error?: CondensationError;
  stats: CondensationStats;
  metrics: CondensationMetrics;
  /** The effect on the prompt cache; absent if nothing changed. */
  promptCache?: PromptCacheEffect;
  /** The outcome for the conversation's content; absent if nothing changed. */
  survival?: Survival;
  /** Warnings. */
  warnings: Warning[];
  /**
   * The report of each pass, for providers that work in passes; for strategies, of each provider that ran, or of
   * its passes.
   */
  passes?: PassReport[];
  /**
   * The work of each provider that was asked, with those that stood in for it or went on after it: each once, in
   * the order in which they were asked. Together they saved `metrics.tokensSaved`. A strategy is one provider;
   * what it asked is in `passes`. Absent where none was asked.
   */
  providers?: ProviderShare[];
  /** The requests to models, in the order in which they ended; absent if there was none. */
  requests?: ModelRequest[];
  /** The decisions of strategies, in order; absent unless a strategy ran. */
  choices?: StrategyChoice[];
  /** With `condenseIfNeeded`: whether a condensation was due, and why. */
  trigger?: TriggerDecision;
  /** The decision by cost, if the option `economics` was given. */
  decision?: EconomicDecision;
  /**
   * Present if a prepared condensation was applied: the number of messages in its snapshot, and its cost in
   * dollars, which `cost` does not include.
   */
  appliedPreparation?: AppliedPreparation;
  /** The summary; empty if there is none. */
  summary: string;
  /** How much of what it must keep the summary covers; absent unless a model summarised messages. */
  summaryQuality?: SummaryQuality;
  /** The changes, by message and block. */
  changes: Change[];
  /** Index of the first message that differs, where the prompt cache stops being valid; -1 if nothing changed. */
  firstChangedIndex: number;
  /** Number of thinking blocks removed because something before them changed; see `ProviderCallOptions.thinking`. */
  thinkingRemoved: number;
}

/**
 * Totals of a condensation. One counter counts before and after: the handler's `countTokens` if there is one, else
 * the local one. The reported `totalTokens` are not mixed in; `newContextTokens` scales them by the ratio found
 * here.
 */
export interface CondensationStats {
  /** Tokens before, system prompt included. */
  originalTokens: number;
  /** Tokens after. */
  finalTokens: number;
  /** Share of the tokens removed, 0 to 100 percent. */
  reductionPercent: number;
  /** The removed tokens by grade. */
  savedByGrade: SavedByGrade;
  /** Dollars. */
  cost: number;
  /** Operations of `changes`, each once. */
  operationsPerformed: string[];
}

/** Lines that differ, with the lines around them. */
export interface DiffHunk {
  /** The first line in the text before, from 1. */
  beforeLine: number;
  /** The first line in the text after, from 1. */
  afterLine: number;
  /** The lines. */
  lines: DiffLine[];
}

/** A line of a `DiffHunk`. */
export interface DiffLine {
  /** Whether the line is in both texts, only before, or only after. */
  kind: "same" | "removed" | "added";
  /**
   * Its text, without the line end; of a long line, the part with the difference. It may contain control
   * characters.
   */
  text: string;
  /** Number of characters before that part, if any. */
  charactersBefore?: number;
  /** Number of characters after it, if any. */
  charactersAfter?: number;
}

/** A decision by cost. */
export interface EconomicDecision {
  /** Whether to condense now. */
  condense: boolean;
  /** The id of the provider; absent if it does not condense. */
  provider?: ProviderId;
  /** The target in tokens, counted like `totalTokens`; absent if it does not condense, or if the trigger decides. */
  targetTokens?: number;
  /** Dollars saved over all expected requests, minus the cost; negative if it costs more. */
  saves: number;
  /** Immediate cost in dollars: of summaries, and of the next request if that becomes more expensive. */
  costs: number;
  /** Dollars that earlier requests paid to read what would be removed. */
  carried: number;
  /**
   * - `pays`: it condenses, or would
   * - `waits`: it would pay, but waiting is cheaper until `carried` reaches `costs`
   * - `does_not_pay`: with so few expected requests, it costs more than it saves
   * - `clears_too_little`: less than `clearAtLeast`
   * - `nothing_to_gain`: nothing would become smaller, or the conversation is too small
   * - `window`: the next response would not fit, so cost does not matter
   * - `price_unknown`: the trigger decides
   */
  code: "pays" | "waits" | "does_not_pay" | "clears_too_little" | "nothing_to_gain" | "window" | "price_unknown";
  /** The reason for people. */
  reason: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** Whether the last request is still cached. */
  warm: boolean;
  /** The number of expected requests. */
  expectedRequests: number;
  /** Tokens freed, counted like `totalTokens`; 0 without a dry run. */
  tokensFreed: number;
}

/** The settings that apply under a profile. */
export interface EffectiveSettings {
  /** The profile; `null` for none. */
  profileId: string | null;
  /** Id of the active provider. */
  provider: ProviderId;
  /** Whether a condensation is due when the threshold is reached. */
  autoCondenseContext: boolean;
  /** In percent. */
  threshold: number;
  /** The token encoding. */
  encoding: Encoding;
  /** The factor in use. */
  scale: number;
  /** Dollars; `null` for no limit. */
  maxCost: number | null;
  /** Dollars for one condensation; `null` for no limit. */
  maxCostPerCondensation: number | null;
  /** Dollars; `null` for never. */
  costAlert: number | null;
  /** How signed thinking after a change is treated, for calls that do not say. */
  thinking: ThinkingOption;
  /** The profile that writes summaries; `null` for none. */
  condensingApiConfigId: string | null;
  /** The system prompt for summaries; `null` for the default. */
  customCondensingPrompt: string | null;
  /**
   * Price of the profile that writes summaries, or else of this one; `null` when neither has one. Handlers with a
   * price of their own keep it.
   */
  price: ModelPrice | null;
  /** `invalid_threshold` if the profile's own threshold is invalid. */
  warnings: Warning[];
}

/** A mean with its 95% confidence interval; `null` for too few calls. */
export interface EstimatedMean {
  /** The mean. */
  mean: number;
  /** The lower end of the interval. */
  low: number | null;
  /** The upper end. */
  high: number | null;
}

/** An experiment. */
export interface Experiment {
  /** The variants by name. */
  variants: Record<string, ExperimentVariant>;
  /** One comparison for each measure known for all variants; empty until two variants have calls. */
  comparisons: ExperimentComparison[];
}

/** The comparison of all variants by one measure. */
export interface ExperimentComparison {
  /** The field of the variants that is compared. */
  measure: "tokensSaved" | "reductionPercent" | "cost" | "latencyMs" | "errorRate" | "lostPercent" | "summaryQuality";
  /** The best variant; `null` if several are equally good. */
  ahead: string | null;
  /**
   * Whether the lead is significant: every variant has five calls, and every difference a p-value under 0.05
   * after Holm's correction.
   */
  isReal: boolean;
  /** The differences to each other variant. */
  against: ExperimentDifference[];
}

/** Comparison of the leading variant with another one. */
export interface ExperimentDifference {
  /** The other one. */
  variant: string;
  /** The mean of the leading variant minus that of this one. */
  difference: number;
  /** The 95% confidence interval of the difference; `null` until both have two calls. */
  low: number | null;
  /** The upper end. */
  high: number | null;
  /** The probability of a difference at least as large by chance, by Welch's test. */
  pValue: number | null;
}

/** Results of a variant. Failed calls count as having saved nothing. */
export interface ExperimentVariant {
  /** Calls. */
  calls: number;
  /** Calls that failed. */
  errors: number;
  /** Tokens saved per call. */
  tokensSaved: EstimatedMean;
  /** Share of the tokens saved per call, 0 to 100 percent. */
  reductionPercent: EstimatedMean;
  /** Cost per call in dollars. */
  cost: EstimatedMean;
  /** Time per call in milliseconds. */
  latencyMs: EstimatedMean;
  /** Share of the calls that failed, 0 to 1; the interval is Wilson's. */
  errorRate: EstimatedMean;
  /** Share of the tokens lost per call, 0 to 100 percent; `null` if no call condensed. */
  lostPercent: EstimatedMean | null;
  /**
   * How much of what they must keep the summaries cover, 0 to 1 (`summaryQuality.score`); `null` if none was
   * checked.
   */
  summaryQuality: EstimatedMean | null;
}

/** The content of one file in a conversation. */
export interface FileUsage {
  /** The path with forward slashes, relative to the working directory if that is known. */
  path: string;
  /** Number of reads, failed ones included. */
  reads: number;
  /** Number of writes, edits, moves and deletions, failed ones included. */
  changes: number;
  /** Tokens of calls and results about it. */
  tokens: number;
  /** How many of them are repeated, stale or superseded. */
  wastedTokens: number;
}

/**
 * The contents of a conversation. Parts are scaled one by one, so they may differ from their sum by rounding,
 * except with `scale` 1.
 */
export interface InspectedConversation {
  /** The encoding counted with. */
  encoding: Encoding;
  /** The factor from its tokens to those reported. */
  scale: number;
  /** Whether some text was too uniform to be counted exactly. */
  approximate: boolean;
  /** Sums. */
  tokens: InspectedTokens;
  /** `null` without `contextWindow`. */
  window: InspectedWindow | null;
  /** `null` without `targetTokens`. */
  target: TokenLine | null;
  /** Tokens of all messages by kind. */
  kinds: TokensByKind;
  /** Every message, in order. */
  messages: InspectedMessage[];
  /** The tools, the one with most tokens first. */
  byTool: ToolUsage[];
  /** The files, the one with most tokens first. */
  byFile: FileUsage[];
  /** The largest first. */
  largest: LargeBlock[];
  /** Results identical to earlier ones, and lines of a file that an earlier result shows. */
  repeated: Waste;
  /** Lines of files in results that edits, writes or views of the whole file replaced later. */
  stale: Waste;
  /** Snapshots, todo lists, reads and writes that later ones replaced. */
  superseded: Waste;
}

/** One message. */
export interface InspectedMessage {
  /** The role; empty for an invalid message. */
  role: string;
  /** Tokens. */
  tokens: number;
  /** Tokens by kind. */
  kinds: TokensByKind;
  /**
   * The subject of the message, such as `read_file src/a.ts`: the largest of several calls or results. May be
   * empty.
   */
  label: string;
}

/** Tokens of a request. */
export interface InspectedTokens {
  /** All of it. */
  total: number;
  /** The system prompt. */
  system: number;
  /** The definitions of tools. */
  tools: number;
  /** The messages. */
  messages: number;
}

/** The position of a conversation in the model's context window. */
export interface InspectedWindow {
  /** All tokens that the model can read and write. */
  contextWindow: number;
  /** Where a condensation becomes due. */
  atThreshold: TokenLine;
  /** Where the next response may no longer fit (`allowedTokens`). */
  atLimit: TokenLine;
  /** The end of the window. */
  atEnd: TokenLine;
  /** Whether it is due. */
  due: boolean;
  /** `threshold`: that share of the window is used; `window`: the next response would not fit. */
  reason: "threshold" | "window" | "none";
  /** `totalTokens + lastMessageTokens` */
  prevContextTokens: number;
  /** `contextWindow * 0.9 - reservedTokens` */
  allowedTokens: number;
  /**
   * `maxTokens` above 0, or else 8192; at most 40% of the window, so that half of every window is left to the
   * conversation.
   */
  reservedTokens: number;
  /** `100 * prevContextTokens / contextWindow` */
  contextPercent: number;
  /** The threshold that applied, in percent. */
  threshold: number;
  /** `invalid_threshold` if the profile's own threshold is invalid. */
  warnings: Warning[];
}

/** A large block. */
export interface LargeBlock {
  /** The index of the message. */
  messageIndex: number;
  /** Index of the block; 0 for content that is a string. */
  blockIndex: number;
  /** The kind of most of its content. */
  kind: TokenKind;
  /** The subject of the block; may be empty. */
  label: string;
  /** Tokens. */
  tokens: number;
}

/** An alert about the metrics. */
export interface MetricAlert {
  /**
   * `low_reduction`: less than 20% is removed on average, also by free providers; `high_cost`: one condensation
   * cost more than `costAlert`; `cost_limit`: `maxCost` is spent.
   */
  code: "low_reduction" | "high_cost" | "cost_limit";
  /** For a person. */
  message: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** The provider that the alert is about, if any. */
  providerId?: string;
  /** The profile that the alert is about, if any. */
  profileId?: string;
}

/** Sums and averages over calls. */
export interface MetricTotals {
  /** Number of condensations. */
  calls: number;
  /** How many succeeded. */
  successes: number;
  /** How many failed. */
  errors: number;
  /** Dollars. */
  cost: number;
  /** Tokens removed. */
  tokensSaved: number;
  /** Mean share of the tokens removed by the successful calls, in percent. */
  averageReductionPercent: number;
  /** Mean time of a call, in milliseconds. */
  averageLatencyMs: number;
  /** Median time of the newest calls (1000 at most), in milliseconds. */
  p50LatencyMs: number;
  /** 95th percentile of their times, in milliseconds. */
  p95LatencyMs: number;
  /** Tokens before condensing per second of work, over all calls. */
  tokensPerSecond: number;
  /** Mean cost of a call in dollars. */
  averageCost: number;
  /** Largest cost of a call in dollars. */
  highestCost: number;
  /** Mean of `metrics.summaryQualityScore`, 0 to 1; absent if no call measured it. */
  summaryQualityScore?: number;
  /**
   * Mean of `metrics.informationPreservation`, 0 to 1; absent if no call measured it. Like the score, it counts
   * for the provider that changed the conversation last.
   */
  informationPreservation?: number;
}

/**
 * Metrics of a manager since its creation or their last reset. Previews and calls that were not due are not
 * counted.
 */
export interface Metrics {
  /** All calls. */
  total: MetricTotals;
  /** By provider, fallbacks included. */
  providers: Record<string, MetricTotals>;
  /** By profile; calls without a profile are not included. */
  profiles: Record<string, MetricTotals>;
  /** Dollars by model; costs that custom providers report are not included. */
  costByModel: Record<string, number>;
  /** Results of experiments, by experiment; see `CondensationManager.getExperiment`. */
  experiments: Record<string, Experiment>;
  /** The newest 100 condensations, the oldest first. */
  records: CondensationRecord[];
  /** Current alerts. */
  alerts: MetricAlert[];
}

/** An item that must be kept and is missing. */
export interface MissingItem {
  /** The kind of the item. */
  kind: "constraint" | "task" | "file" | "name";
  /** The item in words. */
  text: string;
}

/**
 * One request to a model: a summary that was asked for, with the attempts it took. Summaries from the cache are no
 * requests.
 */
export interface ModelRequest {
  /** The id of the provider that asked. */
  provider: string;
  /** The protocol of the handler; `callback` for a custom handler. */
  api: "anthropic" | "openai" | "callback";
  /** The model's name, as the handler knows it. */
  model: string;
  /** When it was sent, in milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds until the response was there or the request had failed, retries and waiting included. */
  timeElapsed: number;
  /** Number of requests sent, retries included; 1 for a custom handler. */
  attempts: number;
  /** Dollars, also for tokens that were not reported. */
  cost: number;
  /**
   * Why the model stopped: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, or the service's
   * word; absent if it is not known.
   */
  stopReason?: string;
  /** The code of the error, if it failed. */
  error?: string;
  /**
   * Input tokens of all attempts as the service reported them, cached ones included whatever the protocol; absent,
   * like the next three, if it reported none.
   */
  inputTokens?: number;
  /** Output tokens. */
  outputTokens?: number;
  /** Input tokens written to the service's prompt cache. */
  cacheWriteTokens?: number;
  /** Input tokens read from it. */
  cacheReadTokens?: number;
}

/** The report of one pass of the smart provider. */
export interface PassReport {
  /**
   * The id of the pass. Steps that are not passes: `tool_rules` and `lossless_prelude` run first,
   * `salient_to_target` last; `one_summary` replaces all passes; `no_more_tokens_than` means that the result of
   * that preset replaced theirs.
   */
  id: string;
  /** The name for people. */
  name: string;
  /** Whether it ran: its condition was met, and the target was not reached before. */
  ran: boolean;
  /** Why it did not run, or did nothing. */
  skipped?: string;
  /** The reason as a code and values. */
  said?: Said;
  /** Tokens before, system prompt included. */
  tokensBefore: number;
  /** Tokens after. */
  tokensAfter: number;
  /** Tokens removed. */
  tokensSaved: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /** False if it includes estimates of summaries that a model would write. */
  exact: boolean;
  /** Dollars. */
  cost: number;
  /** Milliseconds. */
  timeElapsed: number;
  /** Number of messages changed or removed. */
  messagesChanged: number;
  /** Index of the first of them in the input messages; -1 if there is none. */
  firstChangedIndex: number;
  /** Operations on them, each once; see `Change.operation`. */
  operationsApplied: string[];
}

/** The outcome of a call to prepare. */
export interface Preparation {
  /** Whether a prepared condensation now exists, to be applied when one is due. */
  prepared: boolean;
  /**
   * - `done`: it was prepared
   * - `reused`: an earlier preparation is still valid
   * - `joined`: a preparation for the same task was already running and this call awaited it; if that one was
   *   aborted, this call did its own
   * - `early`: condensing is far from due
   * - `nothing`: there is nothing to gain
   * - `failed`: see `error`
   */
  reason: "done" | "reused" | "joined" | "early" | "nothing" | "failed";
  /** Number of messages in the snapshot; 0 if nothing is prepared. */
  messages: number;
  /** Tokens it saves, counted like `totalTokens`. */
  tokensSaved: number;
}

/** A violation of the shape that the Anthropic Messages API accepts. */
export interface Problem {
  /** Index of the message. */
  messageIndex: number;
  /** Index of the block, if the problem is about one. */
  blockIndex?: number;
  /** The problem as a fixed word. */
  code: ProblemCode;
  /** The problem for people. */
  message: string;
  /** The id of the call, where calls and results do not pair up. */
  toolId?: string;
}

/** A progress event. */
export interface ProgressEvent {
  /**
   * `counting` comes first; `condensing` for each provider that runs; `summarizing` with the number of finished
   * summaries, failed ones included; `retrying` when an HTTP handler sends a request again, with the number of
   * attempts and their limit; `prelude`, and `pass` when a pass of the smart provider starts and ends; and
   * `done`.
   */
  phase: "counting" | "condensing" | "summarizing" | "retrying" | "prelude" | "pass" | "done" | (string & {});
  /** Id of the provider; empty while counting. */
  providerId: string;
  /** Steps finished. */
  done: number;
  /** Steps in total. */
  total: number;
  /** The pass of the smart provider that the event belongs to. */
  passId?: string;
  /** With `retrying`: milliseconds until the request is sent again. */
  waitMs?: number;
  /** With `retrying`: why the previous attempt failed. */
  code?: LlmErrorCode;
}

/**
 * The effect of a change on the prompt cache, which stays valid up to the first difference. Costs use the price of
 * the conversation's model (`ProviderCallOptions.price`), are absent without one, and assume that the whole
 * conversation was cached; a missing cache price counts as `inputPrice`.
 */
export interface PromptCacheEffect {
  /**
   * Tokens before the first change, system prompt included; they are still read from the cache. With
   * `rewrittenTokens` they make up `newContextTokens`.
   */
  keptTokens: number;
  /** Tokens from the first change on, which the next request must write to the cache. */
  rewrittenTokens: number;
  /** Dollars to write them. */
  rewriteCost?: number;
  /** Extra dollars of the next request, compared with no change; negative if it costs less. */
  extraCost?: number;
  /** Dollars saved by each later request. */
  savedPerRequest?: number;
}

/** The abilities of a provider. */
export interface ProviderCapabilities {
  /** Can condense without losing anything. */
  supportsLossless: boolean;
  /** Can drop content. */
  supportsLossy: boolean;
  /** Can shorten texts. */
  supportsTruncation: boolean;
  /** Can have an LLM write summaries. */
  supportsLLMSummarization: boolean;
  /** Works on several parts at once. */
  supportsParallelProcessing: boolean;
  /** Works in passes. */
  supportsMultiPass: boolean;
  /** Can be the fallback of another provider. */
  supportsFallback: boolean;
  /** Calls no LLM, so it costs nothing. */
  isFree: boolean;
  /** `fast`: milliseconds; `medium` (default): seconds; `slow`: tens of seconds. */
  estimatedSpeed: "fast" | "medium" | "slow";
}

/** The description of a provider. */
export interface ProviderInfo {
  /** The id it is registered under. */
  id: string;
  /** The name for people. */
  name: string;
  /** One sentence: what the provider does. */
  description: string;
  /** The provider's version. */
  version: string;
  /** Its capabilities. */
  capabilities: ProviderCapabilities;
}

/** The work of one provider on a result. */
export interface ProviderShare {
  /** The id of the provider. */
  id: string;
  /** Tokens that its work removed; 0 where it failed, found nothing, or what it did was not used. */
  tokensSaved: number;
}

/** The reasons for and against a candidate. */
export interface ReasonsForAndAgainst {
  /** The reason for it. */
  why: Said;
  /** The reason against it. */
  whyNot: Said;
}

/** An entry that a search found. */
export interface RecallHit {
  /**
   * The key for `read`: 4 characters or more, the same after more messages, another condensation, in another
   * process.
   */
  key: string;
  /** The speaker, or `call` for a tool call and its result. */
  who: "user" | "assistant" | "assistant, thinking" | "context" | "summary" | "call";
  /** Tool and target of a call, on one line; empty for words. */
  head: string;
  /** Ranges of lines that the text shows, from 1, both ends included. */
  lines: [first: number, last: number][];
  /** Number of lines of the entry. */
  totalLines: number;
  /** Its place in the conversation, 0 to 100 percent. */
  percent: number;
  /** Key of the entry that last changed the file which this one is about, if that came later; else null. */
  changedSince: string | null;
  /** Keys of other entries that say the same. */
  also: string[];
}

/** A warning about a recommendation. */
export interface RecommendationWarning {
  /**
   * - `contradiction`: the answers contradict each other
   * - `ruled_out`: one answer excludes the first choice of another
   * - `facts_win`: measurements overruled a rule
   * - `handler_needed`: it needs a handler
   * - `conversation_needed`: `contextWindow` or `targetTokens` has an effect only with `messages`
   */
  code: "contradiction" | "ruled_out" | "facts_win" | "handler_needed" | "conversation_needed";
  /** The message for people. */
  message: string;
  /** The message as a code and values. */
  said: Said;
}

/** An alternative. */
export interface RecommendedAlternative {
  /** The id of the provider. */
  provider: ProviderId;
  /** Its configuration. */
  config: object;
  /** Options of the manager that belong to it; without them, it would equal another entry or the recommendation. */
  managerOptions?: object;
  /** The reason for it. */
  why: string;
  /** The reason against it. */
  whyNot: string;
  /** Both as codes and values. */
  said: ReasonsForAndAgainst;
}

/** A recommendation. */
export interface RecommendedProvider {
  /** The id of the provider. */
  provider: ProviderId;
  /** The configuration of the provider. */
  config: object;
  /** Options of the manager that belong to it. */
  managerOptions?: object;
  /** Whether a manager without configuration does the same: true unless an answer asks for something else. */
  isDefault: boolean;
  /** The reason, for people. */
  reason: string;
  /** The reason as a code and values. */
  said: Said;
  /** Up to four alternatives. */
  alternatives: RecommendedAlternative[];
  /** Contradictions in the answers, and facts that overrule rules. */
  warnings: RecommendationWarning[];
}

/** A refusal to undo a change. */
export interface RefusedUndo {
  /** The id of the change. */
  id: string;
  /**
   * - `unknown_change`: not a change of this condensation, or nothing of it remains
   * - `needs_others`: other changes (`with`) edited the same text, dropped messages beside these, or added
   *   pointers that would resolve to other lines; all of them must be undone together
   * - `changed_since`: the message was edited, condensed again, or moved
   * - `misleads`: a pointer from outside this condensation would resolve to other lines
   */
  code: "unknown_change" | "needs_others" | "changed_since" | "misleads";
  /** The reason for people. */
  reason: string;
  /** With `changed_since` and `misleads`: index in `messages` of the message concerned, if it is one. */
  messageIndex?: number;
  /** With `needs_others`: the changes that must be undone too, or with `withDependants` cannot be. */
  with?: string[];
}

/** One change. */
export interface ReportedChange {
  /**
   * The id by which `restore` undoes it. Unique within a result; the same condensation of the same messages
   * gives the same ids.
   */
  id: string;
  /** Index in the input messages; for an added message, the index of the message after it. */
  messageIndex: number;
  /** Index of the block, 0 for content that is a string; `null` for a whole message. */
  blockIndex: number | null;
  /**
   * The operation:
   *
   * - Lossless, `inline`: `reference` (to an identical result), `containment` (to a result that contains it),
   *   `diff` (against another version of the file), `repeated_lines`, `line_numbers` (stripped, with a heading
   *   that restores them)
   * - Lossless, `superseded`: `environment_snapshot`, `stale_read`, `overwritten_write`, `todo_list`,
   *   `failed_edit`
   * - Lossless with `staleReads: "file"`, lossy: `stale_file` (lines of reads that nothing replaced)
   * - Truncation: `salient` (keeps the lines most likely to be used again), `truncate`, `suppress`, `drop` (a
   *   message that says too little), `window` (one of the oldest messages), `log` (quotes from dropped messages)
   * - `tool_rule`: a rule of the option `tools`
   * - `summarize`: a summary replaces a text or messages
   * - `drop_thinking`: removes signed thinking after a change, which the model would refuse; see
   *   `ProviderCallOptions.thinking`
   * - `pointers`: redirects pointers to another copy of their lines, or replaces them, so that they stay valid
   * - Custom providers: `replace`, `drop`, `insert`
   */
  operation: ChangeOperation | (string & {});
  /** Tokens of the block or message before, unscaled. */
  tokensBefore: number;
  /** Tokens after. */
  tokensAfter: number;
  /** The change and the reason for it, for people; may be empty. */
  reason: string;
  /** The reason as a code and values, for other languages; absent if there is no reason. */
  said?: Said;
  /**
   * For lossless changes: `inline` content is still readable in the conversation; `superseded` content was
   * replaced by a later message, and only `restoreData` has it.
   */
  grade?: "inline" | "superseded";
}

/**
 * A message as a code and values. The English text is in the field beside it; `src/words` has the words of every
 * code in English and French, in i18next's format.
 */
export interface Said {
  /** The key of its words. */
  code: string;
  /** The values that go into them. */
  values: Record<string, SaidValue>;
}

/** A word of the conversation or the configuration, a number, a nested message, or several. */
export type SaidValue = string | number | Said | Said[];

/** Tokens by grade; their sum is what was removed. */
export interface SavedByGrade {
  /** Still readable elsewhere in the messages; `expand` puts it back. */
  inline: number;
  /** Replaced by a later message and no longer readable; `restore` brings it back. */
  superseded: number;
  /** Cut, dropped or summarised; `restore` brings it back. */
  lossy: number;
}

/** Figures of a result that was shortened, or not. */
export interface ShortenedResult {
  /** Tokens before: of its texts, and of images, JSON and files beside them, by their kind. */
  tokensBefore: number;
  /** Tokens now. */
  tokensAfter: number;
  /** Number of lines, or of values of JSON, of which nothing is shown. */
  leftOut: number;
  /** Number of lines, or of values of JSON, before. */
  of: number;
  /** Number of those left out that report a failure; more than 0 only where there was no room for all failures. */
  failuresLeftOut: number;
  /** The kind of its largest text. Source files that were read and diffs stay whole up to ten times the budget. */
  kind: "text" | "source" | "diff" | "json" | "data";
  /**
   * The result has no more tokens than the budget. False where it stays whole, and where the lines that say how the
   * call ended take more.
   */
  fits: boolean;
}

/** One decision of a strategy. */
export interface StrategyChoice {
  /** The id of the strategy. */
  strategy: ProviderId;
  /** The id of the provider that it chose. */
  provider: ProviderId;
  /** Why it chose that provider, for people. */
  reason: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** The experiment that the decision belongs to. */
  experiment?: string;
  /** The variant of that experiment. */
  variant?: string;
}

/**
 * How much of what it must keep a summary covers: from the messages it replaces, up to twenty items of each kind:
 *
 * - `constraint`: a sentence in which the user set a limit
 * - `task`: an unfinished item of the newest plan, or the user's latest request
 * - `file`: a changed file, by its path or the last two parts of it
 * - `name`: a path or identifier that the assistant used in calls, those most likely to be used again first
 *
 * Items that are readable elsewhere in the result count as covered. So do constraints and tasks if seven in ten of
 * their longer words are in the summary.
 */
export interface SummaryQuality {
  /**
   * 0 to 1: the mean, over the kinds present, of the share of items that are readable in the result; 1 if
   * nothing must be kept.
   */
  score: number;
  /** The items that are missing. */
  missing: MissingItem[];
  /** The score of the model's own text, without the items that were appended to it. */
  writtenScore: number;
  /** Whether the summary was requested a second time. */
  askedAgain: boolean;
  /** Number of items that the model left out and that were appended. */
  completed: number;
}

/** The outcome for the content of a conversation. Tokens are unscaled, like those of changes. */
export interface Survival {
  /** All content. */
  total: SurvivalFate;
  /**
   * Each kind of content that was present. A text block counts as the kind that makes up most of it.
   *
   * - `user`: the user's words, including answers to questions
   * - `assistant`: the assistant's words
   * - `thinking`: the assistant's thinking
   * - `plans`: calls that write or update a todo list, or present a plan
   * - `calls`, `results`: other tool calls, and tool results
   * - `images`: images outside tool results; others count with their result
   * - `host`: injected context in the user's role: reminders, environment snapshots, attached files
   * - `summaries`: summaries and logs of earlier messages
   * - `other`: blocks of types that are not read
   */
  byKind: { [key in SurvivalKind]?: SurvivalFate };
  /** Number of lines of the logs in the result, earlier logs included, by what they quote. */
  log: { [key in SurvivalLog]?: SurvivalLines };
}

/** Numbers of blocks and of their tokens. */
export interface SurvivalBlocks {
  blocks: number;
  tokens: number;
}

/**
 * The outcome for one kind of content. The tokens of `kept`, `pointed`, `superseded`, `summarized`, `recorded` and
 * `lost` add up to `before`. A block that was cut counts in every category that holds a part of it.
 */
export interface SurvivalFate {
  /** The content before. */
  before: SurvivalBlocks;
  /** Protected content (see `protect`), kept word for word; part of `kept`. */
  protected: SurvivalBlocks;
  /** Blocks kept word for word, and the kept tokens of all blocks. */
  kept: SurvivalBlocks;
  /** Readable elsewhere in the messages through a pointer; `expand` puts it back. */
  pointed: SurvivalBlocks;
  /** Replaced by a later message. */
  superseded: SurvivalBlocks;
  /** Covered by a summary that replaces it. */
  summarized: SurvivalBlocks;
  /** Quoted in the new log. */
  recorded: SurvivalLines;
  /** No longer readable; `restore` brings it back. */
  lost: SurvivalBlocks;
}

/** A kind of content; see `Survival.byKind`. */
export type SurvivalKind = "user" | "assistant" | "thinking" | "plans" | "calls" | "results" | "images" | "host" | "summaries" | "other";

/** Numbers of lines and of their tokens. */
export interface SurvivalLines {
  lines: number;
  tokens: number;
}

/**
 * The kind of words that a log line quotes: `said` (words of the user, the assistant or the host), `calls` (tool calls with their input), `answers` (tool
 * results, and names in them).
 */
export type SurvivalLog = "said" | "calls" | "answers";

/** The differences in one text of a message; see `diffMessages`. */
export interface TextDiff {
  /** Index of its block; 0 for content that is a string. */
  blockIndex: number;
  /** The path from the message to the text, such as `["content", 0, "text"]`. */
  path: (string | number)[];
  /** The differences, in order, each with the lines around it. */
  hunks: DiffHunk[];
  /** Number of differing lines that were omitted, because there are too many. */
  omittedLines: number;
}

/**
 * Kinds of content.
 *
 * - `user`, `assistant`: their words
 * - `thinking`, `images`
 * - `calls`: names and parameters of tool calls
 * - `results`: tool results, and files the user mentioned
 * - `environment`: injected context, such as environment snapshots and reminders
 * - `summaries`: summaries and logs of earlier messages or texts
 * - `other`: blocks of other types, and invalid messages
 */
export type TokenKind = "user" | "assistant" | "thinking" | "calls" | "results" | "images" | "environment" | "summaries" | "other";

/** A number of tokens, and the message at which the conversation exceeds it. */
export interface TokenLine {
  /** The number of tokens. */
  tokens: number;
  /** Index of that message; `null` if there is none. */
  messageIndex: number | null;
}

/** The usage of one tool. */
export interface ToolUsage {
  /** The tool's name. */
  tool: string;
  /** Number of calls. */
  calls: number;
  /** Calls that failed or were refused. */
  failed: number;
  /** Tokens of the calls. */
  callTokens: number;
  /** Tokens of the results. */
  resultTokens: number;
}

/** Whether a condensation is due, and why. */
export interface TriggerDecision {
  /** Whether it is due. */
  due: boolean;
  /** `threshold`: that share of the window is used; `window`: the next response would not fit. */
  reason: "threshold" | "window" | "none";
  /** `totalTokens + lastMessageTokens` */
  prevContextTokens: number;
  /** `contextWindow * 0.9 - reservedTokens` */
  allowedTokens: number;
  /**
   * `maxTokens` above 0, or else 8192; at most 40% of the window, so that half of every window is left to the
   * conversation.
   */
  reservedTokens: number;
  /** `100 * prevContextTokens / contextWindow` */
  contextPercent: number;
  /** The threshold that applied, in percent. */
  threshold: number;
  /** `invalid_threshold` if the profile's own threshold is invalid. */
  warnings: Warning[];
}

/** A line that looks like a pointer but points to nothing. */
export interface UnresolvedPointer {
  /** Index of the message. */
  messageIndex: number;
  /** Index of the block; 0 when the content is a string. */
  blockIndex: number;
  /** The line, without its number. */
  text: string;
}

/**
 * A warning about a call that did not fail.
 *
 * @example
 * ```ts
 * import { type Warning } from "roo-condense";
 *
 * const shown = (warnings: Warning[]) =>
 *   warnings.filter(({ code }) => code !== "target_not_met").map(({ code, message }) => `${code}: ${message}`);
 * ```
 */
export interface Warning {
  /** The code; custom providers may use codes of their own. */
  code: WarningCode | (string & {});
  /** The message for people, without the code. */
  message: string;
  /** The message as a code and values, for translations; absent if a custom provider wrote the message. */
  said?: Said;
  /** Index in the input messages of the message concerned; the first of several. */
  messageIndex?: number;
  /** The code of the error that caused it, where a provider, a pass or a summary failed. */
  errorCode?: string;
  /** The option concerned, as a path such as `profileThresholds.fast`. */
  field?: string;
}

/** Content that says nothing new. No token counts in two kinds of waste. */
export interface Waste {
  /** Tokens of all of it. */
  tokens: number;
  /** Number of places. */
  count: number;
  /** The largest items, in order. */
  items: WasteItem[];
}

/** A place with waste. */
export interface WasteItem {
  /** The index of the message. */
  messageIndex: number;
  /** The index of the block. */
  blockIndex: number;
  /** The file, or else the tool; `environment` for a snapshot. */
  label: string;
  /** Tokens. For lines shown again, their share of the result by bytes. */
  tokens: number;
}
