"use strict";

// `roo-condense/claude-agent`: hooks for the Claude Agent SDK, which runs Claude Code in a separate process. The SDK compacts by itself,
// and no hook can replace its messages. So the hooks shorten tool results before they enter the conversation, and add quotes to the SDK's
// compaction. Between two runs, a session is condensed in its file.

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { EXIT, Failure } = require("../cli/exit-codes.js");
const { countTokens } = require("../count.js");
const { argumentError, notAllowed } = require("../errors.js");
const { tell } = require("../host-call.js");
const isObject = require("../is-object.js");
const { CondensationManager } = require("../manager.js");
const { checkedOptions } = require("../options.js");

/** Maximum number of sessions whose quotes wait for the end of a compaction. There is a limit because a blocked compaction never ends. */
const MOST_WAITING = 16;

const HEADING = "[Quotes from the conversation before it was compacted: what is left of it here is word for word]";
const INSTRUCTIONS =
  "Behind your summary, quotes from this conversation are put word for word: the user's messages, and how commands and edits ended. Do not repeat these at length; report what they do not say: the goal, decisions and their reasons, the state, and what comes next.";

function condensingHooks(options = {}) {
  const kept = { onWarning: (/** @type {unknown} */ listener) => typeof listener === "function" };
  const { quoteTokens, resultTokens, onWarning } = checkedOptions("CondensingHooksOptions", options, kept);
  const manager = new CondensationManager({ provider: "truncation" });
  const waiting = new Map();
  /** Wraps a hook so that its errors do not stop a compaction or a tool. */
  const guarded = (hook) => async (input) => {
    try {
      return (await hook(input)) ?? {};
    } catch (error) {
      if (onWarning) tell(() => onWarning(error));
      return {};
    }
  };
  const beforeCompaction = async ({ session_id: id, agent_id: agent, transcript_path: file }) => {
    // A subagent has a separate transcript, and continues differently.
    if (agent !== undefined) return undefined;
    waiting.delete(id);
    const quotes = await quotesIn(file, manager, quoteTokens, onWarning);
    if (quotes === "") return undefined;
    waiting.set(id, quotes);
    while (waiting.size > MOST_WAITING) waiting.delete(waiting.keys().next().value);
    // Without the quotes, because after `/compact` Claude Code repeats this message; `afterCompaction` adds them.
    return { systemMessage: INSTRUCTIONS };
  };
  const afterCompaction = ({ session_id: id, source }) => {
    const quotes = source === "compact" ? waiting.get(id) : undefined;
    waiting.delete(id);
    return quotes && { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: quotes } };
  };
  const afterTool = async (input) => {
    const updatedToolOutput = await shortOutput(input, Math.floor(resultTokens));
    return updatedToolOutput && { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } };
  };
  return {
    PreCompact: [{ hooks: [guarded(beforeCompaction)] }],
    SessionStart: [{ hooks: [guarded(afterCompaction)] }],
    ...(resultTokens !== undefined && { PostToolUse: [{ hooks: [guarded(afterTool)] }] }),
  };
}

/**
 * Returns a tool's output with shortened texts, in the same form; undefined if it is not shortened. The whole output is kept in a file
 * whose path the note states. Only outputs are shortened whose form shows which texts the model reads. The output of the
 * tool that reads files has no form in `OUTPUTS`, so it stays whole, because edits need its numbered lines.
 */
async function shortOutput({ tool_name: name, tool_input: input, tool_response: output, transcript_path: file, agent_id: agent }, budget) {
  const form = OUTPUTS.find(({ is }) => is(output));
  if (!form) return undefined;
  const given = form.given(output);
  if (JSON.stringify(given).length * 3 <= budget) return undefined;
  const { condenseResult } = require("../condense-result.js");
  const { ResultFolder } = require("../cli/result-folder.js");
  const messages = agent === undefined ? saidIn(file) : [];
  const { result } = await condenseResult(given, { budget, messages, call: { name, input }, store: new ResultFolder() });
  return result === given ? undefined : form.back(result, output);
}

/** The forms of outputs: results of the SDK's commands, and of MCP tools. */
const OUTPUTS = [
  { is: (output) => typeof output === "string", given: (output) => output, back: (result) => result },
  {
    is: (output) => isObject(output) && typeof output.stdout === "string" && typeof output.stderr === "string" && output.isImage !== true,
    given: ({ stdout, stderr, persistedOutputPath: file }) => ({
      // The SDK passes only the beginning of a long output, and keeps the whole in a file.
      content: [file === undefined ? stdout : wholeIn(file), stderr].map((text) => ({ type: "text", text })),
    }),
    back: ({ content }, output) => {
      const [stdout, stderr] = content.map(({ text }) => text);
      // With these fields, the SDK would show the beginning of its file instead of the shortened text.
      const { persistedOutputPath, persistedOutputSize, ...rest } = output;
      return { ...rest, stdout, stderr };
    },
  },
  {
    is: (output) => Array.isArray(output) && output.every((block) => isObject(block) && typeof block.type === "string"),
    given: (output) => ({ content: output }),
    back: ({ content }) => content,
  },
  { is: (output) => isObject(output) && Array.isArray(output.content), given: (output) => output, back: (result) => result },
];

function wholeIn(file) {
  const { decoded } = require("../cli/result-folder.js");
  return decoded(fs.readFileSync(file));
}

/** Returns the session so far without tool results: Claude Code removes old ones, so pointers must not point to them. */
function saidIn(file) {
  try {
    const { messages } = readSession(file);
    const withoutResult = (block) => (block?.type === "tool_result" ? { ...block, content: "" } : block);
    return messages.map((message) =>
      Array.isArray(message.content) ? { ...message, content: message.content.map(withoutResult) } : message,
    );
  } catch {
    // The session is being written, or is stored elsewhere, so the result is shortened without it.
    return [];
  }
}

/** Returns the conversation as text, condensed to the target without a model; empty if nothing would be left out. */
async function quotesIn(file, manager, targetTokens, onWarning) {
  const { messages } = readSession(file);
  const { error, warnings, didCondense, messages: left } = await manager.condense({ messages }, { targetTokens });
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  if (onWarning) for (const warning of warnings) tell(() => onWarning(warning));
  return didCondense ? [HEADING, ...left.flatMap(({ role, content }) => quotesOf(role, content))].join("\n") : "";
}

/** The note that replaces messages that were left out. It is removed, because it means nothing after a summary. */
const LEFT_OUT = "[Messages before this point were left out.]";

/** Returns the text of a message as lines, without texts that begin with `<`: Claude Code inserts such texts. */
function quotesOf(role, content) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.flatMap((block) => QUOTES[block?.type]?.(block, role) ?? []).filter((quote) => quote !== "" && quote !== LEFT_OUT);
}

const QUOTES = {
  text: ({ text }, role) => {
    if (text.trim() === "" || text.trimStart().startsWith("<")) return "";
    return text.startsWith("[") ? text : `${role === "user" ? "The user" : "You"}: ${text}`;
  },
  tool_use: ({ name, input }) => `${name} ${JSON.stringify(input)}`,
  tool_result: ({ content }) => {
    const texts = typeof content === "string" ? [content] : (content ?? []).flatMap(({ text }) => text ?? []);
    return texts.map((text) => `  → ${text}`).join("\n");
  },
};

function readSession(file) {
  const { readHistory } = require("../cli/history-file.js");
  const warnings = [];
  const history = readHistory(file, (sentence) => warnings.push(sentence));
  return { ...history, warnings };
}

async function condenseSession(session, options = {}) {
  const kept = { manager: (/** @type {unknown} */ manager) => manager instanceof CondensationManager };
  const { manager = new CondensationManager(), targetPercent } = checkedOptions("CondenseSessionOptions", options, kept);
  try {
    const history = readSession(fileOf(session));
    const { messages } = history;
    const { error, ...result } = await manager.condense({ messages }, { targetTokens: targetOf(manager, messages, targetPercent) });
    const { didCondense, prevContextTokens: tokensBefore, newContextTokens: tokensAfter, cost, warnings } = result;
    const report = { file: history.name, didCondense, tokensBefore, tokensAfter, cost, warnings, ...(error && { error }) };
    if (!didCondense) return report;
    const { write } = require("../cli/condense-command.js");
    const content = history.contentWith(result.messages);
    const written = write(history, result, content, { inPlace: true, keepRestoreData: true });
    return { ...report, backup: written?.backup, restoreData: written?.restoreData };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Errors of the command line's code, which describe the problem with the file.
    throw argumentError("invalid_argument", `session: ${error.message}`, { field: "session", cause: error });
  }
}

/** Returns the target in tokens, as the manager counts them. */
function targetOf(manager, messages, percent) {
  const { encoding, scale } = manager.getEffectiveConfig();
  return Math.max(1, Math.floor((countTokens(messages, { encoding }) * scale * percent) / 100));
}

/** Returns the file of a session, given as a path, or as an id in any project. */
function fileOf(session) {
  if (typeof session !== "string" || session === "") throw notAllowed("session", session, "the id of a session, or the path of its file");
  if (session.endsWith(".jsonl")) return session;
  const projects = path.join(process.env.CLAUDE_CONFIG_DIR ?? path.join(os.homedir(), ".claude"), "projects");
  const found = projectsIn(projects)
    .map((project) => path.join(projects, project, `${session}.jsonl`))
    .filter((file) => fs.existsSync(file));
  if (found.length === 1) return found[0];
  const why = found.length === 0 ? "there is no such session" : "several projects have a session of this id: give the path of its file";
  throw new Failure(EXIT.unreadable, `${session} in ${projects}: ${why}`);
}

function projectsIn(folder) {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

exports.condensingHooks = condensingHooks;
exports.condenseSession = condenseSession;
