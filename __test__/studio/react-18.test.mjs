// The studio compiles with the types of React 18, which is its oldest peer: what only React 19 takes is refused there. (Mounted with both: __test__/browser/exports.test.mjs.)

import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { ensureFolder, root } from "../../scripts/tools.mjs";
import { diagnosticsOf } from "../typescript.mjs";

const types = path.join(root, "__test__", "react-18", "node_modules", "@types");

/** Use of something that React 18 does not know, in a file beside the studio's own. */
const NEWER = path.join(root, "ui", "src", "newer.tsx");
const ONLY_19 =
  'import { createContext } from "react";\nconst Place = createContext(1);\nexport const Placed = () => <Place value={2}>here</Place>;\n';

/** The compiler's complaints about the studio's sources and that file, each file's name first. */
function complaints() {
  const file = path.join(root, "ui", "tsconfig.json");
  const { options, fileNames } = ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config, ts.sys, path.dirname(file));
  const paths = Object.fromEntries(
    ["react", "react-dom"].flatMap((name) => [
      [name, [path.join(types, name)]],
      [`${name}/*`, [path.join(types, name, "*")]],
    ]),
  );
  const sources = new Map([
    ...fileNames.map((name) => /** @type {const} */ ([path.normalize(name), ts.sys.readFile(name)])),
    [NEWER, ONLY_19],
  ]);
  return diagnosticsOf(sources, { ...options, incremental: false, tsBuildInfoFile: undefined, paths }).map(
    ({ file, messageText }) => `${path.basename(file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}

test("the studio uses nothing that React 18 does not know", { tags: ["long"] }, () => {
  ensureFolder(path.join(root, "__test__", "react-18"));
  const [first, ...others] = complaints();
  expect(first).toMatch(/^newer\.tsx: .*'Place'/s);
  expect(others.filter((complaint) => !complaint.startsWith("newer.tsx:"))).toEqual([]);
});
