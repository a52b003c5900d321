// `roo-condense/ai-sdk`: the AI SDK.

import type { LanguageModel, LanguageModelMiddleware, ModelMessage, Tool } from "ai";
import type { CondensingOptions, CondensingStepOptions, RecallingOptions } from "./options.js";

export type { CondensingOptions, CondensingStepOptions, RecallingOptions };

/**
 * A middleware for `wrapLanguageModel` that condenses the prompt when that is due. Later calls of the same conversation, steps of an agent too, are made with that
 * condensation applied, so that they begin with the same bytes. One middleware serves many conversations and models of one context window.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { type LanguageModel, generateText, wrapLanguageModel } from "ai";
 * import { condensingMiddleware } from "roo-condense/ai-sdk";
 *
 * declare const model: Parameters<typeof wrapLanguageModel>[0]["model"];
 * const condensed: LanguageModel = wrapLanguageModel({ model, middleware: condensingMiddleware({ contextWindow: 200_000 }) });
 * const { text } = await generateText({ model: condensed, messages: [{ role: "user", content: "Fix the parser." }] });
 * ```
 */
export function condensingMiddleware(options: RecallingOptions): LanguageModelMiddleware & { readonly recall: RecallTool };
/** The same without recall. */
export function condensingMiddleware(options: CondensingOptions): LanguageModelMiddleware;

/**
 * A function for the option `prepareStep` of `generateText`, `streamText` and agents that condenses the messages of a step when that is due, as
 * {@link condensingMiddleware} does. The middleware also counts the system prompt and tools, and is told the longest response; this works where the model cannot be wrapped.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { type LanguageModel, generateText, stepCountIs } from "ai";
 * import { condensingPrepareStep } from "roo-condense/ai-sdk";
 *
 * declare const model: LanguageModel;
 * const prepareStep = condensingPrepareStep({ contextWindow: 200_000, maxOutputTokens: 8192 });
 * const { text } = await generateText({ model, prepareStep, stopWhen: stepCountIs(50), prompt: "Fix the parser." });
 * ```
 */
export function condensingPrepareStep(options: CondensingStepOptions & RecallingOptions): PrepareStep & { readonly recall: RecallTool };
/** The same without recall. */
export function condensingPrepareStep(options: CondensingStepOptions): PrepareStep;

/** A function for the option `prepareStep`. */
export type PrepareStep = (step: { messages: ModelMessage[]; model?: LanguageModel | undefined }) => Promise<{ messages: ModelMessage[] }>;

/** The tool that brings back what was left out, for the option `tools`, under the name `recall`. */
export type RecallTool = Tool<{ query?: string; key?: string; lines?: string }, string>;
