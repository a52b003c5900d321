// The start page: the sessions of agents on this machine, and a place to drop a file.

import { ChevronRight, Download } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { type Key, useStudio } from "../context.js";
import { useAnswer } from "../hooks.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import { type FoundSession, type HistoryInfo, faultOf } from "../types.js";

interface StartProps {
  contextWindow: number | undefined;
  /** True if the host can find sessions. */
  canFind: boolean;
  onOpened: (history: HistoryInfo) => void;
  onFiles: (files: Iterable<File>) => void;
}

/** The window against which sessions are measured if none is chosen; the page says so. */
const ASSUMED_WINDOW = 200_000;
/** Maximum number of sessions that are opened at first, because each has to be read and counted. */
const AT_ONCE = 12;

/** Agents with a known name and sign. */
const AGENTS: Record<string, { sign: string; name: Key }> = {
  claude: { sign: "CC", name: "agent.claude" },
  codex: { sign: "Cx", name: "agent.codex" },
  roo: { sign: "Ro", name: "agent.roo" },
  zoo: { sign: "Zo", name: "agent.zoo" },
  cline: { sign: "Cl", name: "agent.cline" },
  copilot: { sign: "Co", name: "agent.copilot" },
  "copilot-chat": { sign: "Ch", name: "agent.copilotChat" },
  cursor: { sign: "Cu", name: "agent.cursor" },
  gemini: { sign: "Ge", name: "agent.gemini" },
  opencode: { sign: "OC", name: "agent.opencode" },
  pi: { sign: "Pi", name: "agent.pi" },
};

interface Looked {
  title?: string;
  messages?: number;
  tokens?: number;
  problem?: string;
}

/** Reads the sessions one after another, so that the first ones are shown soon. */
function useLooks(sessions: readonly FoundSession[]): ReadonlyMap<string, Looked> {
  const { client } = useStudio();
  const told = useTold();
  const [looks, setLooks] = useState<ReadonlyMap<string, Looked>>(new Map());
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const look = async () => {
      for (const { id } of sessions) {
        let found: Looked;
        try {
          found = await client.session({ id }, { signal });
        } catch (error) {
          if (signal.aborted) return;
          found = { problem: told.fault(faultOf(error)) };
        }
        setLooks((old) => (signal.aborted || old.has(id) ? old : new Map(old).set(id, found)));
      }
    };
    look();
    return () => controller.abort();
  }, [client, sessions, told]);
  return looks;
}

function Session({
  session,
  looked,
  contextWindow,
  isFirst,
  onOpen,
}: {
  session: FoundSession;
  looked: Looked | undefined;
  contextWindow: number;
  isFirst: boolean;
  onOpen: () => void;
}): ReactNode {
  const { t, format } = useStudio();
  const agent = AGENTS[session.agent];
  const title = looked?.title ? visibleText(looked.title) : visibleText(session.name);
  const { tokens } = looked ?? {};
  const share = tokens === undefined ? undefined : (100 * tokens) / contextWindow;
  const facts = [
    agent ? t(agent.name) : visibleText(session.agent),
    format.ago(Date.now() - session.changed),
    ...(looked?.messages === undefined ? [] : [t("history.messages", { count: looked.messages, shown: format.number(looked.messages) })]),
  ];
  return (
    <li className="rc-session">
      <span className="rc-agent" aria-hidden="true">
        {agent?.sign ?? "?"}
      </span>
      <div className="rc-session-told">
        <button type="button" className="rc-session-open" title={visibleText(session.name)} onClick={onOpen}>
          {title}
        </button>
        <p className="rc-dim">{facts.join(" · ")}</p>
        {looked?.problem && (
          <p className="rc-warning-line" title={looked.problem}>
            {looked.problem}
          </p>
        )}
      </div>
      <div className={share !== undefined && share > 80 ? "rc-fullness rc-hot" : "rc-fullness"}>
        {share !== undefined && (
          <p>{t("start.full", { share: format.percent(Math.round(share)), window: format.compact(contextWindow) })}</p>
        )}
        {share !== undefined && (
          <div className="rc-bar" aria-hidden="true">
            <div className="rc-bar-part rc-bar-left" style={{ width: `${Math.min(100, share)}%` }} />
          </div>
        )}
      </div>
      {isFirst ? (
        <span className="rc-button rc-primary" aria-hidden="true">
          {t("start.open")}
        </span>
      ) : (
        <ChevronRight size={16} aria-hidden="true" />
      )}
    </li>
  );
}

export function Start({ contextWindow, canFind, onOpened, onFiles }: StartProps): ReactNode {
  const { client, t, format } = useStudio();
  const told = useTold();
  const { answer, error } = useAnswer(canFind ? (signal) => client.sessions({ signal }) : undefined, [client, canFind]);
  const [most, setMost] = useState(AT_ONCE);
  const [problem, setProblem] = useState<string>();
  const [shown, setShown] = useState<FoundSession[]>([]);
  useEffect(() => setShown(answer?.sessions.slice(0, most) ?? []), [answer, most]);
  const looks = useLooks(shown);
  const open = async (id: string) => {
    setProblem(undefined);
    try {
      onOpened((await client.openSession({ id })).history);
    } catch (failure) {
      setProblem(told.fault(faultOf(failure)));
    }
  };
  const count = answer?.sessions.length ?? 0;
  return (
    <section className="rc-start">
      <h1>{t("start.title")}</h1>
      <p className="rc-lead">
        {answer ? t("start.found", { count, shown: format.number(count) }) : canFind ? t("waiting") : t("history.none")}
      </p>
      {(error || problem) && (
        <p className="rc-error" role="alert">
          {problem ?? told.fault(error!)}
        </p>
      )}
      {shown.length > 0 && contextWindow === undefined && (
        <p className="rc-note">{t("start.assumed", { window: format.compact(ASSUMED_WINDOW) })}</p>
      )}
      {shown.length > 0 && (
        <ul className="rc-sessions">
          {shown.map((session, at) => (
            <Session
              key={session.id}
              session={session}
              looked={looks.get(session.id)}
              contextWindow={contextWindow ?? ASSUMED_WINDOW}
              isFirst={at === 0}
              onOpen={() => open(session.id)}
            />
          ))}
        </ul>
      )}
      {count > shown.length && shown.length > 0 && (
        <button type="button" className="rc-button" onClick={() => setMost(most + AT_ONCE)}>
          {t("start.more", { shown: format.number(count - shown.length) })}
        </button>
      )}
      {/* Shown only once the content above it is known. */}
      {(!canFind || answer || error) && (
        <div className="rc-drop">
          <Download size={20} aria-hidden="true" />
          <b>{t("start.drop")}</b>
          <p>{t("start.kinds")}</p>
          <label className="rc-button">
            {t("start.choose")}
            <input
              type="file"
              className="rc-unseen"
              accept=".json,.jsonl"
              multiple
              onChange={(event) => onFiles(event.target.files ?? [])}
            />
          </label>
          <small>{t("start.stays")}</small>
        </div>
      )}
      {answer && answer.folders.length > 0 && (
        <p className="rc-note">{t("start.looked", { folders: answer.folders.map(visibleText).join(", ") })}</p>
      )}
    </section>
  );
}
