// What a manager has done so far: how often, at what cost, how fast, and what deserves attention.

import { AlertTriangle, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { CondensationRecord, MetricTotals } from "../../../types/manager.js";
import { type Key, useStudio } from "../context.js";
import { useAnswer } from "../hooks.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Metrics } from "../types.js";
import { Waiting } from "./preview-pane.js";

export interface MetricsDashboardProps {
  /** Change it to read the numbers again. */
  refresh?: number | undefined;
}

function Totals({ title, rows }: { title: string; rows: [string, MetricTotals][] }): ReactNode {
  const { t, format } = useStudio();
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard has to reach it
    <section className="rc-scroll" tabIndex={0} aria-label={title}>
      <table className="rc-table">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">{t("metrics.calls")}</th>
            <th scope="col">{t("column.failed")}</th>
            <th scope="col">{t("metrics.saved")}</th>
            <th scope="col">{t("column.reductionPercent")}</th>
            <th scope="col">{t("column.cost")}</th>
            <th scope="col">{t("metrics.p50")}</th>
            <th scope="col">{t("metrics.p95")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, totals]) => (
            <tr key={name}>
              <th scope="row">{visibleText(name)}</th>
              <td>{format.number(totals.calls)}</td>
              <td>{totals.errors ? format.number(totals.errors) : ""}</td>
              <td>{format.number(totals.tokensSaved)}</td>
              <td>{format.percent(totals.averageReductionPercent)}</td>
              <td>{format.dollars(totals.cost)}</td>
              <td>{format.duration(totals.p50LatencyMs)}</td>
              <td>{format.duration(totals.p95LatencyMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What came of each variant of an experiment, and which is ahead in what. */
function ExperimentTable({ name, experiment }: { name: string; experiment: Metrics["experiments"][string] }): ReactNode {
  const { t, format } = useStudio();
  const { variants, comparisons } = experiment;
  const title = t("metrics.experiment", { name: visibleText(name) });
  const mean = (estimated: { mean: number } | null, shown: (value: number) => string) => (estimated ? shown(estimated.mean) : "");
  const ahead = new Map<string, { name: string; isReal: boolean; measures: string[] }>();
  for (const { measure, ahead: best, isReal } of comparisons) {
    if (best === null) continue;
    const key = `${best} ${isReal}`;
    const found = ahead.get(key) ?? { name: best, isReal, measures: [] };
    found.measures.push(t(`measure.${measure}` as Key));
    ahead.set(key, found);
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard has to reach it
    <section className="rc-scroll" tabIndex={0} aria-label={title}>
      <table className="rc-table">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t("metrics.variant")}</th>
            <th scope="col">{t("metrics.calls")}</th>
            <th scope="col">{t("column.failed")}</th>
            <th scope="col">{t("metrics.saved")}</th>
            <th scope="col">{t("column.reductionPercent")}</th>
            <th scope="col">{t("column.lostPercent")}</th>
            <th scope="col">{t("column.cost")}</th>
            <th scope="col">{t("column.timeMs")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(variants).map(([variant, one]) => (
            <tr key={variant}>
              <th scope="row">{visibleText(variant)}</th>
              <td>{format.number(one.calls)}</td>
              <td>{one.errors ? format.number(one.errors) : ""}</td>
              <td>{mean(one.tokensSaved, (tokens) => format.number(Math.round(tokens)))}</td>
              <td>{mean(one.reductionPercent, format.percent)}</td>
              <td>{mean(one.lostPercent, format.percent)}</td>
              <td>{mean(one.cost, format.dollars)}</td>
              <td>{mean(one.latencyMs, format.duration)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {[...ahead.values()].map(({ name: best, isReal, measures }) => (
        <p key={`${best} ${isReal}`} className="rc-hint">
          {t(isReal ? "metrics.aheadReal" : "metrics.aheadSoFar", { name: visibleText(best), measures: measures.join(", ") })}
        </p>
      ))}
    </section>
  );
}

const WIDTH = 600;
const HEIGHT = 90;

/** Tokens before and after of the newest condensations, each a bar. */
function Records({ records }: { records: readonly CondensationRecord[] }): ReactNode {
  const { t, format } = useStudio();
  if (records.length === 0) return null;
  const most = Math.max(1, ...records.map((record) => record.originalTokens));
  const width = Math.min(24, WIDTH / records.length);
  const height = (tokens: number) => (HEIGHT * tokens) / most;
  const told = (record: CondensationRecord) =>
    `${visibleText(record.providerId)}: ${format.number(record.originalTokens)} → ${format.number(record.finalTokens)}${record.error ? `, ${record.error}` : ""}`;
  return (
    <figure>
      <figcaption>{t("metrics.newest", { count: records.length })}</figcaption>
      <svg className="rc-records" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={records.slice(-10).map(told).join("; ")}>
        {records.map((record, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: records have no other name
          <g key={at}>
            <title>{told(record)}</title>
            <rect
              className={record.error ? "rc-record-failed" : "rc-record-before"}
              x={at * width}
              width={Math.max(1, width - 2)}
              y={HEIGHT - height(record.originalTokens)}
              height={height(record.originalTokens)}
            />
            <rect
              className="rc-record-after"
              x={at * width}
              width={Math.max(1, width - 2)}
              y={HEIGHT - height(record.finalTokens)}
              height={height(record.finalTokens)}
            />
          </g>
        ))}
      </svg>
    </figure>
  );
}

export function MetricsDashboard({ refresh = 0 }: MetricsDashboardProps): ReactNode {
  const { client, t } = useStudio();
  const told = useTold();
  const { answer, error, isWaiting, again } = useAnswer((signal) => client.metrics({ signal }), [client, refresh]);
  const metrics = answer?.metrics;
  return (
    <section className="rc-metrics rc:grid rc:gap-4" aria-label={t("metrics.title")}>
      <div className="rc:flex rc:items-center rc:gap-3">
        <button type="button" className="rc-button" onClick={again}>
          <RefreshCw size={14} aria-hidden="true" /> {t("metrics.again")}
        </button>
        <Waiting isWaiting={isWaiting} />
      </div>
      {error && <p className="rc-error">{told.fault(error)}</p>}
      {metrics?.total.calls === 0 && <p className="rc-empty">{t("metrics.none")}</p>}
      {metrics && metrics.total.calls > 0 && (
        <>
          {metrics.alerts.map((alert) => (
            <p key={`${alert.code} ${alert.message}`} className="rc-warning-line">
              <AlertTriangle size={14} aria-hidden="true" /> {told.fault(alert)}
            </p>
          ))}
          <Records records={metrics.records} />
          <Totals title={t("column.id")} rows={[...Object.entries(metrics.providers), [t("metrics.all"), metrics.total]]} />
          <Totals title={t("metrics.profile")} rows={Object.entries(metrics.profiles)} />
          {Object.entries(metrics.experiments).map(([name, experiment]) => (
            <ExperimentTable key={name} name={name} experiment={experiment} />
          ))}
        </>
      )}
    </section>
  );
}
