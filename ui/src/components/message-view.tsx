// One message: its texts, and what happened to it.

import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { IconButton } from "./icon-button.js";
import { type Key, useStudio } from "../context.js";
import { useAnswer, useGone } from "../hooks.js";
import { VisibleText, roleText } from "../text.js";
import { useTold } from "../told.js";
import { Diff, type DiffMode } from "./diff.js";

export interface MessageViewProps {
  history: string;
  revision: number;
  index: number;
  /** The title of the view. Default: its number. */
  title?: string | undefined;
  /** The id of an exact condensation, whose change of the message is shown. */
  condensation?: string | undefined;
  mode?: DiffMode | undefined;
  /** Called if the host no longer keeps the condensation. */
  onGone?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

/** The number of characters of a text that are shown at once. */
const AT_ONCE = 8000;

function Text({ kind, text, omitted }: { kind: string; text: string; omitted: number }): ReactNode {
  const { t, format } = useStudio();
  const [shown, setShown] = useState(AT_ONCE);
  const rest = text.length - shown;
  return (
    <div className="rc-text">
      <h3>{t(`text.${kind}` as Key)}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard has to reach it */}
      <section className="rc-pre" tabIndex={0} aria-label={t(`text.${kind}` as Key)}>
        <pre>
          <VisibleText>{text.slice(0, shown)}</VisibleText>
        </pre>
      </section>
      {rest > 0 && (
        <button type="button" className="rc-button" onClick={() => setShown(shown + 4 * AT_ONCE)}>
          {t("text.more", { shown: format.number(rest) })}
        </button>
      )}
      {rest <= 0 && omitted > 0 && <p className="rc-cut">{t("text.omitted", { shown: format.number(omitted) })}</p>}
    </div>
  );
}

export function MessageView({ history, revision, index, title, condensation, mode, onGone, onClose }: MessageViewProps): ReactNode {
  const { client, t } = useStudio();
  const told = useTold();
  const [tab, setTab] = useState<"diff" | "text">("diff");
  const { answer, error } = useAnswer(
    (signal) => client.message({ history, index, ...(condensation && { condensation }) }, { signal }),
    [client, history, revision, index, condensation],
  );
  useGone(error, onGone);
  const panel = useRef<HTMLElement>(null);
  // A user who opened it with the keyboard continues in it.
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, []);
  const hasDiff = answer?.fate === "changed" || answer?.fate === "removed";
  return (
    <section
      ref={panel}
      className="rc-message"
      tabIndex={-1}
      aria-label={t("message.title", { index })}
      onKeyDown={(event) => event.key === "Escape" && onClose?.()}
    >
      <header>
        <h2>
          {title ?? t("message.title", { index })}
          <small>
            {" "}
            {title && t("message.title", { index })}
            {title && answer && ", "}
            {answer && roleText(t, answer.role)}
          </small>
        </h2>
        {answer?.fate && <span className={`rc-badge rc-fate-${answer.fate}`}>{t(`fate.${answer.fate}`)}</span>}
        {hasDiff && (
          <button
            type="button"
            className="rc-button"
            aria-pressed={tab === "text"}
            onClick={() => setTab(tab === "text" ? "diff" : "text")}
          >
            {t("message.whole")}
          </button>
        )}
        {onClose && (
          <IconButton label={t("close")} onClick={onClose}>
            <X size={16} aria-hidden="true" />
          </IconButton>
        )}
      </header>
      {error && <p className="rc-error">{error.code === "redacted" ? t("message.redacted") : told.fault(error)}</p>}
      {answer && hasDiff && tab === "diff" && <Diff diff={answer.diff} mode={mode} />}
      {answer && (!hasDiff || tab === "text") && (
        <>
          {answer.texts.length === 0 && <p className="rc-empty">{t("message.empty")}</p>}
          {answer.texts.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: texts have no other name
            <Text key={`${index}-${at}`} {...text} />
          ))}
        </>
      )}
    </section>
  );
}
