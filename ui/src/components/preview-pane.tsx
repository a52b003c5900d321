// What a condensation does: before and after, what is lost, what it costs, and how it goes about it.

import { AlertTriangle, LoaderCircle, Play } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { type Key, useStudio } from "../context.js";
import { useTold } from "../told.js";
import type { Condensation, Fault } from "../types.js";
import { Diff, type DiffMode } from "./diff.js";

export interface PreviewPaneProps {
  condensation: Condensation | undefined;
  error?: Fault | undefined;
  isWaiting?: boolean | undefined;
  onCancel?: (() => void) | undefined;
  /** Asks the model, which costs what the estimate says. */
  onAsk?: (() => void) | undefined;
  mode?: DiffMode | undefined;
}

/** Dollars above which a cost is worth a warning. */
const HIGH_COST = 0.05;
/** Answers that come sooner need no sign of waiting. */
const SOON_MS = 100;

function Card({
  label,
  value,
  note,
  tone,
}: {
  label: string;
  value: string;
  note?: string | undefined;
  tone?: "good" | "warning" | undefined;
}): ReactNode {
  return (
    <div className={`rc-card${tone ? ` rc-${tone}` : ""}`}>
      <dt>{label}</dt>
      <dd>{value}</dd>
      <dd className="rc-note">{note}</dd>
    </div>
  );
}

export function Waiting({ isWaiting, onCancel }: { isWaiting: boolean; onCancel?: (() => void) | undefined }): ReactNode {
  const { t } = useStudio();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isWaiting) return setShown(false);
    const timer = setTimeout(() => setShown(true), SOON_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return (
    <span className="rc-waiting" role="status">
      {isShown && (
        <>
          <LoaderCircle className="rc-spin" size={16} aria-hidden="true" /> {t("waiting")}
          {onCancel && (
            <button type="button" className="rc-button" onClick={onCancel}>
              {t("cancel")}
            </button>
          )}
        </>
      )}
    </span>
  );
}

function Cards({ condensation }: { condensation: Condensation }): ReactNode {
  const { t, format } = useStudio();
  const { tokensBefore, tokensAfter, reductionPercent, fate, cost, timeMs, exact, metTarget, promptCache } = condensation;
  const about = (text: string) => (exact ? text : t("about", { shown: text }));
  return (
    <dl className="rc-cards">
      <Card label={t("card.before")} value={format.number(tokensBefore)} />
      <Card
        label={t(exact ? "card.after" : "card.estimated")}
        value={about(format.number(tokensAfter))}
        note={metTarget === null ? undefined : t(metTarget ? "card.targetMet" : "card.targetMissed")}
        tone={metTarget === false ? "warning" : undefined}
      />
      <Card label={t("card.less")} value={about(format.percent(reductionPercent))} tone={reductionPercent > 0 ? "good" : undefined} />
      <Card
        label={t("card.gone")}
        value={about(
          fate.superseded + fate.told + fate.lost === 0
            ? t("card.nothingGone")
            : t("card.goneValue", { superseded: format.number(fate.superseded), lost: format.number(fate.lost) }),
        )}
        note={t(fate.told > 0 ? "card.goneToldNote" : "card.goneNote", {
          inline: format.number(fate.pointed),
          told: format.number(fate.told),
        })}
        tone={fate.lost > 0 ? "warning" : fate.superseded + fate.told > 0 ? undefined : "good"}
      />
      <Card
        label={t("card.cost")}
        value={about(format.dollars(cost))}
        tone={cost > HIGH_COST ? "warning" : undefined}
        note={cost > HIGH_COST ? t("card.costNote") : undefined}
      />
      <Card label={t("card.time")} value={format.duration(timeMs)} note={exact ? undefined : t("card.timeNote")} />
      <Card
        label={t("card.cache")}
        value={promptCache ? format.number(promptCache.rewrittenTokens) : "–"}
        note={
          condensation.didCondense && condensation.firstChangedIndex >= 0
            ? t("card.cacheNote", { index: condensation.firstChangedIndex })
            : undefined
        }
      />
    </dl>
  );
}

export function PreviewPane({ condensation, error, isWaiting = false, onCancel, onAsk, mode }: PreviewPaneProps): ReactNode {
  const { t, format } = useStudio();
  const told = useTold();
  const failure = error ?? condensation?.error;
  const dollars = condensation ? format.dollars(condensation.cost) : "";
  return (
    <section className="rc-preview" aria-label={t("preview.title")} aria-busy={isWaiting}>
      <Waiting isWaiting={isWaiting} onCancel={onCancel} />
      {failure && (
        <p className="rc-error">
          <AlertTriangle size={16} aria-hidden="true" /> {failure.code === "handler_invalid" ? t("preview.noModel") : told.fault(failure)}
        </p>
      )}
      {condensation && !failure && (
        <>
          <Cards condensation={condensation} />
          {!condensation.didCondense && <p className="rc-empty">{t("preview.nothing")}</p>}
          {!condensation.exact && condensation.didCondense && (
            <p className="rc-hint">
              {t("preview.estimate")}{" "}
              {onAsk && (
                <button type="button" className="rc-button rc-primary" onClick={onAsk}>
                  <Play size={14} aria-hidden="true" /> {t("preview.ask", { dollars })}
                </button>
              )}
            </p>
          )}
          {condensation.warnings.map((warning) => (
            <p key={`${warning.code} ${warning.message}`} className="rc-warning-line">
              <AlertTriangle size={14} aria-hidden="true" /> {told.fault(warning)}
            </p>
          ))}
          {condensation.passes && condensation.passes.length > 0 && (
            <details className="rc-passes">
              <summary>{t("preview.passes", { count: condensation.passes.length })}</summary>
              <ol>
                {condensation.passes.map((pass) => (
                  <li key={pass.id} className={pass.ran ? "" : "rc-dim"}>
                    <b>{told.passName(pass)}</b>{" "}
                    {pass.ran
                      ? t("preview.pass", { before: format.number(pass.tokensBefore), after: format.number(pass.tokensAfter) })
                      : told.skipped(pass)}
                  </li>
                ))}
              </ol>
            </details>
          )}
          {!condensation.exact &&
            condensation.samples.map((sample, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: of an added message the index is no name
              <details key={`${sample.messageIndex}-${at}`} className="rc-sample">
                <summary>{t("message.title", { index: sample.messageIndex })}</summary>
                <Diff diff={sample.diff} mode={mode} />
              </details>
            ))}
        </>
      )}
    </section>
  );
}

export const gradeKey = (grade: string): Key => `grade.${grade}` as Key;
