// The page: the contents of the window, the savings, and the result of every provider.

import { FolderOpen, List as ListIcon, Search, Settings, X } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { IconButton } from "./components/icon-button.js";
import { CommandPalette } from "./components/command-palette.js";
import { Drawer } from "./components/drawer.js";
import { Switch } from "./components/fields.js";
import { Waiting } from "./components/preview-pane.js";
import { SettingsPanel } from "./components/settings-panel.js";
import { Start } from "./components/start.js";
import { Commands, CommandsContext, useCommandKeys, useCommands } from "./commands.js";
import { LANGUAGES, type Key, type Language, StudioProvider, THEMES, type Theme, languageOf, useStudio } from "./context.js";
import { History } from "./history.js";
import { usePassDraft } from "./pass-draft.js";
import { Remembered, rememberedPage, rememberPage } from "./remembered.js";
import { visibleText } from "./text.js";
import { useTold } from "./told.js";
import { type CondenseClient, type Hello, type HistoryInfo, StudioError, faultOf } from "./types.js";

const WINDOWS = [32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000];
const NONE = "none";

/** Returns true in an editor's webview, which sets the theme of the page. */
const isInEditor = () => typeof document !== "undefined" && /\bvscode-(dark|light|high-contrast)/.test(document.body.className);

/** Returns the current histories, updated whenever one changes. */
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

/** Returns the names of histories: the last part of the path if no other one ends alike. */
function shortNames(histories: HistoryInfo[]): Map<HistoryInfo, string> {
  const counts = new Map<string, number>();
  for (const history of histories) counts.set(nameOf(history), (counts.get(nameOf(history)) ?? 0) + 1);
  return new Map(histories.map((history) => [history, counts.get(nameOf(history)) === 1 ? nameOf(history) : history.name]));
}

/** Returns the last part of the name, which may be a path. */
const nameOf = ({ name }: HistoryInfo) => name.split(/[\\/]/).at(-1) || name;

interface PageProps {
  hello: Hello;
  language: Language;
  theme: Theme;
  onLanguage: (language: Language) => void;
  onTheme: (theme: Theme) => void;
}

/** The page with its commands. */
function Page(props: PageProps): ReactNode {
  const [commands] = useState(() => new Commands());
  return (
    <CommandsContext.Provider value={commands}>
      <PageInside {...props} commands={commands} />
    </CommandsContext.Provider>
  );
}

function PageInside({ commands, hello, language, theme, onLanguage, onTheme }: PageProps & { commands: Commands }): ReactNode {
  const { client, t, format } = useStudio();
  const told = useTold();
  const { histories, setHistories, isLost } = useHistories(hello.histories);
  const [chosen, setChosen] = useState(hello.histories[0]?.id);
  const [window, setWindow] = useState<string>(() => String(hello.contextWindow ?? rememberedPage().window ?? NONE));
  const [recall, setRecall] = useState(hello.recall === true);
  const [isDragging, setDragging] = useState(false);
  /** True while the list of sessions is shown instead of a history. */
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isSetting, setSetting] = useState(false);
  /** Counts the changes of settings with which the host has condensed. */
  const [settled, setSettled] = useState(0);
  const [isCommanding, setCommanding] = useState(false);
  const [hasLetters, setLetters] = useState(() => rememberedPage().letters);
  const files = useRef<HTMLInputElement>(null);
  const draft = usePassDraft();
  const [remembered] = useState(() => new Remembered(hello.targetPercent));
  const contextWindow = Number.isFinite(Number(window)) ? Number(window) : undefined;
  const names = shortNames(histories);
  const history = histories.find(({ id }) => id === chosen) ?? histories[0];
  const windows = [...new Set([...WINDOWS, ...(Number.isFinite(Number(window)) ? [Number(window)] : [])])].sort(
    (one, other) => one - other,
  );

  useCommandKeys(commands, hasLetters);
  useCommands([
    { id: "commands", name: t("commands.title"), key: "Ctrl+K", run: () => setCommanding(true) },
    { id: "settings", name: t("settings"), key: ",", run: () => setSetting(true) },
    { id: "open", name: t("history.open"), key: "o", run: client.isLive ? () => files.current?.click() : undefined },
    { id: "sessions", name: t("start.sessions"), run: hello.canFind && history ? () => setStarting(!isStarting) : undefined },
    ...histories.map((each) => ({
      id: `history ${each.id}`,
      name: `${t("history.title")}: ${visibleText(names.get(each) ?? each.name)}`,
      run:
        each === history
          ? undefined
          : () => {
              setChosen(each.id);
              setStarting(false);
            },
    })),
    { id: "close", name: t("history.close"), run: client.isLive && history?.canClose ? () => close(history.id) : undefined },
  ]);

  const open = useCallback(
    async (files: Iterable<File>) => {
      setProblem(undefined);
      for (const file of files) {
        try {
          const { history: opened } = await client.open({ name: file.name, text: await file.text() });
          setHistories((old) => [...old.filter(({ id }) => id !== opened.id), opened]);
          setChosen(opened.id);
          setStarting(false);
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
  useEffect(() => {
    const own = document.title;
    document.title = history ? `${visibleText(nameOf(history))} · ${t("title")}` : t("title");
    return () => {
      document.title = own;
    };
  }, [history, t]);
  // Listens on the window, because the page may be shorter, and the browser would open a file dropped below it.
  useEffect(() => {
    // A pointer that moves between parts of the page leaves one part and enters another. Only the last event leaves the page.
    let inside = 0;
    const isOfFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent) => event.preventDefault();
    const entered = (event: DragEvent) => {
      inside += 1;
      if (client.isLive && isOfFiles(event)) setDragging(true);
    };
    const left = () => {
      inside -= 1;
      if (inside <= 0) setDragging(false);
    };
    const dropped = (event: DragEvent) => {
      event.preventDefault();
      inside = 0;
      setDragging(false);
      if (client.isLive && event.dataTransfer) open(event.dataTransfer.files);
    };
    const listeners = { dragover: over, dragenter: entered, dragleave: left, drop: dropped };
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener as EventListener);
    };
  }, [client, open]);
  return (
    <div className="rc-page">
      <header className="rc-header">
        <p className="rc-mark">{t("title")}</p>
        {histories.length > 0 && (
          <label className="rc-grow">
            <span className="rc-unseen">{t("history.title")}</span>
            <select
              value={history?.id}
              title={history && visibleText(history.name)}
              onChange={(event) => {
                setChosen(event.target.value);
                setStarting(false);
              }}
            >
              {histories.map((each) => (
                <option key={each.id} value={each.id}>
                  {visibleText(names.get(each) ?? each.name)} (
                  {t("history.messages", { count: each.messages, shown: format.number(each.messages) })})
                </option>
              ))}
            </select>
          </label>
        )}
        {client.isLive && history?.canClose && (
          <IconButton isTitled label={t("history.close")} onClick={() => close(history.id)}>
            <X size={14} aria-hidden="true" />
          </IconButton>
        )}
        {client.isLive && (
          <label className="rc-button">
            <FolderOpen size={14} aria-hidden="true" /> <span className="rc-narrow-unseen">{t("history.open")}</span>
            <input
              ref={files}
              type="file"
              className="rc-unseen"
              accept=".json,.jsonl"
              multiple
              onChange={(event) => open(event.target.files ?? [])}
            />
          </label>
        )}
        {hello.canFind && histories.length > 0 && (
          <button type="button" className="rc-button" aria-pressed={isStarting} onClick={() => setStarting(!isStarting)}>
            <ListIcon size={14} aria-hidden="true" /> <span className="rc-narrow-unseen">{t("start.sessions")}</span>
          </button>
        )}
        <span className="rc-spring" />
        <label>
          <span>{t("window.title")}</span>
          <select
            aria-label={t("window.title")}
            value={window}
            disabled={!client.isLive}
            onChange={(event) => {
              setWindow(event.target.value);
              const tokens = Number(event.target.value);
              rememberPage({ window: Number.isFinite(tokens) ? tokens : undefined });
            }}
          >
            <option value={NONE}>{t("window.unknown")}</option>
            {windows.map((tokens) => (
              <option key={tokens} value={tokens}>
                {format.compact(tokens)}
              </option>
            ))}
          </select>
        </label>
        <span className="rc-tools">
          <IconButton
            label={t("commands.title")}
            title={`${t("commands.title")} (Ctrl+K)`}
            aria-keyshortcuts="Control+K"
            onClick={() => setCommanding(true)}
          >
            <Search size={16} aria-hidden="true" />
          </IconButton>
          <IconButton isTitled label={t("settings")} aria-haspopup="dialog" onClick={() => setSetting(true)}>
            <Settings size={16} aria-hidden="true" />
          </IconButton>
        </span>
      </header>
      {isSetting && (
        <Drawer label={t("settings")} onClose={() => setSetting(false)}>
          <section className="rc-settings">
            <h2>{t("settings")}</h2>
            <div className="rc-settings-row">
              {!isInEditor() && (
                <label>
                  <span>{t("theme")}</span>
                  <select value={theme} onChange={(event) => onTheme(event.target.value as Theme)}>
                    {THEMES.map((name) => (
                      <option key={name} value={name}>
                        {t(`theme.${name}` as Key)}
                      </option>
                    ))}
                  </select>
                </label>
              )}
              <label>
                <span>{t("language")}</span>
                <select value={language} onChange={(event) => onLanguage(event.target.value as Language)}>
                  {LANGUAGES.map((name) => (
                    <option key={name} value={name}>
                      {t(`language.${name}` as Key)}
                    </option>
                  ))}
                </select>
              </label>
            </div>
            <Switch
              label={t("settings.letters")}
              checked={hasLetters}
              onChange={(isOn) => {
                setLetters(isOn);
                rememberPage({ letters: isOn });
              }}
            />
            {hello.canSet && client.isLive && <SettingsPanel hello={hello} onStored={() => setSettled((times) => times + 1)} />}
          </section>
        </Drawer>
      )}
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
        {history && !isStarting ? (
          <History
            key={history.id}
            hello={hello}
            history={history}
            contextWindow={contextWindow}
            recall={recall}
            onRecall={setRecall}
            draft={draft}
            remembered={remembered}
            isLost={isLost}
            settled={settled}
            onCommanded={isCommanding ? () => setCommanding(false) : undefined}
          />
        ) : (
          <Start
            contextWindow={contextWindow}
            canFind={hello.canFind === true}
            onOpened={(opened) => {
              setHistories((old) => [...old.filter(({ id }) => id !== opened.id), opened]);
              setChosen(opened.id);
              setStarting(false);
            }}
            onFiles={open}
          />
        )}
      </main>
      {isCommanding && !(history && !isStarting) && <CommandPalette onClose={() => setCommanding(false)} />}
      {isDragging && <div className="rc-dropping">{t("history.drop")}</div>}
    </div>
  );
}

export interface StudioProps {
  client: CondenseClient;
  language?: string | undefined;
  theme?: Theme | undefined;
}

/** The whole page. All its data comes from the client. */
export function Studio({ client, language: wanted, theme: first = "system" }: StudioProps): ReactNode {
  const [hello, setHello] = useState<Hello>();
  const [error, setError] = useState<StudioError>();
  const [language, setLanguage] = useState<Language | undefined>(() => rememberedPage().language);
  const [theme, setTheme] = useState(() => rememberedPage().theme ?? first);
  useEffect(() => {
    const controller = new AbortController();
    client.hello({ signal: controller.signal }).then(setHello, (failure) => {
      if (!controller.signal.aborted)
        setError(failure instanceof StudioError ? failure : new StudioError("internal_error", faultOf(failure).message));
    });
    return () => controller.abort();
  }, [client]);
  const spoken = language ?? languageOf(wanted ?? hello?.language ?? globalThis.navigator?.language);
  useEffect(() => {
    document.documentElement.lang = spoken;
  }, [spoken]);
  const chooseLanguage = (next: Language) => {
    setLanguage(next);
    rememberPage({ language: next });
  };
  const chooseTheme = (next: Theme) => {
    setTheme(next);
    rememberPage({ theme: next });
  };
  return (
    <StudioProvider client={client} language={spoken} theme={theme}>
      {error && <Unreachable error={error} />}
      {!hello && !error && <Waiting isWaiting />}
      {hello && <Page hello={hello} language={spoken} theme={theme} onLanguage={chooseLanguage} onTheme={chooseTheme} />}
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
