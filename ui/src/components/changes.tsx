// The list of all changes: operation, place, savings, reason, and the fate of the content. Each can be viewed and
// undone.

import { ChevronDown, ChevronRight, Undo2 } from "lucide-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "./icon-button.js";
import { useCommands } from "../commands.js";
import { type Key, useStudio } from "../context.js";
import { useAnswer, useGone } from "../hooks.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Change, Condensation, InspectedMessage } from "../types.js";
import { Diff, type DiffMode } from "./diff.js";
import { gradeKey } from "./preview-pane.js";
import { Proof } from "./proof.js";

export interface ChangesProps {
  history: string;
  condensation: Condensation;
  /** The messages of the history, for their labels. */
  messages?: readonly InspectedMessage[] | undefined;
  mode: DiffMode;
  onMode: (mode: DiffMode) => void;
  onSelect?: ((index: number) => void) | undefined;
  /** Absent if nothing can be undone. */
  onUndo?: ((ids: string[]) => void) | undefined;
  /** True during an action that will change the list: nothing can be undone meanwhile. */
  isBusy?: boolean | undefined;
  /** Called if the host no longer keeps this condensation. */
  onGone?: (() => void) | undefined;
  /** A text to search for, set from elsewhere; another object each time. */
  sought?: { text: string } | undefined;
  /** Why the last undo was incomplete. */
  refused?: string | undefined;
  /** The number of changes that were undone as well, because they depended on the requested ones. */
  along?: number;
}

type Order = "reason" | "tokens" | "place";

/** Changes for the same reason, with the same effect. */
interface Group {
  key: string;
  operation: string;
  grade: Change["grade"];
  changes: Change[];
  saved: number;
}

const savedBy = ({ tokensBefore, tokensAfter }: Change) => tokensBefore - tokensAfter;

/** Returns the groups and their changes, each with the largest savings first. */
function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const { operation, grade } = change;
    const key = `${operation} ${grade}`;
    const group = groups.get(key) ?? { key, operation, grade, changes: [], saved: 0 };
    group.changes.push(change);
    group.saved += savedBy(change);
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.saved - one.saved);
}

const GRADES = ["inline", "superseded", "lossy"] as const;
const ROW = 46;

function ChangeDiff({
  history,
  condensation,
  change,
  mode,
  onGone,
  onSelect,
}: {
  history: string;
  condensation: Condensation;
  change: Change;
  mode: DiffMode;
  onSelect: ((index: number) => void) | undefined;
  onGone: (() => void) | undefined;
}): ReactNode {
  const { client, t } = useStudio();
  const told = useTold();
  const { answer, error } = useAnswer(
    (signal) => client.message({ history, index: change.messageIndex, condensation: condensation.id }, { signal }),
    [client, history, condensation.id, change.messageIndex],
  );
  useGone(error, onGone);
  if (error) return <p className="rc-error">{error.code === "redacted" ? t("message.redacted") : told.fault(error)}</p>;
  if (!answer) return <p className="rc-empty">{t("waiting")}</p>;
  const own = change.blockIndex < 0 ? answer.diff : answer.diff.filter((text) => text.blockIndex === change.blockIndex);
  return (
    <>
      {change.grade === "inline" && <Proof condensation={condensation} change={change} onSelect={onSelect} />}
      <Diff diff={own} mode={mode} />
    </>
  );
}

export function Changes({
  history,
  condensation,
  messages,
  mode,
  onMode,
  onSelect,
  onUndo,
  isBusy = false,
  onGone,
  sought: given,
  refused,
  along = 0,
}: ChangesProps): ReactNode {
  const { client, t, format } = useStudio();
  const told = useTold();
  const [search, setSearch] = useState(given?.text ?? "");
  useEffect(() => {
    if (given) setSearch(given.text);
  }, [given]);
  const [operation, setOperation] = useState("");
  const [grade, setGrade] = useState("");
  const [order, setOrder] = useState<Order>("reason");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  /** Groups that the user opened or closed. */
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const frame = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const { changes } = condensation;
  const operations = useMemo(() => [...new Set(changes.map((change) => change.operation))].sort(), [changes]);
  const operationName = (name: string) => {
    const key = `operation.${name}`;
    const known = t(key as Key);
    return known === key ? visibleText(name) : known;
  };
  // There may be thousands of sentences: they are built once for each list, and only for a search.
  const isSearched = search.trim() !== "";
  const texts = useMemo(
    () => (isSearched ? new Map(changes.map((one) => [one.id, `${one.reason} ${told.reason(one).said}`.toLowerCase()])) : undefined),
    [changes, told, isSearched],
  );
  const sought = useDeferredValue(search);
  // A single letter occurs everywhere.
  const isContent = search.trim().length > 1;
  const saying = useAnswer(
    isContent ? (signal) => client.search({ history, text: search }, { signal }) : undefined,
    [client, history, condensation.revision, search],
    150,
  );
  const content = useMemo(() => new Set(isContent ? saying.answer?.messages : []), [isContent, saying.answer]);
  const found = useMemo(() => {
    const wanted = sought.trim().toLowerCase();
    const all = changes.filter(
      (change) =>
        (operation === "" || change.operation === operation) &&
        (grade === "" || change.grade === grade) &&
        (wanted === "" ||
          texts?.get(change.id)?.includes(wanted) ||
          String(change.messageIndex) === wanted ||
          content.has(change.messageIndex)),
    );
    return all.sort((one, other) =>
      order === "place" ? one.messageIndex - other.messageIndex || one.blockIndex - other.blockIndex : savedBy(other) - savedBy(one),
    );
  }, [changes, sought, texts, content, operation, grade, order]);
  const groups = useMemo(() => (order === "reason" ? groupsOf(found) : []), [found, order]);
  const isOpenGroup = (key: string, at: number) => turned.has(key) !== (at === 0 || isSearched);
  /** The rows of the list: changes, each below its group if there are groups. */
  const items: ({ group: Group; isOpen: boolean } | { group?: undefined; change: Change })[] =
    order === "reason"
      ? groups.flatMap((group, at) => {
          const isOpen = isOpenGroup(group.key, at);
          return [{ group, isOpen }, ...(isOpen ? group.changes.map((change) => ({ change })) : [])];
        })
      : found.map((change) => ({ change }));
  const keyOf = (at: number) => {
    const item = items[at]!;
    return item.group ? item.group.key : item.change.id;
  };
  // Its button disappears with the change, so the list takes the focus.
  const takeBack = (ids: string[]) => {
    onUndo?.(ids);
    frame.current?.focus();
  };
  const buttonAt = (target: EventTarget | null) =>
    frame.current?.contains(target as Node) ? (target as HTMLElement).closest<HTMLElement>(".rc-change-row button") : undefined;
  const step = (by: number) => {
    const button = buttonAt(document.activeElement);
    if (button) moveFrom(button, by);
    // Focuses a change rather than the head of its group, unless all groups are closed.
    else
      (
        frame.current?.querySelector<HTMLElement>(".rc-change-open") ?? frame.current?.querySelector<HTMLElement>(".rc-change-row button")
      )?.focus();
  };
  const keepChosen = () => {
    const row = buttonAt(document.activeElement)?.closest<HTMLElement>(".rc-change");
    const item = row && items[Number(row.dataset.index)];
    if (item) takeBack((item.group ? item.group.changes : [item.change]).map(({ id }) => id));
  };
  const isListed = condensation.exact && changes.length > 0;
  useCommands([
    { id: "search", name: t("changes.search"), key: "/", run: isListed ? () => searchField.current?.focus() : undefined },
    { id: "next", name: t("commands.next"), key: "j", run: isListed ? () => step(1) : undefined },
    { id: "previous", name: t("commands.previous"), key: "k", run: isListed ? () => step(-1) : undefined },
    { id: "keep", name: t("changes.undo"), key: "u", run: isListed && onUndo && !isBusy ? keepChosen : undefined },
  ]);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey: keyOf,
  });

  /** Moves the focus to the same button of another row. */
  const moveFrom = (button: HTMLElement, step: number) => {
    const row = button.closest<HTMLElement>(".rc-change")!;
    const at = Number(row.dataset.index) + step;
    if (at < 0 || at >= items.length) return;
    const place = [...row.querySelectorAll(".rc-change-row button")].indexOf(button);
    rows.scrollToIndex(at);
    requestAnimationFrame(() => {
      const buttons = frame.current?.querySelectorAll<HTMLElement>(`[data-index="${at}"] .rc-change-row button`) ?? [];
      // The row of a group has fewer buttons.
      buttons[Math.min(place, buttons.length - 1)]?.focus();
    });
  };
  if (!condensation.exact) return <p className="rc-empty">{t("changes.estimate")}</p>;
  if (changes.length === 0) return <p className="rc-empty">{t("changes.none")}</p>;
  const moved = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const button = buttonAt(event.target);
    if (step === undefined || !button) return;
    event.preventDefault();
    moveFrom(button, step);
  };
  const without = (ids: ReadonlySet<string>, id: string) => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    return next;
  };
  const toggle = (id: string) => setOpen(without(open, id));
  return (
    <section className={`rc-changes${isBusy ? " rc-busy" : ""}`} aria-label={t("changes.title")} aria-busy={isBusy}>
      <div className="rc-filters">
        <input
          ref={searchField}
          type="search"
          value={search}
          placeholder={t("changes.search")}
          aria-label={t("changes.search")}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            frame.current?.querySelector<HTMLElement>(".rc-change-row button")?.focus();
          }}
        />
        <select value={operation} aria-label={t("changes.operation")} onChange={(event) => setOperation(event.target.value)}>
          <option value="">{t("changes.allOperations")}</option>
          {operations.map((name) => (
            <option key={name} value={name}>
              {operationName(name)}
            </option>
          ))}
        </select>
        <select value={grade} aria-label={t("changes.grade")} onChange={(event) => setGrade(event.target.value)}>
          <option value="">{t("changes.allGrades")}</option>
          {GRADES.map((name) => (
            <option key={name} value={name}>
              {t(gradeKey(name))}
            </option>
          ))}
        </select>
        <select value={order} aria-label={t("changes.order")} onChange={(event) => setOrder(event.target.value as Order)}>
          <option value="reason">{t("changes.byReason")}</option>
          <option value="tokens">{t("changes.byTokens")}</option>
          <option value="place">{t("changes.byPlace")}</option>
        </select>
        <button
          type="button"
          className="rc-button"
          aria-pressed={mode === "split"}
          onClick={() => onMode(mode === "split" ? "inline" : "split")}
        >
          {t("diff.split")}
        </button>
      </div>
      <p className="rc-count" role="status">
        {t("changes.count", { count: found.length, shown: format.number(found.length), all: format.number(changes.length) })}
        {onUndo && found.length < changes.length && found.length > 0 && (
          <button type="button" className="rc-button" disabled={isBusy} onClick={() => takeBack(found.map(({ id }) => id))}>
            <Undo2 size={14} aria-hidden="true" /> {t("changes.undoFound")}
          </button>
        )}
      </p>
      {along > 0 && (
        <p className="rc-note" role="status">
          {t("changes.along", { count: along, shown: format.number(along) })}
        </p>
      )}
      {refused && (
        <p className="rc-error" role="alert">
          {visibleText(refused)}
        </p>
      )}
      {found.length === 0 && (
        <p className="rc-empty">
          {t("changes.noHits")}{" "}
          <button
            type="button"
            className="rc-button"
            onClick={() => {
              setSearch("");
              setOperation("");
              setGrade("");
            }}
          >
            {t("changes.showAll")}
          </button>
        </p>
      )}
      <section
        ref={frame}
        className="rc-list"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard has to reach it
        tabIndex={0}
        aria-label={t("changes.list")}
        hidden={found.length === 0}
        // As high as its rows, up to the limit in the stylesheet: rows outside the view take no space.
        style={{ height: rows.getTotalSize() + 2 }}
        onKeyDown={moved}
      >
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((item) => {
            const listed = items[item.index]!;
            if (listed.group) {
              const { group, isOpen } = listed;
              return (
                <div
                  key={group.key}
                  ref={rows.measureElement}
                  data-index={item.index}
                  className="rc-change rc-group"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <div className="rc-change-row">
                    <button
                      type="button"
                      className="rc-group-open"
                      aria-expanded={isOpen}
                      onClick={() => setTurned(without(turned, group.key))}
                    >
                      {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
                      <span className={`rc-grade rc-grade-${group.grade}`}>{t(gradeKey(group.grade))}</span>
                      <span className="rc-change-what">
                        <b>{operationName(group.operation)}</b> {format.number(group.changes.length)}
                      </span>
                      <span className="rc-change-tokens">{format.less(group.saved)}</span>
                    </button>
                    {onUndo && (
                      <IconButton
                        isTitled
                        label={`${t("changes.undoGroup")}: ${operationName(group.operation)}`}
                        disabled={isBusy}
                        onClick={() => takeBack(group.changes.map(({ id }) => id))}
                      >
                        <Undo2 size={16} aria-hidden="true" />
                      </IconButton>
                    )}
                  </div>
                </div>
              );
            }
            const { change } = listed;
            const label = visibleText(messages?.[change.messageIndex]?.label ?? "");
            const isOpen = open.has(change.id);
            const reason = told.reason(change);
            // Some reasons already name the message.
            const about = order !== "reason" ? operationName(change.operation) : reason.said.includes(label) ? "" : label;
            return (
              <div
                key={change.id}
                ref={rows.measureElement}
                data-index={item.index}
                className={`rc-change${order === "reason" ? " rc-in-group" : ""}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div className="rc-change-row">
                  <button type="button" className="rc-change-open" aria-expanded={isOpen} onClick={() => toggle(change.id)}>
                    {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
                    {order !== "reason" && <span className={`rc-grade rc-grade-${change.grade}`}>{t(gradeKey(change.grade))}</span>}
                    <span className="rc-change-what">
                      {about && <b>{about}</b>} <span lang={reason.lang}>{reason.said}</span>
                    </span>
                    <span className="rc-change-tokens">
                      {format.less(change.tokensBefore - change.tokensAfter)}
                      <small>{t("changes.of", { shown: format.number(change.tokensBefore) })}</small>
                    </span>
                  </button>
                  <button
                    type="button"
                    className="rc-link"
                    onClick={() => onSelect?.(change.messageIndex)}
                    aria-label={t("message.title", { index: change.messageIndex })}
                  >
                    #{change.messageIndex}
                  </button>
                  {onUndo && (
                    <IconButton
                      isTitled
                      label={`${t("changes.undo")}: ${label || reason.said}, #${change.messageIndex}`}
                      disabled={isBusy}
                      onClick={() => takeBack([change.id])}
                    >
                      <Undo2 size={16} aria-hidden="true" />
                    </IconButton>
                  )}
                </div>
                {isOpen && (
                  <ChangeDiff
                    history={history}
                    condensation={condensation}
                    change={change}
                    mode={mode}
                    onGone={onGone}
                    onSelect={onSelect}
                  />
                )}
              </div>
            );
          })}
        </div>
      </section>
    </section>
  );
}
