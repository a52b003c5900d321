// Types of roo-condense, a file for each topic in `types`; `npm run generate` writes `options.d.ts`, `data.d.ts` and `codes.d.ts`; `__test__/types` is compiled against them.
//
// Units everywhere: tokens are tokens of the configured encoding times `scale`, rounded up; costs are US dollars; times are milliseconds;
// shares and thresholds are percent. Optional fields may also be `undefined`, which is the same as leaving them out.

export * from "./types/messages.js";
export * from "./types/codes.js";
export * from "./types/errors.js";
export * from "./types/data.js";
export * from "./types/tokens.js";
export * from "./types/handlers.js";
export * from "./types/calibrate.js";
export * from "./types/calls.js";
export * from "./types/tools.js";
export * from "./types/protect.js";
export * from "./types/results.js";
export * from "./types/options.js";
export * from "./types/providers.js";
export * from "./types/factories.js";
export * from "./types/smart.js";
export * from "./types/strategies.js";
export * from "./types/recall.js";
export * from "./types/result.js";
export * from "./types/recommend.js";
export * from "./types/manager.js";
export * from "./types/inspect.js";
export * from "./types/studio.js";

/**
 * The version of the addon, as in `package.json`.
 *
 * @example
 * ```ts
 * import { version } from "roo-condense";
 *
 * console.log(`roo-condense ${version()}`);
 * ```
 */
export function version(): string;
