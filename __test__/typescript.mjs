// Sources that are compiled without being written to files.

import path from "node:path";
import ts from "typescript";

/** What the compiler finds in these sources, by their paths: like files beside those that there are. */
export function diagnosticsOf(files, options) {
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => files.get(path.normalize(name)) ?? readFile(name);
  host.fileExists = (name) => files.has(path.normalize(name)) || fileExists(name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = files.get(path.normalize(name));
    return text === undefined ? getSourceFile.call(host, name, language, ...rest) : ts.createSourceFile(name, text, language);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
}
