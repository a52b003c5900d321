"use strict";

// The page as HTML: for the server, a webview, or as one static file. No text of a history stands in it but as JSON that cannot end its element.

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { htmlOf } = require("./html.js");

/** Where the build puts the page (scripts/build-ui.mjs). Asked when it is needed: a bundle may have no `__dirname`. */
const folderOfPage = () => path.join(__dirname, "..", "..", "ui", "dist", "page");

const FILES = Object.freeze({
  "studio.js": "text/javascript",
  "components.js": "text/javascript",
  "react.js": "text/javascript",
  "studio.css": "text/css",
});

/** JSON that may stand in a script element: nothing in it ends the element or begins a comment. */
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

/** What only the page's own files may do. */
const SERVED_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page of the server, with its files beside it. */
const servedPage = () =>
  htmlOf({
    // What `studio.js` loads once it runs comes at the same time.
    head: '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="studio.css">\n<link rel="modulepreload" href="components.js">\n<link rel="modulepreload" href="react.js">\n',
    body: '<script type="module" src="studio.js"></script>\n',
  });

/** Replaces what stands in a built file at least once. */
function replaced(text, pattern, replacement) {
  const result = text.replace(pattern, replacement);
  if (result === text)
    throw Object.assign(new Error("the studio's page is of another build: `npm run build:ui`"), { code: "page_not_built" });
  return result;
}

/** The page's scripts as one, which imports nothing: the components as a function of the React that the page gives them. */
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
 * The page as one file, with what it shows in it. It loads nothing.
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
