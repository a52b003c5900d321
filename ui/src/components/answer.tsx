// The answer before anything else: how full the window is, what condensing leaves, and the one button for it.

import { AlertTriangle, Download, Play, Save } from "lucide-react";
import { type ReactNode, useId } from "react";
import { type Key, type Translate, useStudio } from "../context.js";
import type { Format } from "../format.js";
import { useTold } from "../told.js";
import type { Condensation, Fault, Inspection } from "../types.js";
import { Waiting } from "./preview-pane.js";
import { WindowBar } from "./window-bar.js";

export interface AnswerProps {
  inspection: Inspection;
  condensation: Condensation | undefined;
  error?: Fault | undefined;
  isWaiting: boolean;
  onCancel?: (() => void) | undefined;
  /** Asks the model, which costs what the estimate says. */
  onAsk?: (() => void) | undefined;
  /** Saves it in place; absent where the page may not write. */
  onSave?: (() => void) | undefined;
  /** Downloads it; absent where nobody can be asked for it. */
  onDownload?: (() => void) | undefined;
  /** Why it cannot be saved now. */
  obstacle?: string | undefined;
  isBusy: boolean;
  /** Shows the changes. */
  onWhy?: (() => void) | undefined;
}

/** How full the window is, as a sentence. */
function fullness({ tokens, window, messages }: Inspection, t: Translate, format: Format): { said: string; isFull: boolean } {
  if (!window) return { said: t("answer.size", { count: messages.length, shown: format.number(tokens.total) }), isFull: false };
  const share = format.percent(Math.round((100 * tokens.total) / window.contextWindow));
  const key: Key =
    tokens.total > window.contextWindow
      ? "answer.over"
      : tokens.total > window.atLimit.tokens
        ? "answer.limit"
        : window.due
          ? "answer.due"
          : "answer.room";
  return { said: t(key, { share }), isFull: key !== "answer.room" };
}

/** What condensing leaves and what becomes of the rest, as a sentence. */
function outcome(condensation: Condensation, t: Translate, format: Format): string {
  const { tokensBefore, tokensAfter, reductionPercent, fate, exact, didCondense } = condensation;
  if (!didCondense) return t("preview.nothing");
  const sign = reductionPercent < 0 ? "+" : "−";
  const values = {
    before: format.number(tokensBefore),
    after: format.number(tokensAfter),
    less: `${sign}${format.percent(Math.round(Math.abs(reductionPercent)))}`,
    superseded: format.number(fate.superseded),
    told: format.number(fate.told),
    lost: format.number(fate.lost),
  };
  if (!exact) return t("answer.estimate", values);
  if (fate.told > 0) return t("answer.told", values);
  if (fate.lost > 0) return t("answer.lost", values);
  return t(fate.superseded > 0 ? "answer.replaced" : "answer.whole", values);
}

export function Answer({
  inspection,
  condensation,
  error,
  isWaiting,
  onCancel,
  onAsk,
  onSave,
  onDownload,
  obstacle,
  isBusy,
  onWhy,
}: AnswerProps): ReactNode {
  const { t, format } = useStudio();
  const told = useTold();
  const note = useId();
  const failure = error ?? condensation?.error;
  const { said, isFull } = fullness(inspection, t, format);
  const isEstimate = condensation !== undefined && !failure && !condensation.exact && condensation.didCondense;
  const put = onSave ?? onDownload;
  const canPut = condensation !== undefined && !failure && obstacle === undefined && !isBusy;
  return (
    <section className="rc-answer" aria-label={t("answer.title")} aria-busy={isWaiting}>
      <div>
        <h1 className={isFull ? "rc-full" : ""}>
          {isFull && <AlertTriangle size={20} aria-hidden="true" />} {said}
        </h1>
        <div className="rc-lead" role="status">
          {failure && <p className="rc-error">{failure.code === "handler_invalid" ? t("preview.noModel") : told.fault(failure)}</p>}
          {condensation && !failure && <p>{outcome(condensation, t, format)}</p>}
        </div>
        <div className="rc-acts">
          {isEstimate && onAsk ? (
            <button type="button" className="rc-button rc-primary rc-big" disabled={isBusy} onClick={onAsk}>
              <Play size={16} aria-hidden="true" /> {t("preview.ask", { dollars: format.dollars(condensation.cost) })}
            </button>
          ) : (
            put && (
              <button
                type="button"
                className="rc-button rc-primary rc-big"
                disabled={!canPut}
                aria-describedby={obstacle === undefined ? undefined : note}
                aria-keyshortcuts="Control+S"
                onClick={put}
              >
                {onSave ? <Save size={16} aria-hidden="true" /> : <Download size={16} aria-hidden="true" />}{" "}
                {t(onSave ? "save.title" : "answer.download")}
              </button>
            )
          )}
          {onWhy && condensation?.didCondense && !failure && (
            <button type="button" className="rc-button rc-plain rc-big" onClick={onWhy}>
              {t("answer.why")}
            </button>
          )}
          <Waiting isWaiting={isWaiting} onCancel={onCancel} />
        </div>
        <p id={note} className="rc-note rc-obstacle">
          {obstacle}
        </p>
      </div>
      <WindowBar inspection={inspection} condensation={failure ? undefined : condensation} />
    </section>
  );
}
