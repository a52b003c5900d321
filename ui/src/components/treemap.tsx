// The contents of the window as areas, by the subject of messages. Hatched areas would be removed. The tables below
// have the same numbers.

import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useStudio } from "../context.js";
import { roleText, visibleText } from "../text.js";
import { type Group, type Part, groupsOf, squarified } from "../treemap.js";
import type { Condensation, Inspection } from "../types.js";

interface TreemapProps {
  inspection: Inspection;
  condensation?: Condensation | undefined;
  onSelect?: ((index: number) => void) | undefined;
  /** Shows the changes of the messages of an area. */
  onFilter?: ((text: string) => void) | undefined;
}

const HEIGHT = 260;
const HEAD = 20;
const GAP = 3;
/** The number of groups, and of parts in a group, that are shown separately. */
const MOST_GROUPS = 8;
const MOST_PARTS = 10;
/** The size in pixels in which a word is readable. */
const LEAST = { width: 36, height: 20 };

const lastPart = (name: string) => name.split(/[\\/]/).pop() || name;

export function Treemap({ inspection, condensation, onSelect, onFilter }: TreemapProps): ReactNode {
  const { t, format } = useStudio();
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isKnown = condensation?.exact === true && condensation.didCondense;
  const groups = useMemo(() => {
    const after = isKnown ? condensation.after : undefined;
    const all = groupsOf(inspection.messages, after, (role) => roleText(t, role), MOST_PARTS);
    if (all.length <= MOST_GROUPS) return all;
    // The small groups become parts of one group.
    const rest = all.slice(MOST_GROUPS - 1);
    const sum = (field: "tokens" | "gone") => rest.reduce((total, one) => total + one[field], 0);
    const others: Group = { ...rest[0]!, name: "", tokens: sum("tokens"), gone: sum("gone"), count: rest.length, parts: rest };
    return [...all.slice(0, MOST_GROUPS - 1), others];
  }, [inspection, condensation, isKnown, t]);
  const nameOf = ({ name, count }: Part, within = "") =>
    name === "" && count > 1 ? t("treemap.more", { count, shown: format.number(count) }) : visibleText(name || within);
  const boxes = squarified(
    groups.map(({ tokens }) => tokens),
    { left: 0, top: 0, width, height: HEIGHT },
  );
  return (
    <section aria-label={t("treemap.title")}>
      <h2 className="rc-treemap-title">
        {t("treemap.title")} {isKnown && <small>{t("treemap.note")}</small>}
      </h2>
      <div ref={frame} className="rc-treemap" style={{ height: HEIGHT }}>
        {groups.map((group, at) => {
          const box = boxes[at]!;
          const head = box.height > 2 * HEAD && box.width > LEAST.width ? HEAD : 0;
          const inside = { left: box.left, top: box.top + head, width: box.width, height: box.height - head };
          const cells = squarified(
            group.parts.map(({ tokens }) => tokens),
            inside,
          );
          return (
            <div key={group.name}>
              {head > 0 && (
                <p className="rc-treemap-head" style={{ left: box.left, top: box.top, width: Math.max(0, box.width - GAP) }}>
                  <b>{nameOf(group)}</b> {format.number(group.tokens)}
                </p>
              )}
              {group.parts.map((part, place) => {
                const cell = cells[place]!;
                const said = nameOf(part, group.name);
                const isLegible = cell.width > LEAST.width && cell.height > LEAST.height;
                const whole = `${[nameOf(group), part.name === "" && part.count === 1 ? "" : said].filter(Boolean).join(" ")}: ${t(
                  "tokens",
                  {
                    count: part.tokens,
                    shown: format.number(part.tokens),
                  },
                )}${isKnown ? `, ${t("treemap.gone", { shown: format.number(part.gone) })}` : ""}`;
                return (
                  <button
                    // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name, one of them of several
                    key={place}
                    type="button"
                    className={isLegible ? "rc-treemap-cell" : "rc-treemap-cell rc-tiny"}
                    // Areas too small to read are in the tables, so the keyboard skips them.
                    tabIndex={isLegible ? 0 : -1}
                    style={{
                      left: cell.left,
                      top: cell.top,
                      width: Math.max(1, cell.width - GAP),
                      height: Math.max(1, cell.height - GAP),
                    }}
                    title={whole}
                    // Areas without savings have no changes to show.
                    onClick={() => (onFilter && part.gone > 0 && part.name !== "" ? onFilter(part.name) : onSelect?.(part.message))}
                  >
                    <span className="rc-unseen">{whole}</span>
                    <i style={{ height: `${(100 * part.gone) / part.tokens}%` }} />
                    {isLegible && <span aria-hidden="true">{lastPart(said)}</span>}
                    {isLegible && cell.height > 2 * LEAST.height && <span aria-hidden="true">{format.number(part.tokens)}</span>}
                  </button>
                );
              })}
            </div>
          );
        })}
      </div>
    </section>
  );
}
