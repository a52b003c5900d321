// An agent with the Claude Agent SDK, in two runs: ANTHROPIC_API_KEY=… node examples/claude-agent.mjs "What is this project about?"
//
// npm install @anthropic-ai/claude-agent-sdk first: with the program it brings, it is too large to be a dependency here.

import process from "node:process";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { condenseSession, condensingHooks } from "roo-condense/claude-agent";

const told = ({ code, message }) => console.warn(code, message);
const options = { allowedTools: ["Read", "Grep", "Glob"], hooks: condensingHooks({ onWarning: told }) };

/** Runs the agent to its answer. */
async function run(prompt, more) {
  for await (const message of query({ prompt, options: { ...options, ...more } })) if (message.type === "result") return message;
  throw new Error("The agent ended without a result.");
}

const { session_id: resume } = await run(process.argv[2] ?? "What is this project about?");
const { tokensBefore, tokensAfter } = await condenseSession(resume);
console.warn(`The session: ${tokensBefore} to ${tokensAfter} tokens.`);
console.log((await run("In one sentence, please.", { resume })).result);
