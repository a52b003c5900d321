// Figures that stand beside a command are those that it prints, and a figure that stands in several places is the same in all of them.

import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { codeOf, pages, read } from "./support.mjs";

const require = createRequire(import.meta.url);

async function commandLine(...args) {
  const program = path.join(root, "js", "cli", "main.js");
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: root, maxBuffer: 1e8 });
  return stdout;
}

describe("the guide's table", () => {
  const command = ["inspect", "fixtures/claude-code.json", "--compare", "--target", "50%"];
  /** 36,373 and 44.3%; in French 36 373 and 44,3 %. */
  const numbers = {
    en: { tokens: (count) => count.toLocaleString("en-US"), percent: (share) => `${share.toFixed(1)}%` },
    fr: {
      tokens: (count) => count.toLocaleString("en-US").replaceAll(",", " "),
      percent: (share) => `${share.toFixed(1).replace(".", ",")} %`,
    },
  };

  let compared;
  beforeAll(() => {
    compared = commandLine(...command, "--json").then(JSON.parse);
  });

  test.each([
    ["docs/guide/index.md", numbers.en],
    ["docs/fr/guide/index.md", numbers.fr],
  ])("of %s is what its command prints", async (page, { tokens, percent }) => {
    // All kinds of blanks, and line ends within the command.
    const text = read(page).replaceAll(/[\s\u00a0\u202f]+/g, " ");
    expect(text).toContain(`npx roo-condense ${command.join(" ")}`);
    const { providers } = await compared;
    const shown = ["lossless", "truncation", "smart:conservative", "smart:balanced", "smart:aggressive"];
    const wanted = shown.map((shownId) => providers.find(({ id }) => id === shownId));
    const rows = [...text.matchAll(/\| ([\d ,]+) \| ([\d.,]+ ?%) \|/g)].map(([, left, less]) => [left, less]);
    expect(rows).toEqual(wanted.map((each) => [tokens(each.tokens), percent(each.reductionPercent)]));
    expect(text).toContain(tokens(wanted[0].tokensBefore));
  });
});

test("the table of docs/survival.md is what the command line prints", async () => {
  const [table] = codeOf("docs/survival.md").filter(({ code }) => code.startsWith("Tokens by outcome"));
  expect(await commandLine("fixtures/claude-code.json", "--target", "50%")).toContain(table.code);
});

test("numbers in the words of a picture in the README stand in the guide that shows it", () => {
  const numbers = [...read("README.md").matchAll(/!\[([^\]]*)\]/g)].flatMap(([, words]) => words.match(/\d[\d,]+/g) ?? []);
  expect(numbers.filter((number) => !read("docs/guide/index.md").includes(` ${number} `))).toEqual([]);
  expect(numbers.length).toBeGreaterThan(0);
});

test("how long 1.5 MB take is the same on every page, and as measured", () => {
  const rows = read("docs/measurements.md")
    .split("| Call to result, against JSON.parse(JSON.stringify(messages)), 1.5 MB |")[1]
    .split("\n\n")[0];
  const calls = rows.replaceAll(/^.*nothing but counting.*$/gm, "");
  const times = [...calls.matchAll(/\|\s+([\d.]+) ms \|\s+[\d.]+ ms \|\s+[\d.]+ \|/g)].map(([, ms]) => Math.round(Number(ms)));
  const measured = `${Math.min(...times)} to ${Math.max(...times)} ms`;
  const said = pages
    .filter((page) => page !== "docs/measurements.md")
    .flatMap((page) => [...read(page).matchAll(/1\.5 MB [^|.]*?(\d+( to \d+)? ms)/g)].map(([, time]) => [page, time]));
  expect(said.length).toBeGreaterThan(0);
  expect(said.filter(([, time]) => time !== measured)).toEqual([]);
});

test("how large a binary is is the same on every page", () => {
  const said = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:[Aa] binary (?:is now|has)|each has about) ([\d.]+ MB)/g)].map(([, size]) => [page, size]),
  );
  expect(said.length).toBeGreaterThan(0);
  expect(new Set(said.map(([, size]) => size)).size, said.join("; ")).toBe(1);
});

test("how long the tests take is told by scripts and CONTRIBUTING alike", () => {
  for (const name of ["test", "test-thorough", "check", "lint"]) {
    const [, seconds] = /runSteps\([\w()]+, "(\d+) s /.exec(read(`scripts/${name}.mjs`)) ?? [];
    expect([name, read("CONTRIBUTING.md").includes(`${seconds} s`)]).toEqual([name, true]);
  }
});

test("docs/release.md knows how many calls every binary answers", () => {
  const { callsOfAll } = require("../parity/calls.cjs");
  expect(read("docs/release.md")).toContain(`(${callsOfAll().length} calls)`);
});
