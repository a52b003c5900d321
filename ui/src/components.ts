// What is built as `page/components.js`: all of `roo-condense/ui` with its stylesheet, for the page as for a host. Which React it runs on says `react.js`.

import "./studio.css";

export * from "./index.js";
