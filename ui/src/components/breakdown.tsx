// The contents of the window: by tool and by file, the largest blocks, and redundant content.

import type { ReactNode } from "react";
import { useStudio } from "../context.js";
import { visibleText } from "../text.js";
import type { Condensation, Inspection, Waste } from "../types.js";
import { useKindName } from "./kinds.js";
import { Treemap } from "./treemap.js";

export interface BreakdownProps {
  inspection: Inspection;
  /** Its savings are shown beside the contents. */
  condensation?: Condensation | undefined;
  onSelect?: ((index: number) => void) | undefined;
  /** Shows the changes of messages about a text; absent if nothing would change. */
  onFilter?: ((text: string) => void) | undefined;
}

/** Maximum number of rows of a table; the rest is only counted. */
const MOST = 12;

function Table({ title, heads, rows }: { title: string; heads: string[]; rows: ReactNode[][] }): ReactNode {
  const { t } = useStudio();
  if (rows.length === 0) return null;
  return (
    <table className="rc-table">
      <caption>{title}</caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MOST).map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <tr key={row}>
            {cells.map((cell, at) =>
              at === 0 ? (
                <th key={heads[at]} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={heads[at]}>{cell}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
      {rows.length > MOST && (
        <tfoot>
          <tr>
            <td colSpan={heads.length}>{t("table.more", { count: rows.length - MOST })}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

export function Breakdown({ inspection, condensation, onSelect, onFilter }: BreakdownProps): ReactNode {
  const { t, format } = useStudio();
  const kindName = useKindName();
  const total = inspection.tokens.total || 1;
  const tokens = (value: number) => format.number(value);
  const share = (value: number) => format.percent((100 * value) / total);
  const link = (index: number) => (
    <button type="button" className="rc-link" onClick={() => onSelect?.(index)} aria-label={t("message.title", { index })}>
      #{index}
    </button>
  );
  const wastes: [string, string, Waste][] = [
    [t("waste.superseded"), t("waste.supersededNote"), inspection.superseded],
    [t("waste.stale"), t("waste.staleNote"), inspection.stale],
    [t("waste.repeated"), t("waste.repeatedNote"), inspection.repeated],
  ];
  return (
    <section className="rc-breakdown" aria-label={t("breakdown.title")}>
      <Treemap inspection={inspection} condensation={condensation} onSelect={onSelect} onFilter={onFilter} />
      <div className="rc-wastes">
        {wastes.map(([name, note, waste]) => (
          <details key={name} className="rc-waste">
            <summary>
              <b>{name}</b> {tokens(waste.tokens)} <i>{share(waste.tokens)}</i>
              <small>{note}</small>
            </summary>
            <ol>
              {waste.items.map((item, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name
                <li key={at}>
                  {link(item.messageIndex)} {visibleText(item.label)} <b>{tokens(item.tokens)}</b>
                </li>
              ))}
            </ol>
            {waste.count > waste.items.length && <p>{t("table.more", { count: waste.count - waste.items.length })}</p>}
          </details>
        ))}
      </div>
      <div className="rc-tables">
        <Table
          title={t("breakdown.tools")}
          heads={[t("column.tool"), t("column.tokens"), t("column.share"), t("column.calls"), t("column.failed")]}
          rows={inspection.byTool.map((tool) => {
            const sum = tool.callTokens + tool.resultTokens;
            return [visibleText(tool.tool), tokens(sum), share(sum), tokens(tool.calls), tool.failed ? tokens(tool.failed) : ""];
          })}
        />
        <Table
          title={t("breakdown.files")}
          heads={[t("column.file"), t("column.tokens"), t("column.reads"), t("column.changes"), t("column.wasted")]}
          rows={inspection.byFile.map((file) => [
            visibleText(file.path),
            tokens(file.tokens),
            tokens(file.reads),
            tokens(file.changes),
            file.wastedTokens ? tokens(file.wastedTokens) : "",
          ])}
        />
        <Table
          title={t("breakdown.largest")}
          heads={[t("column.block"), t("column.tokens"), t("column.share"), t("column.message")]}
          rows={inspection.largest.map((block) => [
            block.label ? visibleText(block.label) : kindName(block.kind),
            tokens(block.tokens),
            share(block.tokens),
            link(block.messageIndex),
          ])}
        />
      </div>
    </section>
  );
}
