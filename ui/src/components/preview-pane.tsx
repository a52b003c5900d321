// The details of a condensation beyond the answer: the fate of the removed content, warnings, and its passes.

import { AlertTriangle, CircleX, LoaderCircle, type LucideIcon, RefreshCw, Search, SquareArrowOutUpRight } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { type Key, useStudio } from "../context.js";
import { useTold } from "../told.js";
import type { Condensation, Fault } from "../types.js";
import { Diff, type DiffMode } from "./diff.js";

export interface PreviewPaneProps {
  condensation: Condensation | undefined;
  /** Whether the model can recall what is left out. Default: false. */
  recall?: boolean | undefined;
  error?: Fault | undefined;
  isWaiting?: boolean | undefined;
  mode?: DiffMode | undefined;
}

/** The delay before waiting is indicated, in milliseconds. */
const SOON_MS = 100;

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

/** A number with the key of its words, and its class. */
type Fact = [Key, string, (string | undefined)?];

/** The marks of the possible fates of content, equal in every list. */
const ICONS: Partial<Record<Key, LucideIcon>> = {
  "quiet.superseded": RefreshCw,
  "quiet.inline": SquareArrowOutUpRight,
  "quiet.lost": CircleX,
  "quiet.recalled": Search,
};

function iconOf(key: Key): ReactNode {
  const Icon = ICONS[key];
  return Icon && <Icon size={14} aria-hidden="true" />;
}

/** Describes the result in one line. Zero values, such as a cost of 0 dollars, are left out. */
function Quiet({ condensation, recall }: { condensation: Condensation; recall: boolean }): ReactNode {
  const { t, format } = useStudio();
  const { tokensBefore, tokensAfter, fate, cost, exact, metTarget, promptCache, firstChangedIndex, didCondense } = condensation;
  const about = (text: string) => (exact ? text : t("about", { shown: text }));
  const some = (key: Key, tokens: number, className?: string): Fact[] =>
    tokens > 0 ? [[key, about(format.number(tokens)), className]] : [];
  const facts: Fact[] = [
    ["quiet.less", about(format.number(tokensBefore - tokensAfter))],
    ...some("quiet.superseded", fate.superseded, "rc-grade-superseded"),
    ...some("quiet.inline", fate.pointed, "rc-grade-inline"),
    ...some("quiet.told", fate.told),
    ...(recall ? some("quiet.recalled", fate.lost) : some("quiet.lost", fate.lost, "rc-grade-lossy")),
    ...(cost > 0 ? [["quiet.cost", about(format.dollars(cost))] as Fact] : []),
  ];
  return (
    <ul className="rc-quiet">
      {facts.map(([key, value, className]) => (
        <li key={key} className={className}>
          {iconOf(key)} <b>{value}</b> {t(key)}
        </li>
      ))}
      {exact && fate.lost + fate.told === 0 && <li>{t("quiet.nothingLost")}</li>}
      {metTarget === false && <li className="rc-warning-line">{t("quiet.targetMissed")}</li>}
      {didCondense && promptCache && firstChangedIndex >= 0 && (
        <li className="rc-quiet-cache">
          {t("quiet.cache", { shown: format.number(promptCache.rewrittenTokens), index: firstChangedIndex })}
        </li>
      )}
    </ul>
  );
}

export function PreviewPane({ condensation, recall = false, error, isWaiting = false, mode }: PreviewPaneProps): ReactNode {
  const { t, format } = useStudio();
  const told = useTold();
  const failure = error ?? condensation?.error;
  return (
    <section className="rc-preview" aria-label={t("preview.title")} aria-busy={isWaiting}>
      {condensation && !failure && (
        <>
          {condensation.didCondense && <Quiet condensation={condensation} recall={recall} />}
          {[...new Set(condensation.warnings.map(told.fault))].map((warning) => (
            <p key={warning} className="rc-warning-line">
              <AlertTriangle size={14} aria-hidden="true" /> {warning}
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
