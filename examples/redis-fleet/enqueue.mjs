// Enqueues histories: node enqueue.mjs HISTORY.json...

import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Queue } from "bullmq";
import { QUEUE, connect, idOf } from "./fleet.mjs";

const connection = connect();
const queue = new Queue(QUEUE, { connection });
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  const messages = JSON.parse(text);
  await queue.add(
    path.basename(file),
    { messages },
    // An attempt that fails is repeated after 1, 2, 4, ... seconds.
    {
      jobId: idOf(text),
      attempts: 8,
      backoff: { type: "exponential", delay: 1000, jitter: 0.5 },
      removeOnComplete: false,
      removeOnFail: false,
    },
  );
  console.log(`enqueued ${path.basename(file)}`);
}
await queue.close();
await connection.quit();
