/**
 * Gives the components the React that they run on: the exports of `react`, `react-dom` and `react/jsx-runtime`. Called
 * before `components.js` is loaded; written by scripts/build-ui.mjs.
 */
export function provide(...modules: object[]): void;
