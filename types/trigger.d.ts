// When a condensation is due.

import type { Warning } from "./warnings.js";

/** Usage of the context window. */
export interface Usage {
  /** Tokens without the last message, as the API reported them, 0 or more. */
  totalTokens: number;
  /** Tokens of the last message. Default: 0. */
  lastMessageTokens?: number | undefined;
  /** The model's context window in tokens, 1 or more. */
  contextWindow: number;
  /** Tokens reserved for the response, 0 or more, or -1 for "unlimited", as vscode-lm reports it. Default, and for 0 and -1: 8192. */
  maxTokens?: number | null | undefined;
  /** The profile whose threshold applies. Default: the global one. */
  profileId?: string | null | undefined;
}

/** Whether a condensation is due, and why. */
export interface TriggerDecision {
  due: boolean;
  /** `threshold`: that share of the window is used; `window`: the next response would not fit. */
  reason: "threshold" | "window" | "none";
  /** `totalTokens + lastMessageTokens` */
  prevContextTokens: number;
  /** `contextWindow * 0.9 - reservedTokens` */
  allowedTokens: number;
  /** `maxTokens` above 0, or else 8192; at most 40% of the window, so that half of every window is left to the conversation. */
  reservedTokens: number;
  /** `100 * prevContextTokens / contextWindow` */
  contextPercent: number;
  /** The threshold that applied, in percent. */
  threshold: number;
  /** `invalid_threshold` if the profile's own threshold is invalid. */
  warnings: Warning[];
}
