// The types of the host's responses. They are derived from the table in js/studio/protocol.js, which also checks the responses.

import type {
  DiffHunk,
  FileUsage,
  InspectedMessage,
  LargeBlock,
  TextDiff,
  TokenKind,
  TokenLine,
  ToolUsage,
  Waste,
} from "../../types/data.js";
import type * as protocol from "../../js/studio/protocol.js";
import type { Read } from "../../js/studio/readers.js";
import type { TokensByKind } from "../../types/inspect.js";
import type { SmartConfig } from "../../types/smart.js";
import type { StudioSettings } from "../../types/studio.js";

export type { SmartConfig, StudioSettings };
export type { DiffHunk, FileUsage, InspectedMessage, LargeBlock, TextDiff, TokenKind, TokenLine, TokensByKind, ToolUsage, Waste };

export interface HistoryInfo extends Read<typeof protocol.history> {}

export interface Hello extends Read<typeof protocol.hello> {}

/** The known properties of a provider. */
export interface ProviderFacts extends Read<typeof protocol.providerFacts> {}

/** Settings of automatic condensing, and the available choices. */
export interface SettingsTold extends Read<typeof protocol.settingsTold> {}

export interface Window extends Read<typeof protocol.windowLines> {}

export interface Inspection extends Read<typeof protocol.inspection> {}

/** One of four sizes to condense to. */
export interface Step extends Read<typeof protocol.step> {}

/** The four sizes, and the advised one. */
export interface Steps extends Read<typeof protocol.steps> {}

/** A translatable text: a code and values. */
export type Said = protocol.Said;
/** A value in such a text. */
export type SaidValue = protocol.SaidValue;

export type Grade = Change["grade"];

export interface Change extends Read<typeof protocol.change> {}

/** A choice of content that the user wants to keep unchanged. The host makes it; a page only passes it on. */
export interface KeptChoice extends Read<typeof protocol.keptChoice> {}

/** Tokens of content that is no longer present word for word, by fate. */
export interface Fate extends Read<typeof protocol.fate> {}

/** Where a history was written. */
export interface Written extends Read<typeof protocol.written> {}

export interface Fault extends Read<typeof protocol.fault> {}

export interface Condensation extends Read<typeof protocol.condensation> {}

export interface Trial extends Read<typeof protocol.trial> {}

/** Number of items needed later, and how many of them are still readable. */
export interface Kept extends Read<typeof protocol.asked> {}

/** How much of the content that a history's later part used is still readable after its earlier part was condensed. */
export interface Recall extends Read<typeof protocol.recall> {}

export interface MessageTexts extends Read<typeof protocol.messageTexts> {}

/** How many of a change's lines can be read back. */
export interface Proof extends Read<typeof protocol.proof> {}

/** A session of an agent on this machine. */
export interface FoundSession extends Read<typeof protocol.foundSession> {}

/** The recommendation and its reasons. */
export interface Advice extends Read<typeof protocol.recommendation> {}

/** The manager's metrics, as far as the page shows them. */
export interface Metrics extends Read<typeof protocol.metrics> {}

/** A provider and its configuration. Without `provider`, the manager decides. */
export type Choice = Pick<Parameters<CondenseClient["try"]>[0], "provider" | "config">;

interface CallOptions {
  signal?: AbortSignal;
}

type Methods = Omit<typeof protocol.METHODS, "cancel">;
/** A name of the client's methods. */
export type Method = keyof Methods;
type Params<M extends Method> = Read<Methods[M]["request"]>;
type Answer<M extends Method> = Promise<Read<Methods[M]["answer"]>>;
/** Functions for the methods of the protocol. Methods without parameters take only options. */
type Calls = {
  [M in Method]: keyof Params<M> extends never
    ? (options?: CallOptions) => Answer<M>
    : (request: Params<M>, options?: CallOptions) => Answer<M>;
};

/** The only source of data for the components. Responses are checked; failures reject with a {@link StudioError}. */
export interface CondenseClient extends Calls {
  /** False for a static report, which can only show its own content. */
  readonly isLive: boolean;
}

/** The error of a request. `code` is `unreachable` if nothing answered. */
export class StudioError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "StudioError";
    this.code = code;
  }
}

/** Returns an error in the form that the page shows. */
export const faultOf = (error: unknown): Fault => ({
  code: error instanceof StudioError ? error.code : "internal_error",
  message: error instanceof Error ? error.message : String(error),
});

/** Returns true if the host no longer keeps a condensation, because newer ones have replaced it. */
export const isGone = (error: unknown): boolean => error instanceof StudioError && error.code === "unknown_condensation";
