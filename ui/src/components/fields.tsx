// Fields of a configuration. A fault of a field is shown below it.

import { type ReactNode, useState } from "react";
import { useStudio } from "../context.js";
import { useFieldFault } from "../faults.js";

/** Returns an object without its undefined fields, so that a configuration contains only the user's values. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

interface NumberFieldProps {
  label: string;
  /** The path of the field in the configuration, to find its faults. */
  path?: string | undefined;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

/** A whole number; empty for the default. Whether it may be so small or large is for the addon's checks to say. */
export function NumberField({ label, path, value, onChange }: NumberFieldProps): ReactNode {
  const { t } = useStudio();
  const { control, note } = useFieldFault(path);
  return (
    <label className="rc:grid rc:gap-1 rc:content-start">
      <small>{label}</small>
      <input
        type="number"
        className="rc-input rc:w-28"
        value={value ?? ""}
        min={0}
        placeholder={t("passes.default")}
        onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
        {...control}
      />
      {note}
    </label>
  );
}

interface TextFieldProps {
  label: string;
  path?: string | undefined;
  value: string | undefined;
  placeholder?: string | undefined;
  /** True for a field with several lines. */
  isLong?: boolean | undefined;
  onChange: (value: string | undefined) => void;
}

/** A text; empty for the default. */
export function TextField({ label, path, value, placeholder, isLong = false, onChange }: TextFieldProps): ReactNode {
  const { t } = useStudio();
  const { control, note } = useFieldFault(path);
  const shared = { value: value ?? "", placeholder: placeholder ?? t("passes.default"), ...control };
  const changed = (text: string) => onChange(text === "" ? undefined : text);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of the two is in it
    <label className={`rc:grid rc:gap-1 rc:content-start${isLong ? " rc:basis-full" : ""}`}>
      <small>{label}</small>
      {isLong ? (
        <textarea className="rc-input rc:w-full" rows={3} {...shared} onChange={(event) => changed(event.target.value)} />
      ) : (
        <input className="rc-input" {...shared} onChange={(event) => changed(event.target.value)} />
      )}
      {note}
    </label>
  );
}

interface ChoiceFieldProps<Name extends string> {
  label: string;
  path?: string | undefined;
  value: Name;
  names: readonly Name[];
  wordOf: (name: Name) => string;
  onChange: (name: Name) => void;
}

/** A choice of one of several names. */
export function ChoiceField<Name extends string>({ label, path, value, names, wordOf, onChange }: ChoiceFieldProps<Name>): ReactNode {
  const { control, note } = useFieldFault(path);
  return (
    <label className="rc:grid rc:gap-1 rc:content-start">
      <small>{label}</small>
      <select value={value} onChange={(event) => onChange(event.target.value as Name)} {...control}>
        {names.map((name) => (
          <option key={name} value={name}>
            {wordOf(name)}
          </option>
        ))}
      </select>
      {note}
    </label>
  );
}

interface SwitchProps {
  label: string;
  path?: string | undefined;
  checked: boolean;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, path, checked, onChange }: SwitchProps): ReactNode {
  const { control, note } = useFieldFault(path);
  return (
    <>
      <label className="rc-check">
        <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} {...control} /> {label}
      </label>
      {note}
    </>
  );
}

/** The number of messages that a text may name; `0-9999999` is taken for a typo. */
const MAX_NAMED = 100_000;

/** Returns `3, 7-9` as numbers, and the parts that are no numbers. */
function readIndices(text: string): { indices: number[]; wrong: string[] } {
  const indices = new Set<number>();
  const wrong: string[] = [];
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const [, from, to] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to ?? from)];
    if (from === undefined || last < first || last - first >= MAX_NAMED) wrong.push(part);
    else for (let at = first; at <= last; at++) indices.add(at);
  }
  return { indices: [...indices], wrong };
}

/** Writes numbers as people do: `3, 7-9`. */
function writeIndices(indices: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < indices.length; at++) {
    const from = at;
    while (indices[at + 1] === indices[at]! + 1) at++;
    parts.push(at - from > 1 ? `${indices[from]}-${indices[at]}` : indices.slice(from, at + 1).join(", "));
  }
  return parts.join(", ");
}

interface IndicesFieldProps {
  label: string;
  path?: string | undefined;
  value: readonly number[];
  onChange: (indices: number[]) => void;
}

/** A field for numbers of messages. Parts that are no numbers stay in the field and are reported. */
export function IndicesField({ label, path, value, onChange }: IndicesFieldProps): ReactNode {
  const { t } = useStudio();
  const [text, setText] = useState(() => writeIndices(value));
  const told = readIndices(text);
  const isSame = told.indices.length === value.length && told.indices.every((index, at) => index === value[at]);
  // The value was changed elsewhere, by undo or as JSON.
  const shown = isSame ? text : writeIndices(value);
  const { wrong } = readIndices(shown);
  const { control, note } = useFieldFault(path, wrong.length > 0 ? t("passes.noIndex", { shown: wrong.join(", ") }) : undefined);
  const changed = (next: string) => {
    setText(next);
    const { indices } = readIndices(next);
    if (String(indices) !== String(value)) onChange(indices);
  };
  return (
    <label className="rc:grid rc:gap-1 rc:content-start">
      <small>{label}</small>
      <input className="rc-input" value={shown} onChange={(event) => changed(event.target.value)} {...control} />
      {note}
    </label>
  );
}
