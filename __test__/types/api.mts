// The types as a host uses them. Compiled, never run.
import type Anthropic from "@anthropic-ai/sdk";
import {
  CondensationManager,
  RooCondenseError,
  callbackHandler,
  countTokens,
  createLosslessProvider,
  createNativeProvider,
  createSmartProvider,
  createTruncationProvider,
  httpHandler,
  isRooCondenseError,
  presets,
  restore,
  validateMessages,
  warmUp,
  type ApiHandler,
  type ArgumentErrorCode,
  type Block,
  type BuiltInProvider,
  type BuiltInProviderId,
  type Change,
  type ChangeOperation,
  type CondensationErrorCode,
  type CondensationProvider,
  type CondensationResult,
  type ConversationContext,
  type EffectiveConfig,
  type LlmHandler,
  type LosslessConfig,
  type ManagerOptions,
  type Message,
  type MetricAlert,
  type Metrics,
  type ModelPrice,
  type NativeConfig,
  type PassReport,
  type PresetName,
  type Preview,
  type Problem,
  type ProviderId,
  type ProviderInfo,
  type RestoreData,
  type SmartConfig,
  type SummaryStore,
  type TokenEstimate,
  type TriggerDecision,
  type TruncationConfig,
  type UnlistedType,
} from "roo-condense";

/** True when the two are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <_T extends true>(): void => {};

// A host's own message type goes in and comes out, as Roo-Code's does: Anthropic's union of blocks, and fields of its own.
interface HostText {
  type: "text";
  text: string;
  cache_control?: { type: "ephemeral" } | null;
}
interface HostToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}
interface HostToolResult {
  type: "tool_result";
  tool_use_id: string;
  content?: string | HostText[];
  is_error?: boolean;
}
interface HostParam {
  content: string | Array<HostText | HostToolUse | HostToolResult>;
  role: "user" | "assistant";
}
type ApiMessage = HostParam & { ts?: number; isSummary?: boolean; condenseId?: string };

declare const history: ApiMessage[];
const manager = new CondensationManager({ autoCondenseContextPercent: 75, fallback: ["truncation"], guard: { attempts: 5 } });

const result = await manager.condense({ messages: history, systemPrompt: "You are.", taskId: "t" }, { targetTokens: 40_000 });
check<Same<typeof result, CondensationResult<ApiMessage>>>();
const first: ApiMessage | undefined = result.messages[0];
const stamp: number | undefined = first?.ts;
const back = restore(result);
check<Same<typeof back, ApiMessage[]>>();
const again: ApiMessage[] = restore({ messages: result.messages, restoreData: result.restoreData });
const data: RestoreData = JSON.parse(JSON.stringify(result.restoreData));

// Read-only input is enough.
declare const frozen: readonly Readonly<ApiMessage>[];
await manager.condense({ messages: frozen });
declare const context: ConversationContext<ApiMessage>;
await manager.condense(context);

const needed = await manager.condenseIfNeeded({
  messages: history,
  totalTokens: 90_000,
  contextWindow: 200_000,
  maxTokens: null,
  profileId: "fast",
});
check<Same<typeof needed, CondensationResult<ApiMessage>>>();
const trigger: TriggerDecision | undefined = needed.trigger;
// @ts-expect-error it has to know the tokens in the context
await manager.condenseIfNeeded({ messages: history, contextWindow: 200_000 });

// Messages without a type of their own.
const plain: Message[] = [{ role: "user", content: [{ type: "text", text: "hi" }], ts: 1 }];
const plainResult: CondensationResult = await manager.condense({ messages: plain });
await manager.condense({ messages: [{ role: "user", content: "hi" }] });

// A block is what its type says; one of an unknown type is carried.
const textOf = (block: Block): string => {
  if (block.type === "text") return block.text.trim();
  if (block.type === "tool_result") return typeof block.content === "string" ? block.content : (block.content ?? []).map(textOf).join();
  if (block.type === "tool_use") return block.name + JSON.stringify(block.input);
  switch (block.type) {
    case "thinking":
      return block.thinking;
    case "image":
      return block.source.media_type ?? "";
    case "redacted_thinking":
      return block.data;
    default:
      check<Same<typeof block.source, unknown>>();
      return block.type === ("of_the_host" as UnlistedType) ? "" : block.type.toUpperCase();
  }
};
const unknownBlocks: Block[] = [
  { type: "document", source: { type: "url" }, title: "t" },
  { type: "of_the_host" as UnlistedType, anything: 1 },
];
// @ts-expect-error a text block has a text
const textless: Block = { type: "text" };
// @ts-expect-error not what `type` says
const misread = (block: Block): string => (block.type === "tool_use" ? block.text : "");
await manager.condense({ messages: [{ role: "user", content: unknownBlocks }] satisfies Message[] });

// The SDK's own messages go in and come out.
declare const ofTheSdk: Anthropic.MessageParam[];
const sdkResult = await manager.condense({ messages: ofTheSdk });
check<Same<typeof sdkResult.messages, Anthropic.MessageParam[]>>();
countTokens(ofTheSdk);

// @ts-expect-error messages are missing
await manager.condense({});
// @ts-expect-error nothing of a message
await manager.condense({ messages: [{ words: "hi" }] });
// @ts-expect-error a target is a number of tokens
await manager.condense({ messages: history }, { targetTokens: "50%" });
// @ts-expect-error no such option
await manager.condense({ messages: history }, { target: 1 });

// Options may be undefined.
declare const signal: AbortSignal | undefined;
await manager.condense(
  { messages: history },
  { signal, provider: undefined, onProgress: (event) => console.log(event.phase, event.done / event.total) },
);

// Failures are narrowed by their code.
if (result.error) {
  const code: CondensationErrorCode | ArgumentErrorCode = result.error.code;
  if (result.error.code === "aborted") console.log(result.error.message, result.error.cause);
  // @ts-expect-error no such code
  if (result.error.code === "abortd") console.log(code);
}
try {
  // @ts-expect-error no such encoding
  new CondensationManager({ encoding: "gpt2" });
} catch (error) {
  if (isRooCondenseError(error)) {
    check<Same<typeof error, RooCondenseError>>();
    const field: string | undefined = error.field;
    if (error.code === "invalid_config" && field) throw error;
    // @ts-expect-error no such code
    if (error.code === "invalid_confg") throw error;
  }
  if (error instanceof RooCondenseError) throw new Error(error.code, { cause: error });
}
// @ts-expect-error it is only thrown by the package
new RooCondenseError();

// Ids are completed, and those of custom providers are possible.
check<Same<Exclude<ManagerOptions["provider"], undefined>, ProviderId>>();
check<Same<ProviderId, BuiltInProviderId | (string & {})>>();
check<Same<Parameters<CondensationManager["setActiveProvider"]>[0], ProviderId>>();
const ofThePackage: BuiltInProviderId = "cost_aware";
// @ts-expect-error not built in
export const misspelt: BuiltInProviderId = "cost-aware";
const custom: CondensationProvider<ApiMessage> = { id: "mine", condense: ({ messages }) => ({ messages }) };
new CondensationManager({ provider: "mine", providers: [custom, createLosslessProvider()], fallback: [ofThePackage, "mine"] });
// @ts-expect-error a provider condenses
new CondensationManager({ providers: [{ id: "mine" }] });
// @ts-expect-error no such option
const wrongOptions: ManagerOptions = { provder: "lossless" };
const options: ManagerOptions = {
  provider: "truncation",
  fallback: false,
  guard: false,
  scale: "claude-4.7",
  maxCost: 0.5,
  profileThresholds: { fast: 50 },
};

// Handlers over HTTP.
const price: ModelPrice = {
  inputPrice: 3,
  outputPrice: 15,
  cacheWritesPrice: 3.75,
  cacheReadsPrice: 0.3,
  longContextPricing: { thresholdTokens: 200_000, inputPriceMultiplier: 2 },
  tiers: [
    { contextWindow: 200_000, inputPrice: 3 },
    { name: "flex", contextWindow: Infinity, outputPrice: 7 },
  ],
};
const claude: LlmHandler = httpHandler({
  api: "anthropic",
  model: "claude-sonnet-4-5",
  apiKey: process.env.ANTHROPIC_API_KEY,
  price,
  contextWindow: 200_000,
});
httpHandler({
  api: "openai",
  model: "qwen3",
  baseUrl: "http://localhost:11434/v1",
  headers: { "x-team": "tools" },
  maxTokens: 2000,
  temperature: 0.2,
  timeoutMs: 60_000,
  idleTimeoutMs: 30_000,
  retries: 0,
  retryDelayMs: 100,
  maxResponseBytes: 1_000_000,
});
const kind: "anthropic" | "openai" | "callback" = claude.api;
const modelName: string = claude.model;
// @ts-expect-error no such API
httpHandler({ api: "gemini", model: "m" });
// @ts-expect-error a model is needed
httpHandler({ api: "openai" });
// @ts-expect-error no such option
httpHandler({ api: "openai", model: "m", timeout: 5 });

// A handler of the host, as Roo-Code's: an abstract stream of many chunks, and a message type of its own.
type HostChunk =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "usage"; inputTokens: number; outputTokens: number; cacheWriteTokens?: number; cacheReadTokens?: number; totalCost?: number }
  | { type: "error"; error: string; message: string };
interface HostModelInfo {
  maxTokens?: number | null;
  contextWindow: number;
  supportsPromptCache: boolean;
  inputPrice?: number;
  outputPrice?: number;
  tiers?: { name?: "default" | "flex" | "priority"; contextWindow: number; inputPrice?: number }[];
}
interface HostHandler {
  createMessage(systemPrompt: string, messages: HostParam[], metadata?: { taskId: string }): AsyncGenerator<HostChunk>;
  getModel(): { id: string; info: HostModelInfo };
  countTokens(content: Array<HostText | HostToolUse | HostToolResult>): Promise<number>;
}
declare const hostHandler: HostHandler;
const structural: ApiHandler = hostHandler;
const wrapped: LlmHandler = callbackHandler(hostHandler, { timeoutMs: 60_000, idleTimeoutMs: 20_000, contextWindow: 128_000, price });
callbackHandler({
  async *createMessage(systemPrompt, messages) {
    yield { type: "text", text: systemPrompt + messages.map(({ role, content }) => role + content).join() };
    yield { type: "usage", inputTokens: 1, outputTokens: 2, totalCost: 0.1 };
  },
});
// @ts-expect-error createMessage is missing
callbackHandler({ getModel: () => ({ id: "m" }) });
// @ts-expect-error no such option
callbackHandler(hostHandler, { retries: 3 });

const store: SummaryStore = new Map<string, string>();
const asking = new CondensationManager({
  handler: hostHandler,
  condensingHandler: claude,
  cache: store,
  maxCost: 1,
  profiles: {
    main: { condensingApiConfigId: "cheap", handler: wrapped },
    cheap: { handler: hostHandler, price, customCondensingPrompt: "Be brief." },
  },
});
new CondensationManager({ cache: false });
// @ts-expect-error a store has set too
new CondensationManager({ cache: { get: () => null } });
await asking.condense({ messages: history }, { handler: structural, condensingHandler: null, customCondensingPrompt: "Be brief." });
// @ts-expect-error a handler is no text
await asking.condense({ messages: history }, { handler: "claude" });
if (result.error?.code === "llm_timeout" || result.error?.code === "handler_invalid") console.log(result.error.message);

const changes: Change[] = result.changes;
const operation: ChangeOperation | (string & {}) | undefined = changes[0]?.operation;
for (const { messageIndex, blockIndex, grade } of changes) {
  const at: [number, number | null, "inline" | "superseded" | undefined] = [messageIndex, blockIndex, grade];
  console.log(at);
}

// Providers of this package.
const wholeLossless: LosslessConfig = {
  strict: true,
  staleReads: "file",
  minTokensSaved: 10,
  preserveRecentCount: 0,
  repeatedLines: false,
  toolParameters: false,
};
// @ts-expect-error no such choice
const wrongLossless: LosslessConfig = { staleReads: true };
const wholeTruncation: TruncationConfig = { strategy: "salient", preserveRecentCount: 3 };
const native: BuiltInProvider<NativeConfig> = createNativeProvider({
  maxMessagesToKeep: 5,
  contextWindow: 64_000,
  maxConcurrency: 2,
  customCondensingPrompt: "Be brief.",
});
const nativeCost: number | undefined = await native.estimateCost(
  { messages: history },
  { maxMessagesToKeep: 2 },
  { condensingHandler: claude },
);
// @ts-expect-error no such field
createNativeProvider({ keep: 3 });
const lossless = createLosslessProvider({ keep: "first" });
const truncation = createTruncationProvider({ mode: "window", preserveRecentCount: 3 });
manager.registerProvider(lossless);
manager.registerProvider(truncation);
const single = await truncation.condense({ messages: history }, { config: { maxToolResultLines: 3 } });
check<Same<typeof single, CondensationResult<ApiMessage>>>();
const estimate: TokenEstimate = await lossless.estimateReduction({ messages: history }, { consolidateToolResults: false });
const dollars: number | undefined = await lossless.estimateCost({ messages: history });
const valid: boolean = lossless.validateConfig({ keep: 1 }).valid;
// @ts-expect-error no such mode
createTruncationProvider({ mode: "windw" });
// @ts-expect-error a provider on its own takes no provider
await lossless.condense({ messages: history }, { provider: "truncation" });

// The smart provider: a preset, a preset with parts replaced, passes of one's own.
const smart = createSmartProvider("aggressive");
createSmartProvider({
  preset: "conservative",
  maxConcurrency: 2,
  minReductionTokens: 500,
  losslessPrelude: { operations: { strict: true } },
});
const own: SmartConfig<ApiMessage> = {
  losslessPrelude: { enabled: false },
  passes: [
    {
      id: "results",
      selection: { type: "custom", customSelector: (messages) => messages.filter(({ ts }) => (ts ?? 0) < 100) },
      mode: "individual",
      individualConfig: {
        defaults: {
          messageText: { operation: "keep" },
          toolParameters: { operation: "truncate", params: { truncate: { maxChars: 100, strategy: "head" } } },
          toolResults: { operation: "summarize", params: { summarize: { maxTokens: 100, minChars: 1000 } } },
        },
        messageTokenThresholds: { toolResults: 500 },
        overrides: [{ messageIndex: 4, operations: { toolResults: { operation: "suppress" } } }],
      },
      execution: { type: "conditional", condition: { tokenThreshold: 40_000 } },
    },
    {
      id: "rest",
      selection: { type: "preserve_percent", keepPercentage: 30 },
      mode: "batch",
      batchConfig: { operation: "summarize", summarizationConfig: { keepFirst: 1, keepLast: 5 } },
    },
  ],
};
await createSmartProvider(own).condense({ messages: history });
createSmartProvider({ ...presets.balanced, name: "Mine" });
// @ts-expect-error no such preset
createSmartProvider("fast");
// @ts-expect-error a pass has a selection
createSmartProvider({ passes: [{ id: "p", mode: "batch" }] });
const names: PresetName[] = ["conservative", "quality", "balanced", "aggressive", "multi_zone", "selective"];
const passes: PassReport[] | undefined = result.passes;

// Providers of the host.
const least: CondensationProvider<ApiMessage> = { id: "mine", condense: ({ messages }) => ({ messages: messages.slice(-3) }) };
manager.registerProvider(least);
manager.registerProvider<ApiMessage>({
  id: "typed",
  name: "Typed",
  getCapabilities: () => ({ supportsLossy: true, estimatedSpeed: "slow" }),
  async condense({ messages, tokenCount, isPreview }, { targetTokens, signal: given, config }) {
    const roles: string[] = messages.map((message: ApiMessage) => message.role);
    console.log(tokenCount + 1, isPreview === true, targetTokens, given?.aborted, config, roles);
    return { messages, cost: 0.01, summary: "", warnings: ["careful", { code: "mine", message: "very", messageIndex: 0 }] };
  },
});
class Wrapping implements CondensationProvider<ApiMessage> {
  readonly id = "wrapping";
  condense(...[given, callOptions]: Parameters<CondensationProvider<ApiMessage>["condense"]>) {
    return lossless.condense(given, callOptions);
  }
}
manager.registerProvider(new Wrapping());
// @ts-expect-error condense is missing
manager.registerProvider({ id: "none" });
// @ts-expect-error a result has messages
manager.registerProvider({ id: "empty", condense: () => ({}) });

const found = manager.getProvider("lossless");
if (found) console.log(found.id, found.name);
const builtIn: BuiltInProvider = lossless;
const infos: ProviderInfo[] = manager.listProviders();
const removed: boolean = manager.unregisterProvider("mine");
const active: string = manager.getActiveProvider().id;

const decision = manager.shouldCondense({ totalTokens: 1, contextWindow: 2 });
const reason: "threshold" | "window" | "none" = decision.reason;
const effective: EffectiveConfig = manager.getEffectiveConfig();
const percent: number = manager.effectiveThreshold("fast");
manager.setProfileThreshold("fast", 60);
manager.calibrate({ localTokens: 100, reportedTokens: 120, model: "claude" });
const preview: Preview = await manager.preview({ messages: history });
const priced = await manager.preview(
  { messages: history },
  { price: { inputPrice: 3, cacheWritesPrice: 3.75, tiers: [{ contextWindow: Infinity, inputPrice: 6 }] } },
);
for (const { before, after, exact } of priced.samples) {
  const was: ApiMessage | null = before;
  const is: ApiMessage | null = after;
  console.log(was, is, exact satisfies boolean);
}
console.log(priced.exact satisfies boolean, priced.promptCache?.rewriteCost?.toFixed(2), priced.passes?.[0]?.operationsApplied.length);
await manager.condense(
  { messages: history },
  { onProgress: ({ phase, passId, waitMs, code }) => console.log(phase, passId?.length, waitMs?.toFixed(), code === "llm_overloaded") },
);
// @ts-expect-error a preview has no messages
console.log(preview.messages);
const saved: TokenEstimate = await manager.estimateReduction({ messages: history });
const cost: number | undefined = await manager.estimateCost({ messages: history }, { provider: "truncation" });
const metrics: Metrics = manager.getMetrics();
const alerts: MetricAlert[] = metrics.alerts;
const writer: [string | null, string | null, ModelPrice | null] = [
  effective.condensingApiConfigId,
  effective.customCondensingPrompt,
  effective.price,
];
manager.resetMetrics();

const tokens: number[] = [
  countTokens("text"),
  countTokens(history),
  countTokens(history[0]!),
  countTokens(history[0]!.content),
  countTokens({ type: "text", text: "x" }),
  countTokens(frozen, { encoding: "cl100k_base", scale: 1.5 }),
];
// @ts-expect-error not countable
countTokens(5);
await warmUp();
const problems: Problem[] = validateMessages(history);

export {
  active,
  again,
  alerts,
  asking,
  back,
  builtIn,
  cost,
  data,
  decision,
  dollars,
  effective,
  estimate,
  found,
  kind,
  modelName,
  names,
  nativeCost,
  operation,
  own,
  passes,
  smart,
  wholeLossless,
  wholeTruncation,
  writer,
  wrongLossless,
  infos,
  metrics,
  options,
  percent,
  plainResult,
  preview,
  problems,
  reason,
  removed,
  saved,
  single,
  stamp,
  textless,
  textOf,
  misread,
  tokens,
  trigger,
  valid,
  wrongOptions,
};
