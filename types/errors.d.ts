// Errors that are thrown, failures that results report, and their codes.

import type { Problem } from "./messages.js";
import type { Said } from "./words.js";

/**
 * `code` of errors about wrong arguments and wrong configuration, a `TypeError` or `RangeError`. Functions that return a promise reject with them; all others
 * throw.
 *
 * - `invalid_argument` (TypeError): an argument of the wrong type, or an unknown option of a call or handler
 * - `invalid_config` (TypeError): a configuration field or option that is unknown or has an invalid value
 * - `out_of_range` (RangeError): a number outside its range, NaN or infinite
 * - `invalid_messages` (TypeError): the messages are not an array
 * - `unsupported_format` (TypeError): messages of a format that is not read, of two, or of another one than the option `format` says; `field` is the first that is
 * - `not_serializable` (TypeError): has no JSON: a cycle, a BigInt, a getter or `toJSON` that throws, nesting deeper than the stack
 * - `unknown_provider` (TypeError): no provider has this id
 * - `unknown_encoding` (TypeError), `invalid_scale` (RangeError), `invalid_calibration` (RangeError): invalid settings of the token counter
 * - `invalid_restore_data` (TypeError): not the data of a condensation, damaged, or not of these messages as they are now; `field` is the place
 * - `store_failed` (Error): the store given to `createRecall()` or `condenseResult()` failed to read, or to keep what it was given; `cause` is what it threw
 * - `needs_socket` (Error): `httpHandler()` where roo-condense runs as WebAssembly, which opens no connections
 * - `system_limit` (Error): the operating system denied a resource, such as a file descriptor, or memory for messages of this size
 * - `internal_error` (Error): a bug in this library
 */
export type ArgumentErrorCode =
  | "invalid_argument"
  | "invalid_config"
  | "out_of_range"
  | "invalid_messages"
  | "unsupported_format"
  | "not_serializable"
  | "unknown_provider"
  | "unknown_encoding"
  | "invalid_scale"
  | "invalid_calibration"
  | "invalid_restore_data"
  | "store_failed"
  | "needs_socket"
  | "system_limit"
  | "internal_error";

/**
 * `result.error.code` when the LLM gave no usable response. HTTP handlers have retried temporary failures by then.
 *
 * - `llm_timeout`: nothing arrived within `idleTimeoutMs`, or the response was not complete within `timeoutMs`
 * - `llm_rate_limited` (HTTP 429), `llm_overloaded` (503, 529), `llm_server_error` (409, other 5xx): the service cannot respond now
 * - `llm_quota_exceeded` (402, or 429 for lack of credit), `llm_unauthorized` (401, 403): a problem with the account or its key
 * - `llm_connection_failed`: no connection, or it broke before the response began
 * - `llm_stream_cut`: the response was cut off; `llm_stream_error`: the response contained an error, or an `ApiHandler` yielded an `error` chunk
 * - `llm_invalid_response`: not the protocol that `api` names, or no async generator
 * - `llm_bad_request` (400, 422, other 4xx), `llm_not_found` (404): the service refused the request, or has no such model or address
 * - `llm_context_too_long`: the request does not fit the model, even in parts
 * - `llm_response_too_large`: the response has more than `maxResponseBytes`
 * - `llm_redirected`: to another origin, where the key is not sent
 * - `llm_callback_failed`: an `ApiHandler` threw or rejected; `cause` is what it threw
 */
export type LlmErrorCode =
  | "llm_timeout"
  | "llm_rate_limited"
  | "llm_quota_exceeded"
  | "llm_unauthorized"
  | "llm_overloaded"
  | "llm_server_error"
  | "llm_connection_failed"
  | "llm_stream_cut"
  | "llm_stream_error"
  | "llm_invalid_response"
  | "llm_bad_request"
  | "llm_not_found"
  | "llm_context_too_long"
  | "llm_response_too_large"
  | "llm_redirected"
  | "llm_callback_failed";

/**
 * `result.error.code`: why a condensation failed. The messages are then the caller's own array, unchanged, and `cost` is what was spent until then.
 *
 * - `aborted`: by `options.signal`
 * - `not_enough_messages`: there is nothing between the first message and those that are kept
 * - `condensed_recently`: hardly anything is new since the last summary
 * - `handler_invalid`: a summary is needed, and no handler can write one
 * - `summary_empty`, `summary_refused`: the model returned an empty response, or refused
 * - `context_window_too_small`: not even a part of the conversation fits the condensing model
 * - `cost_limit`: the summary would probably exceed `maxCost` or `maxCostPerCondensation`, so it was not requested
 * - `price_unknown`: there is a limit in dollars, but the model's price is not known, so nothing was sent
 * - `context_grew`: condensing would not shrink the conversation
 * - `provider_failed`: a custom provider threw, rejected, reported an error, or returned something other than a result
 * - `broken_result`: a provider would have broken the conversation, for example by dropping a tool call without its result; `problem` says which rule and where
 * - `invalid_plan`: a provider named messages or blocks that do not exist
 * - `condense_loop`: `condenseIfNeeded` was due several times in a row without gain (see `GuardOptions`)
 * - `unsupported_messages`: the messages differ from their JSON: they have a `toJSON` method, or changed while they were condensed
 * - `internal_error`: a bug in this library
 * - those of {@link LlmErrorCode}
 */
export type CondensationErrorCode =
  | "aborted"
  | "not_enough_messages"
  | "condensed_recently"
  | "handler_invalid"
  | "summary_empty"
  | "summary_refused"
  | "context_window_too_small"
  | "cost_limit"
  | "price_unknown"
  | "context_grew"
  | "provider_failed"
  | "broken_result"
  | "invalid_plan"
  | "condense_loop"
  | "unsupported_messages"
  | "internal_error"
  | LlmErrorCode;

/** Every error code. New codes may be added. */
export type ErrorCode = ArgumentErrorCode | CondensationErrorCode | "binary_not_found";

/**
 * The class of every error that this package throws, or rejects with, for `instanceof`. Each is also a `TypeError`, a `RangeError` or a plain `Error`, as
 * {@link ArgumentErrorCode} says. `message` names the field, its value and what is allowed, but never a key. It cannot be constructed or extended.
 *
 * @example
 * ```ts
 * import { CondensationManager, RooCondenseError } from "roo-condense";
 *
 * try {
 *   await new CondensationManager({ provider: "lossless" }).condense({ messages }, { targetTokens: -1 });
 * } catch (error) {
 *   if (!(error instanceof RooCondenseError)) throw error;
 *   console.error(error.code, error.field, error.message); // out_of_range options.targetTokens …
 * }
 * ```
 */
export class RooCondenseError extends Error {
  private constructor();
  readonly code: ErrorCode;
  /** The argument or option that the error is about, as a path such as `options.targetTokens`; the first, where the message lists several. */
  readonly field?: string;
  /** Of `binary_not_found`: the places that were tried, in order, and why each failed. */
  readonly tried?: readonly { place: string; reason: string; error: unknown }[];
}

/**
 * Whether a caught value is a {@link RooCondenseError}, also one of another copy of this package.
 *
 * @example
 * ```ts
 * import { countTokens, isRooCondenseError } from "roo-condense";
 *
 * try {
 *   countTokens(messages, { scale: 0 });
 * } catch (error) {
 *   if (isRooCondenseError(error) && error.code === "invalid_scale") console.error(error.field, error.message);
 *   else throw error;
 * }
 * ```
 */
export function isRooCondenseError(error: unknown): error is RooCondenseError;

/** A failure that a result reports. */
export interface CondensationError {
  /** Stable between versions; new codes may be added. An {@link ArgumentErrorCode} only where the error was found after the call had begun. */
  code: CondensationErrorCode | ArgumentErrorCode;
  /** For people. */
  message: string;
  /** The same as a code and values, to be told in another language; absent where JavaScript found it. */
  said?: Said;
  /** The option that it is about, as a path, where it is about one. */
  field?: string;
  /** What the custom provider or handler threw or rejected with: the same object. */
  cause?: unknown;
  /** Of `broken_result`: the rule that the provider's result would break (`code`), and the message, block and call there; indices are those of its result. */
  problem?: Problem;
}
