// How full the window of the model is, and with what: now, and after condensing.

import type { ReactNode } from "react";
import { type Key, useStudio } from "../context.js";
import type { Condensation, Inspection, TokensByKind } from "../types.js";
import { KINDS, useKindName } from "./kinds.js";

export interface WindowBarProps {
  inspection: Inspection;
  condensation?: Condensation | undefined;
}

interface Mark {
  name: Key;
  at: number;
}

export function WindowBar({ inspection, condensation }: WindowBarProps): ReactNode {
  const { t, format } = useStudio();
  const kindName = useKindName();
  const { tokens, kinds, window, target } = inspection;
  const partsOf = (byKind: TokensByKind) =>
    [
      { key: "system", label: t("window.request"), tokens: tokens.system + tokens.tools, className: "rc-kind-request" },
      ...KINDS.map((kind) => ({ key: kind, label: kindName(kind), tokens: byKind[kind] ?? 0, className: `rc-kind-${kind}` })),
    ].filter((part) => part.tokens > 0);
  const parts = partsOf(kinds);
  const left = condensation?.kinds && partsOf(condensation.kinds);
  const end = Math.max(tokens.total, window?.contextWindow ?? 0, target?.tokens ?? 0, 1);
  const share = (value: number) => `${(100 * value) / end}%`;
  const marks: Mark[] = [
    ...(target ? [{ name: "line.target" as const, at: target.tokens }] : []),
    ...(window
      ? [
          // A threshold of the whole window would lie below the window's own line.
          ...(window.atThreshold.tokens < window.contextWindow ? [{ name: "line.threshold" as const, at: window.atThreshold.tokens }] : []),
          { name: "line.limit" as const, at: window.atLimit.tokens },
          { name: "line.window" as const, at: window.contextWindow },
        ]
      : []),
  ];
  // Content added by condensing is not in the bar above.
  const legend = [...parts, ...(left ?? []).filter(({ key }) => !parts.some((part) => part.key === key))];
  const over = window ? Math.max(0, tokens.total - window.atLimit.tokens) : 0;
  const listOf = (shown: typeof parts) => shown.map((part) => `${part.label}: ${format.number(part.tokens)}`).join(", ");
  const segments = (shown: typeof parts) =>
    shown.map((part) => (
      <div
        key={part.key}
        className={`rc-bar-part ${part.className}`}
        style={{ width: share(part.tokens) }}
        title={`${part.label}: ${format.number(part.tokens)}`}
      />
    ));
  /** Describes a number of tokens and the whole that it is a part of. */
  const sum = (count: number, isAbout = false) => {
    const shown = isAbout ? t("about", { shown: format.number(count) }) : format.number(count);
    return (
      <>
        <strong>{shown}</strong>
        {window && (
          <span>
            {" "}
            {t("window.of", {
              window: format.number(window.contextWindow),
              share: format.percent((100 * count) / window.contextWindow),
            })}
          </span>
        )}
      </>
    );
  };
  const line = marks.map((mark) => (
    <div key={mark.name} className={`rc-bar-mark rc-${mark.name.replace(".", "-")}`} style={{ left: share(mark.at) }} />
  ));
  return (
    <section className="rc-window" aria-label={t("window.title")}>
      <p className="rc-window-sum rc-window-now">
        <span>{t("window.now")}</span> {sum(tokens.total)}
      </p>
      <div className="rc-bar" role="img" aria-label={listOf(parts)}>
        {segments(parts)}
        {over > 0 && <div className="rc-bar-over" style={{ left: share(window!.atLimit.tokens), width: share(over) }} />}
        {line}
      </div>
      <p className="rc-window-sum rc-window-after">
        <span>{t("window.after")}</span> {condensation && sum(condensation.tokensAfter, !condensation.exact)}
      </p>
      <div className="rc-bar" role="img" aria-label={left ? listOf(left) : t("window.after")}>
        {condensation && (
          <>
            {left ? segments(left) : <div className="rc-bar-part rc-bar-left" style={{ width: share(condensation.tokensAfter) }} />}
            <div
              className="rc-bar-part rc-bar-gone"
              style={{ width: share(Math.max(0, condensation.tokensBefore - condensation.tokensAfter)) }}
            />
          </>
        )}
        {line}
      </div>
      <ul className="rc-marks">
        {legend.map((part) => (
          <li key={part.key}>
            <span className={`rc-swatch ${part.className}`} aria-hidden="true" /> {part.label}
          </li>
        ))}
        {marks.map((mark) => (
          <li key={mark.name}>
            <span className={`rc-line-swatch rc-${mark.name.replace(".", "-")}`} aria-hidden="true" />
            {t(mark.name === "line.limit" ? "line.limitAt" : mark.name)} {format.compact(mark.at)}
          </li>
        ))}
      </ul>
      <p className="rc-note">
        {tokens.system + tokens.tools === 0 && t("window.messagesOnly")} {!window && t("window.choose")}
      </p>
    </section>
  );
}
