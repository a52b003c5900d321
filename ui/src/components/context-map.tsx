// The conversation as a strip: a column for each message, its current size above the line, its size after condensing
// below it. Drawn on a canvas of the visible size, so that five thousand messages are as fast as fifty.

import { type KeyboardEvent, type PointerEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Key, useStudio } from "../context.js";
import { roleText, visibleText } from "../text.js";
import type { Condensation, Inspection } from "../types.js";
import { KINDS, useKindName } from "./kinds.js";

export interface ContextMapProps {
  inspection: Inspection;
  condensation?: Condensation | undefined;
  /** The index of the open message. */
  selected?: number | undefined;
  onSelect?: ((index: number) => void) | undefined;
}

const ABOVE = 104;
const BELOW = 64;
const LABELS = 30;
const GAP = 6;
const HEIGHT = LABELS + ABOVE + GAP + BELOW;
const MIN_CELL = 2;
const MAX_CELL = 26;

interface Line {
  name: Key;
  index: number;
}

function linesOf(inspection: Inspection, condensation: Condensation | undefined): Line[] {
  const { window, target } = inspection;
  const found: [Key, number | null | undefined][] = [
    ["line.target", target?.messageIndex],
    ["line.threshold", window?.atThreshold.messageIndex],
    ["line.limit", window?.atLimit.messageIndex],
    ["line.window", window?.atEnd.messageIndex],
    ["line.cache", condensation?.didCondense && condensation.firstChangedIndex >= 0 ? condensation.firstChangedIndex : null],
  ];
  return found.flatMap(([name, index]) => (typeof index === "number" ? [{ name, index }] : []));
}

const LINE_NAMES: readonly Key[] = ["line.target", "line.threshold", "line.limit", "line.window", "line.cache"];
const SIDE_NAMES: readonly Key[] = ["window.now", "window.after"];
const PROBES = [
  ...KINDS.map((kind) => `rc-kind-${kind}`),
  ...LINE_NAMES.map((name) => `rc-${name.replace(".", "-")}`),
  "rc-ink",
  "rc-gone",
  "rc-changed",
  "rc-focus",
  "rc-outline",
  "rc-grid",
];

/** Reads the current colours of the stylesheet, since a canvas knows no CSS variables. */
function coloursIn(probes: HTMLElement | null): Map<string, string> {
  const colours = new Map<string, string>();
  for (const probe of probes?.children ?? []) colours.set(probe.className, getComputedStyle(probe).backgroundColor);
  return colours;
}

/** Returns at most two round numbers of tokens, up to the largest and far enough apart to be readable. */
function scaleOf(largest: number): number[] {
  const found: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(Math.max(10, largest))); power >= 10 && found.length < 2; power /= 10)
    for (const factor of [5, 2, 1]) {
      const tokens = factor * power;
      const before = found[found.length - 1];
      if (tokens <= largest && (before === undefined || Math.sqrt(tokens) < 0.6 * Math.sqrt(before)) && found.length < 2)
        found.push(tokens);
    }
  return found;
}

interface View {
  width: number;
  scroll: number;
}

/** Tints the messages that are beyond the limit. */
function shadeBeyond(paint: CanvasRenderingContext2D, limit: Line | undefined, view: View, cell: number, colour: string) {
  if (!limit) return;
  const x = Math.max(0, limit.index * cell - view.scroll);
  paint.globalAlpha = 0.08;
  paint.fillStyle = colour;
  paint.fillRect(x, LABELS, Math.max(0, view.width - x), ABOVE);
  paint.globalAlpha = 1;
}

/** Names what is above and below the line, at the right end; nothing is drawn below what is written. Returns the width that the labels leave to it. */
function nameSides(paint: CanvasRenderingContext2D, view: View, now: string, after: string, ink: string): number {
  const widthOf = (name: string) => paint.measureText(name).width + 4;
  paint.textAlign = "right";
  paint.fillStyle = ink;
  paint.textBaseline = "bottom";
  paint.fillText(now, view.width - 2, LABELS - 2);
  paint.clearRect(view.width - widthOf(after), HEIGHT - 14, widthOf(after), 14);
  paint.fillText(after, view.width - 2, HEIGHT - 1);
  paint.textAlign = "left";
  return widthOf(now) + 4;
}

function draw(
  canvas: HTMLCanvasElement,
  view: View,
  cell: number,
  props: ContextMapProps,
  hovered: number | undefined,
  lines: Line[],
  names: Map<Key, string>,
  colours: Map<string, string>,
  compact: (tokens: number) => string,
) {
  const { inspection, condensation, selected } = props;
  const { messages } = inspection;
  const ratio = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(view.width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const paint = canvas.getContext("2d");
  if (!paint) return;
  paint.scale(ratio, ratio);
  paint.clearRect(0, 0, view.width, HEIGHT);
  const ink = colours.get("rc-ink") ?? "black";
  const axis = LABELS + ABOVE;
  // Heights grow with the square root: one large result would make everything else a flat line.
  const most = Math.sqrt(messages.reduce((max, message) => Math.max(max, message.tokens), 1));
  const limit = lines.find(({ name }) => name === "line.limit");
  shadeBeyond(paint, limit, view, cell, colours.get("rc-line-threshold") ?? ink);
  // The scale: round numbers at their heights.
  const largest = most * most;
  paint.font = "11px system-ui, sans-serif";
  paint.textBaseline = "bottom";
  paint.textAlign = "right";
  for (const tokens of scaleOf(largest)) {
    const y = Math.round(axis - (ABOVE * Math.sqrt(tokens)) / most) + 0.5;
    paint.fillStyle = colours.get("rc-grid") ?? ink;
    paint.fillRect(0, y, view.width, 1);
    paint.fillStyle = colours.get("rc-outline") ?? ink;
    paint.fillText(compact(tokens), view.width - 2, y - 1);
  }
  paint.textAlign = "left";
  const first = Math.max(0, Math.floor(view.scroll / cell));
  const last = Math.min(messages.length - 1, Math.ceil((view.scroll + view.width) / cell));
  const gap = cell > 5 ? 1 : 0;
  const didCondense = condensation?.didCondense === true;
  for (let index = first; index <= last; index++) {
    const message = messages[index]!;
    const x = index * cell - view.scroll;
    const height = message.tokens === 0 ? 0 : Math.max(1, (ABOVE * Math.sqrt(message.tokens)) / most);
    const after = didCondense && condensation.exact ? condensation.after[index]! : message.tokens;
    const below = after <= 0 ? 0 : Math.max(1, Math.min(BELOW, (BELOW * Math.sqrt(after)) / most));
    let up = axis;
    let down = axis + GAP;
    for (const kind of KINDS) {
      const share = (message.kinds[kind] ?? 0) / (message.tokens || 1);
      if (share === 0) continue;
      paint.fillStyle = colours.get(`rc-kind-${kind}`) ?? ink;
      paint.fillRect(x, up - height * share, cell - gap, height * share);
      up -= height * share;
      if (didCondense && condensation.exact) paint.fillRect(x, down, cell - gap, below * share);
      down += below * share;
    }
    // Removed tokens are an outline below the line, with the former height.
    const was = Math.min(BELOW, (BELOW * Math.sqrt(message.tokens)) / most);
    if (didCondense && condensation.exact && was > below + 1) {
      paint.strokeStyle = colours.get("rc-outline") ?? ink;
      paint.lineWidth = 1;
      paint.setLineDash([2, 2]);
      paint.strokeRect(x + 0.5, axis + GAP + below + 0.5, Math.max(1, cell - gap - 1), was - below - 1);
      paint.setLineDash([]);
    }
    const isGone = didCondense && condensation.exact && condensation.after[index] === -1;
    const isChanged = didCondense && condensation.exact && !isGone && after !== message.tokens;
    if (isGone || isChanged) {
      paint.fillStyle = colours.get(isGone ? "rc-gone" : "rc-changed") ?? ink;
      paint.fillRect(x, axis + 1, cell - gap, GAP - 2);
    }
    if (index === selected || index === hovered) {
      paint.strokeStyle = colours.get(index === selected ? "rc-focus" : "rc-ink") ?? ink;
      paint.lineWidth = index === selected ? 2 : 1;
      paint.strokeRect(x - 0.5, LABELS + 0.5, Math.max(cell - gap, 2) + 1, HEIGHT - LABELS - 1);
    }
  }
  paint.font = "11px system-ui, sans-serif";
  const sides = didCondense ? nameSides(paint, view, names.get("window.now")!, names.get("window.after")!, ink) : 0;
  paint.textBaseline = "top";
  const ends = [0, 0];
  // Lines at the same place share a label.
  const places = [...new Set(lines.map(({ index }) => index))].sort((one, other) => one - other);
  for (const index of places) {
    const own = lines.filter((line) => line.index === index).map((line) => line.name);
    const name = own[own.length - 1]!;
    const x = Math.round(index * cell - view.scroll) + 0.5;
    if (x < -200 || x > view.width + 200) continue;
    const colour = colours.get(`rc-${name.replace(".", "-")}`) ?? ink;
    paint.strokeStyle = colour;
    paint.lineWidth = 1.5;
    paint.setLineDash(name === "line.cache" ? [2, 2] : [5, 3]);
    paint.beginPath();
    paint.moveTo(x, LABELS - 2);
    paint.lineTo(x, HEIGHT);
    paint.stroke();
    paint.setLineDash([]);
    const label = own.map((each) => names.get(each)).join(", ");
    const length = paint.measureText(label).width;
    const at = Math.max(2, Math.min(x + 3, view.width - length - 2 - sides));
    const row = ends.findIndex((end) => at >= end);
    // A label without room is left out; the bar above names the lines as well.
    if (row === -1) continue;
    ends[row] = at + length + 8;
    paint.fillStyle = ink;
    paint.fillText(label, at, row * 14 + 1);
  }
}

export function ContextMap(props: ContextMapProps): ReactNode {
  const { inspection, condensation, selected, onSelect } = props;
  const { t, format } = useStudio();
  const kindName = useKindName();
  const { messages } = inspection;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const probes = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ width: 0, scroll: 0 });
  const [hovered, setHovered] = useState<number>();
  const [focused, setFocused] = useState(0);
  const [, setPainted] = useState(0);
  const cell = Math.max(MIN_CELL, Math.min(MAX_CELL, view.width / Math.max(messages.length, 1)));
  const lines = linesOf(inspection, condensation);
  const current = Math.min(focused, messages.length - 1);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setView({ width: element.clientWidth, scroll: element.scrollLeft });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const again = () => setPainted((times) => times + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    const observer = new MutationObserver(again);
    for (const element of [document.documentElement, document.body]) observer.observe(element, { attributes: true });
    const root = frame.current?.closest(".rc-root");
    if (root) observer.observe(root, { attributes: true });
    return () => {
      dark.removeEventListener("change", again);
      observer.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    if (!canvas.current || view.width === 0) return;
    const names = new Map([...LINE_NAMES, ...SIDE_NAMES].map((name) => [name, t(name)]));
    draw(canvas.current, view, cell, props, hovered, lines, names, coloursIn(probes.current), format.compact);
  });

  const indexAt = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left + view.scroll) / cell);
    return index >= 0 && index < messages.length ? index : undefined;
  };

  const show = useCallback(
    (index: number) => {
      setFocused(index);
      setHovered(index);
      const element = frame.current;
      if (!element) return;
      const left = index * cell;
      if (left < element.scrollLeft) element.scrollLeft = left;
      else if (left + cell > element.scrollLeft + element.clientWidth) element.scrollLeft = left + cell - element.clientWidth;
    },
    [cell],
  );

  const pressed = (event: KeyboardEvent) => {
    const end = messages.length - 1;
    const page = Math.max(1, Math.round(end / 20));
    const to: Record<string, number> = {
      ArrowRight: current + 1,
      ArrowUp: current + 1,
      ArrowLeft: current - 1,
      ArrowDown: current - 1,
      PageUp: current + page,
      PageDown: current - page,
      Home: 0,
      End: end,
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSelect?.(current);
    } else if (event.key in to) {
      event.preventDefault();
      show(Math.max(0, Math.min(end, to[event.key]!)));
    }
  };

  const described = (index: number) => {
    const message = messages[index];
    if (!message) return "";
    const main = KINDS.reduce((best, kind) => ((message.kinds[kind] ?? 0) > (message.kinds[best] ?? 0) ? kind : best), KINDS[0]!);
    const parts = [
      t("map.message", { index, role: roleText(t, message.role) }),
      kindName(main),
      t("tokens", { count: message.tokens, shown: format.number(message.tokens) }),
    ];
    if (message.label) parts.push(visibleText(message.label));
    if (condensation?.didCondense && condensation.exact) {
      const after = condensation.after[index]!;
      if (after === -1) parts.push(t("map.gone"));
      else if (after !== message.tokens) parts.push(t("map.left", { shown: format.number(after) }));
    }
    return parts.join(" · ");
  };

  if (messages.length === 0) return <p className="rc-empty">{t("map.empty")}</p>;
  const told = hovered ?? selected ?? current;
  return (
    <section className="rc-map" aria-label={t("map.title")}>
      <h2>
        {t("map.heading")} <small>{t("map.sides")}</small>
      </h2>
      <div
        ref={frame}
        className="rc-map-frame"
        role="slider"
        tabIndex={0}
        aria-label={t("map.keys")}
        aria-valuemin={0}
        aria-valuemax={messages.length - 1}
        aria-valuenow={current}
        aria-valuetext={described(current)}
        onKeyDown={pressed}
        onScroll={(event) => setView({ width: event.currentTarget.clientWidth, scroll: event.currentTarget.scrollLeft })}
        onPointerMove={(event) => setHovered(indexAt(event))}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => {
          const index = indexAt(event as unknown as PointerEvent<HTMLDivElement>);
          if (index === undefined) return;
          setFocused(index);
          onSelect?.(index);
        }}
      >
        <canvas ref={canvas} className="rc-map-canvas" style={{ width: view.width, height: HEIGHT }} />
        <div style={{ width: cell * messages.length, height: 1 }} aria-hidden="true" />
      </div>
      <p className="rc-map-told">{described(told)}</p>
      <div ref={probes} hidden>
        {PROBES.map((name) => (
          <span key={name} className={name} />
        ))}
      </div>
      <ul className="rc-legend">
        {KINDS.filter((kind) => inspection.kinds[kind]).map((kind) => (
          <li key={kind}>
            <span className={`rc-swatch rc-kind-${kind}`} aria-hidden="true" />
            {kindName(kind)} <b>{format.number(inspection.kinds[kind] ?? 0)}</b>{" "}
            <i>{format.percent((100 * (inspection.kinds[kind] ?? 0)) / (inspection.tokens.total || 1))}</i>
          </li>
        ))}
        {condensation?.didCondense && condensation.exact && (
          <>
            <li>
              <span className="rc-swatch rc-changed" aria-hidden="true" /> {t("fate.changed")}
            </li>
            <li>
              <span className="rc-swatch rc-gone" aria-hidden="true" /> {t("map.gone")}
            </li>
          </>
        )}
      </ul>
    </section>
  );
}
