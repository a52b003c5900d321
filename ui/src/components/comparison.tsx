// All providers on this conversation, as a table that can be sorted and as a plot. The recommendation is the one of
// the answer.

import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type Key, useStudio } from "../context.js";
import { useTold } from "../told.js";
import { type Hello, type Kept, type Recall, StudioError, type Trial } from "../types.js";
import { choiceOf } from "./choices.js";
import { Waiting } from "./preview-pane.js";

export interface ProviderComparisonProps {
  history: string;
  revision: number;
  hello: Hello;
  targetTokens?: number | undefined;
  contextWindow?: number | undefined;
  /** Selects a choice. */
  onChoose?: ((name: string) => void) | undefined;
  chosen?: string | undefined;
}

const COLUMNS = ["id", "tokens", "reductionPercent", "names", "edits", "lost", "cost", "timeMs", "changes"] as const;
type Column = (typeof COLUMNS)[number];

/** A trial, and the share of the conversation's own later needs that it would have kept; absent until it was measured. */
interface Row extends Trial {
  recall?: Recall | undefined;
}

/** Returns the share that was kept, in percent; undefined if nothing was needed or measured. */
const shareOf = ({ kept, needed }: Kept) => (needed === 0 ? undefined : (100 * kept) / needed);

/** Minimum number of needed items for a meaningful share. */
const FEW = 5;

function sortedBy(row: Row, column: Column): string | number {
  if (column === "names" || column === "edits") return (row.recall && shareOf(row.recall[column])) ?? -1;
  return row[column];
}

/** Returns the names of the trials: the choice of the answer, every provider, and the first three presets of the smart one. */
function trialNames(hello: Hello): string[] {
  const providers = hello.providers.filter(({ id }) => id !== "smart").map(({ id }) => id);
  const presets = hello.presets.filter((preset) => ["conservative", "balanced", "aggressive"].includes(preset));
  const hasSmart = hello.providers.some(({ id }) => id === "smart");
  return ["", ...providers, ...(hasSmart ? presets.map((preset) => `smart:${preset}`) : [])];
}

/** The results by history, revision and target, so that opening the tab again repeats no trials. */
const known = new Map<string, Row[]>();

function useTrials({ history, revision, hello, targetTokens, contextWindow }: ProviderComparisonProps) {
  const { client } = useStudio();
  const key = `${history} ${revision} ${targetTokens ?? ""} ${contextWindow ?? ""}`;
  const [trials, setTrials] = useState<Row[]>(known.get(key) ?? []);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<StudioError>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const tryAll = async () => {
      let found: Row[] = [];
      const target = targetTokens === undefined ? {} : { targetTokens };
      const show = (next: Row[]) => {
        found = next;
        if (!signal.aborted) setTrials(next);
      };
      /** Runs a trial; resolves to false if it was cancelled. */
      const attempt = async (ask: () => Promise<void>) => {
        try {
          await ask();
        } catch (failure) {
          if (signal.aborted) return false;
          if (!(failure instanceof StudioError)) throw failure;
          if (failure.code !== "not_live") setError(failure);
        }
        return !signal.aborted;
      };
      for (const name of trialNames(hello)) {
        const tryIt = async () => {
          const window = contextWindow === undefined ? {} : { contextWindow };
          const { trial } = await client.try({ history, id: name, ...choiceOf(name), ...target, ...window }, { signal });
          show([...found, trial]);
        };
        if (!(await attempt(tryIt))) return;
      }
      for (const { id } of found.filter((row) => !row.error)) {
        const recallIt = async () => {
          const { recall } = await client.recall({ history, ...choiceOf(id), ...target }, { signal });
          show(found.map((row) => (row.id === id ? { ...row, recall } : row)));
        };
        if (!(await attempt(recallIt))) return;
      }
      known.set(key, found);
    };
    const before = known.get(key);
    setTrials(before ?? []);
    setError(undefined);
    if (!before) {
      setWaiting(true);
      tryAll().finally(() => !signal.aborted && setWaiting(false));
    }
    return () => controller.abort();
  }, [client, hello, history, key, targetTokens, contextWindow]);
  const cancel = () => {
    running.current?.abort();
    setWaiting(false);
  };
  return { trials, isWaiting, error, cancel };
}

const WIDTH = 420;
const HEIGHT = 220;
const SIDE = 44;
/** The height of a label. */
const LINE = 11;

/**
 * Plots the savings against the share of later needs that is kept or, if that is unknown, against the share that is
 * not lost; higher is better in both cases. A larger dot is more expensive.
 */
function Plot({ trials, nameOf, chosen }: { trials: Row[]; nameOf: (name: string) => string; chosen: string | undefined }): ReactNode {
  const { t, format } = useStudio();
  const recalled = (trial: Row) => trial.recall && shareOf(trial.recall.names);
  const tried = trials.filter((trial) => !trial.error);
  const isRecall = tried.some((trial) => recalled(trial) !== undefined);
  const shown = isRecall ? tried.filter((trial) => recalled(trial) !== undefined) : tried;
  if (shown.length === 0) return null;
  const most = Math.max(0.001, ...shown.map((trial) => trial.cost));
  const height = (trial: Row) => (isRecall ? (recalled(trial) ?? 0) : 100 - (100 * trial.lost) / (trial.tokensBefore || 1));
  const x = (percent: number) => SIDE + ((WIDTH - SIDE - 20) * percent) / 100;
  const y = (percent: number) => HEIGHT - 30 - ((HEIGHT - 44) * percent) / 100;
  const ticks = [0, 25, 50, 75, 100];
  // Overlapping dots share one label: the numbers of their rows in the table.
  const heaps: { left: number; top: number; rows: number[] }[] = [];
  for (const trial of shown) {
    const [left, top] = [x(trial.reductionPercent), y(height(trial))];
    const heap = heaps.find((other) => Math.hypot(other.left - left, other.top - top) < 14);
    if (heap) heap.rows.push(trials.indexOf(trial) + 1);
    else heaps.push({ left, top, rows: [trials.indexOf(trial) + 1] });
  }
  /** The labels are placed below their dots, and below one another if they would touch. */
  const labels: { text: string; left: number; top: number; width: number }[] = [];
  for (const { left, top, rows } of heaps) {
    const text = rows.join(", ");
    const width = 6 * text.length + 4;
    // Keeps labels off the numbers of the axis and inside the plot.
    const inside = Math.min(Math.max(left, SIDE + width / 2), WIDTH - width / 2);
    const label = { text, left: inside, top: top + 18, width };
    const touches = (other: typeof label) =>
      Math.abs(other.top - label.top) < LINE && Math.abs(other.left - label.left) < (other.width + label.width) / 2;
    while (labels.some(touches)) label.top += LINE;
    labels.push(label);
  }
  return (
    <svg className="rc-plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t(isRecall ? "compare.plotRecall" : "compare.plot")}>
      {ticks.map((tick) => (
        <g key={tick} className="rc-plot-tick">
          <line x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(100)} />
          <line x1={x(0)} x2={x(100)} y1={y(tick)} y2={y(tick)} />
          <text x={x(tick)} y={HEIGHT - 16} textAnchor="middle">
            {format.percent(tick)}
          </text>
          <text x={SIDE - 6} y={y(tick) + 4} textAnchor="end">
            {format.percent(tick)}
          </text>
        </g>
      ))}
      <text x={x(50)} y={HEIGHT - 2} textAnchor="middle">
        {t("column.reductionPercent")}
      </text>
      <text transform={`translate(10 ${y(50)}) rotate(-90)`} textAnchor="middle">
        {t(isRecall ? "column.names" : "compare.kept")}
      </text>
      {shown.map((trial) => (
        <circle
          key={trial.id}
          className={trial.id === chosen ? "rc-plot-chosen" : ""}
          cx={x(trial.reductionPercent)}
          cy={y(height(trial))}
          r={5 + (9 * trial.cost) / most}
        >
          <title>{nameOf(trial.id)}</title>
        </circle>
      ))}
      {labels.map(({ text, left, top }) => (
        <text key={text} className="rc-plot-label" x={left} y={top} textAnchor="middle">
          {text}
        </text>
      ))}
    </svg>
  );
}

export function ProviderComparison(props: ProviderComparisonProps): ReactNode {
  const { t, say, format } = useStudio();
  const told = useTold();
  const { trials, isWaiting, error, cancel } = useTrials(props);
  const [column, setColumn] = useState<Column>("tokens");
  const [isDescending, setDescending] = useState(false);
  const nameOf = (name: string) => {
    if (name === "") return t("provider.manager");
    const preset = /^smart:(.+)$/.exec(name)?.[1];
    const title = preset && say({ code: `title.${preset}`, values: {} });
    if (title) return title;
    return told.providerName(props.hello.providers.find(({ id }) => id === name) ?? { id: name, name });
  };
  const sorted = [...trials].sort((one, other) => {
    if (Boolean(one.error) !== Boolean(other.error)) return one.error ? 1 : -1;
    const [a, b] = [sortedBy(one, column), sortedBy(other, column)];
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return isDescending ? -order : order;
  });
  const sort = (next: Column) => {
    setDescending(next === column && !isDescending);
    setColumn(next);
  };
  const reasons = new Set(sorted.flatMap(({ recall }) => recall?.reason ?? []));
  const cuts = sorted.find(({ recall }) => recall && recall.cuts.length > 0)?.recall?.cuts ?? [];
  /** Shows the share that was kept, and the number of things: a share of three means little. */
  const kept = (row: Row, kind: "names" | "edits") => {
    if (row.recall === undefined) return isWaiting ? "…" : "–";
    const share = shareOf(row.recall[kind]);
    if (share === undefined) return "–";
    const { kept: found, needed } = row.recall[kind];
    const counts = <small>{t("compare.of", { kept: format.number(found), needed: format.number(needed) })}</small>;
    if (needed < FEW) return counts;
    return (
      <>
        {format.percent(share)} {counts}
      </>
    );
  };
  const about = (trial: Trial, text: string) => (trial.exact ? text : t("about", { shown: text }));
  return (
    <section className="rc-comparison" aria-label={t("compare.title")}>
      <p className="rc-comparison-state" role="status">
        {isWaiting
          ? t("compare.progress", { done: format.number(trials.length), count: format.number(trialNames(props.hello).length) })
          : t("compare.all", { count: trials.length })}
      </p>
      <Waiting isWaiting={isWaiting} onCancel={cancel} />
      {error && <p className="rc-error">{told.fault(error)}</p>}
      <div className="rc-comparison-parts">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard has to reach it */}
        <section className="rc-scroll" tabIndex={0} aria-label={t("compare.table")}>
          <table className="rc-table">
            <caption>
              {t(props.targetTokens === undefined ? "compare.noTarget" : "compare.target", {
                shown: format.number(props.targetTokens ?? 0),
              })}
            </caption>
            <thead>
              <tr>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col" aria-sort={name === column ? (isDescending ? "descending" : "ascending") : "none"}>
                    <button type="button" onClick={() => sort(name)}>
                      {t(`column.${name}` as Key)}
                      {name === column &&
                        (isDescending ? <ArrowDown size={12} aria-hidden="true" /> : <ArrowUp size={12} aria-hidden="true" />)}
                    </button>
                  </th>
                ))}
                <th scope="col">{t("column.target")}</th>
                {props.onChoose && (
                  <th scope="col">
                    <span className="rc-unseen">{t("compare.choose")}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {sorted.map((trial, at) => (
                <tr key={trial.id} className={trial.id === props.chosen ? "rc-chosen" : ""}>
                  <th scope="row">
                    <small>{at + 1}.</small> {nameOf(trial.id)}{" "}
                    {trial.id === "" && <span className="rc-step-flag">{t("step.advised")}</span>}
                  </th>
                  {trial.error ? (
                    <td colSpan={COLUMNS.length}>
                      {trial.error.code === "handler_invalid" ? t("preview.noModel") : told.fault(trial.error)}
                    </td>
                  ) : (
                    <>
                      <td>{about(trial, format.number(trial.tokens))}</td>
                      <td>{format.percent(trial.reductionPercent)}</td>
                      <td>{kept(trial, "names")}</td>
                      <td>{kept(trial, "edits")}</td>
                      <td>{t("compare.gone", { superseded: format.number(trial.superseded), lost: format.number(trial.lost) })}</td>
                      <td>{trial.cost > 0 ? about(trial, format.dollars(trial.cost)) : "–"}</td>
                      <td>{format.duration(trial.timeMs)}</td>
                      <td>{format.number(trial.changes)}</td>
                      <td>{trial.metTarget === null ? "–" : t(trial.metTarget ? "yes" : "no")}</td>
                    </>
                  )}
                  {props.onChoose && (
                    <td>
                      <button
                        type="button"
                        className="rc-button"
                        disabled={trial.id === props.chosen}
                        onClick={() => props.onChoose?.(trial.id)}
                        aria-label={`${t("compare.choose")}: ${nameOf(trial.id)}`}
                      >
                        {t("compare.choose")}
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <Plot trials={sorted} nameOf={nameOf} chosen={props.chosen} />
      </div>
      <p className="rc-hint">{t("compare.note")}</p>
      {cuts.length > 0 && <p className="rc-hint">{t("compare.recall", { count: cuts.length, cuts: cuts.map(String).join(", ") })}</p>}
      {[...reasons].map((reason) => (
        <p key={reason} className="rc-hint">
          {t(`recall.${reason}` as Key)}
        </p>
      ))}
    </section>
  );
}
