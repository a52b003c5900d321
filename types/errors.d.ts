// Errors that are thrown, failures that results report, and their codes.

import type { ArgumentErrorCode, CondensationErrorCode } from "./codes.js";
import type { Problem, Said } from "./data.js";

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
  /** With `binary_not_found`: the places that were tried, in order, and why each failed. */
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
  /** The message as a code and values, for translation; absent if JavaScript found the error. */
  said?: Said;
  /** The option that the error is about, as a path, if it is about one. */
  field?: string;
  /** The value that the custom provider or handler threw or rejected with: the same object. */
  cause?: unknown;
  /** With `broken_result`: the rule that the provider's result would break (`code`), and the message, block and call; indices refer to that result. */
  problem?: Problem;
}
