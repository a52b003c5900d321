// The pages, in the order in which the site lists them. A test compares it with docs/.

import { modules } from "../modules.mjs";

const page = (text, link) => ({ text, link: `/${link}` });

export const english = [
  {
    text: "Begin",
    items: [
      page("Quick start", "quick-start"),
      page("An agent’s loop", "agent-loop"),
      page("The command line", "command-line"),
      page("The studio, with pictures", "guide/"),
      page("Questions and trouble", "faq"),
    ],
  },
  {
    text: "Choose",
    items: [
      page("Choosing a provider", "choosing"),
      page("Providers", "providers"),
      page("Native", "native"),
      page("Lossless", "lossless"),
      page("Truncation", "truncation"),
      page("Smart", "smart"),
      page("Strategies", "strategies"),
    ],
  },
  {
    text: "Use",
    items: [
      page("The manager", "manager"),
      page("What survives", "survival"),
      page("Deciding by cost", "economics"),
      page("Your own tools", "tools"),
      page("The studio", "studio"),
      page("Roo-Code and its forks", "roo"),
      page("Bundling", "bundling"),
      page("With your framework", "integrations"),
      page("Recall", "recall"),
      page("New tool results", "results"),
      page("Many histories", "batch"),
      page("Telemetry", "telemetry"),
      page("Message formats", "formats"),
      page("Errors and warnings", "errors"),
    ],
  },
  {
    text: "Background",
    items: [
      page("Markers", "markers"),
      page("Summaries", "summaries"),
      page("Salience", "salience"),
      page("Measurements", "measurements"),
      page("Security", "security"),
      page("The design’s samples", "design-samples"),
      page("Architecture", "architecture"),
      {
        ...page("Decisions", "decisions/"),
        collapsed: true,
        items: [
          page("1. Plans as edits", "decisions/0001-plans-as-edits"),
          page("2. Pointers", "decisions/0002-pointers"),
          page("3. The tokenizer", "decisions/0003-tokenizer"),
          page("4. JSON at the boundary", "decisions/0004-json-border"),
          page("5. The registry of providers", "decisions/0005-provider-registry"),
          page("6. No message numbers", "decisions/0006-no-message-numbers"),
          page("7. Reversible by default", "decisions/0007-reversible"),
          page("8. Lines of files", "decisions/0008-lines-of-files"),
          page("9. Passes and the target", "decisions/0009-passes"),
          page("10. Salience", "decisions/0010-salience"),
          page("11. The log", "decisions/0011-log"),
          page("12. Shortened results", "decisions/0012-shortened-results"),
          page("13. Recall", "decisions/0013-recall"),
          page("14. Fold", "decisions/0014-fold"),
        ],
      },
      page("WebAssembly", "webassembly"),
      page("Versions", "versions"),
      page("Making a release", "release"),
    ],
  },
];

export const french = [{ text: "Guide", items: [page("L’atelier", "fr/guide/")] }];

/** Of the reference that TypeDoc writes. */
export const reference = [
  {
    text: "API",
    items: [page("All of it", "api/"), ...modules.map(([name]) => page(name, `api/${name}/`))],
  },
];
