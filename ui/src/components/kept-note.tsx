// A note about content that the user keeps unchanged, even if the file changes: its amount, the part that could not be
// kept this time, and the available actions.

import { AlertTriangle, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { useStudio } from "../context.js";
import { useTold } from "../told.js";
import type { KeptChoice } from "../types.js";

interface KeptNoteProps {
  kept: readonly KeptChoice[];
  /** Drops all choices, so that the content is condensed after all. */
  onForget: () => void;
  /** Drops the choices that could not be applied. */
  onDismiss: () => void;
  /** Removes the target; absent without a target. */
  onEase?: (() => void) | undefined;
}

export function KeptNote({ kept, onForget, onDismiss, onEase }: KeptNoteProps): ReactNode {
  const { t, format } = useStudio();
  const told = useTold();
  const failed = kept.filter(({ fault }) => fault);
  const held = kept.length - failed.length;
  const [first] = failed;
  return (
    <>
      {held > 0 && (
        <p className="rc-kept" role="status">
          {t("kept.count", { count: held, shown: format.number(held) })}{" "}
          <button type="button" className="rc-button" onClick={onForget}>
            <Undo2 size={14} aria-hidden="true" /> {t("kept.forget")}
          </button>
        </p>
      )}
      {first?.fault && (
        <p className="rc-warning-line" role="alert">
          <AlertTriangle size={14} aria-hidden="true" />{" "}
          {t("kept.failed", {
            count: failed.length,
            shown: format.number(failed.length),
            index: first.messageIndex,
            reason: told.fault(first.fault),
          })}{" "}
          {onEase && (
            <button type="button" className="rc-button" onClick={onEase}>
              {t("kept.ease")}
            </button>
          )}{" "}
          <button type="button" className="rc-button" onClick={onDismiss}>
            {t("kept.dismiss")}
          </button>
        </p>
      )}
    </>
  );
}
