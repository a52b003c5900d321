// What the pieces for frameworks have in common.

import type { Warning } from "../data.js";
import type { CondensationError } from "../errors.js";
import type { CondensationManager } from "../manager.js";
import type { RecallToolFormat } from "../recall.js";

// options of pieces: written by npm run generate

/** Options of the pieces for frameworks. An unknown field is an error. */
export interface CondensingOptions {
  /** The model's context window in tokens. 1 or more. */
  contextWindow: number;
  /**
   * Decides when a history is condensed, with which provider, and who writes summaries; its `encoding` and `scale` count the tokens of requests. Default: a
   * manager with the threshold 75% (25% with `recall`) and no model, so `lossless` condenses, and `truncation` cuts down to the target.
   */
  manager?: CondensationManager | undefined;
  /**
   * Down to this share of the tokens at which it is due a history is condensed, in percent, system prompt and tools included. The lower, the longer the prompt
   * cache holds until the next condensation. Default: 40, with `recall` 10. 1 to 100.
   */
  targetPercent?: number | undefined;
  /**
   * Called with what went wrong: warnings and errors of condensations, and errors of messages that could not be read. The request is sent all the same, with
   * the messages as they are. Default: not called.
   */
  onWarning?: ((warning: Warning | CondensationError | (Error & { code?: string })) => void) | undefined;
  /**
   * Whether the model is offered a tool that brings back what was left out of its view: the piece's `recall` is that tool, to be put beside the application's
   * own. It reads the messages that the framework hands over with each request, so nothing is stored. Default: false.
   */
  recall?: boolean | undefined;
  /**
   * A tool result of more tokens is shortened to as many before it is sent for the first time, as `condenseResult` does, and every later request sends the
   * same. Source files that were read and diffs stay whole up to ten times as many. The application's messages stay whole, so `recall` finds what was left out;
   * without `recall` the model is told how much is missing, and can only run the call again. Default: results are sent whole. 200 or more.
   */
  resultTokens?: number | undefined;
}

/** Options of the pieces that are not told how long a response may be. */
export interface CondensingStepOptions {
  /** The model's context window in tokens. 1 or more. */
  contextWindow: number;
  /**
   * Decides when a history is condensed, with which provider, and who writes summaries; its `encoding` and `scale` count the tokens of requests. Default: a
   * manager with the threshold 75% (25% with `recall`) and no model, so `lossless` condenses, and `truncation` cuts down to the target.
   */
  manager?: CondensationManager | undefined;
  /**
   * Down to this share of the tokens at which it is due a history is condensed, in percent, system prompt and tools included. The lower, the longer the prompt
   * cache holds until the next condensation. Default: 40, with `recall` 10. 1 to 100.
   */
  targetPercent?: number | undefined;
  /**
   * Called with what went wrong: warnings and errors of condensations, and errors of messages that could not be read. The request is sent all the same, with
   * the messages as they are. Default: not called.
   */
  onWarning?: ((warning: Warning | CondensationError | (Error & { code?: string })) => void) | undefined;
  /**
   * Whether the model is offered a tool that brings back what was left out of its view: the piece's `recall` is that tool, to be put beside the application's
   * own. It reads the messages that the framework hands over with each request, so nothing is stored. Default: false.
   */
  recall?: boolean | undefined;
  /**
   * A tool result of more tokens is shortened to as many before it is sent for the first time, as `condenseResult` does, and every later request sends the
   * same. Source files that were read and diffs stay whole up to ten times as many. The application's messages stay whole, so `recall` finds what was left out;
   * without `recall` the model is told how much is missing, and can only run the call again. Default: results are sent whole. 200 or more.
   */
  resultTokens?: number | undefined;
  /** The longest response in tokens: as much of the window is reserved for it, at most 40%. Default: 8192. 1 or more. */
  maxOutputTokens?: number | undefined;
}

/** Options of {@link condensingHooks}. An unknown field is an error. */
export interface CondensingHooksOptions {
  /** Tokens of the conversation, condensed, that the quotes are taken from. 200 or more. Default: 4000. */
  quoteTokens?: number | undefined;
  /**
   * An output of a command or of an MCP tool of more tokens is shortened to as many before the model reads it, as `condenseResult` does. The whole is kept in a
   * file of the user's cache folder for 30 days, as by `roo-condense result`, and the note says its path. Files that are read stay as they are, and so do
   * failed calls, whose text the SDK does not let a hook change. Default: outputs stay whole. 200 or more.
   */
  resultTokens?: number | undefined;
  /** Called with what went wrong: the compaction goes ahead without quotes, an output stays whole. Default: not called. */
  onWarning?: ((warning: Warning | (Error & { code?: string })) => void) | undefined;
}

/** Options of {@link condenseSession}. An unknown field is an error. */
export interface CondenseSessionOptions {
  /** Condenses; its provider, handler and protection. Default: a manager without a model: `lossless`, then `truncation`. */
  manager?: CondensationManager | undefined;
  /** Down to this share of the session's tokens, in percent. 1 to 100. Default: 40. */
  targetPercent?: number | undefined;
}

// end of options of pieces

/** Options with which a piece offers recall. */
export interface RecallingOptions extends CondensingOptions {
  recall: true;
}

/** Answers calls of recall for a client. */
export interface ClientRecall {
  /** The tool's definition in a format, to be put beside the application's own. */
  tool(format: RecallToolFormat): any;
  /**
   * The result of a call, in the format of the call.
   * @param messages the conversation that the call stands in: what the next request will have as its history
   */
  answer(call: object, messages: readonly object[]): Promise<any>;
}
