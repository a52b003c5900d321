// The drop-in takes a host's own message type, and gives it back.
import {
  calculateApiCostAnthropic,
  compressOldToolResults,
  countTokens,
  createCondense,
  createContextManagement,
  createSlidingWindow,
  createTaggedCondense,
  restoreDataOf,
} from "roo-condense/roo";
import type { RooApiHandler, RooHost } from "roo-condense/roo";

/** As a host may have it: narrower than what is asked for. */
interface ApiMessage {
  role: "user" | "assistant";
  content: string | Array<{ type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: unknown }>;
  ts?: number;
  isSummary?: boolean;
  condenseId?: string;
  ofTheHost?: { nested: true };
}

declare const messages: ApiMessage[];
declare const apiHandler: RooApiHandler;
const host: RooHost = {
  t: (key) => key,
  prompts: { summary: "s" },
  fixes: true,
  guard: { attempts: 2 },
  messagesForApi: (history: ApiMessage[], api) => compressOldToolResults(history, { model: api.getModel().id }),
  signal: (taskId) => (taskId ? AbortSignal.timeout(1) : undefined),
};
const usage = {
  totalTokens: 1,
  contextWindow: 2,
  maxTokens: null,
  autoCondenseContext: true,
  autoCondenseContextPercent: 80,
  profileThresholds: {},
  currentProfileId: "p",
};
const rest = { apiHandler, systemPrompt: "s", taskId: "t" };

const old: ApiMessage[] = createSlidingWindow(host).truncateConversation(messages, 0.5, "t");
const replaced: Promise<{ messages: ApiMessage[]; prevContextTokens: number; error?: string }> = createSlidingWindow(
  host,
).truncateConversationIfNeeded({ ...usage, ...rest, messages });
const summarized: Promise<{ messages: ApiMessage[]; summary: string }> = createCondense().summarizeConversation(
  messages,
  apiHandler,
  "s",
  "t",
  100,
  true,
  undefined,
  undefined,
);
const { messages: hidden, truncationId } = createContextManagement(host).truncateConversation(messages, 0.5, "t");
const nested: true | undefined = hidden[0]?.ofTheHost?.nested;
const due: boolean = createContextManagement().willManageContext({ ...usage, lastMessageTokens: 3 });
const managed: Promise<{ messages: ApiMessage[]; newContextTokensAfterTruncation?: number }> = createContextManagement(host).manageContext({
  ...usage,
  ...rest,
  messages,
  cwd: "/",
});
const effective: ApiMessage[] = createTaggedCondense(host).getEffectiveApiHistory(messages);
const tokens: Promise<number> = countTokens([{ type: "text", text: "x" }], { toolBlocks: false });
const dollars: number = calculateApiCostAnthropic({ inputPrice: 3 }, 1, 2, undefined, null).totalCost;

const sent: Promise<ApiMessage[]> = compressOldToolResults(messages, { minChars: 1000, tools: ["read_file"] });
const version: number = restoreDataOf(messages).version;
const zoo: boolean = createContextManagement({ countAllNew: true, profileId: "p" }).willManageContext({
  ...usage,
  maxTokens: -1,
  lastMessageTokens: 3,
  useAvailableInputForContextPercent: true,
});

// @ts-expect-error the window needs a system prompt
void createSlidingWindow().truncateConversationIfNeeded({ ...usage, apiHandler, taskId: "t", messages });
// @ts-expect-error a manager condenses
createCondense({ manager: {} });
// @ts-expect-error messages have a role
createTaggedCondense().getEffectiveApiHistory([{ content: "" }]);

export { dollars, due, effective, managed, nested, old, replaced, sent, summarized, tokens, truncationId, version, zoo };
