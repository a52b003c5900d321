// `roo-condense/langchain`: LangChain.

import type { CondensingOptions } from "./options.js";

export type { CondensingOptions };

// No type of LangChain is named: TypeScript takes those that are imported and those that are required for different ones.

/** A middleware as `createAgent` takes it. */
export interface CondensingMiddleware {
  readonly name: "CondensingMiddleware";
  wrapModelCall(request: any, handler: (request: any) => any): Promise<any>;
}

/** An edit as `contextEditingMiddleware` takes it: LangChain's `ContextEdit`. */
export interface CondensingEdit {
  /** Puts the condensed messages in the place of those in the array. */
  apply(context: { messages: any[]; model?: any }): Promise<void>;
}

/**
 * A middleware for `createAgent` that condenses the messages of a model call when that is due. Later calls of the same conversation are made with that condensation
 * applied, so that they begin with the same bytes. The messages in the agent's state stay as they are.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { createAgent } from "langchain";
 * import { condensingMiddleware } from "roo-condense/langchain";
 *
 * const agent = createAgent({ model: "anthropic:claude-sonnet-5-5", middleware: [condensingMiddleware({ contextWindow: 200_000 })] });
 * const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Fix the parser." }] });
 * ```
 */
export function condensingMiddleware(options: CondensingOptions): CondensingMiddleware;

/**
 * An edit for `contextEditingMiddleware`, to be combined with LangChain's own edits. LangChain gives edits the messages in the agent's state, so what is condensed is
 * removed there, too: take {@link condensingMiddleware} where the state has to stay whole. An edit is not told of the system prompt and tools, and does not count them.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { contextEditingMiddleware, createAgent } from "langchain";
 * import { condensingEdit } from "roo-condense/langchain";
 *
 * const middleware = [contextEditingMiddleware({ edits: [condensingEdit({ contextWindow: 200_000 })] })];
 * const agent = createAgent({ model: "anthropic:claude-sonnet-5-5", middleware });
 * ```
 */
export function condensingEdit(options: CondensingOptions): CondensingEdit;
