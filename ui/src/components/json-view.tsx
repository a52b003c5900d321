// A configuration as JSON: to read, to change, and to copy.

import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { Copy, Download, FolderOpen } from "lucide-react";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { SmartConfig } from "../../../types/smart.js";
import { type Key, useStudio } from "../context.js";
import { useTold } from "../told.js";
import { download } from "../download.js";
import type { ConfigFault } from "../faults.js";

/** Returns `passes[0].mode` as a path of jsonc-parser. */
const segments = (path: string) =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? name! : Number(index)));

/** Returns the node of a field; if it is missing, the node that should contain it. */
function nodeAt(tree: Node | undefined, path: string): Node | undefined {
  for (let place = segments(path); tree; place = place.slice(0, -1)) {
    const found = findNodeAtLocation(tree, place);
    if (found || place.length === 0) return found;
  }
  return undefined;
}

const lineOf = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

export interface JsonViewHandle {
  /** Opens the view and selects the field. */
  goTo(path: string): void;
}

interface JsonViewProps {
  value: SmartConfig;
  onChange: (config: SmartConfig) => void;
  faults: readonly ConfigFault[];
  /** The typed text while it is not valid JSON yet. The parent keeps it, so that it outlives this component. */
  draft: string | undefined;
  onDraft: (text: string | undefined) => void;
  /** Called when the configuration was copied or written to a file. */
  onTaken: () => void;
  handle?: Ref<JsonViewHandle> | undefined;
}

/** Returns the configuration in a text, or the fault of the text. */
function read(text: string): { config: SmartConfig } | { fault: string; offset: number } {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first) return { fault: printParseErrorCode(first.error), offset: first.offset };
  if (tree?.type !== "object") return { fault: "", offset: 0 };
  return { config: JSON.parse(text) as SmartConfig };
}

export function JsonView({ value, onChange, faults, draft, onDraft, onTaken, handle }: JsonViewProps): ReactNode {
  const { t } = useStudio();
  const told = useTold();
  const json = JSON.stringify(value, null, 2);
  const [text, setText] = useState(draft ?? json);
  const [isCopied, setCopied] = useState(false);
  const last = useRef(json);
  const details = useRef<HTMLDetailsElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    setCopied(false);
    if (json === last.current) return;
    last.current = json;
    setText(json);
    onDraft(undefined);
  }, [json, onDraft]);
  const changed = (next: string) => {
    setText(next);
    setCopied(false);
    const found = read(next);
    onDraft("config" in found ? undefined : next);
    if (!("config" in found)) return;
    last.current = JSON.stringify(found.config, null, 2);
    if (last.current !== json) onChange(found.config);
  };
  const found = read(text);
  const tree = parseTree(text);
  const select = (offset: number, length: number) => {
    if (details.current) details.current.open = true;
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset + length);
    // Browsers do not scroll to a selection; all lines have the same height.
    const lines = text.split("\n").length;
    if (area.current) area.current.scrollTop = (area.current.scrollHeight * (lineOf(text, offset) - 4)) / lines;
  };
  const goTo = (path: string) => {
    const node = nodeAt(tree, path);
    select(node?.offset ?? 0, node?.length ?? 0);
  };
  useImperativeHandle(handle, () => ({ goTo }));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(json);
    } catch {
      // If the clipboard cannot be written, the selected text can be copied by hand.
      setText(json);
      area.current?.select();
      return;
    }
    setCopied(true);
    onTaken();
  };
  const save = () => {
    download("passes.json", `${json}\n`);
    onTaken();
  };
  const opened = async (file: File | undefined) => {
    if (!file) return;
    if (details.current) details.current.open = true;
    changed(await file.text());
  };
  const syntax = "config" in found ? undefined : found;
  return (
    <details ref={details}>
      <summary>{t("passes.json")}</summary>
      <div className="rc:flex rc:flex-wrap rc:gap-2 rc:my-2">
        <button type="button" className="rc-button" onClick={copy}>
          <Copy size={14} aria-hidden="true" /> {t("passes.copy")}
        </button>
        <button type="button" className="rc-button" onClick={save}>
          <Download size={14} aria-hidden="true" /> {t("passes.export")}
        </button>
        <label className="rc-button">
          <FolderOpen size={14} aria-hidden="true" /> {t("passes.import")}
          <input
            type="file"
            className="rc-unseen"
            accept=".json,application/json"
            onChange={(event) => {
              opened(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
        </label>
        <span role="status">{isCopied && t("passes.copied")}</span>
      </div>
      <textarea
        ref={area}
        className="rc-json"
        rows={18}
        spellCheck={false}
        value={text}
        aria-label={t("passes.json")}
        aria-invalid={syntax !== undefined || faults.length > 0}
        onChange={(event) => changed(event.target.value)}
      />
      {syntax ? (
        <p className="rc-error">
          <button type="button" className="rc-link" onClick={() => select(syntax.offset, 1)}>
            {t("passes.line", { line: lineOf(text, syntax.offset) })}
          </button>{" "}
          {syntax.fault === "" ? t("passes.object") : t("passes.syntax", { fault: t(`json.${syntax.fault}` as Key) })}
        </p>
      ) : (
        <ul className="rc-error">
          {faults.map((fault) => (
            <li key={`${fault.path} ${fault.message}`}>
              <button type="button" className="rc-link" onClick={() => goTo(fault.path)}>
                {t("passes.line", { line: lineOf(text, nodeAt(tree, fault.path)?.offset ?? 0) })}
              </button>{" "}
              {told.problem(fault)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
