"use strict";

// The additional files of a Claude Code session. The kind itself uses no files, because browsers use it, too.

const path = require("node:path");
const { headOf, namesIn } = require("../folder.js");

/** The name of a file with a subagent's conversation. Those with `acompact` only write the summary of a compaction. */
const AGENT_FILE = /^agent-(?!acompact)(.*)\.jsonl$/;
/** The number of bytes at the beginning of such a file that name its session. */
const HEAD = 1 << 14;

/**
 * Returns the files with the conversations of a session's subagents: `{ file, thread }[]`. They are in a folder
 * beside it; until 2025 the files of all sessions were beside it.
 * @param {string} file
 */
function besides(file) {
  const own = path.basename(file, ".jsonl");
  const folders = [path.join(file.replace(/\.jsonl$/, ""), "subagents"), path.dirname(file)];
  const all = folders.flatMap((folder) =>
    namesIn(folder).map((name) => ({ file: path.join(folder, name), id: AGENT_FILE.exec(name)?.[1] })),
  );
  return all
    .filter(({ file: other, id }) => id !== undefined && (path.dirname(other) !== folders[1] || headOf(other, HEAD).includes(own)))
    .map(({ file: other, id }) => ({ file: other, thread: `subagent ${id}` }));
}

module.exports = { besides };
