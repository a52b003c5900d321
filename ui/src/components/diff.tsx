// What differs between two versions of a message, in one column or two.

import type { ReactNode } from "react";
import { useStudio } from "../context.js";
import { VisibleText } from "../text.js";
import type { DiffHunk, TextDiff } from "../types.js";

export type DiffMode = "inline" | "split";

export interface DiffProps {
  diff: TextDiff[];
  mode?: DiffMode | undefined;
}

type Line = DiffHunk["lines"][number];

/** A line with its numbers in the texts before and after; one that is in one of them alone has one. */
interface Numbered extends Line {
  before?: number;
  after?: number;
}

function numbered({ lines, beforeLine, afterLine }: DiffHunk): Numbered[] {
  let before = beforeLine;
  let after = afterLine;
  return lines.map((line) => ({
    ...line,
    ...(line.kind !== "added" && { before: before++ }),
    ...(line.kind !== "removed" && { after: after++ }),
  }));
}

/** Lines that changed stand beside each other. */
function pairs(lines: readonly Numbered[]): { before?: Numbered; after?: Numbered }[] {
  const rows: { before?: Numbered; after?: Numbered }[] = [];
  let removed: Numbered[] = [];
  let added: Numbered[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      rows.push({ ...(removed[at] && { before: removed[at] }), ...(added[at] && { after: added[at] }) });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      rows.push({ before: line, after: line });
    }
  }
  flush();
  return rows;
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

function Content({ line }: { line: Line }): ReactNode {
  const { t, format } = useStudio();
  const more = (characters: number | undefined) =>
    characters ? <span className="rc-cut">{t("diff.characters", { shown: format.number(characters) })}</span> : null;
  return (
    <>
      {more(line.charactersBefore)}
      <VisibleText>{line.text}</VisibleText>
      {more(line.charactersAfter)}
    </>
  );
}

function Cell({ line, kind }: { line: Numbered | undefined; kind: "before" | "after" }): ReactNode {
  if (!line)
    return (
      <>
        <td className="rc-diff-none rc-line-number" />
        <td className="rc-diff-none" />
      </>
    );
  const className = line.kind === "same" ? "rc-diff-same" : kind === "before" ? "rc-diff-removed" : "rc-diff-added";
  return (
    <>
      <td className={`${className} rc-line-number`}>{line[kind]}</td>
      <td className={className}>
        <Content line={line} />
      </td>
    </>
  );
}

export function Diff({ diff, mode = "inline" }: DiffProps): ReactNode {
  const { t, format } = useStudio();
  if (diff.length === 0) return <p className="rc-empty">{t("diff.none")}</p>;
  return (
    <div className={`rc-diff rc-diff-${mode}`}>
      {diff.map((text) => (
        <div key={text.path.join("/")} className="rc-diff-text">
          {text.hunks.map((hunk) => (
            <table
              key={`${hunk.beforeLine}-${hunk.afterLine}`}
              aria-label={t("diff.lines", { before: hunk.beforeLine, after: hunk.afterLine })}
            >
              <tbody>
                {mode === "split"
                  ? pairs(numbered(hunk)).map((row, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                      <tr key={at}>
                        <Cell line={row.before} kind="before" />
                        <Cell line={row.after} kind="after" />
                      </tr>
                    ))
                  : numbered(hunk).map((line, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                      <tr key={at} className={`rc-diff-${line.kind}`}>
                        <td className="rc-line-number">{line.before}</td>
                        <td className="rc-line-number">{line.after}</td>
                        <td className="rc-diff-sign">{SIGNS[line.kind]}</td>
                        <td>
                          <Content line={line} />
                        </td>
                      </tr>
                    ))}
              </tbody>
            </table>
          ))}
          {text.omittedLines > 0 && (
            <p className="rc-cut">{t("diff.omitted", { count: text.omittedLines, shown: format.number(text.omittedLines) })}</p>
          )}
        </div>
      ))}
    </div>
  );
}
