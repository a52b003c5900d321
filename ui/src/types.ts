// The answers of the host. Checked on arrival by js/studio/protocol.js, which these types follow.

import type { DiffHunk, TextDiff } from "../../types/messages.js";
import type { FileUsage, InspectedMessage, LargeBlock, TokenKind, TokenLine, TokensByKind, ToolUsage, Waste } from "../../types/inspect.js";

import type { Metrics } from "../../types/manager.js";
import type { SmartConfig } from "../../types/smart.js";
import type { StudioSettings } from "../../types/studio.js";

export type { Metrics, SmartConfig, StudioSettings };
export type { DiffHunk, FileUsage, InspectedMessage, LargeBlock, TextDiff, TokenKind, TokenLine, TokensByKind, ToolUsage, Waste };

export interface HistoryInfo {
  id: string;
  name: string;
  revision: number;
  messages: number;
  bytes?: number;
  canWrite: boolean;
  /** Whether a saving can be undone. */
  canUndo?: boolean;
  /** Whether saving adds to its file. */
  grows?: boolean;
  /** Whether it was opened by the page, which can close it. */
  canClose?: boolean;
  problem?: { message: string; said?: Said };
}

export interface Hello {
  version: string;
  canWrite: boolean;
  histories: HistoryInfo[];
  providers: ProviderFacts[];
  presets: string[];
  activeProvider: string;
  contextWindow: number | null;
  /** How much may stay at first, in percent; absent for as much as is advised. */
  targetPercent?: number;
  /** Whether the model can recall what is left out, as far as the host knows. */
  recall?: boolean;
  language?: string;
  /** Whether one file can be made of what is shown. */
  canReport?: boolean;
  /** Whether sessions can be found. */
  canFind?: boolean;
  /** Whether there are settings of automatic condensing. */
  canSet?: boolean;
}

/** The known properties of a provider. */
export interface ProviderFacts {
  id: string;
  name: string;
  description: string;
  /** Asks no model. */
  isFree: boolean;
  /** May lose content. */
  isLossy: boolean;
  speed: "fast" | "medium" | "slow";
}

/** Settings of automatic condensing, and what there is to choose from. */
export interface SettingsTold {
  settings: StudioSettings;
  profiles: { id: string; hasModel: boolean }[];
  /** Whether a model can be asked without a profile. */
  canAsk: boolean;
  /** Where they stand; absent where they last as long as the host. */
  keptIn?: string;
}

export interface Window {
  contextWindow: number;
  prevContextTokens: number;
  contextPercent: number;
  threshold: number;
  due: boolean;
  reason: string;
  atThreshold: TokenLine;
  atLimit: TokenLine;
  atEnd: TokenLine;
}

export interface Inspection {
  encoding: string;
  scale: number;
  approximate: boolean;
  tokens: { total: number; system: number; tools: number; messages: number };
  kinds: TokensByKind;
  messages: InspectedMessage[];
  byTool: ToolUsage[];
  byFile: FileUsage[];
  largest: LargeBlock[];
  repeated: Waste;
  stale: Waste;
  superseded: Waste;
  window: Window | null;
  target: TokenLine | null;
}

/** One of four sizes to condense to. */
export interface Step {
  name: "safest" | "balanced" | "tight" | "small";
  /** Absent for no target: only what is repeated or was replaced goes. */
  targetTokens?: number;
}

/** How far to condense. */
export interface Steps {
  /** Whether the model can recall what is left out. */
  recall: boolean;
  advised: Step["name"];
  /** The target of the advised step. */
  targetTokens?: number;
  steps: Step[];
}

/** A text as a code and values, from which the words of any language are made. */
export interface Said {
  code: string;
  values: Record<string, SaidValue>;
}
/** A value in such a text. */
export type SaidValue = string | number | Said | Said[];

export type Grade = "inline" | "superseded" | "lossy";

export interface Change {
  id: string;
  messageIndex: number;
  blockIndex: number;
  operation: string;
  tokensBefore: number;
  tokensAfter: number;
  reason: string;
  /** Absent where nobody said why. */
  said?: Said;
  grade: Grade;
}

/** A choice of content that the user wants to keep unchanged. The host makes it; a page only passes it on. */
export interface KeptChoice {
  messageIndex: number;
  /** -1 for a whole message. */
  blockIndex: number;
  operation: string;
  print: string;
  around: string[];
  /** Why it could not be followed this time. */
  fault?: Fault;
}

/** Tokens of content that would not stand word for word any more. */
export interface Fate {
  /** A pointer leads to it. */
  pointed: number;
  /** A later message replaced it. */
  superseded: number;
  /** A summary or the log tells it. */
  told: number;
  /** The model can read it nowhere. */
  lost: number;
}

/** Where a history was written. */
export interface Written {
  file: string;
  backup?: string;
  restoreData?: string;
  /** The revision of the history that this made; absent where somebody else has written since. */
  revision?: number;
  canUndo?: boolean;
  /** The number of messages added since the saving, which stay; only for an undo. */
  added?: number;
}

export interface Fault {
  code: string;
  message: string;
  said?: Said;
}

export interface Condensation {
  id: string;
  revision: number;
  provider: string;
  tokensBefore: number;
  tokensAfter: number;
  reductionPercent: number;
  cost: number;
  timeMs: number;
  exact: boolean;
  didCondense: boolean;
  metTarget: boolean | null;
  fate: Fate;
  /** Tokens by kind afterwards; absent of an estimate. */
  kinds?: TokensByKind;
  kept: KeptChoice[];
  changes: Change[];
  firstChangedIndex: number;
  promptCache?: { keptTokens: number; rewrittenTokens: number; rewriteCost?: number; extraCost?: number };
  passes?: { id: string; name: string; ran: boolean; skipped?: string; said?: Said; tokensBefore: number; tokensAfter: number }[];
  after: number[];
  added: { before: number; tokens: number }[];
  samples: { messageIndex: number; diff: TextDiff[] }[];
  warnings: Fault[];
  error?: Fault;
}

export interface Trial {
  id: string;
  provider: string;
  tokens: number;
  tokensBefore: number;
  reductionPercent: number;
  cost: number;
  timeMs: number;
  exact: boolean;
  metTarget: boolean | null;
  changes: number;
  /** Tokens that newer messages replaced: the model could read them nowhere any more. */
  superseded: number;
  /** Tokens that nothing would stand for. */
  lost: number;
  firstChangedIndex: number;
  error?: Fault;
}

/** How many of the things that were needed later could still be read. */
export interface Kept {
  kept: number;
  needed: number;
}

/** How much of what a history itself used later could still be read, had its earlier part been condensed. */
export interface Recall {
  /** Where it was cut: the messages before were condensed, those from there on say what was needed. */
  cuts: number[];
  names: Kept;
  edits: Kept;
  /** The share of the part before the cuts that was saved. */
  reductionPercent: number;
  /** Why nothing was measured. */
  reason?: "too_large" | "too_short" | "needs_model" | "failed";
}

export interface MessageTexts {
  role: string;
  texts: { kind: string; text: string; omitted: number }[];
  fate: "same" | "changed" | "removed" | null;
  diff: TextDiff[];
}

/** How many of a change's lines can be read back. */
export interface Proof {
  lines: number;
  readBack: number;
  identical: boolean;
  /** The message in which most of them stand; -1 for none. */
  message: number;
  /** Lines that were taken out, each with its number there and where it stands now. */
  pairs: { text: string; from: number; to: number }[];
  omitted: number;
}

/** A session of an agent on this machine. */
export interface FoundSession {
  id: string;
  agent: string;
  name: string;
  /** When it was written last, in milliseconds since 1970. */
  changed: number;
  bytes: number;
}

/** The recommendation and its reasons. */
export interface Advice {
  provider: string;
  config: Record<string, unknown>;
  reason: string;
  said?: Said;
  alternatives: {
    provider: string;
    config: Record<string, unknown>;
    why: string;
    whyNot: string;
    said?: { why: Said; whyNot: Said };
  }[];
  warnings: Fault[];
  /** Whether the host's manager does the same by itself. */
  isDefault: boolean;
  /** The target that it was measured with. */
  targetTokens?: number;
}

/** Which provider, and with what. `provider` absent: as the manager would. */
export interface Choice {
  provider?: string;
  config?: Record<string, unknown>;
}

interface CallOptions {
  signal?: AbortSignal;
}

/** All that the components know of the world. Answers are checked; whatever fails rejects with a {@link StudioError}. */
export interface CondenseClient {
  /** Whether it can be asked for anything but what is there: false of a static report. */
  readonly isLive: boolean;
  hello(options?: CallOptions): Promise<Hello>;
  /** Resolves when a history is another than `revisions` (by id) say, or after a while. */
  wait(request: { revisions: Record<string, number> }, options?: CallOptions): Promise<{ histories: HistoryInfo[] }>;
  inspect(
    request: { history: string; targetTokens?: number; contextWindow?: number; recall?: boolean },
    options?: CallOptions,
  ): Promise<{ revision: number; inspection: Inspection; advice: Steps }>;
  condense(
    request: Choice & { history: string; targetTokens?: number; contextWindow?: number; ask?: boolean; kept?: KeptChoice[] },
    options?: CallOptions,
  ): Promise<Condensation>;
  undo(
    request: { condensation: string; changes: string[] },
    options?: CallOptions,
  ): Promise<{ condensation: Condensation; refused: { id: string; code: string; reason: string }[]; dependants: string[] }>;
  /** Returns the faults in a configuration of a provider. */
  validate(
    request: { provider: string; config: object },
    options?: CallOptions,
  ): Promise<{ faults: { path: string; message: string; said?: Said }[] }>;
  /** The presets of the smart provider, by name. */
  presets(options?: CallOptions): Promise<{ presets: Record<string, SmartConfig> }>;
  settings(options?: CallOptions): Promise<SettingsTold>;
  changeSettings(request: { settings: StudioSettings }, options?: CallOptions): Promise<SettingsTold>;
  /** Which provider fits the answers and a history. */
  recommend(request: { history: string; answers: Record<string, unknown> }, options?: CallOptions): Promise<{ recommendation: Advice }>;
  /** Returns the manager's metrics so far. */
  metrics(options?: CallOptions): Promise<{ metrics: Metrics }>;
  try(
    request: Choice & { history: string; id: string; targetTokens?: number; contextWindow?: number },
    options?: CallOptions,
  ): Promise<{ revision: number; trial: Trial }>;
  recall(
    request: Choice & { history: string; targetTokens?: number },
    options?: CallOptions,
  ): Promise<{ revision: number; recall: Recall }>;
  message(request: { history: string; index: number; condensation?: string }, options?: CallOptions): Promise<MessageTexts>;
  /** The messages that say something, also what is not shown of them. */
  search(request: { history: string; text: string }, options?: CallOptions): Promise<{ revision: number; messages: number[] }>;
  /** Returns how many of a change's lines can be read back, and where they stand. */
  proof(request: { condensation: string; change: string }, options?: CallOptions): Promise<Proof>;
  save(request: { condensation: string }, options?: CallOptions): Promise<Written>;
  /** The condensed history as a file of its own, and the file that undoes it; absent where nothing changed. */
  export(
    request: { condensation: string },
    options?: CallOptions,
  ): Promise<{ name: string; text: string; restore?: { name: string; text: string } }>;
  /** The page as one file. */
  report(request: { condensation: string; redact?: boolean }, options?: CallOptions): Promise<{ name: string; text: string }>;
  /** Puts back what the newest saving that fits a history replaced. */
  undoSave(request: { history: string }, options?: CallOptions): Promise<Written>;
  /** Sessions of agents that the host finds, the newest first, and where it looked. */
  sessions(options?: CallOptions): Promise<{ folders: string[]; sessions: FoundSession[] }>;
  /** Returns the title and size of one of them. */
  session(request: { id: string }, options?: CallOptions): Promise<{ title: string; messages: number; tokens: number }>;
  openSession(request: { id: string }, options?: CallOptions): Promise<{ history: HistoryInfo }>;
  open(request: { name: string; text: string }, options?: CallOptions): Promise<{ history: HistoryInfo }>;
  /** A history that was opened so is not looked at any more. */
  close(request: { history: string }, options?: CallOptions): Promise<object>;
}

/** The error of a request. `code` is `unreachable` if nothing answered. */
export class StudioError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "StudioError";
    this.code = code;
  }
}

/** Returns an error in the form that the page shows. */
export const faultOf = (error: unknown): Fault => ({
  code: error instanceof StudioError ? error.code : "internal_error",
  message: error instanceof Error ? error.message : String(error),
});

/** The host has let go of a condensation: another window has asked for many. */
export const isGone = (error: unknown): boolean => error instanceof StudioError && error.code === "unknown_condensation";
