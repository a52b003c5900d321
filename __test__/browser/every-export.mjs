// The page of exports.test.mjs: every component that `roo-condense/ui` exports, each with what a host gives it. It runs in the browser, bundled with one React or another.

import { Component, createElement, version } from "react";
import { createRoot } from "react-dom/client";
import * as ui from "roo-condense/ui";

/** Exports that are no components, used below or in the page's own components. */
const HELPERS = [
  "INHERIT",
  "StudioError",
  "choiceOf",
  "createHttpClient",
  "createPostMessageClient",
  "createStaticClient",
  "faultOf",
  "isGone",
].concat(["newPassMemory", "visibleText", "vscodePort"]);

/** The host at the other end, in the test. */
const client = ui.createPostMessageClient(
  ui.vscodePort({ postMessage: async (message) => window.postMessage({ studio: 1, ...(await window.askHost(message)) }) }),
);

class Boundary extends Component {
  state = { error: undefined };

  static getDerivedStateFromError(error) {
    return { error };
  }

  render() {
    return this.state.error ? `failed: ${this.state.error.message}` : this.props.children;
  }
}

const nothing = () => undefined;

async function propsOfAll() {
  const hello = await client.hello();
  const { revision, inspection } = await client.inspect({ history: "h", contextWindow: 64_000, targetTokens: 20_000 });
  const condensation = await client.condense({ history: "h", provider: "lossless" });
  const { texts: _, ...shown } = await client.message({ history: "h", index: 2, condensation: condensation.id });
  const { presets } = await client.presets();
  const [pass] = presets.balanced.passes;
  const change = condensation.changes.find(({ grade }) => grade === "inline");
  const diff = condensation.samples.flatMap((sample) => sample.diff);
  const ofHistory = { history: "h", revision };
  return {
    Answer: { inspection, condensation, isWaiting: false, isBusy: false, onSave: nothing, onWhy: nothing },
    Breakdown: { inspection, condensation },
    Changes: { history: "h", condensation, messages: inspection.messages, mode: "unified", onMode: nothing, onUndo: nothing },
    CondenseRow: { tokensBefore: 100, tokensAfter: 40, cost: 0.01, summary: "What was done.", onUndo: nothing },
    ContentTypeSelector: {
      kind: "toolResults",
      operation: { operation: "truncate" },
      threshold: 100,
      onOperation: nothing,
      onThreshold: nothing,
    },
    ContextMap: { inspection, condensation, selected: 2 },
    Diff: { diff, mode: "split" },
    FaultsAt: { base: "passes[0]", faults: [{ path: "passes[0].name", message: "it is missing" }], children: "a field" },
    MessageView: { ...ofHistory, index: shown.index ?? 2, condensation: condensation.id },
    MetricsDashboard: {},
    OperationSelector: { label: "Results", value: "truncate", allowed: ["keep", "truncate"], onChange: nothing },
    PassConfigurationPanel: { value: presets.balanced, onChange: nothing, presets, faults: [], condensation, memory: ui.newPassMemory() },
    PassEditor: { pass, onChange: nothing, messages: inspection.messages },
    PreviewPane: { condensation },
    Proof: { condensation, change },
    ProviderComparison: { ...ofHistory, hello, limit: 20_000 },
    ProviderSelect: { hello, value: "smart:balanced", onChange: nothing },
    RecommendWizard: { ...ofHistory, contextWindow: 64_000 },
    SettingsPanel: { hello, onStored: () => window.reportStored() },
    Studio: { client, language: "en" },
    StudioProvider: { client, children: "inside" },
    TargetSlider: { value: 50, tokens: 1000, onChange: nothing },
    ThresholdSetting: { label: "of the profile", value: ui.INHERIT, inherited: 80, onChange: nothing },
    VisibleText: { children: "a\u200bb" },
    WindowBar: { inspection, condensation },
  };
}

const props = await propsOfAll();
const exported = new Map(Object.entries(ui));
const isUnknown = (name) => !(name in props) && !HELPERS.includes(name);
window.exported = {
  version,
  unknown: [...exported.keys()].filter(isUnknown),
  missing: [...Object.keys(props), ...HELPERS].filter((name) => !exported.has(name)),
};
for (const [name, own] of Object.entries(props)) {
  const place = document.body.appendChild(document.createElement("section"));
  place.id = name;
  const shown = createElement(exported.get(name), own);
  // The page brings the surroundings of its components itself.
  const inside = name === "Studio" ? shown : createElement(ui.StudioProvider, { client, language: "en" }, shown);
  createRoot(place).render(createElement(Boundary, undefined, inside));
}
