// Shows what this is: condenses a Roo-Code history that comes with the source, without a model and offline. Takes a binary that is there already where there is
// one, else builds one, which takes minutes: what that needs is said before, and how far it is every ten seconds.
//
//   npm run demo                 with fixtures/roo-xml-2025.json
//   npm run demo -- HISTORY      with one of your own: an array of messages, or an object that has one in `messages`

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { buildQuick } from "./build.mjs";
import {
  Failure,
  addonName,
  cargoPackage,
  isOld,
  isStale,
  listener,
  main,
  megabytes,
  platformName,
  releaseAddon,
  root,
  run,
} from "./tools.mjs";

const require = createRequire(import.meta.url);

/** Dollars per million tokens: what Claude Sonnet 4.5 costs at Anthropic, for questions about cost. */
const PRICE = { inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 };
const BAR = 44;
/** What a build takes that begins with nothing, measured on 26 November 2026 on 2 cores of an AMD EPYC, Linux x64, Rust 1.95. */
const BUILD = {
  time: "2 to 3 minutes on two free cores (150 to 190 s of processor time were measured), and longer on a busy machine",
  disk: "0.5 GB: 0.33 GB here, in target/, and 0.13 GB of sources in Cargo's own folder",
};

const say = (text = "") => console.log(text);
const count = (tokens) => Math.round(tokens).toLocaleString("en-US");
const bar = (share) => "█".repeat(Math.max(1, Math.round(share * BAR))).padEnd(BAR, "░");
const dollars = (amount) => `$${Math.abs(amount) < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`;
/** What a history says must not steer the terminal. */
const plain = (text) => text.replace(/\p{C}/gu, "·");
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Binaries that do not have to be built, the nearest first. */
function prebuilt() {
  if (process.env.ROO_CONDENSE_BINARY) return { file: path.resolve(process.env.ROO_CONDENSE_BINARY), from: "named by ROO_CONDENSE_BINARY" };
  if (!isOld(releaseAddon)) {
    const from = isStale(releaseAddon) ? "built here before, for a first look" : "built here before, for release";
    return { file: releaseAddon, from };
  }
  const installed = path.join(root, "node_modules", `roo-condense-${platformName()}`, addonName());
  if (existsSync(installed)) return { file: installed, from: "installed from the registry" };
  return undefined;
}

/** What the build asks for beside Rust: ring and mimalloc are partly C, and Rust links with the C compiler. */
function ensureCompiler() {
  if (process.platform === "win32" || process.env.CC || run("cc", ["--version"], { quiet: true }) === 0) return;
  throw new Failure(
    "A C compiler is needed to build the binary, and `cc` does not run. Debian and Ubuntu: apt install build-essential; Fedora: dnf install gcc; Alpine: apk add build-base; macOS: xcode-select --install.",
  );
}

/** The binary to run, which is built when there is none. */
async function binary() {
  const found = prebuilt();
  if (found) {
    say(`Binary: ${path.relative(root, found.file) || found.file} (${megabytes(found.file)}, ${found.from}).`);
    return found.file;
  }
  const { "rust-version": oldest } = cargoPackage();
  if (run("cargo", ["--version"], { quiet: true }) !== 0) {
    throw new Failure(
      `There is no binary for this machine (${platformName()}) here, and no Rust to build one. Install Rust ${oldest} or newer from https://rustup.rs, open a new terminal, and try again.`,
    );
  }
  ensureCompiler();
  say(`There is no binary for this machine here, so one is built, the first time only. That takes
  time    ${BUILD.time}
  disk    ${BUILD.disk}
  tools   Rust ${oldest} or newer and a C compiler
The last crate, roo-condense itself, takes longest.`);
  const begun = performance.now();
  await withProgress(begun, buildQuick);
  say(`Built in ${seconds(begun)} (${megabytes(releaseAddon)}; \`npm run build\` makes the one that is released).`);
  return releaseAddon;
}

/** Runs a build and says every ten seconds how many crates are compiled; what Cargo says is shown when it fails. */
async function withProgress(begun, build) {
  let said = "";
  listener.hear = (text) => (said += text);
  const timer = setInterval(() => {
    const doing = [...said.matchAll(/^\s*(?:Compiling|Downloaded) (\S+)/gm)];
    const compiled = said.match(/^\s*Compiling /gm)?.length ?? 0;
    say(
      `  ${seconds(begun).padStart(5)}  ${compiled ? `${compiled} crates begun` : "downloading"}${doing.length ? `, the newest ${doing.at(-1)?.[1]}` : ""}`,
    );
  }, 10_000);
  try {
    await build();
  } catch (error) {
    console.error(said);
    throw error;
  } finally {
    clearInterval(timer);
    listener.hear = undefined;
  }
}

function readHistory(file) {
  const content = JSON.parse(readFileSync(file, "utf8"));
  const messages = Array.isArray(content) ? content : content.messages;
  if (!Array.isArray(messages)) throw new Failure(`${file} holds no array of messages.`, 2);
  return messages;
}

/** The operations that saved most, each with its tokens. */
function operationsOf(changes) {
  const saved = new Map();
  for (const { operation, tokensBefore, tokensAfter } of changes) {
    const { times = 0, tokens = 0 } = saved.get(operation) ?? {};
    saved.set(operation, { times: times + 1, tokens: tokens + tokensBefore - tokensAfter });
  }
  return [...saved].sort(([, one], [, other]) => other.tokens - one.tokens);
}

const WORDS = {
  environment_snapshot: "old snapshots of the environment left out",
  stale_read: "lines of reads left out that were replaced since",
  stale_file: "reads of files that were changed since left out",
  reference: "results that stand elsewhere, now a pointer",
  containment: "results contained in others, now a pointer",
  repeated_lines: "lines that stand elsewhere, now a pointer",
  diff: "other versions of a file, now the differences",
  line_numbers: "line numbers behind a heading",
  todo_list: "old lists of things to do left out",
  failed_edit: "failed edits left out",
  overwritten_write: "files written again later left out",
  salient: "texts cut to what is likely to be used again",
  drop: "messages left out",
};

/** A change whose result a person can read: the pointer, where there is one. */
function exampleOf(changes, api, before, after) {
  const pointers = changes.filter(
    ({ operation }) => operation === "repeated_lines" || operation === "containment" || operation === "reference",
  );
  const largest = [...(pointers.length ? pointers : changes)].sort((one, other) => other.tokensBefore - one.tokensBefore)[0];
  if (!largest || before.length !== after.length) return [];
  const lines = api
    .diffMessages(before[largest.messageIndex], after[largest.messageIndex], { context: 0, lines: 1000, characters: 90 })
    .flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines));
  const removed = lines.filter(({ kind }) => kind === "removed");
  const added = lines.filter(({ kind }) => kind === "added");
  return [
    `In message ${largest.messageIndex}: ${plain(largest.reason)}`,
    ...removed.slice(0, 3).map(({ text }) => `  - ${plain(text)}`),
    ...(removed.length > 3 ? [`  - … ${removed.length - 3} more lines`] : []),
    ...added.slice(0, 3).map(({ text }) => `  + ${plain(text)}`),
  ];
}

async function show(file) {
  process.env.ROO_CONDENSE_BINARY = await binary();
  const api = require("../index.js");
  const messages = readHistory(file);
  const name = path.relative(process.cwd(), path.resolve(file));
  await api.warmUp();
  const total = api.countTokens(messages);
  const options = { targetTokens: Math.floor(total / 2), price: PRICE };
  const manager = new api.CondensationManager();

  const begun = performance.now();
  const result = await manager.condense({ messages }, options);
  const took = performance.now() - begun;
  if (result.error) throw new Failure(`It failed: ${result.error.message}`);
  const { originalTokens: before, finalTokens: after, savedByGrade } = result.stats;

  say(`\n${name}: ${messages.length} messages. Half of it has to go.\n`);
  say(`  before  ${bar(1)}  ${count(before)} tokens`);
  say(`  after   ${bar(after / before)}  ${count(after)} tokens, in ${took.toFixed(0)} ms\n`);
  say(`What became of the ${count(before - after)} that went`);
  say(`  ${count(savedByGrade.inline).padStart(8)}  can be read elsewhere in the conversation`);
  say(`  ${count(savedByGrade.superseded).padStart(8)}  were replaced by newer, which stands below`);
  say(`  ${count(savedByGrade.lossy).padStart(8)}  are lost to the model`);
  const isBack = JSON.stringify(api.restore(result)) === JSON.stringify(messages);
  say(`  restore() brings all of it back: ${isBack ? "tried, and identical" : "TRIED, AND NOT IDENTICAL"}\n`);
  if (!isBack) throw new Failure("What restore() gives back is not what came in. Please report that.");

  say("How");
  for (const [operation, { times, tokens }] of operationsOf(result.changes).slice(0, 5)) {
    say(`  ${count(tokens).padStart(8)}  ${WORDS[operation] ?? operation} (${times})`);
  }
  const example = exampleOf(result.changes, api, messages, result.messages);
  if (example.length) say(`\n${example.join("\n")}`);

  const { promptCache } = await manager.preview({ messages }, options);
  const { rewriteCost = 0, extraCost = 0, savedPerRequest = 0 } = promptCache ?? {};
  say("\nWhat it costs, at $3 and $15 for a million tokens in and out");
  say(`  ${dollars(result.cost)} for condensing: no model was asked`);
  say(
    `  ${dollars(rewriteCost)} for the prompt cache, which the next request writes anew; ${dollars(savedPerRequest)} less for each one after that`,
  );
  if (savedPerRequest > 0 && extraCost > 0) {
    say(
      `  so it has paid for itself after ${Math.ceil(extraCost / savedPerRequest)} requests: condense rarely, but deeply (docs/economics.md)`,
    );
  }
  const ask = { getModel: () => ({ id: "claude-sonnet-4-5", info: { contextWindow: 200_000, ...PRICE } }), async *createMessage() {} };
  const withModel = await manager.preview({ messages }, { provider: "native", handler: ask });
  if (!withModel.error)
    say(
      `  ${dollars(withModel.cost)} would be one summary by a model instead (native), which leaves about ${count(withModel.stats.finalTokens)} tokens`,
    );

  const command = `node ${path.join("js", "cli", "main.js")}`;
  say("\nNext");
  if (!existsSync(path.join(root, "ui", "dist", "page")))
    say("  npm run build:ui   # first, once: the studio's page (it installs what builds it: 0.5 GB)");
  say(`  ${command} studio ${name} --window 80k     # see it, compare, take single changes back`);
  say(`  ${command} ${name} --target 50% --explain   # every change with its reason and a line diff`);
  say(`  ${command} HISTORY.json                     # one of your own; nothing is written`);
}

await main(() => show(process.argv[2] ?? path.join(root, "fixtures", "roo-xml-2025.json")));
