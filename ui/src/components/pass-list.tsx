// The passes in their order: to choose, move, duplicate and delete.

import { ArrowDown, ArrowUp, Copy, Plus, Trash2, TriangleAlert } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./icon-button.js";
import { useStudio } from "../context.js";
import { type ConfigFault, isAbout } from "../faults.js";
import { type Passes, usePassName } from "./pass-hooks.js";

interface PassListProps {
  list: Passes;
  faults: readonly ConfigFault[];
  /** Describes the savings of a pass. */
  measured: (id: string | undefined) => ReactNode;
}

export function PassList({ list, faults, measured }: PassListProps): ReactNode {
  const { t } = useStudio();
  const nameOf = usePassName();
  const { passes, current, select, move, add, duplicate, remove } = list;
  const dragged = useRef<number>(undefined);
  const isFaulty = (at: number) => faults.some((fault) => isAbout(fault, `passes[${at}]`));
  return (
    <div className="rc:grid rc:gap-2">
      <ol className="rc-pass-list">
        {passes.map((pass, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: ids may be the same, or missing, while they are edited
            key={at}
            draggable
            className={at === current ? "rc-chosen" : ""}
            onDragStart={() => {
              dragged.current = at;
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              event.stopPropagation();
              if (dragged.current !== undefined) move(dragged.current, at);
              dragged.current = undefined;
            }}
          >
            <button
              type="button"
              className="rc-change-open rc-pass-name"
              data-pass={at}
              aria-pressed={at === current}
              onClick={() => select(at)}
              onKeyDown={(event) => {
                const step = event.altKey && event.key === "ArrowUp" ? -1 : event.altKey && event.key === "ArrowDown" ? 1 : 0;
                if (step === 0) return;
                event.preventDefault();
                move(at, at + step);
              }}
            >
              {at + 1}. {nameOf(pass)} {measured(pass?.id)}{" "}
              {isFaulty(at) && <TriangleAlert className="rc-error" size={14} role="img" aria-label={t("passes.faulty")} />}
            </button>
            <IconButton disabled={at === 0} label={`${t("passes.up")}: ${nameOf(pass)}`} onClick={() => move(at, at - 1)}>
              <ArrowUp size={14} aria-hidden="true" />
            </IconButton>
            <IconButton disabled={at === passes.length - 1} label={`${t("passes.down")}: ${nameOf(pass)}`} onClick={() => move(at, at + 1)}>
              <ArrowDown size={14} aria-hidden="true" />
            </IconButton>
            <IconButton label={`${t("passes.duplicate")}: ${nameOf(pass)}`} onClick={() => duplicate(at)}>
              <Copy size={14} aria-hidden="true" />
            </IconButton>
            <IconButton label={`${t("passes.delete")}: ${nameOf(pass)}`} onClick={() => remove(at)}>
              <Trash2 size={14} aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ol>
      <button type="button" className="rc-button rc:justify-self-start" onClick={add}>
        <Plus size={14} aria-hidden="true" /> {t("passes.add")}
      </button>
    </div>
  );
}
