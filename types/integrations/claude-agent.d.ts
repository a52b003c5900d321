// `roo-condense/claude-agent`: the Claude Agent SDK.

import type { Warning } from "../data.js";
import type { CondensationError } from "../errors.js";
import type { CondenseSessionOptions, CondensingHooksOptions } from "./options.js";

export type { CondenseSessionOptions, CondensingHooksOptions };

// No type of the SDK is named, so that it need not be installed.

/** A hook of the SDK. */
export type CondensingHook = (input: any, toolUseID: string | undefined, options: { signal: AbortSignal }) => Promise<any>;

/** Hooks as the SDK's option `hooks` takes them. */
export interface CondensingHooks {
  /** Reads the session, and adds to the instructions of the compaction that quotes will stand behind the summary. */
  PreCompact: { hooks: CondensingHook[] }[];
  /** Adds quotes behind the summary of a compaction; does nothing at other starts. */
  SessionStart: { hooks: CondensingHook[] }[];
  /** Shortens outputs of commands and of MCP tools before the model reads them; absent without `resultTokens`. */
  PostToolUse?: { hooks: CondensingHook[] }[];
}

/**
 * Hooks that keep in a compaction of the Claude Agent SDK what its summary may lose: what the user said, and a log that quotes calls, results and names, made without a model.
 * They stand behind the summary, once; the instructions for it say so. The hooks do not replace the SDK's compaction, and never stop it.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * import { condensingHooks } from "roo-condense/claude-agent";
 *
 * for await (const message of query({ prompt: "Fix the parser.", options: { hooks: condensingHooks() } })) console.log(message.type);
 * ```
 */
export function condensingHooks(options?: CondensingHooksOptions): CondensingHooks;

/** What {@link condenseSession} did. */
export interface CondensedSession {
  /** The file of the session. */
  file: string;
  /** Whether anything changed; otherwise nothing was written. */
  didCondense: boolean;
  tokensBefore: number;
  tokensAfter: number;
  /** Dollars. */
  cost: number;
  warnings: Warning[];
  /** Why it failed; nothing was written then. */
  error?: CondensationError;
  /** The copy of the file as it was. */
  backup?: string;
  /** The file with which `npx roo-condense restore FILE` brings the whole session back, with what came since. */
  restoreData?: string;
}

/**
 * Condenses a session in its file, so that the next `resume` goes on with it condensed. The session must not be running: a process has its messages in memory.
 * @param session the id of a session, or the path of its file (`transcript_path` of a hook); an id is looked for in all projects of `CLAUDE_CONFIG_DIR`, or of `~/.claude`
 * @throws {TypeError | RangeError} rejects with `invalid_argument` (also for a file that is no session, cannot be written, or changed meanwhile), `out_of_range`
 * @example
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * import { condenseSession } from "roo-condense/claude-agent";
 *
 * const resume = "0c08ac2c-e2f4-473c-b9d2-ebf3bd6c0033";
 * const { tokensBefore, tokensAfter } = await condenseSession(resume);
 * console.log(`${tokensBefore} to ${tokensAfter} tokens`);
 * for await (const message of query({ prompt: "Go on.", options: { resume } })) console.log(message.type);
 * ```
 */
export function condenseSession(session: string, options?: CondenseSessionOptions): Promise<CondensedSession>;
