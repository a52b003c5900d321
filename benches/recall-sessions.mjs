// Time and memory of recall over large session files: generated sessions of Claude Code, written to a temporary folder, searched in a process of their own.
//
//   node benches/recall-sessions.mjs [megabytes ...]        default: 50 100 300

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isProgram } from "../scripts/tools.mjs";

const require = createRequire(import.meta.url);

/** A generator of numbers that gives the same each time. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const SYLLABLES = ["ka", "lo", "mi", "ter", "na", "vos", "del", "qui", "ra", "pen", "sto", "gal", "fen", "hu", "bri", "zor"];

/** Text of code and logs: few words often, many words seldom, and numbers. */
function textOf(next, lines) {
  const word = () => Array.from({ length: 1 + next(4) }, () => SYLLABLES[Math.min(next(16), next(16))]).join("");
  return Array.from(
    { length: lines },
    () => `${next(100)}: ${Array.from({ length: 4 + next(8) }, word).join(" ")} = ${next(100_000)};`,
  ).join("\n");
}

/** Writes a session of about so many bytes. Claude Code keeps each result twice. */
export function writeSession(file, size) {
  const next = numbers(7);
  const out = openSync(file, "w");
  let written = 0;
  const write = (record) => {
    written += writeSync(
      out,
      `${JSON.stringify({ cwd: "/work", sessionId: "s", version: "2.1", timestamp: "2026-11-26T09:00:00.000Z", uuid: `u${written}`, ...record })}\n`,
    );
  };
  write({ type: "user", message: { role: "user", content: "The needle is a heron under the pier." } });
  for (let call = 0; written < size; call++) {
    const id = `toolu_${call}`;
    const content = textOf(next, 20 + next(200));
    const file_path = `/home/me/src/${textOf(next, 1).slice(0, 12).replace(/\W/g, "")}.ts`;
    write({
      type: "assistant",
      message: { id: `m${call}`, role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { file_path } }] },
    });
    write({
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
      toolUseResult: { type: "text", file: { content } },
    });
    if (call % 500 === 499) write({ type: "system", subtype: "compact_boundary", content: "Conversation compacted" });
  }
  closeSync(out);
}

/** Reads and searches a session in this process, and prints what it took. */
async function measure(file) {
  const { SessionFiles } = require("../js/cli/session-files.js");
  const { SessionIndex } = require("../js/cli/session-index.js");
  const { MOST_BYTES } = require("../js/cli/client-recall.js");
  const begun = performance.now();
  const index = new SessionIndex();
  const parts = new SessionFiles().partsAt(file, { most: MOST_BYTES });
  await index.update(parts);
  const read = performance.now();
  /** @type {any} */
  const first = await index.index.search("heron under the pier");
  const searched = performance.now();
  for (let at = 0; at < 20; at++) await index.index.search(`kalomi ter${at} navosdel quira`);
  const again = performance.now();
  await index.update(parts);
  const updated = performance.now();
  const { leftOut } = index.stateOf(parts);
  const found = first.hits.some(({ text }) => text.includes("heron"));
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  console.log(
    JSON.stringify({
      readMs: read - begun,
      firstSearchMs: searched - read,
      searchMs: (again - searched) / 20,
      updateMs: updated - again,
      peakMb: maxRSS / 1024,
      cpuMs: (userCPUTime + systemCPUTime) / 1000,
      leftOut,
      found,
    }),
  );
}

function table() {
  const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-recall-"));
  const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [50, 100, 300];
  try {
    console.log("| session | read and indexed | processor time | a search | nothing new | peak memory | left out |");
    console.log("| --- | --- | --- | --- | --- | --- | --- |");
    for (const megabytes of sizes) {
      const file = path.join(folder, `${megabytes}.jsonl`);
      writeSession(file, megabytes * 1e6);
      const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--measure", file], { encoding: "utf8" });
      if (!stdout) throw new Error(stderr);
      const { readMs, cpuMs, searchMs, updateMs, peakMb, leftOut } = JSON.parse(stdout);
      const size = (statSync(file).size / 1e6).toFixed(0);
      console.log(
        `| ${size} MB | ${(readMs / 1000).toFixed(1)} s | ${(cpuMs / 1000).toFixed(1)} s | ${searchMs.toFixed(1)} ms | ${updateMs.toFixed(1)} ms | ${peakMb.toFixed(0)} MB | ${(leftOut / 1e6).toFixed(0)} MB |`,
      );
      rmSync(file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isProgram(import.meta.url)) {
  if (process.argv[2] === "--measure") await measure(process.argv[3]);
  else table();
}
