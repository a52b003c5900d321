// The metrics of a manager: number, cost and speed of condensations, and what needs attention.

import { AlertTriangle, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { type Key, useStudio } from "../context.js";
import { useAnswer } from "../hooks.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Metrics } from "../types.js";
import { Waiting } from "./preview-pane.js";

export interface MetricsDashboardProps {
  /** Change this number to read the metrics again. */
  refresh?: number | undefined;
}

/** A table that scrolls: a row for each name, with a number in each column. */
function Figures(props: { title: string; columns: string[]; rows: [string, (string | number)[]][]; children?: ReactNode }): ReactNode {
  const { title, columns, rows, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard has to reach it
    <section className="rc-scroll" tabIndex={0} aria-label={title}>
      <table className="rc-table">
        <caption>{title}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, figures]) => (
            <tr key={name}>
              <th scope="row">{visibleText(name)}</th>
              {figures.map((figure, at) => (
                <td key={columns[at + 1]}>{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
}

function Totals({ title, rows }: { title: string; rows: [string, Metrics["total"]][] }): ReactNode {
  const { t, format } = useStudio();
  if (rows.length === 0) return null;
  const columns = [
    title,
    t("metrics.calls"),
    t("column.failed"),
    t("metrics.saved"),
    t("column.reductionPercent"),
    t("column.cost"),
    t("metrics.p50"),
    t("metrics.p95"),
    t("column.lostPercent"),
    t("measure.summaryQuality"),
  ];
  const share = (value: number | undefined) => (value === undefined ? "" : format.percent(100 * value));
  const figures = (totals: Metrics["total"]) => [
    format.number(totals.calls),
    totals.errors ? format.number(totals.errors) : "",
    format.number(totals.tokensSaved),
    format.percent(totals.averageReductionPercent),
    format.dollars(totals.cost),
    format.duration(totals.p50LatencyMs),
    format.duration(totals.p95LatencyMs),
    share(totals.informationPreservation === undefined ? undefined : 1 - totals.informationPreservation),
    share(totals.summaryQualityScore),
  ];
  return <Figures title={title} columns={columns} rows={rows.map(([name, totals]) => [name, figures(totals)])} />;
}

/** The results of each variant of an experiment, and the leading variant for each measure. */
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
  const columns = [
    t("metrics.variant"),
    t("metrics.calls"),
    t("column.failed"),
    t("metrics.saved"),
    t("column.reductionPercent"),
    t("column.lostPercent"),
    t("column.cost"),
    t("column.timeMs"),
  ];
  const figures = (one: (typeof variants)[string]) => [
    format.number(one.calls),
    one.errors ? format.number(one.errors) : "",
    mean(one.tokensSaved, (tokens) => format.number(Math.round(tokens))),
    mean(one.reductionPercent, format.percent),
    mean(one.lostPercent, format.percent),
    mean(one.cost, format.dollars),
    mean(one.latencyMs, format.duration),
  ];
  return (
    <Figures title={title} columns={columns} rows={Object.entries(variants).map(([variant, one]) => [variant, figures(one)])}>
      {[...ahead.values()].map(({ name: best, isReal, measures }) => (
        <p key={`${best} ${isReal}`} className="rc-hint">
          {t(isReal ? "metrics.aheadReal" : "metrics.aheadSoFar", { name: visibleText(best), measures: measures.join(", ") })}
        </p>
      ))}
    </Figures>
  );
}

const WIDTH = 600;
const HEIGHT = 90;

/** The tokens before and after the newest condensations, a bar each. */
function Records({ records }: { records: readonly Metrics["records"][number][] }): ReactNode {
  const { t, format } = useStudio();
  if (records.length === 0) return null;
  const most = Math.max(1, ...records.map((record) => record.originalTokens));
  const width = Math.min(24, WIDTH / records.length);
  const height = (tokens: number) => (HEIGHT * tokens) / most;
  const told = (record: Metrics["records"][number]) =>
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
