"use strict";

// The files that a session of Claude Code consists of, beside its own. The kind itself knows no files, because browsers use it, too.

const path = require("node:path");
const { headOf, namesIn } = require("../folder.js");

/** A conversation of a subagent. Those of `acompact` only write the summary of a compaction. */
const AGENT_FILE = /^agent-(?!acompact)(.*)\.jsonl$/;
/** Bytes of such a file that name its session. */
const HEAD = 1 << 14;

/**
 * Files with the conversations of a session's subagents: `{ file, thread }[]`. They are in a folder beside it; until 2025 they were beside it themselves, those of all sessions together.
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
