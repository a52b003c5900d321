// The codes of errors, warnings and problems of messages as docs/errors.md explains them, for `roo-condense explain`.

/** The tables of the page, and the names of their columns behind the code. */
const TABLES = [
  { heading: "Errors", kind: "error", fields: ["how", "when", "help"] },
  { heading: "Warnings", kind: "warning", fields: ["when", "help"] },
  { heading: "Problems of messages", kind: "problem", fields: ["when", "help"] },
];

/** Markdown as plain text; links keep their words. */
const plain = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("\\|", "|");

const cellsOf = (row) =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim()));

/** Each code with its rows, one of each kind at most. */
export function codesIn(page) {
  /** @type {Record<string, object[]>} */
  const codes = {};
  for (const { heading, kind, fields } of TABLES) {
    const [, section = ""] = page.split(`\n## ${heading}\n`);
    for (const row of section
      .split("\n## ")[0]
      .split("\n")
      .filter((line) => line.startsWith("| `"))) {
      const [code, ...cells] = cellsOf(row);
      const name = code.replaceAll("`", "");
      const told = Object.fromEntries(fields.map((field, at) => [field, cells[at] ?? ""]));
      codes[name] = [...(codes[name] ?? []), { kind, ...told }];
    }
  }
  return codes;
}
