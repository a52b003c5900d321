// What is built as `roo-condense/ui`: the components with their stylesheet beside them (`roo-condense/ui/style.css`).

import "./studio.css";

export * from "./index.js";
