// The first section of the page: how full the window is, what condensing leaves and removes, and the button for it.

import { AlertTriangle, Download, Play, Save } from "lucide-react";
import { type ReactNode, useId } from "react";
import { type Key, type Translate, useStudio } from "../context.js";
import type { Format } from "../format.js";
import { useTold } from "../told.js";
import type { Condensation, Fault, Inspection } from "../types.js";
import { KINDS, useKindName } from "./kinds.js";
import { Waiting } from "./preview-pane.js";
import { WindowBar } from "./window-bar.js";

export interface AnswerProps {
  inspection: Inspection;
  condensation: Condensation | undefined;
  /** Whether the model can recall what is left out. Default: false. */
  recall?: boolean | undefined;
  /** A larger target that fits, too: its tokens, and a function that selects it. */
  gentler?: { tokens: number; onChoose: () => void } | undefined;
  error?: Fault | undefined;
  isWaiting: boolean;
  onCancel?: (() => void) | undefined;
  /** Calls the model, at the estimated cost. */
  onAsk?: (() => void) | undefined;
  /** Saves the result in place; absent if the page may not write. */
  onSave?: (() => void) | undefined;
  /** Downloads the result; absent if the host is not connected. */
  onDownload?: (() => void) | undefined;
  /** The reason why the result cannot be saved now. */
  obstacle?: string | undefined;
  isBusy: boolean;
  /** Shows the changes. */
  onWhy?: (() => void) | undefined;
}

/** Describes in a sentence how full the window is, and returns whether condensing is needed. */
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

/** Describes the result of condensing in a sentence. */
function outcome(condensation: Condensation, { window }: Inspection, isWanted: boolean, t: Translate, format: Format): string {
  const { tokensAfter, reductionPercent, exact, didCondense } = condensation;
  if (!didCondense) return t("preview.nothing");
  const sign = reductionPercent < 0 ? "+" : "−";
  const after = format.number(tokensAfter);
  const values = {
    after: exact ? after : t("about", { shown: after }),
    less: `${sign}${format.percent(Math.round(Math.abs(reductionPercent)))}`,
  };
  if (!exact) return t("answer.estimate", values);
  if (window && tokensAfter > window.atLimit.tokens) return t("answer.tooLarge", values);
  return t(isWanted ? "answer.leaves" : "answer.could", values);
}

/** Describes the fate of the removed content in a sentence. */
function fateOf({ fate: { lost, told, superseded }, exact }: Condensation, recall: boolean, t: Translate, format: Format): string {
  if (!exact || (lost + told > 0 && recall)) return t(recall ? "answer.recalled" : "answer.undo");
  // Rounded, because these counts per text differ by a few tokens from the counts by kind below.
  if (lost + told > 0)
    return t(told > 0 ? "answer.lostAndShortened" : "answer.lost", { lost: format.compact(lost), told: format.compact(told) });
  return superseded > 0 ? t("answer.replaced", { superseded: format.number(superseded) }) : t("answer.whole");
}

/** Describes the removed tokens by kind, the most first, and the tokens of added notes: together they are the difference between now and after. */
function useGone(): (condensation: Condensation, inspection: Inspection) => string | undefined {
  const { t, format } = useStudio();
  const kindName = useKindName();
  return ({ kinds, fate, tokensBefore, tokensAfter }, inspection) => {
    if (!kinds || fate.lost + fate.told + fate.superseded === 0) return undefined;
    const differences = KINDS.map((kind) => ({ kind, tokens: (inspection.kinds[kind] ?? 0) - (kinds[kind] ?? 0) }));
    const gone = differences.filter(({ tokens }) => tokens > 0).sort((one, other) => other.tokens - one.tokens);
    if (gone.length === 0) return undefined;
    const added = gone.reduce((sum, { tokens }) => sum + tokens, 0) - (tokensBefore - tokensAfter);
    const values = {
      list: gone.map(({ kind, tokens }) => `${kindName(kind).toLocaleLowerCase()} ${format.number(tokens)}`).join(", "),
      added: format.number(added),
      less: format.number(tokensBefore - tokensAfter),
    };
    return t(added > 0 ? "answer.goneAdded" : gone.length > 1 ? "answer.goneAll" : "answer.gone", values);
  };
}

export function Answer({
  inspection,
  condensation,
  recall = false,
  gentler,
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
  const goneOf = useGone();
  const failure = error ?? condensation?.error;
  const { said, isFull } = fullness(inspection, t, format);
  const isEstimate = condensation !== undefined && !failure && !condensation.exact && condensation.didCondense;
  const put = onSave ?? onDownload;
  const canPut = condensation !== undefined && !failure && obstacle === undefined && !isBusy;
  // If the window has enough space, nothing has to be done, so there is no button.
  const isWanted = isFull || !inspection.window;
  const done = condensation?.didCondense && !failure ? condensation : undefined;
  const gone = done && goneOf(done, inspection);
  return (
    <section className="rc-answer" aria-label={t("answer.title")} aria-busy={isWaiting}>
      <div>
        <h1 className={isFull ? "rc-full" : ""}>
          {isFull && <AlertTriangle size={20} aria-hidden="true" />} {said}
        </h1>
        <div className="rc-lead" role="status">
          {failure && <p className="rc-error">{failure.code === "handler_invalid" ? t("preview.noModel") : told.fault(failure)}</p>}
          {condensation && !failure && (
            <p>
              {isWanted ? "" : `${t("answer.noNeed")} `}
              <strong>{outcome(condensation, inspection, isWanted, t, format)}</strong>
            </p>
          )}
          {done && <p>{fateOf(done, recall, t, format)}</p>}
          {gone && <p className="rc-kinds-gone">{gone}</p>}
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
                className={isWanted ? "rc-button rc-primary rc-big" : "rc-button rc-big"}
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
          {gentler && (
            <button type="button" className="rc-button rc-big" onClick={gentler.onChoose}>
              {t("answer.gentler", { shown: format.number(gentler.tokens) })}
            </button>
          )}
          {onWhy && done && (
            <button type="button" className="rc-button rc-plain rc-big" onClick={onWhy}>
              {t("answer.why")}
            </button>
          )}
          <Waiting isWaiting={isWaiting} onCancel={onCancel} />
        </div>
        <p id={note} className="rc-note rc-obstacle">
          {obstacle ?? (done?.exact && done.cost === 0 && put ? t("answer.free") : undefined)}
        </p>
      </div>
      <WindowBar inspection={inspection} condensation={failure ? undefined : condensation} />
    </section>
  );
}
