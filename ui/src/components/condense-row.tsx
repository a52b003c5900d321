// A row of a chat that says that a conversation was condensed.

import { Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { useStudio } from "../context.js";
import { VisibleText, visibleText } from "../text.js";

export interface CondenseRowProps {
  tokensBefore: number;
  tokensAfter: number;
  /** Dollars. */
  cost: number;
  /** The summary, if there is one. */
  summary?: string | undefined;
  /** The reason of a failure, if it failed. */
  error?: string | undefined;
  isRunning?: boolean | undefined;
  /** Absent if it cannot be undone; `undoHint` then says why. */
  onUndo?: (() => void) | undefined;
  undoHint?: string | undefined;
}

export function CondenseRow({
  tokensBefore,
  tokensAfter,
  cost,
  summary,
  error,
  isRunning = false,
  onUndo,
  undoHint,
}: CondenseRowProps): ReactNode {
  const { t, format } = useStudio();
  if (isRunning) return <p className="rc-row">{t("row.running")}</p>;
  if (error) return <p className="rc-row rc-error">{t("row.failed", { message: visibleText(error) })}</p>;
  const values = { before: format.number(tokensBefore), after: format.number(tokensAfter), dollars: format.dollars(cost) };
  return (
    <div className="rc-row">
      <p>
        {t("row.done", values)}{" "}
        {onUndo ? (
          <button type="button" className="rc-button" onClick={onUndo}>
            <Undo2 size={14} aria-hidden="true" /> {t("row.undo")}
          </button>
        ) : (
          undoHint && <small>{visibleText(undoHint)}</small>
        )}
      </p>
      {summary && (
        <details>
          <summary>{t("row.summary")}</summary>
          <pre>
            <VisibleText>{summary}</VisibleText>
          </pre>
        </details>
      )}
    </div>
  );
}
