// Proof that the content removed by a change can still be read: its lines beside their present places, and the result
// of reading them back.

import { Check, ChevronsUpDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useStudio } from "../context.js";
import { useAnswer } from "../hooks.js";
import { VisibleText } from "../text.js";
import type { Change, Condensation } from "../types.js";

export interface ProofProps {
  condensation: Condensation;
  change: Change;
  onSelect?: ((index: number) => void) | undefined;
}

/** The number of pairs of lines shown at the beginning and at the end; the user can show those between. */
const ENDS = 4;

export function Proof({ condensation, change, onSelect }: ProofProps): ReactNode {
  const { client, t, format } = useStudio();
  const [isOpen, setOpen] = useState(false);
  const { answer } = useAnswer(
    client.isLive ? (signal) => client.proof({ condensation: condensation.id, change: change.id }, { signal }) : undefined,
    [client, condensation.id, change.id],
  );
  if (!answer) return null;
  const { lines, readBack, identical, message, pairs } = answer;
  const folded = isOpen || pairs.length <= 2 * ENDS + 1 ? 0 : pairs.length - 2 * ENDS;
  const row = ({ text, from, to }: (typeof pairs)[number]) => (
    <tr key={from}>
      <td className="rc-line-number">{from}</td>
      <td>
        <VisibleText>{text}</VisibleText>
      </td>
      <td className="rc-equal" aria-label={t("proof.same")}>
        =
      </td>
      <td className="rc-line-number">{to}</td>
      <td>
        <VisibleText>{text}</VisibleText>
      </td>
    </tr>
  );
  return (
    <div className="rc-proof">
      {pairs.length > 0 && message >= 0 && (
        <>
          <h4>
            {t("proof.where")}{" "}
            <button type="button" className="rc-link" onClick={() => onSelect?.(message)}>
              {t("message.title", { index: message })}
            </button>
          </h4>
          <table>
            <colgroup>
              <col className="rc-line-number" />
              <col />
              <col className="rc-equal" />
              <col className="rc-line-number" />
              <col />
            </colgroup>
            <thead>
              <tr>
                <th colSpan={2} scope="colgroup">
                  {t("proof.taken", { index: change.messageIndex })}
                </th>
                <th />
                <th colSpan={2} scope="colgroup">
                  {t("proof.there", { index: message })}
                </th>
              </tr>
            </thead>
            <tbody>
              {pairs.slice(0, folded ? ENDS : undefined).map(row)}
              {folded > 0 && (
                <tr>
                  <td colSpan={5}>
                    <button type="button" className="rc-fold" onClick={() => setOpen(true)}>
                      <ChevronsUpDown size={12} aria-hidden="true" /> {t("proof.more", { count: folded, shown: format.number(folded) })}
                    </button>
                  </td>
                </tr>
              )}
              {folded > 0 && pairs.slice(-ENDS).map(row)}
            </tbody>
          </table>
        </>
      )}
      <p className={identical ? "rc-verdict rc-identical" : "rc-verdict"}>
        {identical ? (
          <>
            <Check size={16} aria-hidden="true" /> <b>{t("proof.identical")}</b>{" "}
            {t("proof.all", { count: lines, shown: format.number(lines) })}
          </>
        ) : (
          t("proof.some", { count: readBack, shown: format.number(readBack), all: format.number(lines) })
        )}
      </p>
    </div>
  );
}
