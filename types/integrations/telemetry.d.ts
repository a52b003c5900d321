// `roo-condense/telemetry`: OpenTelemetry.

import type { CondensationManager } from "../manager.js";

/** What is used of a `Tracer` of `@opentelemetry/api`. No type of that package is named, so that it need not be installed. */
export interface TelemetryTracer {
  startSpan(name: string, options?: any, context?: any): any;
}

/** What is used of a `Meter` of `@opentelemetry/api`. */
export interface TelemetryMeter {
  createHistogram(name: string, options?: any): any;
  createCounter(name: string, options?: any): any;
}

/** Options of {@link instrument}. An unknown field is an error. */
export interface TelemetryOptions {
  /** Makes the spans. Default: that of the global tracer provider, which makes none until an SDK is registered. */
  tracer?: TelemetryTracer | undefined;
  /** Makes the metrics. Default: that of the global meter provider, as it is when `instrument` is called: start the SDK first. */
  meter?: TelemetryMeter | undefined;
  /**
   * Whether spans of requests have the prompt and the summary, and errors their message. Both quote the conversation. Default: false; spans then hold numbers, names,
   * ids and codes.
   */
  captureContent?: boolean | undefined;
}

/** The version of OpenTelemetry's semantic conventions that spans and metrics follow. */
export const CONVENTIONS: "1.41.0";

/**
 * Makes spans and metrics of the calls `condense`, `condenseIfNeeded` and `prepare` of a manager, and of their requests to models. Calls that were not due make none.
 * They are made when a call has ended, with the times at which it happened. What goes wrong in them never fails a call. Needs `@opentelemetry/api`.
 * @returns the manager itself
 * @throws {TypeError} `invalid_argument`: an option of the wrong type, or a manager that is instrumented already
 * @example
 * ```ts
 * import { CondensationManager } from "roo-condense";
 * import { instrument } from "roo-condense/telemetry";
 *
 * const manager = instrument(new CondensationManager({ provider: "smart" }));
 * await manager.condense({ messages, taskId: "task-1" });
 * ```
 */
export function instrument(manager: CondensationManager, options?: TelemetryOptions): CondensationManager;
