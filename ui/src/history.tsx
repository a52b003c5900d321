// One history: its state, the changes that condensing would make, and the actions to save or export the result.

import * as Tabs from "@radix-ui/react-tabs";
import { type ReactNode, useRef, useState } from "react";
import { useCommands } from "./commands.js";
import { Answer } from "./components/answer.js";
import { Breakdown } from "./components/breakdown.js";
import { Changes } from "./components/changes.js";
import { CUSTOM, ProviderSelect, TargetSlider, choiceOf } from "./components/choices.js";
import { CommandPalette } from "./components/command-palette.js";
import { ProviderComparison } from "./components/comparison.js";
import { ContextMap } from "./components/context-map.js";
import type { DiffMode } from "./components/diff.js";
import { Drawer } from "./components/drawer.js";
import { KeptNote } from "./components/kept-note.js";
import { MessageView } from "./components/message-view.js";
import { MetricsDashboard } from "./components/metrics.js";
import { PassConfigurationPanel } from "./components/pass-configuration.js";
import { PreviewPane, Waiting } from "./components/preview-pane.js";
import { RecommendWizard } from "./components/recommend-wizard.js";
import { Safe } from "./components/safe.js";
import { SaveBar } from "./components/save-bar.js";
import { HowFar } from "./components/steps.js";
import { FIRST_PRESET, useChoices, useCondensing, usePasses, useSteps } from "./condensing.js";
import { type Key, useStudio } from "./context.js";
import type { PassDraft } from "./pass-draft.js";
import type { Remembered } from "./remembered.js";
import { type Saving, useSaving } from "./saving.js";
import { capitalised, roleText, visibleText } from "./text.js";
import { useTold } from "./told.js";
import type { Condensation, Hello, HistoryInfo, Step } from "./types.js";

/** Returns the reason why a condensation cannot be saved now; undefined if it can. */
function useObstacle(history: HistoryInfo, condensation: Condensation | undefined, saving: Saving, isFaulty: boolean): string | undefined {
  const { t } = useStudio();
  const { done } = saving;
  if (history.problem) return t("save.unreadable");
  if (isFaulty) return t("save.faulty");
  if (condensation && !condensation.exact) return t("save.estimate");
  if (condensation && !condensation.didCondense) return t("save.nothing");
  if (done?.what === "saved" && done.revision === history.revision) return t("save.again");
  return undefined;
}

/** Selects the control for the target: the slider, or the checkbox that enables it. */
const TARGET = ".rc-choices [role=slider]:not([data-disabled]), .rc-choices input[type=checkbox]";

interface HistoryProps {
  hello: Hello;
  history: HistoryInfo;
  contextWindow: number | undefined;
  /** Whether the model can recall what is left out. */
  recall: boolean;
  onRecall: (recall: boolean) => void;
  draft: PassDraft;
  remembered: Remembered;
  /** True if the host no longer responds; the page says so. */
  isLost: boolean;
  /** Changes when the host's settings change. */
  settled: number;
  /** Closes the list of commands; absent while it is not shown. */
  onCommanded?: (() => void) | undefined;
}

export function History(props: HistoryProps): ReactNode {
  const { hello, history, contextWindow, recall, onRecall, draft, remembered, isLost, settled, onCommanded } = props;
  const { client, t, format } = useStudio();
  const told = useTold();
  const { id, revision } = history;
  const { isLive } = client;
  const [tab, setTab] = useState("changes");
  const [mode, setMode] = useState<DiffMode>("inline");
  const [selected, setSelected] = useState<number>();
  /** The message viewed last, with which settings for single messages begin. */
  const [looked, setLooked] = useState<number>();
  /** A text to search for in the list of changes; another object each time. */
  const [sought, setSought] = useState<{ text: string }>();
  const page = useRef<HTMLDivElement>(null);
  const details = useRef<HTMLDivElement>(null);
  const clear = useRef(() => {});
  const [changed] = useState(() => () => clear.current());
  const choices = useChoices(id, draft, remembered);
  /** True if the choices of provider and exact target are shown. */
  const [isMore, setMore] = useState(choices.choice !== "");
  const passes = usePasses(choices.choice, draft);
  const condensing = useCondensing({ history, contextWindow, recall, choices, passes, remembered, settled, onChange: changed });
  const { inspected, inspection, advice, condensed, current, listed, isFaulty, isWorking, targetTokens } = condensing;
  const usable = current?.error ? undefined : current;
  const window = contextWindow === undefined ? {} : { contextWindow };
  const chosen = { ...choiceOf(choices.choice, passes.value), ...choices.taken };
  const steps = useSteps(
    advice,
    isLive && current && passes.isReady
      ? ({ targetTokens: target }, signal) =>
          client.condense({ history: id, ...chosen, ...(target !== undefined && { targetTokens: target }), ...window }, { signal })
      : undefined,
    JSON.stringify([id, revision, advice, chosen, contextWindow, settled]),
  );
  const limit = inspection?.window?.atLimit.tokens;
  const untargeted = steps.find((step) => step.targetTokens === undefined)?.outcome;
  const goTo = ({ targetTokens: target }: Step) => {
    const all = inspection?.tokens.messages || 1;
    choices.setPercent(target === advice?.targetTokens ? undefined : target === undefined ? 100 : (100 * target) / all);
  };
  const advised = steps.findIndex(({ isAdvised }) => isAdvised);
  const careful = steps[advised]?.targetTokens === targetTokens ? steps[advised - 1] : undefined;
  const fits = limit !== undefined && careful?.outcome !== undefined && careful.outcome.tokensAfter <= limit;
  const gentler = careful?.outcome && fits ? { tokens: careful.outcome.tokensAfter, onChoose: () => goTo(careful) } : undefined;
  const saving = useSaving(history, usable, condensing.key, condensed.again);
  clear.current = saving.clear;
  const obstacle = useObstacle(history, usable, saving, isFaulty);
  const canSave = history.canWrite && usable?.didCondense === true && obstacle === undefined && !saving.isBusy && !isWorking;
  const isThere = isLive && usable?.exact === true && !saving.isBusy && !isWorking;
  const focus = (selector: string) => () => {
    const found = page.current?.querySelector<HTMLElement>(selector);
    found?.closest("details")?.setAttribute("open", "");
    found?.focus();
  };
  const show = (name: string) => () => {
    setTab(name);
    details.current?.scrollIntoView({ block: "start" });
    details.current?.querySelector<HTMLElement>(`[role=tab][id$="-${name}"]`)?.focus({ preventScroll: true });
  };
  const filter = (text: string) => {
    setSought({ text });
    show("changes")();
  };
  // Once the tabs are shown, they remain during further runs, so that the open parts stay open.
  const hadTabs = useRef(false);
  const hasTabs = inspection !== undefined && (hadTabs.current || listed !== undefined || condensed.error !== undefined || isFaulty);
  hadTabs.current = hasTabs;
  const tabs: [string, Key, boolean][] = [
    ["changes", "changes.title", true],
    ["breakdown", "breakdown.title", true],
    ["compare", "compare.title", true],
    ["recommend", "recommend.title", isLive],
    ["metrics", "metrics.title", isLive],
    ["passes", "passes.title", passes.value !== undefined],
  ];
  useCommands([
    { id: "save", name: t("save.title"), key: "Ctrl+S", run: isLive && canSave ? saving.save : undefined },
    { id: "saveAs", name: t("bar.saveAs"), key: "S", run: isThere ? saving.saveAs : undefined },
    { id: "copy", name: t("bar.copy"), key: "c", run: isThere ? saving.copy : undefined },
    { id: "report", name: t("bar.report"), run: hello.canReport && usable && isThere ? saving.report : undefined },
    { id: "undoSave", name: t("save.undo"), run: isLive && history.canUndo && !saving.isBusy ? saving.undo : undefined },
    { id: "map", name: t("map.keys"), key: "m", run: inspection && focus(".rc-map-frame [role=slider], .rc-map-frame[role=slider]") },
    { id: "provider", name: t("provider.title"), key: "p", run: inspection && isLive ? focus(".rc-choices select") : undefined },
    { id: "target", name: t("target.title"), key: "t", run: inspection && isLive ? focus(TARGET) : undefined },
    { id: "noTarget", name: t("target.none"), run: inspection && isLive ? () => choices.setPercent(100) : undefined },
    ...tabs.map(([name, key, isShown]) => ({ id: name, name: t(key), run: hasTabs && isShown ? show(name) : undefined })),
  ]);
  const select = (index: number | undefined) => {
    setSelected(index);
    if (index !== undefined) setLooked(index);
  };

  if (!inspection) {
    const message = inspected.error && !isLost ? told.fault(inspected.error) : undefined;
    return message ? (
      <p className="rc-error" role="alert">
        {message}
      </p>
    ) : (
      <div className="rc-skeleton">
        <Waiting isWaiting={!isLost} />
      </div>
    );
  }
  // If the file became shorter, the selected message may no longer exist.
  const last = inspection.messages.length - 1;
  const open = selected !== undefined && selected <= last ? selected : undefined;
  const canUndo = isLive && current?.exact === true && current.didCondense;
  /** Returns the title of a message: its label, and its tokens now and after. */
  const titleOf = (index: number) => {
    const message = inspection.messages[index];
    const after = canUndo ? current.after[index] : undefined;
    const tokens = format.number(message?.tokens ?? 0);
    const change = after === undefined || after === message?.tokens ? tokens : `${tokens} → ${format.number(Math.max(0, after))}`;
    return `${visibleText(message?.label || capitalised(roleText(t, message?.role ?? "")))}, ${change}`;
  };
  const targetPercent = targetTokens === undefined ? 100 : (100 * targetTokens) / (inspection.tokens.messages || 1);
  const error = isFaulty
    ? { code: "faulty_passes", message: t("fault.faulty_passes") }
    : isLost && condensed.error?.code === "unreachable"
      ? undefined
      : condensed.error;
  return (
    <div ref={page} className="rc-main">
      {history.problem && (
        <p className="rc-error" role="alert">
          {t("history.problem", { message: told.problem(history.problem) })}
        </p>
      )}
      <Answer
        inspection={inspection}
        condensation={current}
        recall={recall}
        gentler={isLive ? gentler : undefined}
        error={error}
        isWaiting={condensed.isWaiting}
        onCancel={isLive ? condensed.cancel : undefined}
        onAsk={isLive ? condensing.askModel : undefined}
        onSave={isLive && history.canWrite ? saving.save : undefined}
        onDownload={isLive ? saving.saveAs : undefined}
        obstacle={isLive ? obstacle : undefined}
        isBusy={isWorking || saving.isBusy}
        onWhy={show("changes")}
      />
      <PreviewPane condensation={current} recall={recall} error={error} isWaiting={condensed.isWaiting} mode={mode} />
      {isLive && (
        <SaveBar
          history={history}
          condensation={usable}
          recall={recall}
          saving={saving}
          obstacle={obstacle}
          isBusy={isWorking}
          canReport={hello.canReport === true}
        />
      )}
      {isLive && (
        <HowFar
          steps={steps}
          targetTokens={targetTokens}
          limit={limit}
          recall={recall}
          onChoose={goTo}
          onRecall={(has) => {
            choices.setPercent(undefined);
            onRecall(has);
          }}
          onCompare={hasTabs ? show("compare") : undefined}
        />
      )}
      <ContextMap inspection={inspection} condensation={current} selected={open} onSelect={select} />
      {isLive ? (
        <details className="rc-more" open={isMore} onToggle={(event) => setMore(event.currentTarget.open)}>
          <summary>{t("more.title")}</summary>
          <div className="rc-choices">
            <ProviderSelect
              hello={hello}
              value={choices.choice}
              used={current?.provider}
              onChange={(name) => {
                choices.choose(name);
                // A user who chooses custom passes wants to see them.
                setTab(name === CUSTOM ? "passes" : tab === "passes" ? "changes" : tab);
              }}
            />
            <TargetSlider
              value={targetPercent}
              tokens={inspection.tokens.messages}
              most={untargeted && Math.floor((100 * untargeted.tokensAfter) / (inspection.tokens.messages || 1))}
              onChange={choices.setPercent}
            />
          </div>
        </details>
      ) : (
        <p className="rc-hint">{t("static.note")}</p>
      )}
      {(listed || error) && current?.exact && (
        <KeptNote
          kept={current.kept}
          onForget={() => condensing.keepOnly([])}
          onEase={targetTokens !== undefined ? () => choices.setPercent(100) : undefined}
          onDismiss={() => condensing.keepOnly(current.kept.filter(({ fault }) => !fault))}
        />
      )}
      {hasTabs && (
        <Tabs.Root ref={details} className="rc-tabs" value={tab} onValueChange={setTab}>
          <Tabs.List className="rc-tab-list" aria-label={t("tabs")}>
            <Tabs.Trigger value="changes">
              {t("changes.title")} {current && <b>{format.number(current.changes.length)}</b>}
            </Tabs.Trigger>
            <Tabs.Trigger value="breakdown">{t("breakdown.title")}</Tabs.Trigger>
            <Tabs.Trigger value="compare">{t("compare.title")}</Tabs.Trigger>
            {isLive && <Tabs.Trigger value="recommend">{t("recommend.title")}</Tabs.Trigger>}
            {isLive && <Tabs.Trigger value="metrics">{t("metrics.title")}</Tabs.Trigger>}
            {passes.value && <Tabs.Trigger value="passes">{t("passes.title")}</Tabs.Trigger>}
          </Tabs.List>
          <Tabs.Content value="changes">
            {listed && !listed.error && (
              <Changes
                history={id}
                condensation={listed}
                messages={listed === current ? inspection.messages : undefined}
                isBusy={isWorking || listed !== current}
                mode={mode}
                onMode={setMode}
                onSelect={select}
                sought={sought}
                onUndo={canUndo || (listed !== current && listed.exact && isLive) ? condensing.undo : undefined}
                onGone={condensed.again}
                refused={condensing.refused}
                along={condensing.along}
              />
            )}
          </Tabs.Content>
          <Tabs.Content value="breakdown">
            <Breakdown
              inspection={inspection}
              condensation={current}
              onSelect={select}
              onFilter={canUndo ? (text) => filter(text) : undefined}
            />
          </Tabs.Content>
          <Tabs.Content value="compare">
            <ProviderComparison
              history={id}
              revision={revision}
              hello={hello}
              targetTokens={targetTokens}
              contextWindow={contextWindow}
              chosen={choices.choice}
              onChoose={isLive ? choices.choose : undefined}
            />
          </Tabs.Content>
          {isLive && (
            <Tabs.Content value="recommend">
              <RecommendWizard
                history={id}
                revision={revision}
                {...window}
                {...(targetTokens !== undefined && { targetTokens })}
                recall={recall}
                onTake={(taken) => {
                  const { targetTokens: tokens } = taken;
                  choices.take(taken, tokens === undefined ? undefined : (100 * tokens) / (inspection.tokens.messages || 1));
                }}
              />
            </Tabs.Content>
          )}
          {isLive && (
            <Tabs.Content value="metrics">
              <MetricsDashboard refresh={condensing.asks} />
            </Tabs.Content>
          )}
          {passes.value && passes.presets && (
            <Tabs.Content value="passes">
              <Safe reset={{ label: t("page.resetPasses"), do: () => draft.setConfig(passes.presets![FIRST_PRESET]!) }}>
                <PassConfigurationPanel
                  value={passes.value}
                  onChange={draft.setConfig}
                  memory={draft.memory}
                  onTaken={draft.taken}
                  messages={inspection.messages}
                  looked={looked}
                  presets={passes.presets}
                  faults={passes.faults}
                  condensation={passes.isReady ? current : undefined}
                />
              </Safe>
            </Tabs.Content>
          )}
        </Tabs.Root>
      )}
      {onCommanded && (
        <CommandPalette
          history={{ id, revision, count: last + 1, labelOf: (index) => inspection.messages[index]?.label ?? "", open: select }}
          onClose={onCommanded}
        />
      )}
      {open !== undefined && (
        <Drawer
          label={`${t("message.title", { index: open })}: ${titleOf(open)}`}
          onClose={() => select(undefined)}
          onPrevious={open > 0 ? () => select(open - 1) : undefined}
          onNext={open < last ? () => select(open + 1) : undefined}
        >
          <MessageView
            key={open}
            history={id}
            revision={revision}
            index={open}
            title={titleOf(open)}
            condensation={current?.exact ? current.id : undefined}
            mode={mode}
            onGone={condensed.again}
          />
        </Drawer>
      )}
    </div>
  );
}
