// Puts the comparison that a run of the benchmarks wrote under its pull request, in the place of an earlier one. Runs with the right to write, on files that a stranger's change
// may have made: so they are read as text, the number has to be that of a pull request whose head was measured, and the text is cut to a length.
//
//   GITHUB_TOKEN=... GITHUB_REPOSITORY=owner/name HEAD_SHA=... node benches/comment.mjs FOLDER

import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Failure, main } from "../scripts/tools.mjs";

const MARK = "<!-- roo-condense: benchmarks -->";
const MAX_LENGTH = 20_000;

/** Nobody is called, nothing is linked or shown from elsewhere: all of it is numbers and names of rows. */
const harmless = (text) => text.slice(0, MAX_LENGTH).replace(/[<>@]|!\[|\]\(|https?:/g, " ");

await main(async () => {
  const {
    GITHUB_TOKEN: token,
    GITHUB_REPOSITORY: repository,
    HEAD_SHA: head,
    GITHUB_API_URL: api = "https://api.github.com",
  } = process.env;
  const folder = process.argv[2];
  if (!token || !repository || !head || !folder) throw new Failure("GITHUB_TOKEN, GITHUB_REPOSITORY, HEAD_SHA and a folder are needed.", 2);
  /** @returns {Promise<any>} what the service answers */
  const ask = async (method, where, body) => {
    const response = await fetch(`${api}/repos/${repository}/${where}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json", "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Failure(`${method} ${where}: HTTP ${response.status}`);
    return response.json();
  };

  const [, number] = /^([1-9]\d{0,8})\s*$/.exec(readFileSync(path.join(folder, "number.txt"), "utf8")) ?? [];
  if (!number) throw new Failure("number.txt holds no number.");
  const pull = await ask("GET", `pulls/${number}`);
  if (pull.head.sha !== head) throw new Failure(`#${number} is not at the commit that was measured.`);
  const body = `${MARK}\n${harmless(readFileSync(path.join(folder, "comparison.md"), "utf8"))}`;
  const comments = await ask("GET", `issues/${number}/comments?per_page=100`);
  const earlier = comments.find((comment) => comment.user.type === "Bot" && comment.body.startsWith(MARK));
  await (earlier ? ask("PATCH", `issues/comments/${earlier.id}`, { body }) : ask("POST", `issues/${number}/comments`, { body }));
  console.log(`Commented on #${number}.`);
});
