// A worker of the fleet, as many as you like on as many machines: node worker.mjs
//
// SIGTERM ends it after the jobs it has begun. The jobs of a worker that is killed go to others when their locks run out (LOCK_MS).

import process from "node:process";
import { UnrecoverableError, Worker } from "bullmq";
import { CondensationManager, httpHandler } from "roo-condense";
import { QUEUE, SharedSummaries, connect, resultKey } from "./fleet.mjs";

const {
  API = "anthropic",
  MODEL = "claude-sonnet-5-5",
  BASE_URL,
  API_KEY,
  CONCURRENCY = "2",
  LOCK_MS = "30000",
  TARGET = "20000",
} = process.env;

const summaries = new SharedSummaries();
const manager = new CondensationManager({
  handler: httpHandler({ api: API, model: MODEL, ...(BASE_URL && { baseUrl: BASE_URL }), ...(API_KEY && { apiKey: API_KEY }) }),
  cache: summaries,
  fallback: false,
});

/** Failures that another attempt would only repeat. */
const isFinal = (code) =>
  !code.startsWith("llm_") || ["llm_bad_request", "llm_unauthorized", "llm_not_found", "llm_context_too_long"].includes(code);

const connection = connect();
await summaries.ready();

async function condense({ id, name, data }) {
  console.log(`begins ${name}`);
  const { messages, restoreData, error, warnings } = await manager.condense({ messages: data.messages }, { targetTokens: Number(TARGET) });
  if (error) throw new (isFinal(error.code) ? UnrecoverableError : Error)(`${error.code}: ${error.message}`);
  for (const { code, message } of warnings) console.warn(`${name}: ${code}: ${message}`);
  // A job may be done twice: its worker lost the lock, or was killed between this line and the next. The first result stays.
  const written = await connection.set(resultKey(id), JSON.stringify({ name, messages, restoreData }), "NX");
  console.log(`${written ? "wrote" : "was written:"} ${name}`);
}

const worker = new Worker(QUEUE, condense, {
  connection,
  concurrency: Number(CONCURRENCY),
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS),
  // By default a job fails when its worker dies a second time, as workers on cheap machines do.
  maxStalledCount: 10,
});
worker.on("error", ({ message }) => console.error(message));
worker.on("failed", (job, { message }) => console.error(`attempt ${job?.attemptsMade} of ${job?.name}: ${message}`));

for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, async () => {
    await worker.close();
    summaries.close();
    await connection.quit();
  });
