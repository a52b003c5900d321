// The bar at the bottom of the page: the result, and the actions to save, copy and download it.

import { Copy, Download, FileText, Save, Undo2 } from "lucide-react";
import { type ReactNode, useId } from "react";
import { type Key, useStudio } from "../context.js";
import type { Done, Saving } from "../saving.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Condensation, HistoryInfo } from "../types.js";

interface SaveBarProps {
  history: HistoryInfo;
  condensation: Condensation | undefined;
  /** Whether the model can recall what is left out. Default: false. */
  recall?: boolean | undefined;
  saving: Saving;
  /** The reason why the result cannot be saved now. */
  obstacle?: string | undefined;
  /** True while a change is being undone. */
  isBusy?: boolean;
  canReport?: boolean;
}

/** Describes the last action. */
function useDone(): (done: Done) => string {
  const { t, format } = useStudio();
  return (done) => {
    if (done.what === "copied") return t("save.copied");
    if (done.what === "downloaded")
      return done.restoreData === undefined
        ? t("save.downloaded", { file: done.file })
        : t("save.downloadedBoth", { file: done.file, restore: done.restoreData });
    const { what, file, added, backup, restoreData } = done;
    const first =
      what === "undone" && added ? t("save.undoneAdded", { file, count: added, shown: format.number(added) }) : t(`save.${what}`, { file });
    return [
      first,
      backup !== undefined && t(`save.${what}Backup`, { file: backup }),
      restoreData !== undefined && t("save.restoreData", { file: restoreData }),
    ]
      .filter(Boolean)
      .join(" ");
  };
}

export function SaveBar({
  history,
  condensation,
  recall = false,
  saving,
  obstacle,
  isBusy = false,
  canReport = false,
}: SaveBarProps): ReactNode {
  const { t, format } = useStudio();
  const told = useTold();
  const said = useDone();
  const note = useId();
  const { done, problem } = saving;
  const isWorking = isBusy || saving.isBusy;
  const isThere = condensation?.exact === true && !condensation.error;
  const some = (key: Key, count: number) => (count > 0 ? [t(key, { shown: format.number(count) })] : []);
  const counts = isThere && [
    t("bar.changes", { count: condensation.changes.length, shown: format.number(condensation.changes.length) }),
    ...some("bar.kept", condensation.kept.length),
    ...some(recall ? "bar.recalled" : "bar.lost", condensation.fate.lost),
    ...some("bar.superseded", condensation.fate.superseded),
  ];
  return (
    <section className="rc-save" aria-label={t("bar.title")} aria-busy={isWorking}>
      <div className="rc-save-told">
        <p className="rc-save-counts">{counts ? counts.join(" · ") : "\u00a0"}</p>
        <p id={note} className="rc-note">
          {history.canWrite ? (obstacle ?? `${t("save.promise")}${history.grows ? ` ${t("save.grows")}` : ""}`) : t("save.readOnly")}
        </p>
        {done && (
          <p className="rc-saved" role="status">
            {visibleText(said(done))}
          </p>
        )}
        {problem && (
          <p className="rc-error" role="alert">
            {told.fault(problem)}
          </p>
        )}
      </div>
      <div className="rc-save-ways">
        {history.canUndo && (
          <button type="button" className="rc-button rc-undo" disabled={isWorking} onClick={saving.undo}>
            <Undo2 size={14} aria-hidden="true" /> <span>{t("save.undo")}</span>
          </button>
        )}
        <button type="button" className="rc-button" disabled={!isThere || isWorking} onClick={saving.copy}>
          <Copy size={14} aria-hidden="true" /> <span>{t("bar.copy")}</span>
        </button>
        {canReport && (
          <button type="button" className="rc-button" disabled={!condensation || isWorking} onClick={saving.report}>
            <FileText size={14} aria-hidden="true" /> <span>{t("bar.report")}</span>
          </button>
        )}
        <button type="button" className="rc-button" disabled={!isThere || isWorking} onClick={saving.saveAs}>
          <Download size={14} aria-hidden="true" /> <span>{t("bar.saveAs")}</span>
        </button>
        {history.canWrite && (
          <button
            type="button"
            className="rc-button"
            disabled={!isThere || obstacle !== undefined || isWorking}
            aria-describedby={note}
            onClick={saving.save}
          >
            <Save size={14} aria-hidden="true" /> <span>{t("save.title")}</span>
          </button>
        )}
      </div>
    </section>
  );
}
