// Errors that are thrown, failures that are returned, and their codes.

import type { Problem } from "./messages.js";
import type { Said } from "./words.js";

/**
 * `code` of the errors that wrong arguments and wrong configuration throw at once, as a `TypeError` or `RangeError`:
 *
 * - `invalid_argument` (TypeError): an argument of the wrong type, or an option of a call or of a handler that is unknown
 * - `invalid_config` (TypeError): a field of a configuration or of options that is unknown or has a value that is not allowed
 * - `out_of_range` (RangeError): a number outside its range, NaN or infinite
 * - `invalid_messages` (TypeError): the messages are not an array
 * - `unsupported_format` (TypeError): messages of a format that is not read, of two, or of another one than the option `format` says; `field` is the first that is
 * - `not_serializable` (TypeError): no JSON: a cycle, a BigInt, a getter or `toJSON` that throws, nesting deeper than the stack
 * - `unknown_provider` (TypeError): no provider is registered under the id
 * - `unknown_encoding` (TypeError), `invalid_scale` (RangeError), `invalid_calibration` (RangeError): settings of the token counter
 * - `invalid_restore_data` (TypeError): not what a condensation returned, damaged, or not of these messages as they are now; `field` is the place
 * - `needs_socket` (Error): `httpHandler()` where roo-condense runs as WebAssembly, which opens no connections
 * - `system_limit` (Error): the system refuses the process what work needs, such as a file descriptor, or memory for messages of this size
 * - `internal_error` (Error): a fault of this library
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
  | "needs_socket"
  | "system_limit"
  | "internal_error";

/**
 * `result.error.code` when no handler gave an answer. HTTP handlers have then retried what can pass with time.
 *
 * - `llm_timeout`: too slow: nothing came within `idleTimeoutMs`, or not everything within `timeoutMs`
 * - `llm_rate_limited` (HTTP 429), `llm_overloaded` (503, 529), `llm_server_error` (409, other 5xx): the service cannot now
 * - `llm_quota_exceeded` (402, or 429 for lack of credit), `llm_unauthorized` (401, 403): the account or its key
 * - `llm_connection_failed`: no connection, or it broke before an answer
 * - `llm_stream_cut`: the answer ended without its end; `llm_stream_error`: an error inside it, also an `error` chunk of an `ApiHandler`
 * - `llm_invalid_response`: not the protocol that `api` names, or no async generator
 * - `llm_bad_request` (400, 422, other 4xx), `llm_not_found` (404): the request, the model or the address
 * - `llm_context_too_long`: the request does not fit the model, also after it was cut into parts
 * - `llm_response_too_large`: the answer has more than `maxResponseBytes`
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
 * `result.error.code`: what went wrong while condensing. The messages are then the caller's own array, unchanged, and `cost` is what was
 * spent until then.
 *
 * - `aborted`: by `options.signal`
 * - `not_enough_messages`: nothing lies between the first message and those that are kept
 * - `condensed_recently`: hardly anything is new since the last summary
 * - `handler_invalid`: a summary is wanted, and there is no handler that can answer
 * - `summary_empty`, `summary_refused`: the model answered with nothing, or would not
 * - `context_window_too_small`: not even a part of the conversation fits the condensing model
 * - `cost_limit`: the summary would probably exceed `maxCost` or `maxCostPerCondensation`; it was not asked for
 * - `price_unknown`: there is a limit of dollars, and nobody knows what the model costs; nothing was sent
 * - `context_grew`: what a provider added made the whole no smaller
 * - `provider_failed`: a provider of the host threw, rejected, returned something else than a result, or reported an error
 * - `broken_result`: a provider would have broken the conversation, for example by dropping one half of a tool pair; `problem` says which rule and where
 * - `invalid_plan`: a provider named messages or blocks that are not there
 * - `condense_loop`: `condenseIfNeeded` keeps being due without gain (see `GuardOptions`)
 * - `unsupported_messages`: the messages are not what their JSON says: a `toJSON` method, or changed while they were condensed
 * - `internal_error`: a fault of this library
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

/** Every code there is. */
export type ErrorCode = ArgumentErrorCode | CondensationErrorCode | "binary_not_found";

/**
 * An error that is thrown; its `message` names the field, the value and what is allowed, but never a key. `code` is {@link ArgumentErrorCode}, or
 * `binary_not_found` when the package is loaded without its addon.
 */
export interface CodedError extends Error {
  readonly code: ErrorCode;
  /** The argument it is about, where the error is about one. */
  readonly field?: string;
  /** What was tried, of `binary_not_found`: the places in their order, and why each did not do. */
  readonly tried?: readonly { place: string; reason: string; error: unknown }[];
}

/** A failure that is returned. */
export interface CondensationError {
  /** Never changes between versions. New codes may be added. An {@link ArgumentErrorCode} only where it came to light after the call had begun. */
  code: CondensationErrorCode | ArgumentErrorCode;
  /** For a person. */
  message: string;
  /** The same as a code and values, to be told in another language; absent where JavaScript found it. */
  said?: Said;
  /** What the host's own provider or handler threw or rejected with, the same object. */
  cause?: unknown;
  /** Of `broken_result`: the rule that the provider's result would break (`code`), and the message, block and call there; indices are those of its result. */
  problem?: Problem;
}
