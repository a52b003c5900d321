// Recorded calls of Roo-Code's own functions, and of Zoo-Code's, give the recorded results: those of `fixtures/roo`, and those of `../shared/vectors`
// where that folder is.

import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { withShared } from "../shared.mjs";
import { CLOCK, readRecords, replay } from "./recorded.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

beforeAll(() => vi.useFakeTimers({ toFake: ["Date"], now: CLOCK }));
afterAll(() => vi.useRealTimers());

const recordFiles = (folder) => readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

function replayAll(folder) {
  for (const name of recordFiles(folder)) {
    for (const [title, records] of group(readRecords(path.join(folder, name)))) {
      test(`${name}: ${title}, ${records.length} calls`, async () => {
        for (const [index, record] of records.entries()) {
          const before = JSON.stringify(record.input);
          const { output, calls } = record;
          expect(await replay(record), `${title} #${index}`).toEqual(calls ? { output, calls } : { output });
          expect(JSON.stringify(record.input), `${title} #${index} leaves its input alone`).toBe(before);
        }
      });
    }
  }
}

/** The records of each function together. */
function group(records) {
  const groups = new Map();
  for (const record of records) {
    const key = `${record.era} ${record.fn}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(record);
  }
  return groups;
}

describe("fixtures/roo", () => replayAll(path.join(root, "fixtures", "roo")));

withShared("vectors", (folder) => describe("recorded", () => replayAll(folder)));
