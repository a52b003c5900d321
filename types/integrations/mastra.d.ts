// `roo-condense/mastra`: Mastra.

import type { CondensingOptions, CondensingStepOptions, RecallingOptions } from "./options.js";

export type { CondensingOptions, CondensingStepOptions, RecallingOptions };

// No type of Mastra is named: TypeScript takes those that are imported and those that are required for different ones.

/** A processor as an agent's `inputProcessors` take it. */
export interface CondensingProcessor {
  readonly id: "roo-condense";
  /** Returns the prompt to send to the model in the place of the given one. */
  processLLMRequest(context: { prompt: any; model?: any; abortSignal?: AbortSignal | undefined }): Promise<{ prompt: any }>;
}

/**
 * A processor for the `inputProcessors` of an agent that condenses what is sent to the model when that is due. Later steps and requests of the same conversation are sent
 * with that condensation applied, so that they begin with the same bytes. The agent's memory keeps the whole messages. A processor is not told of the tools, and does not
 * count them, nor of the longest response: name it as `maxOutputTokens`.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { Agent } from "@mastra/core/agent";
 * import { condensingProcessor } from "roo-condense/mastra";
 *
 * const agent = new Agent({
 *   id: "coder",
 *   name: "Coder",
 *   instructions: "You are a coding agent.",
 *   model: "anthropic/claude-sonnet-5-5",
 *   inputProcessors: [condensingProcessor({ contextWindow: 200_000 })],
 * });
 * const { text } = await agent.generate("Fix the parser.", { maxSteps: 50 });
 * ```
 */
export function condensingProcessor(options: CondensingStepOptions & RecallingOptions): CondensingProcessor & { readonly recall: any };
/** The same without recall. */
export function condensingProcessor(options: CondensingStepOptions): CondensingProcessor;
