// Messages of the Anthropic SDK as they are, also of its beta API.
import type Anthropic from "@anthropic-ai/sdk";
import { CondensationManager, createTruncationProvider, countTokens, expand, restore, validateMessages } from "roo-condense";

declare const beta: Anthropic.Beta.BetaMessageParam[];
declare const plain: Anthropic.MessageParam[];
declare const system: Anthropic.TextBlockParam[];
declare const betaSystem: Anthropic.Beta.BetaTextBlockParam[];

const manager = new CondensationManager();

async function all(): Promise<void> {
  const condensed = await manager.condense({ messages: beta, systemPrompt: betaSystem });
  const back: Anthropic.Beta.BetaMessageParam[] = condensed.messages;
  const restored: Anthropic.Beta.BetaMessageParam[] = restore(condensed);
  const same: Anthropic.MessageParam[] = (await createTruncationProvider().condense({ messages: plain, systemPrompt: system })).messages;
  const due = await manager.condenseIfNeeded({ messages: beta, systemPrompt: system, totalTokens: 1, contextWindow: 2 });
  const preview = await manager.preview({ messages: beta, systemPrompt: system });
  const before: Anthropic.Beta.BetaMessageParam | null | undefined = preview.samples[0]?.before;
  const { messages: readable } = expand(beta);
  const tokens: number = countTokens(beta) + countTokens(plain) + countTokens(system);
  console.log(back, restored, same, due.messages, before, readable, tokens, validateMessages(beta));
}

void all;
