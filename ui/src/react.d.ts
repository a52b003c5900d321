/** Gives the components the React that they run on: what `react`, `react-dom` and `react/jsx-runtime` export. Before `components.js` is loaded; written by scripts/build-ui.mjs. */
export function provide(...modules: object[]): void;
