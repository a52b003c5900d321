// The differences between two versions of a message, in one column or two.

import { ChevronsUpDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useStudio } from "../context.js";
import { VisibleText } from "../text.js";
import type { DiffHunk, TextDiff } from "../types.js";

export type DiffMode = "inline" | "split";

export interface DiffProps {
  diff: TextDiff[];
  mode?: DiffMode | undefined;
}

type Line = DiffHunk["lines"][number];

/** A line with its numbers in the texts before and after; a line of only one text has one number. */
interface Numbered extends Line {
  before?: number;
  after?: number;
  /** The range in which it differs from the line that replaced it. */
  mark?: [number, number];
}

/** Lines that have less than this in common are unrelated, and marking differences in them means nothing. */
const LEAST_COMMON = 0.3;
const isLowHalf = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** Returns where two lines differ: after their common start, before their common end. Undefined if they have hardly anything in common. */
export function marksOf(one: string, other: string): { one: [number, number]; other: [number, number] } | undefined {
  const shorter = Math.min(one.length, other.length);
  let from = 0;
  while (from < shorter && one[from] === other[from]) from++;
  // Does not split a surrogate pair.
  if (from > 0 && (isLowHalf(one, from) || isLowHalf(other, from))) from--;
  let end = 0;
  while (end < shorter - from && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  if (end > 0 && (isLowHalf(one, one.length - end) || isLowHalf(other, other.length - end))) end--;
  if (from + end < LEAST_COMMON * Math.max(one.length, other.length)) return undefined;
  return { one: [from, one.length - end], other: [from, other.length - end] };
}

/** Marks the differences in lines, where as many are removed as added. */
function marked(lines: Numbered[]): Numbered[] {
  for (let at = 0; at < lines.length; ) {
    const countOf = (kind: Line["kind"], from: number) => {
      let count = 0;
      while (lines[from + count]?.kind === kind) count++;
      return count;
    };
    const removed = countOf("removed", at);
    const added = countOf("added", at + removed);
    if (removed > 0 && removed === added)
      for (let each = at; each < at + removed; each++) {
        const [before, after] = [lines[each]!, lines[each + removed]!];
        const marks = marksOf(before.text, after.text);
        if (marks) [before.mark, after.mark] = [marks.one, marks.other];
      }
    at += Math.max(1, removed + added);
  }
  return lines;
}

function numbered({ lines, beforeLine, afterLine }: DiffHunk): Numbered[] {
  let before = beforeLine;
  let after = afterLine;
  return marked(
    lines.map((line) => ({
      ...line,
      ...(line.kind !== "added" && { before: before++ }),
      ...(line.kind !== "removed" && { after: after++ }),
    })),
  );
}

/** Returns the lines as pairs; changed lines are beside each other. */
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

function Content({ line }: { line: Numbered }): ReactNode {
  const { t, format } = useStudio();
  const more = (characters: number | undefined) =>
    characters ? <span className="rc-cut">{t("diff.characters", { shown: format.number(characters) })}</span> : null;
  return (
    <>
      {more(line.charactersBefore)}
      {line.mark ? (
        <>
          <VisibleText>{line.text.slice(0, line.mark[0])}</VisibleText>
          <mark>
            <VisibleText>{line.text.slice(...line.mark)}</VisibleText>
          </mark>
          <VisibleText>{line.text.slice(line.mark[1])}</VisibleText>
        </>
      ) : (
        <VisibleText>{line.text}</VisibleText>
      )}
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

/** Returns the place of a text in the parameters of a call, such as `todos.2.content`. */
function placeOf({ path }: TextDiff): string {
  const at = path.findIndex((step) => step === "input" || step === "arguments" || step === "args");
  return at === -1 ? "" : path.slice(at + 1).join(".");
}

/** Lines that are shown at each end of a long run of removed or added lines. */
const ENDS = 3;
/** The fewest lines that are folded. */
const LEAST_FOLDED = 8;

interface Row {
  /** The kind of a line that is of one text alone; undefined for the others, which are always shown. */
  run: "removed" | "added" | undefined;
  cells: ReactNode;
  className?: string;
}

const rowsOf = (hunk: DiffHunk, mode: DiffMode): Row[] =>
  mode === "split"
    ? pairs(numbered(hunk)).map(({ before, after }) => ({
        run: before && after ? undefined : before ? "removed" : "added",
        cells: (
          <>
            <Cell line={before} kind="before" />
            <Cell line={after} kind="after" />
          </>
        ),
      }))
    : numbered(hunk).map((line) => ({
        run: line.kind === "same" || line.mark ? undefined : line.kind,
        className: `rc-diff-${line.kind}`,
        cells: (
          <>
            <td className="rc-line-number">{line.before}</td>
            <td className="rc-line-number">{line.after}</td>
            <td className="rc-diff-sign">{SIGNS[line.kind]}</td>
            <td>
              <Content line={line} />
            </td>
          </>
        ),
      }));

/** Returns the ranges of rows in the middle of long runs, by their first row: `[end, kind]`. */
export function foldedIn(runs: readonly Row["run"][]): Map<number, [number, "removed" | "added"]> {
  const found = new Map<number, [number, "removed" | "added"]>();
  for (let from = 0; from < runs.length; ) {
    const run = runs[from];
    let end = from + 1;
    while (end < runs.length && runs[end] === run) end++;
    if (run && end - from - 2 * ENDS >= LEAST_FOLDED) found.set(from + ENDS, [end - ENDS, run]);
    from = end;
  }
  return found;
}

function Hunk({ hunk, mode }: { hunk: DiffHunk; mode: DiffMode }): ReactNode {
  const { t, format } = useStudio();
  const [opened, setOpened] = useState<readonly number[]>([]);
  const rows = rowsOf(hunk, mode);
  const folded = foldedIn(rows.map(({ run }) => run));
  const shown: ReactNode[] = [];
  for (let at = 0; at < rows.length; at++) {
    const fold = opened.includes(at) ? undefined : folded.get(at);
    if (fold) {
      const [end, run] = fold;
      const first = at;
      shown.push(
        <tr key={`fold ${at}`}>
          <td colSpan={4}>
            <button type="button" className="rc-fold" onClick={() => setOpened([...opened, first])}>
              <ChevronsUpDown size={12} aria-hidden="true" />{" "}
              {t(run === "removed" ? "diff.showRemoved" : "diff.showAdded", { count: end - at, shown: format.number(end - at) })}
            </button>
          </td>
        </tr>,
      );
      at = end - 1;
      continue;
    }
    const { cells, className } = rows[at]!;
    shown.push(
      <tr key={at} className={className}>
        {cells}
      </tr>,
    );
  }
  return (
    <table aria-label={t("diff.lines", { before: hunk.beforeLine, after: hunk.afterLine })}>
      <tbody>{shown}</tbody>
    </table>
  );
}

export function Diff({ diff, mode = "inline" }: DiffProps): ReactNode {
  const { t, format } = useStudio();
  if (diff.length === 0) return <p className="rc-empty">{t("diff.none")}</p>;
  return (
    <div className={`rc-diff rc-diff-${mode}`}>
      {diff.map((text) => (
        <div key={text.path.join("/")} className="rc-diff-text">
          {placeOf(text) !== "" && (
            <p className="rc-diff-place">
              <VisibleText>{placeOf(text)}</VisibleText>
            </p>
          )}
          {text.hunks.map((hunk) => (
            <Hunk key={`${hunk.beforeLine}-${hunk.afterLine}`} hunk={hunk} mode={mode} />
          ))}
          {text.omittedLines > 0 && (
            <p className="rc-cut">{t("diff.omitted", { count: text.omittedLines, shown: format.number(text.omittedLines) })}</p>
          )}
        </div>
      ))}
    </div>
  );
}
