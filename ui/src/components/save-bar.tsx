// Saving: what it promises, why it is not possible now, what was written and where, and the way back from that.

import { Download, Save, Undo2 } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useStudio } from "../context.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Condensation, Fault, HistoryInfo, Written } from "../types.js";

/** What was done last to the file. */
export interface Done extends Written {
  what: "saved" | "undone";
}

export interface SaveBarProps {
  history: HistoryInfo;
  condensation: Condensation | undefined;
  done: Done | undefined;
  problem: Fault | undefined;
  /** The passes that are shown are not valid. */
  isFaulty?: boolean;
  /** Something is being taken back or written. */
  isBusy?: boolean;
  /** Another history may be saved: this one came without its file. */
  canWriteOthers?: boolean;
  onSave: () => void;
  onUndo: () => void;
}

export function SaveBar({
  history,
  condensation,
  done,
  problem,
  isFaulty = false,
  isBusy = false,
  canWriteOthers = false,
  onSave,
  onUndo,
}: SaveBarProps): ReactNode {
  const { t, format } = useStudio();
  const told = useTold();
  const note = useId();
  const obstacle = history.problem
    ? t("save.unreadable")
    : isFaulty
      ? t("save.faulty")
      : condensation && !condensation.exact
        ? t("save.estimate")
        : condensation && !condensation.didCondense
          ? t("save.nothing")
          : done?.what === "saved" && done.revision === history.revision
            ? t("save.again")
            : undefined;
  const said =
    done &&
    (done.added
      ? t("save.undoneAdded", { file: done.file, count: done.added, shown: format.number(done.added) })
      : t(`save.${done.what}`, { file: done.file }));
  const canSave = condensation !== undefined && obstacle === undefined;
  return (
    <footer className="rc-save" aria-busy={isBusy}>
      <p id={note}>{history.canWrite ? (obstacle ?? t("save.promise")) : t(canWriteOthers ? "save.dropped" : "save.readOnly")}</p>
      {history.canWrite && (
        <button type="button" className="rc-button rc-primary" disabled={!canSave || isBusy} aria-describedby={note} onClick={onSave}>
          <Save size={14} aria-hidden="true" /> {t("save.title")}
        </button>
      )}
      {done && (
        <div className="rc-saved" role="status">
          <p>
            <Download size={14} aria-hidden="true" /> {visibleText(said ?? "")}{" "}
            {done.backup !== undefined && visibleText(t(`save.${done.what}Backup`, { file: done.backup }))}{" "}
            {done.restoreData !== undefined && visibleText(t("save.restoreData", { file: done.restoreData }))}
          </p>
        </div>
      )}
      {(done?.canUndo ?? history.canUndo) && (
        <button type="button" className="rc-button" disabled={isBusy} onClick={onUndo}>
          <Undo2 size={14} aria-hidden="true" /> {t("save.undo")}
        </button>
      )}
      {problem && (
        <p className="rc-error" role="alert">
          {told.fault(problem)}
        </p>
      )}
    </footer>
  );
}
