// `roo-condense/ui`: the components, the clients, and the page made of them.

export {
  type MessagePortLike,
  type Snapshot,
  createHttpClient,
  createPostMessageClient,
  createStaticClient,
  vscodePort,
} from "./client.js";
export { Answer, type AnswerProps } from "./components/answer.js";
export { Breakdown, type BreakdownProps } from "./components/breakdown.js";
export { Changes, type ChangesProps } from "./components/changes.js";
export {
  INHERIT,
  ProviderSelect,
  type ProviderSelectProps,
  TargetSlider,
  type TargetSliderProps,
  ThresholdSetting,
  type ThresholdSettingProps,
  choiceOf,
} from "./components/choices.js";
export { ProviderComparison, type ProviderComparisonProps } from "./components/comparison.js";
export { CondenseRow, type CondenseRowProps } from "./components/condense-row.js";
export { ContextMap, type ContextMapProps } from "./components/context-map.js";
export { Diff, type DiffMode, type DiffProps } from "./components/diff.js";
export { MessageView, type MessageViewProps } from "./components/message-view.js";
export {
  PassConfigurationPanel,
  type PassConfigurationPanelProps,
  type PassMemory,
  newPassMemory,
} from "./components/pass-configuration.js";
export { PassEditor, type PassEditorProps } from "./components/pass-editor.js";
export {
  ContentTypeSelector,
  type ContentTypeSelectorProps,
  OperationSelector,
  type OperationSelectorProps,
} from "./components/pass-fields.js";
export { MetricsDashboard, type MetricsDashboardProps } from "./components/metrics.js";
export { Proof, type ProofProps } from "./components/proof.js";
export { PreviewPane, type PreviewPaneProps } from "./components/preview-pane.js";
export { SettingsPanel, type SettingsPanelProps } from "./components/settings-panel.js";
export { WindowBar, type WindowBarProps } from "./components/window-bar.js";
export { RecommendWizard, type RecommendWizardProps } from "./components/recommend-wizard.js";
export { type ConfigFault, FaultsAt } from "./faults.js";
export { type Language, StudioProvider, type StudioProviderProps, type Theme } from "./context.js";
export { Studio, type StudioProps } from "./studio.js";
export { VisibleText, visibleText } from "./text.js";
export * from "./types.js";
