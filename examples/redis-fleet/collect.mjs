// Writes the results into a folder as they come, until the queue is empty: node collect.mjs FOLDER

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { Queue } from "bullmq";
import { QUEUE, connect, resultKey } from "./fleet.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const connection = connect();
const queue = new Queue(QUEUE, { connection });

for (;;) {
  // Before the results are read, so that none is missed.
  const { active, waiting, delayed, prioritized } = await queue.getJobCounts("active", "waiting", "delayed", "prioritized");
  for (const { id, name } of await queue.getJobs("completed", 0, 99)) {
    const result = await connection.get(resultKey(id));
    // Files of different folders may have the same name.
    writeFileSync(path.join(folder, `${id.slice(0, 12)}-${name}`), result);
    // The job goes first: without it, nobody asks for the result.
    await queue.remove(id);
    await connection.del(resultKey(id));
    console.log(`collected ${name}`);
  }
  if (active + waiting + delayed + prioritized === 0 && (await queue.getCompletedCount()) === 0) break;
  await setTimeout(200);
}
for (const { name, failedReason } of await queue.getFailed()) {
  console.error(`${name} failed: ${failedReason}`);
  process.exitCode = 1;
}
await queue.close();
await connection.quit();
