// The answers of the host, as js/studio/protocol.js checks them on arrival: its table is the one definition.

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

/** Settings of automatic condensing, and what there is to choose from. */
export interface SettingsTold extends Read<typeof protocol.settingsTold> {}

export interface Window extends Read<typeof protocol.windowLines> {}

export interface Inspection extends Read<typeof protocol.inspection> {}

/** One of four sizes to condense to. */
export interface Step extends Read<typeof protocol.step> {}

/** How far to condense. */
export interface Steps extends Read<typeof protocol.steps> {}

/** A text as a code and values, from which the words of any language are made. */
export type Said = protocol.Said;
/** A value in such a text. */
export type SaidValue = protocol.SaidValue;

export type Grade = Change["grade"];

export interface Change extends Read<typeof protocol.change> {}

/** A choice of content that the user wants to keep unchanged. The host makes it; a page only passes it on. */
export interface KeptChoice extends Read<typeof protocol.keptChoice> {}

/** Tokens of content that would not stand word for word any more. */
export interface Fate extends Read<typeof protocol.fate> {}

/** Where a history was written. */
export interface Written extends Read<typeof protocol.written> {}

export interface Fault extends Read<typeof protocol.fault> {}

export interface Condensation extends Read<typeof protocol.condensation> {}

export interface Trial extends Read<typeof protocol.trial> {}

/** How many of the things that were needed later could still be read. */
export interface Kept extends Read<typeof protocol.asked> {}

/** How much of what a history itself used later could still be read, had its earlier part been condensed. */
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

/** Which provider, and with what. `provider` absent: as the manager would. */
export type Choice = Pick<Parameters<CondenseClient["try"]>[0], "provider" | "config">;

interface CallOptions {
  signal?: AbortSignal;
}

type Methods = Omit<typeof protocol.METHODS, "cancel">;
/** A name of the client's methods. */
export type Method = keyof Methods;
type Params<M extends Method> = Read<Methods[M]["request"]>;
type Answer<M extends Method> = Promise<Read<Methods[M]["answer"]>>;
/** Functions for the methods of the protocol: those that take nothing have options alone. */
type Calls = {
  [M in Method]: keyof Params<M> extends never
    ? (options?: CallOptions) => Answer<M>
    : (request: Params<M>, options?: CallOptions) => Answer<M>;
};

/** All that the components know of the world. Answers are checked; whatever fails rejects with a {@link StudioError}. */
export interface CondenseClient extends Calls {
  /** Whether it can be asked for anything but what is there: false of a static report. */
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

/** The host has let go of a condensation: another window has asked for many. */
export const isGone = (error: unknown): boolean => error instanceof StudioError && error.code === "unknown_condensation";
