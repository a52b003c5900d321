// The choice of how far to condense: four sizes, each with the remaining and the lost tokens. One of them is recommended.

import { AlertTriangle } from "lucide-react";
import type { ReactNode } from "react";
import { useCommands } from "../commands.js";
import type { MeasuredStep } from "../condensing.js";
import { type Key, useStudio } from "../context.js";
import type { Step } from "../types.js";

interface HowFarProps {
  steps: readonly MeasuredStep[];
  /** The target of the condensation that is shown; undefined for none. */
  targetTokens: number | undefined;
  /** Tokens up to which the next response fits; undefined if the window is not known. */
  limit: number | undefined;
  recall: boolean;
  onChoose: (step: Step) => void;
  onRecall: (recall: boolean) => void;
  /** Shows the comparison of all ways. */
  onCompare?: (() => void) | undefined;
}

export function HowFar({ steps, targetTokens, limit, recall, onChoose, onRecall, onCompare }: HowFarProps): ReactNode {
  const { t, format } = useStudio();
  const isChosen = (step: Step) => step.targetTokens === targetTokens;
  useCommands(
    steps.map((step, at) => ({
      id: `step ${step.name}`,
      name: `${t("steps.title")}: ${t(`step.${step.name}` as Key)}`,
      key: String(at + 1),
      run: () => onChoose(step),
    })),
  );
  useCommands([{ id: "recall", name: t("steps.recall"), run: () => onRecall(!recall) }]);
  /** Describes the fate of the removed content in a few words. */
  const cost = ({ outcome }: MeasuredStep) => {
    if (!outcome) return "…";
    if (outcome.error) return t("step.failed");
    const { fate, exact } = outcome;
    if (fate.lost === 0) return t(fate.superseded > 0 ? "step.replaced" : "step.whole");
    const shown = exact ? format.number(fate.lost) : t("about", { shown: format.number(fate.lost) });
    return t(recall ? "step.recalled" : "step.lost", { shown });
  };
  return (
    <section className="rc-steps" aria-label={t("steps.title")} aria-busy={steps.some(({ outcome }) => !outcome)}>
      <div className="rc-step-head">
        <h2>
          {t("steps.title")} <small>{t("steps.note")}</small>
        </h2>
        {onCompare && (
          <button type="button" className="rc-button rc-plain" onClick={onCompare}>
            {t("steps.compare")}
          </button>
        )}
      </div>
      <div className="rc-step-row">
        {steps.map((step) => {
          const { name, outcome, isAdvised } = step;
          const isTooLarge = limit !== undefined && outcome !== undefined && outcome.tokensAfter > limit;
          const percent = Math.round(outcome?.reductionPercent ?? 0);
          const isLoss = !recall && outcome !== undefined && outcome.fate.lost > 0;
          return (
            <button key={name} type="button" className="rc-step" aria-pressed={isChosen(step)} onClick={() => onChoose(step)}>
              <span className="rc-step-name">
                <span className="rc-unseen">{t("steps.title")}: </span>
                <b>{t(`step.${name}` as Key)}</b>
              </span>
              <span className="rc-step-tokens">{outcome ? format.number(outcome.tokensAfter) : "…"}</span>
              <span className={isLoss ? "rc-grade-lossy" : "rc-dim"}>{cost(step)}</span>
              <span className="rc-step-less">{percent > 0 && `−${format.percent(percent)}`}</span>
              {isAdvised && <span className="rc-step-flag">{t("step.advised")}</span>}
              {isTooLarge && (
                <span className="rc-step-full">
                  <AlertTriangle size={14} aria-hidden="true" /> {t("step.tooLarge")}
                </span>
              )}
            </button>
          );
        })}
      </div>
      <label className="rc-check rc-step-recall">
        <input type="checkbox" checked={recall} onChange={(event) => onRecall(event.target.checked)} />
        <span>
          {t("steps.recall")} <small>{t("steps.recallAbout")}</small>
        </span>
      </label>
    </section>
  );
}
