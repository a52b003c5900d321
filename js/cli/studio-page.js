"use strict";

// The page as HTML: for the server, a webview, or as one static file. Texts of a history are in it only as JSON that
// cannot end its element.

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { htmlOf } = require("../studio/html.js");

/** Returns the folder of the built page (scripts/build-ui.mjs). A function, because a bundle may have no `__dirname`. */
const folderOfPage = () => path.join(__dirname, "..", "..", "ui", "dist", "page");

const FILES = Object.freeze({
  "studio.js": "text/javascript",
  "components.js": "text/javascript",
  "react.js": "text/javascript",
  "studio.css": "text/css",
});

/** Returns JSON for a script element: nothing in it ends the element or begins a comment. */
const inScript = (value) =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const sha256 = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function readBuilt(name) {
  const file = path.join(folderOfPage(), name);
  try {
    return fs.readFileSync(file, "utf8");
  } catch (cause) {
    throw Object.assign(new Error(`the studio's page is not built (${file}): \`npm run build:ui\``, { cause }), {
      code: "page_not_built",
    });
  }
}

/** The policy that allows only the page's own files. */
const SERVED_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Returns the page of the server, with its files beside it. */
const servedPage = () =>
  htmlOf({
    // Modules that `studio.js` loads later are loaded at the same time.
    head: '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="studio.css">\n<link rel="modulepreload" href="components.js">\n<link rel="modulepreload" href="react.js">\n',
    body: '<script type="module" src="studio.js"></script>\n',
  });

/** Replaces a pattern that must occur at least once in a built file. */
function replaced(text, pattern, replacement) {
  const result = text.replace(pattern, replacement);
  if (result === text)
    throw Object.assign(new Error("the studio's page is of another build: `npm run build:ui`"), { code: "page_not_built" });
  return result;
}

/** Returns the page's scripts as one script without imports: the components become a function that takes the page's React. */
function wholeScript() {
  const react = '"./react.js"';
  let components = replaced(readBuilt("components.js"), new RegExp(`^import \\* as (\\w+) from ${react};$`, "gm"), "const $1 = rcReact;");
  components = replaced(components, new RegExp(`^import \\{(.*)\\} from ${react};$`, "gm"), (_, names) => {
    return `const {${names.replaceAll(" as ", ": ")}} = rcReact;`;
  });
  components = replaced(components, /^export \{ (.*) \};$/m, (_, names) => {
    const pairs = names.split(", ").map((name) => name.split(" as ").reverse().join(": "));
    return `return { ${pairs.join(", ")} };`;
  });
  let page = replaced(readBuilt("studio.js"), new RegExp(`^import\\{provide as (\\w+)\\}from${react};`), (_, provide) => {
    return `let rcGiven; const ${provide} = (...modules) => { rcGiven = Object.assign({}, ...modules); };\n`;
  });
  page = replaced(page, /\bimport\([\w$]+\)/, "Promise.resolve(rcComponents(rcGiven))");
  return `const rcComponents = (rcReact) => {\n${components}};\n${page}`;
}

/**
 * Returns the page as one file with the data that it shows. It loads nothing.
 * @param {object} data
 * @param {{ title?: string, language?: string }} [options]
 */
function staticPage(data, { title, language } = {}) {
  const script = wholeScript().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const style = readBuilt("studio.css").replaceAll("</style", "<\\/style");
  return htmlOf({
    language,
    title,
    policy: `default-src 'none'; script-src ${sha256(script)}; style-src ${sha256(style)}; img-src data:; base-uri 'none'; form-action 'none'`,
    head: `<link rel="icon" href="data:,">\n<style>${style}</style>\n`,
    body: `<script type="application/json" id="studio-data">${inScript(data)}</script>\n<script type="module">${script}</script>\n`,
  });
}

module.exports = { FILES, SERVED_POLICY, readBuilt, servedPage, staticPage };
