// Codes of errors, warnings and problems of messages, from docs/errors.md. Written by `npm run generate`.

/**
 * `code` of errors about wrong arguments and wrong configuration. Functions that return a promise reject with them; all others throw. `out_of_range`,
 * `invalid_scale` and `invalid_calibration` are a `RangeError`; `store_failed`, `needs_socket`, `system_limit` and `internal_error` a plain `Error`; the
 * others are a `TypeError`.
 *
 * - `invalid_messages`: `messages` is not an array, or an element of it is no object
 * - `unsupported_format`: messages of a format that is not read (AI SDK 4, Amp, Pi, OpenHands, Zed, Cohere, VS Code, Claude Code transcripts, events of a run,
 *   chat exports), of two formats, of another one than the option `format` says, or of a form that the format found in the others does not explain; `field` is
 *   the first that is, the message says what was seen in it
 * - `not_serializable`: messages or options cannot become JSON: a cycle, a BigInt, a getter or `toJSON` that throws, a revoked proxy, options nested more than
 *   127 levels deep; `field` is the place
 * - `invalid_argument`: an argument has the wrong type, an option or a field of the context is unknown, or stands in the other argument
 * - `invalid_config`: a configuration field has the wrong type, or is unknown
 * - `out_of_range`: a number is outside its range, or is NaN or infinite; or an option of `httpHandler` is a text that is not allowed, such as a wrong
 *   `baseUrl`
 * - `unknown_provider`: no provider with this id is registered
 * - `unknown_encoding`: the encoding is unknown
 * - `invalid_scale`: the scale is invalid
 * - `invalid_calibration`: the numbers given to `calibrate()` cannot be right
 * - `invalid_restore_data`: `restoreData` is damaged, or the messages differ from the condensation's result; `field` is the place
 * - `store_failed`: the store given to `createRecall()` or `condenseResult()` failed to read, does not return what it was given, or has not confirmed a result
 *   within 10 seconds; `cause` is what it threw
 * - `needs_socket`: `httpHandler()` in the WebAssembly build, which cannot open connections
 * - `system_limit`: the operating system denied a resource, such as a file descriptor, or memory for messages of this size (26 bytes for each UTF-16 unit of
 *   their JSON, and 170 MB)
 * - `internal_error`: a bug in this library
 */
export type ArgumentErrorCode =
  | "invalid_messages"
  | "unsupported_format"
  | "not_serializable"
  | "invalid_argument"
  | "invalid_config"
  | "out_of_range"
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
 * - `llm_timeout`: the model was too slow
 * - `llm_rate_limited`: HTTP 429, also after retries
 * - `llm_quota_exceeded`: HTTP 402, or 429 for lack of credit
 * - `llm_unauthorized`: HTTP 401 or 403
 * - `llm_overloaded`: HTTP 503 or 529, also after retries
 * - `llm_server_error`: HTTP 409 or another 5xx, also after retries
 * - `llm_connection_failed`: no connection, or it broke before a response
 * - `llm_stream_cut`: the response was cut off
 * - `llm_stream_error`: the response contained an error, or the handler sent an `error` chunk
 * - `llm_invalid_response`: the response does not match `api`, or `createMessage()` is not an async generator
 * - `llm_bad_request`: HTTP 400, 422 or another 4xx
 * - `llm_not_found`: HTTP 404
 * - `llm_context_too_long`: the request does not fit the model, also in parts
 * - `llm_response_too_large`: the response is larger than `maxResponseBytes`
 * - `llm_redirected`: the service redirects to another origin, which never receives the key
 * - `llm_callback_failed`: your handler threw or rejected; `cause` is the thrown value
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
 * `result.error.code`: why a condensation failed. The messages are then the caller's own array, unchanged, and `cost` is what was spent until then. Beside
 * these, those of {@link LlmErrorCode}.
 *
 * - `aborted`: `options.signal` was aborted
 * - `not_enough_messages`: there are no messages between the first and the kept newest ones, or only the summary that the call itself has made
 * - `condensed_recently`: there is hardly anything new since the last summary
 * - `handler_invalid`: a summary is needed, and no working handler is set
 * - `summary_empty`: the model's response was empty
 * - `summary_refused`: the model, or a filter before it, refused
 * - `context_window_too_small`: not even a part of the conversation fits the condensing model
 * - `price_unknown`: a dollar limit is set, and the model's price is missing a part or has an invalid one; nothing was sent
 * - `cost_limit`: the summary would probably exceed `maxCost` or `maxCostPerCondensation`; nothing was sent
 * - `context_grew`: the result would not have been smaller
 * - `condense_loop`: automatic condensing saved too little too often
 * - `provider_failed`: a custom provider threw, or returned an invalid result; `cause` is the thrown value
 * - `broken_result`: a provider would have broken the conversation's shape; `error.problem` has the rule (`code`), `messageIndex` and `blockIndex` in its
 *   result, and the call's id (`toolId`)
 * - `invalid_plan`: a provider returned a plan that does not fit the conversation
 * - `unsupported_messages`: the messages differ from their JSON (`toJSON`), or changed during the call
 * - `internal_error`: a bug in this library
 */
export type CondensationErrorCode =
  | "aborted"
  | "not_enough_messages"
  | "condensed_recently"
  | "handler_invalid"
  | "summary_empty"
  | "summary_refused"
  | "context_window_too_small"
  | "price_unknown"
  | "cost_limit"
  | "context_grew"
  | "condense_loop"
  | "provider_failed"
  | "broken_result"
  | "invalid_plan"
  | "unsupported_messages"
  | "internal_error"
  | LlmErrorCode;

/**
 * `code` of a `Warning`.
 *
 * - `unknown_provider`: `fallback` or a strategy names a provider that is not registered
 * - `handler_invalid`: a handler has no `createMessage()` and was ignored
 * - `price_unknown`: a dollar limit is set, and a strategy skipped a model because its price is unknown
 * - `cost_limit`: `maxCost` is spent
 * - `provider_failed`: a provider failed, and another one finished; `message` names the failed one and its error's code
 * - `target_not_met`: the content that must stay is larger than the target
 * - `invalid_threshold`: a profile's threshold is invalid; the global one was used
 * - `handler_missing`: a profile has no handler; another one wrote its summaries
 * - `no_handler`: a pass needs a model, and no handler is set; the pass ran without
 * - `pass_failed`: a pass failed and was skipped
 * - `summary_failed`: summarising a text failed, and the text is unchanged; or an incomplete summary could not be requested again
 * - `summary_incomplete`: a summary lacks items it must keep; in a preview: the summary may be requested a second time for that reason (`summaryCheck`)
 * - `preparation_stale`: the result of `prepare()` was discarded: the conversation no longer begins with the prepared messages, or the edits no longer apply
 * - `override_unused`: a pass of smart has an override for a message that it does not select, or that does not exist
 * - `dear_summaries`: your own passes, or the preset `selective`, request summaries that cost over 1.25 times as much as one summary of the whole
 *   conversation; other presets never do
 * - `reduction_too_small`: the saving would be less than `minReductionTokens`, so nothing was changed
 * - `summary_truncated`: a summary ends mid-sentence, at its length limit
 * - `window_too_large`: the model's window is smaller than configured; a smaller request was sent
 * - `high_cost`: the condensation cost more than `costAlert` ($0.10)
 * - `low_reduction`: a summary was paid for, and less than 20% of the tokens were removed
 * - `pairs_completed`: a custom provider dropped messages that others need (calls, their results, messages that keep the roles in order); they were kept
 * - `protect_unmatched`: rules of `protect` match nothing in this conversation; the message names them, `field` is their kind
 * - `thinking_after_change`: signed thinking follows a change; models with preserved thinking refuse the request, or drop the thinking
 * - `writes_kept`: lossless left writes of files that were written anew later: a command that ran since (`npm test`, a script) may have copied, moved or
 *   brought back what they wrote. Lines that other messages show too became pointers
 * - `cache_failed`: the summary store failed, or returned something it was not given for this key; it was not used
 * - `count_tokens_failed`: the handler's `countTokens` failed; totals were counted locally
 * - `progress_listener_failed`: `onProgress` threw
 * - `look_up_failed`: a user's preferences could not be looked up, or are invalid; the default was used
 * - `provider_warning`: a custom provider returned this text as a warning
 */
export type WarningCode =
  | "unknown_provider"
  | "handler_invalid"
  | "price_unknown"
  | "cost_limit"
  | "provider_failed"
  | "target_not_met"
  | "invalid_threshold"
  | "handler_missing"
  | "no_handler"
  | "pass_failed"
  | "summary_failed"
  | "summary_incomplete"
  | "preparation_stale"
  | "override_unused"
  | "dear_summaries"
  | "reduction_too_small"
  | "summary_truncated"
  | "window_too_large"
  | "high_cost"
  | "low_reduction"
  | "pairs_completed"
  | "protect_unmatched"
  | "thinking_after_change"
  | "writes_kept"
  | "cache_failed"
  | "count_tokens_failed"
  | "progress_listener_failed"
  | "look_up_failed"
  | "provider_warning";

/**
 * `code` of a `Problem` in messages.
 *
 * - `unsupported_format`: messages in a format that is not read, or in several; condensing and counting refuse them
 * - `not_a_message`: not an object with a role
 * - `unknown_role`: neither user nor assistant, nor system behind the first message
 * - `first_not_user`: the first message is not one of the user
 * - `same_role_twice`: two messages of one role follow each other
 * - `misplaced_system`: a message of the system that is not between one of the user and one of the assistant
 * - `empty_content`: a message without content, or with white space alone
 * - `empty_text`: a text block without text, or with white space alone
 * - `misplaced_tool_use`: a call in a message that is not of the assistant
 * - `misplaced_tool_result`: a result in a message that is not of the user
 * - `invalid_tool_input`: `input` of a call is no object
 * - `unnamed_tool_use`: a call without id or name
 * - `unanswered_tool_use`: a call without a result in the next message
 * - `orphan_tool_result`: a result without its call in the message before
 * - `repeated_tool_result`: a second result of the same call
 * - `unreadable_block`: a block lacks a field of its type
 * - `empty_tool_calls`: `tool_calls` is there and empty (OpenAI chat)
 * - `unnamed_tool_result`: a tool message without the id of its call (LangChain)
 * - `reasoning_without_item`: a reasoning item without the item that followed it (OpenAI Responses)
 * - `invalid_id`: an id without the prefix of its kind (OpenAI Responses)
 * - `unknown_field`: with `service`: a field of a message or part that the service does not know
 * - `unknown_block`: with `service`: a type of item or part that the service does not know
 * - `too_many_cache_marks`: with `service`: more marks of the prompt cache than the service takes
 */
export type ProblemCode =
  | "unsupported_format"
  | "not_a_message"
  | "unknown_role"
  | "first_not_user"
  | "same_role_twice"
  | "misplaced_system"
  | "empty_content"
  | "empty_text"
  | "misplaced_tool_use"
  | "misplaced_tool_result"
  | "invalid_tool_input"
  | "unnamed_tool_use"
  | "unanswered_tool_use"
  | "orphan_tool_result"
  | "repeated_tool_result"
  | "unreadable_block"
  | "empty_tool_calls"
  | "unnamed_tool_result"
  | "reasoning_without_item"
  | "invalid_id"
  | "unknown_field"
  | "unknown_block"
  | "too_many_cache_marks";
