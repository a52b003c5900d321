// The page: what fills the window, what would go, and what every provider makes of it.

import * as Tabs from "@radix-ui/react-tabs";
import { FolderOpen, X } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Breakdown } from "./components/breakdown.js";
import { Changes } from "./components/changes.js";
import { CUSTOM, ProviderSelect, TargetSlider, choiceOf } from "./components/choices.js";
import { ProviderComparison } from "./components/comparison.js";
import { ContextMap } from "./components/context-map.js";
import type { DiffMode } from "./components/diff.js";
import { KeptNote } from "./components/kept-note.js";
import { MessageView } from "./components/message-view.js";
import { MetricsDashboard } from "./components/metrics.js";
import { PassConfigurationPanel } from "./components/pass-configuration.js";
import { PreviewPane, Waiting } from "./components/preview-pane.js";
import { Safe } from "./components/safe.js";
import { RecommendWizard } from "./components/recommend-wizard.js";
import { type Done, SaveBar } from "./components/save-bar.js";
import { WindowBar } from "./components/window-bar.js";
import { LANGUAGES, type Key, type Language, StudioProvider, THEMES, type Theme, languageOf, useStudio } from "./context.js";
import { useAnswer } from "./hooks.js";
import { type PassDraft, usePassDraft } from "./pass-draft.js";
import { Remembered } from "./remembered.js";
import { visibleText } from "./text.js";
import { useTold } from "./told.js";
import {
  type CondenseClient,
  type Fault,
  type Hello,
  type HistoryInfo,
  type KeptChoice,
  type SmartConfig,
  StudioError,
  type Written,
} from "./types.js";

const WINDOWS = [32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000];
const NONE = "none";
/** What passes of one's own begin with. */
const FIRST_PRESET = "balanced";

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const faultOf = (error: unknown): Fault => ({
  code: error instanceof StudioError ? error.code : "internal_error",
  message: messageOf(error),
});
/** The host has let go of a condensation: another window has asked for many. */
const isGone = (error: unknown) => error instanceof StudioError && error.code === "unknown_condensation";

/** Histories as they are now: told anew whenever one changes. */
function useHistories(first: HistoryInfo[]) {
  const { client } = useStudio();
  const [histories, setHistories] = useState(first);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (!client.isLive) return;
    const controller = new AbortController();
    const follow = async () => {
      let known = first;
      while (!controller.signal.aborted) {
        try {
          const revisions = Object.fromEntries(known.map(({ id, revision }) => [id, revision]));
          ({ histories: known } = await client.wait({ revisions }, { signal: controller.signal }));
          setLost(false);
          setHistories(known);
        } catch {
          if (controller.signal.aborted) return;
          setLost(true);
          await new Promise((resolve) => setTimeout(resolve, 2000));
        }
      }
    };
    follow();
    return () => controller.abort();
  }, [client, first]);
  return { histories, setHistories, isLost };
}

/** The passes that are tried while they are chosen, and what is wrong with them. */
function usePasses(choice: string, { config }: PassDraft) {
  const { client } = useStudio();
  const isOwn = choice === CUSTOM;
  const { answer } = useAnswer(client.isLive && isOwn ? (signal) => client.presets({ signal }) : undefined, [client, isOwn]);
  const value = config ?? answer?.presets[FIRST_PRESET];
  const validated = useAnswer(
    isOwn && value ? (signal) => client.validate({ provider: "smart", config: value }, { signal }) : undefined,
    [client, isOwn, value],
    150,
  );
  const faults = validated.answer?.faults ?? [];
  // Only what was checked is tried.
  const isReady = !isOwn || (value !== undefined && validated.answer !== undefined && !validated.isWaiting && faults.length === 0);
  return { value: isOwn ? value : undefined, presets: answer?.presets, faults, isReady };
}

interface HistoryProps {
  hello: Hello;
  history: HistoryInfo;
  contextWindow: number | undefined;
  draft: PassDraft;
  remembered: Remembered;
}

function History({ hello, history, contextWindow, draft, remembered }: HistoryProps): ReactNode {
  const { client, t, format } = useStudio();
  const told = useTold();
  const { id, revision } = history;
  const [first] = useState(() => remembered.of(id));
  const [choice, setChoice] = useState(first.choice);
  const [taken, setTaken] = useState(first.taken);
  const [percent, setPercent] = useState(first.percent);
  useEffect(() => remembered.keep(id, { choice, taken, percent }), [remembered, id, choice, taken, percent]);
  const [tab, setTab] = useState("changes");
  const [mode, setMode] = useState<DiffMode>("inline");
  const [selected, setSelected] = useState<number>();
  const [asks, setAsks] = useState(0);
  const [refused, setRefused] = useState<string>();
  const [along, setAlong] = useState(0);
  const [done, setDone] = useState<Done>();
  const [problem, setProblem] = useState<Fault>();
  const window = contextWindow === undefined ? {} : { contextWindow };
  const inspected = useAnswer((signal) => client.inspect({ history: id, ...window }, { signal }), [client, id, revision, contextWindow]);
  const inspection = inspected.answer?.inspection;
  const total = inspection?.tokens.messages;
  const targetTokens = percent >= 100 || total === undefined ? undefined : Math.floor((total * percent) / 100);
  const target = targetTokens === undefined ? {} : { targetTokens };
  const passes = usePasses(choice, draft);
  /** A recommendation is taken with its configuration, by its preset where that is all of it, and with the target that it was measured with. */
  const take = (provider: string, config: Record<string, unknown>, tokens: number | undefined) => {
    if (tokens !== undefined && total) setPercent((100 * tokens) / total);
    const { preset, ...rest } = config;
    const isPreset = provider === "smart" && typeof preset === "string" && Object.keys(rest).length === 0;
    setTaken(isPreset ? undefined : { provider, config });
    setChoice(isPreset ? `smart:${preset}` : provider === "smart" ? CUSTOM : provider);
    if (provider === "smart" && !isPreset) draft.setConfig(config as SmartConfig);
  };
  const own = passes.value === undefined ? "" : JSON.stringify(passes.value);
  const condensed = useAnswer(
    inspection === undefined || !passes.isReady
      ? undefined
      : async (signal) => {
          const { kept } = remembered.of(id);
          const answer = await client.condense(
            {
              history: id,
              ...choiceOf(choice, passes.value),
              ...(taken?.provider === choice && taken),
              ...target,
              ...window,
              ...(asks > 0 && { ask: true }),
              ...(kept.length > 0 && { kept }),
            },
            { signal },
          );
          if (!signal.aborted) remembered.keep(id, { kept: answer.kept });
          return answer;
        },
    [client, id, revision, choice, targetTokens, contextWindow, asks, inspection === undefined, own, passes.isReady, taken],
    client.isLive ? 150 : 0,
  );
  const condensation = condensed.answer;
  // What was read belongs to another state of the file for a moment after it changed.
  const isCurrent = condensation?.after.length === inspection?.messages.length;
  // What came of other passes says nothing about these, and must not be saved in their name; nor what came of a choice before one that failed.
  const isFaulty = passes.faults.length > 0;
  const current = isCurrent && !isFaulty && !condensed.error ? condensation : undefined;
  // The list stays, with what is searched and open in it, until there is one of the file as it is now.
  const listed = isFaulty || condensed.error ? undefined : condensation;
  const map = useRef<HTMLDivElement>(null);
  const [isWorking, setWorking] = useState(false);
  // A message that a shorter file has no more is not shown.
  const looked = selected !== undefined && selected < (inspection?.messages.length ?? 0) ? selected : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked, refused and said belongs to what was chosen
  useEffect(() => {
    setAsks(0);
    setSelected(undefined);
    setRefused(undefined);
    setAlong(0);
    setDone(undefined);
    setProblem(undefined);
  }, [id, choice, percent, contextWindow, own]);
  useEffect(() => {
    setAsks(0);
    setRefused(undefined);
    setAlong(0);
    // The page follows what it writes itself, which is no news. What somebody else wrote is.
    setDone((old) => (old?.revision === revision ? old : undefined));
    // That it was not saved, because it had changed, stays to be read.
    setProblem((old) => (old?.code === "unreadable" ? undefined : old));
  }, [revision]);

  const now = useRef({ revision, isWaiting: false });
  now.current = { revision, isWaiting: condensed.isWaiting };
  const undo = useCallback(
    async (ids: string[]) => {
      if (!condensation) return;
      setDone(undefined);
      setProblem(undefined);
      setWorking(true);
      try {
        const { condensation: next, refused: left, dependants } = await client.undo({ condensation: condensation.id, changes: ids });
        setAlong(dependants.length);
        remembered.keep(id, { kept: next.kept });
        condensed.set(next);
        // Whatever is on its way was asked before this was chosen.
        if (now.current.isWaiting || now.current.revision !== next.revision) condensed.again();
        setRefused(
          left.length > 0
            ? t("changes.refused", { count: left.length, reason: told.fault({ code: left[0]!.code, message: left[0]!.reason }) })
            : undefined,
        );
      } catch (error) {
        setRefused(told.fault(faultOf(error)));
        if (isGone(error)) condensed.again();
      } finally {
        setWorking(false);
      }
    },
    [client, condensation, condensed.set, condensed.again, id, remembered, t, told],
  );
  /** Goes on with fewer of the kept choices. */
  const keepOnly = (kept: KeptChoice[]) => {
    remembered.keep(id, { kept });
    setDone(undefined);
    condensed.again();
  };
  const write = async (what: Done["what"], ask: () => Promise<Written>) => {
    setDone(undefined);
    setProblem(undefined);
    setWorking(true);
    try {
      setDone({ ...(await ask()), what });
    } catch (error) {
      setProblem(faultOf(error));
      if (isGone(error)) condensed.again();
    } finally {
      setWorking(false);
    }
  };

  if (!inspection) {
    const message = inspected.error ? told.fault(inspected.error) : undefined;
    return message ? <p className="rc-error">{message}</p> : <Waiting isWaiting />;
  }
  const canUndo = client.isLive && current?.exact === true && current.didCondense;
  return (
    <div className={`rc-body${looked === undefined ? "" : " rc-with-message"}`}>
      <div className="rc-main">
        {history.problem && (
          <p className="rc-error" role="alert">
            {t("history.problem", { message: told.problem(history.problem) })}
          </p>
        )}
        <WindowBar inspection={inspection} condensation={current} />
        <div ref={map}>
          <ContextMap inspection={inspection} condensation={current} selected={looked} onSelect={setSelected} />
        </div>
        {client.isLive ? (
          <div className="rc-choices">
            <ProviderSelect
              hello={hello}
              value={choice}
              onChange={(name) => {
                setChoice(name);
                setTaken(undefined);
                // Its passes are what somebody who chooses them wants to see.
                setTab(name === CUSTOM ? "passes" : tab === "passes" ? "changes" : tab);
              }}
            />
            <TargetSlider value={percent} tokens={inspection.tokens.messages} onChange={setPercent} />
          </div>
        ) : (
          <p className="rc-hint">{t("static.note")}</p>
        )}
        <PreviewPane
          condensation={current}
          error={isFaulty ? { code: "faulty_passes", message: t("fault.faulty_passes") } : condensed.error}
          isWaiting={condensed.isWaiting}
          onCancel={client.isLive ? condensed.cancel : undefined}
          onAsk={client.isLive ? () => setAsks(asks + 1) : undefined}
          mode={mode}
        />
        {current?.exact && (
          <KeptNote
            kept={current.kept}
            onForget={() => keepOnly([])}
            onDismiss={() => keepOnly(current.kept.filter(({ fault }) => !fault))}
          />
        )}
        <Tabs.Root className="rc-tabs" value={tab} onValueChange={setTab}>
          <Tabs.List className="rc-tab-list" aria-label={t("tabs")}>
            <Tabs.Trigger value="changes">
              {t("changes.title")} {current && <b>{format.number(current.changes.length)}</b>}
            </Tabs.Trigger>
            <Tabs.Trigger value="breakdown">{t("breakdown.title")}</Tabs.Trigger>
            <Tabs.Trigger value="compare">{t("compare.title")}</Tabs.Trigger>
            {client.isLive && <Tabs.Trigger value="recommend">{t("recommend.title")}</Tabs.Trigger>}
            {client.isLive && <Tabs.Trigger value="metrics">{t("metrics.title")}</Tabs.Trigger>}
            {passes.value && <Tabs.Trigger value="passes">{t("passes.title")}</Tabs.Trigger>}
          </Tabs.List>
          <Tabs.Content value="changes">
            {listed && !listed.error && (
              <Changes
                history={id}
                condensation={listed}
                isBusy={isWorking || listed !== current}
                mode={mode}
                onMode={setMode}
                onSelect={setSelected}
                onUndo={canUndo || (listed !== current && listed.exact && client.isLive) ? undo : undefined}
                onGone={condensed.again}
                refused={refused}
                along={along}
              />
            )}
          </Tabs.Content>
          <Tabs.Content value="breakdown">
            <Breakdown inspection={inspection} onSelect={setSelected} />
          </Tabs.Content>
          <Tabs.Content value="compare">
            <ProviderComparison
              history={id}
              revision={revision}
              hello={hello}
              targetTokens={targetTokens}
              chosen={choice}
              onChoose={client.isLive ? setChoice : undefined}
            />
          </Tabs.Content>
          {client.isLive && (
            <Tabs.Content value="recommend">
              <RecommendWizard history={id} revision={revision} {...window} {...target} onTake={take} />
            </Tabs.Content>
          )}
          {client.isLive && (
            <Tabs.Content value="metrics">
              <MetricsDashboard refresh={asks} />
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
        {client.isLive && (
          <SaveBar
            history={history}
            condensation={current?.error ? undefined : current}
            done={done}
            problem={problem}
            isFaulty={isFaulty}
            isBusy={isWorking}
            canWriteOthers={hello.canWrite}
            onSave={() => condensation && write("saved", () => client.save({ condensation: condensation.id }))}
            onUndo={() => write("undone", () => client.undoSave({ history: id }))}
          />
        )}
      </div>
      {looked !== undefined && (
        <aside className="rc-aside">
          <MessageView
            key={looked}
            history={id}
            revision={revision}
            index={looked}
            condensation={current?.exact ? current.id : undefined}
            mode="inline"
            onGone={condensed.again}
            onClose={() => {
              setSelected(undefined);
              map.current?.querySelector<HTMLElement>("[role=slider]")?.focus();
            }}
          />
        </aside>
      )}
    </div>
  );
}

interface PageProps {
  hello: Hello;
  language: Language;
  theme: Theme;
  onLanguage: (language: Language) => void;
  onTheme: (theme: Theme) => void;
}

function Page({ hello, language, theme, onLanguage, onTheme }: PageProps): ReactNode {
  const { client, t, format } = useStudio();
  const told = useTold();
  const { histories, setHistories, isLost } = useHistories(hello.histories);
  const [chosen, setChosen] = useState(hello.histories[0]?.id);
  const [window, setWindow] = useState<string>(hello.contextWindow === null ? NONE : String(hello.contextWindow));
  const [problem, setProblem] = useState<string>();
  const draft = usePassDraft();
  const [remembered] = useState(() => new Remembered());
  const history = histories.find(({ id }) => id === chosen) ?? histories[0];
  const windows = [...new Set([...WINDOWS, ...(hello.contextWindow === null ? [] : [hello.contextWindow])])].sort(
    (one, other) => one - other,
  );

  const open = useCallback(
    async (files: Iterable<File>) => {
      setProblem(undefined);
      for (const file of files) {
        try {
          const { history: opened } = await client.open({ name: file.name, text: await file.text() });
          setHistories((old) => [...old.filter(({ id }) => id !== opened.id), opened]);
          setChosen(opened.id);
        } catch (error) {
          const message = told.fault(faultOf(error));
          setProblem(message.startsWith(file.name) ? message : `${file.name}: ${message}`);
        }
      }
    },
    [client, setHistories, told],
  );
  const close = async (id: string) => {
    setProblem(undefined);
    try {
      await client.close({ history: id });
      setHistories((old) => old.filter((other) => other.id !== id));
    } catch (error) {
      setProblem(told.fault(faultOf(error)));
    }
  };
  // The page may be shorter than its window, which would show the file in its place.
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const dropped = (event: DragEvent) => {
      event.preventDefault();
      if (client.isLive && event.dataTransfer) open(event.dataTransfer.files);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", dropped);
    };
  }, [client, open]);
  return (
    <div className="rc-page">
      <header className="rc-header">
        <h1>{t("title")}</h1>
        {histories.length > 0 && (
          <label>
            <span className="rc-unseen">{t("history.title")}</span>
            <select value={history?.id} onChange={(event) => setChosen(event.target.value)}>
              {histories.map(({ id, name, messages }) => (
                <option key={id} value={id}>
                  {visibleText(name)} ({t("history.messages", { count: messages, shown: format.number(messages) })})
                </option>
              ))}
            </select>
          </label>
        )}
        {client.isLive && history?.canClose && (
          <button
            type="button"
            className="rc-icon"
            title={t("history.close")}
            aria-label={t("history.close")}
            onClick={() => close(history.id)}
          >
            <X size={14} aria-hidden="true" />
          </button>
        )}
        {client.isLive && (
          <label className="rc-button">
            <FolderOpen size={14} aria-hidden="true" /> {t("history.open")}
            <input type="file" className="rc-unseen" accept=".json,.jsonl" multiple onChange={(event) => open(event.target.files ?? [])} />
          </label>
        )}
        <span className="rc-spring" />
        <label>
          <span>{t("window.title")}</span>
          <select value={window} disabled={!client.isLive} onChange={(event) => setWindow(event.target.value)}>
            <option value={NONE}>{t("window.unknown")}</option>
            {windows.map((tokens) => (
              <option key={tokens} value={tokens}>
                {format.compact(tokens)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="rc-unseen">{t("theme")}</span>
          <select value={theme} onChange={(event) => onTheme(event.target.value as Theme)}>
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {t(`theme.${name}` as Key)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="rc-unseen">{t("language")}</span>
          <select value={language} onChange={(event) => onLanguage(event.target.value as Language)}>
            {LANGUAGES.map((name) => (
              <option key={name} value={name}>
                {t(`language.${name}` as Key)}
              </option>
            ))}
          </select>
        </label>
      </header>
      {isLost && (
        <p className="rc-error" role="alert">
          {t("lost")}
        </p>
      )}
      {problem && (
        <p className="rc-error" role="alert">
          {visibleText(problem)}
        </p>
      )}
      <main>
        {history ? (
          <History
            key={history.id}
            hello={hello}
            history={history}
            contextWindow={window === NONE ? undefined : Number(window)}
            draft={draft}
            remembered={remembered}
          />
        ) : (
          <p className="rc-empty">{t("history.none")}</p>
        )}
      </main>
    </div>
  );
}

export interface StudioProps {
  client: CondenseClient;
  language?: string | undefined;
  theme?: Theme | undefined;
}

/** The whole page. Everything it knows comes from the client. */
export function Studio({ client, language: wanted, theme: first = "system" }: StudioProps): ReactNode {
  const [hello, setHello] = useState<Hello>();
  const [error, setError] = useState<StudioError>();
  const [language, setLanguage] = useState<Language>();
  const [theme, setTheme] = useState(first);
  useEffect(() => {
    const controller = new AbortController();
    client.hello({ signal: controller.signal }).then(setHello, (failure) => {
      if (!controller.signal.aborted)
        setError(failure instanceof StudioError ? failure : new StudioError("internal_error", messageOf(failure)));
    });
    return () => controller.abort();
  }, [client]);
  const spoken = language ?? languageOf(wanted ?? hello?.language ?? globalThis.navigator?.language);
  useEffect(() => {
    document.documentElement.lang = spoken;
  }, [spoken]);
  return (
    <StudioProvider client={client} language={spoken} theme={theme}>
      {error && <Unreachable error={error} />}
      {!hello && !error && <Waiting isWaiting />}
      {hello && <Page hello={hello} language={spoken} theme={theme} onLanguage={setLanguage} onTheme={setTheme} />}
    </StudioProvider>
  );
}

function Unreachable({ error }: { error: StudioError }): ReactNode {
  const told = useTold();
  return (
    <p className="rc-error" role="alert">
      {told.fault(error)}
    </p>
  );
}
