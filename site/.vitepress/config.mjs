// The site is docs/ as it lies there, with the API reference: build.mjs puts both into pages/.

import { createRequire } from "node:module";
import path from "node:path";
import { defineConfig } from "vitepress";
import { english, french, reference } from "./sidebar.mjs";

const require = createRequire(import.meta.url);
const { homepage, repository } = require("../../package.json");
const source = repository.url.replace(/^git\+|\.git$/g, "");

/** Pages lie beside the code, and lead to it: on the site these links lead to the repository. */
function leadOutside(md) {
  md.core.ruler.push("outside", ({ tokens, env }) => {
    for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === "link_open")) {
      const target = link.attrGet("href");
      if (!target.startsWith(".")) continue;
      const file = path.posix.join("docs", path.posix.dirname(env.relativePath ?? ""), target);
      if (!file.startsWith("docs/")) link.attrSet("href", `${source}/blob/main/${file}`);
    }
  });
}

/** Diagrams are drawn in the browser, from the same text as on GitHub. */
function drawDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    return info.trim() === "mermaid" ? `<Diagram code="${encodeURIComponent(content)}" />` : fence(tokens, index, ...rest);
  };
}

/** Headings are linked by the same names as on GitHub. */
const slugOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

export default defineConfig({
  // The page of a project on GitHub lies below the name of its repository.
  base: `/${path.posix.basename(source)}/`,
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "node_modules/.vitepress-cache",
  title: "roo-condense",
  description: "Condenses the conversation of a coding agent so that it keeps fitting the model's context window.",
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    anchor: { slugify: slugOf },
    config(md) {
      leadOutside(md);
      drawDiagrams(md);
    },
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  locales: {
    root: {
      label: "English",
      lang: "en",
      themeConfig: {
        nav: [
          { text: "Quick start", link: "/quick-start" },
          { text: "Guide", link: "/guide/" },
          { text: "API", link: "/api/" },
        ],
        sidebar: { "/api/": reference, "/": english },
      },
    },
    fr: {
      label: "Français",
      lang: "fr",
      link: "/fr/guide/",
      themeConfig: {
        nav: [{ text: "Guide", link: "/fr/guide/" }],
        sidebar: french,
        outline: { label: "Sur cette page" },
        docFooter: { prev: "Page précédente", next: "Page suivante" },
        darkModeSwitchLabel: "Apparence",
        returnToTopLabel: "Haut de page",
        sidebarMenuLabel: "Menu",
        langMenuLabel: "Changer de langue",
      },
    },
  },
  themeConfig: {
    // Only the guide is there in French: the menu of languages leads to its first page, not to the same page.
    i18nRouting: false,
    search: {
      provider: "local",
      options: {
        locales: {
          fr: {
            translations: {
              button: { buttonText: "Rechercher", buttonAriaLabel: "Rechercher" },
              modal: {
                noResultsText: "Rien de trouvé pour",
                footer: { selectText: "ouvrir", navigateText: "choisir", closeText: "fermer" },
              },
            },
          },
        },
      },
    },
    socialLinks: [{ icon: "github", link: homepage.split("#")[0] }],
    outline: "deep",
  },
});
