// The entry that is built as `page/components.js`: all of `roo-condense/ui` with its stylesheet, for the page as for
// a host. `react.js` provides the React that it runs on.

import "./studio.css";

export * from "./index.js";
