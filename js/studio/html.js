"use strict";

// The page as HTML, without its files. Extensions that run in a browser need this part as well.

const { notAllowed, refuseUnknown } = require("../errors.js");
const isObject = require("../is-object.js");

const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** @param {{ policy?: string, title?: string, head?: string, body?: string, language?: string | undefined }} parts */
function htmlOf({ policy, title = "roo-condense", head = "", body = "", language = "en" }) {
  const meta = policy ? `<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">\n` : "";
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
${meta}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
${head}</head>
<body>
<div id="studio"></div>
${body}</body>
</html>
`;
}

/**
 * Returns the page of a webview, whose scripts and styles come from `scriptUri` and `styleUri`
 * (`webview.asWebviewUri`) of `cspSource`.
 * @param {{ scriptUri: string, styleUri: string, cspSource: string, language?: string }} options
 */
function webviewPage(options) {
  if (!isObject(options)) throw notAllowed("options", options, "an object: { scriptUri, styleUri, cspSource, language? }");
  refuseUnknown("options", options, ["scriptUri", "styleUri", "cspSource", "language"]);
  const { scriptUri, styleUri, cspSource, language } = options;
  for (const [name, value] of Object.entries({ scriptUri, styleUri, cspSource })) {
    // A host may pass the URI itself, which is an object.
    if (value === undefined || value === null || value === "") throw notAllowed(`options.${name}`, value, "a string that is not empty");
  }
  return htmlOf({
    language,
    policy: `default-src 'none'; script-src ${cspSource}; style-src ${cspSource}; img-src data:`,
    head: `<link rel="stylesheet" href="${escaped(styleUri)}">\n`,
    body: `<script type="module" src="${escaped(scriptUri)}"></script>\n`,
  });
}

/** Returns a page whose answers come from a worker beside it, so that files can be condensed without a server. */
const pageOfWorker = (worker) =>
  htmlOf({
    policy:
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
    head: `<meta name="roo-condense-worker" content="${escaped(worker)}">\n<link rel="icon" href="data:,">\n<link rel="stylesheet" href="studio.css">\n`,
    body: '<script type="module" src="studio.js"></script>\n',
  });

module.exports = { htmlOf, pageOfWorker, webviewPage };
