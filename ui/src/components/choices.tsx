// The choice of provider and of the target.

import * as Slider from "@radix-ui/react-slider";
import type { ReactNode } from "react";
import { type Key, type Translate, useStudio } from "../context.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Choice, Hello } from "../types.js";

/** The name of the choice of custom passes. */
export const CUSTOM = "smart:";

/**
 * Returns the choice for a name: the id of a provider, `smart:` and a preset (none for custom passes), or an empty
 * text for the manager's own choice.
 */
export function choiceOf(name: string, custom?: object): Choice {
  if (name === CUSTOM) return { provider: "smart", config: { ...custom } };
  const preset = /^smart:(.+)$/.exec(name)?.[1];
  if (preset !== undefined) return { provider: "smart", config: { preset } };
  return name === "" ? {} : { provider: name };
}

/** Returns the title of a preset; its own name if it is unknown here. */
export function presetNameOf(preset: string, t: Translate): string {
  const key = `preset.${preset}`;
  const told = t(key as Key);
  return told === key ? visibleText(preset) : told;
}

export interface ProviderSelectProps {
  hello: Hello;
  value: string;
  /** The id of the provider that was used; needed if the manager chooses it. */
  used?: string | undefined;
  onChange: (name: string) => void;
  disabled?: boolean | undefined;
}

/** Known properties of our own providers, before they are tried. */
const FACTS: Record<string, Key> = {
  "": "fact.manager",
  native: "fact.native",
  lossless: "fact.lossless",
  truncation: "fact.truncation",
  smart: "fact.smart",
};

export function ProviderSelect({ hello, value, used, onChange, disabled = false }: ProviderSelectProps): ReactNode {
  const { t } = useStudio();
  const told = useTold();
  const own = hello.providers.filter(({ id }) => id !== "smart");
  const hasSmart = hello.providers.some(({ id }) => id === "smart");
  const [provider = ""] = value.split(":", 1);
  const described = hello.providers.find(({ id }) => id === provider);
  const fact = FACTS[provider];
  return (
    <label className="rc-field">
      <span>{t("provider.title")}</span>
      <select value={value} disabled={disabled} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("provider.manager")}</option>
        {own.map(({ id, name }) => (
          <option key={id} value={id}>
            {told.providerName({ id, name })}
          </option>
        ))}
        {hasSmart && (
          <optgroup label={t("provider.smart")}>
            {hello.presets.map((preset) => (
              <option key={preset} value={`smart:${preset}`}>
                {presetNameOf(preset, t)}
              </option>
            ))}
            <option value={CUSTOM}>{t("provider.custom")}</option>
          </optgroup>
        )}
      </select>
      <small>
        {provider === "" && used
          ? t("fact.used", { name: told.calledById(used) })
          : fact
            ? t(fact)
            : described
              ? told.providerAbout(described)
              : ""}
      </small>
    </label>
  );
}

/** The largest target, in percent: 100 would be no target. */
const MOST = 99;
/** The target that is set first when the user wants one. */
export const FIRST_TARGET = 50;

export interface TargetSliderProps {
  /** Percent of the current tokens; 100 for no target. */
  value: number;
  /** The current tokens; absent if the setting is not about one conversation. */
  tokens?: number | undefined;
  /** Percent at its upper end: what is left without a target, above which a target leaves more. Default: 99. */
  most?: number | undefined;
  label?: string | undefined;
  onChange: (percent: number) => void;
  disabled?: boolean | undefined;
}

function Range({
  label,
  text,
  value,
  min,
  max = 100,
  onChange,
  disabled,
}: {
  label: string;
  text: string;
  value: number;
  min: number;
  max?: number;
  onChange: (value: number) => void;
  disabled: boolean;
}): ReactNode {
  return (
    <Slider.Root
      className="rc-slider"
      value={[value]}
      min={min}
      max={max}
      step={1}
      disabled={disabled}
      onValueChange={([next]) => onChange(next ?? value)}
    >
      <Slider.Track className="rc-slider-track">
        <Slider.Range className="rc-slider-range" />
      </Slider.Track>
      <Slider.Thumb className="rc-slider-thumb" aria-label={label} aria-valuetext={text} />
    </Slider.Root>
  );
}

export function TargetSlider({ value, tokens, most = MOST, label, onChange, disabled = false }: TargetSliderProps): ReactNode {
  const { t, format } = useStudio();
  const title = label ?? t("target.title");
  // A size that was chosen before stays to be seen.
  const end = Math.min(MOST, Math.max(1, most, value < 100 ? value : 1));
  const share = format.percent(Math.round(value));
  const text =
    value >= 100
      ? t("target.none")
      : tokens === undefined
        ? t("target.share", { share })
        : t("target.value", { share, shown: format.number(Math.round((tokens * value) / 100)) });
  return (
    <div className="rc-field">
      <span>{title}</span>
      <Range
        label={title}
        text={text}
        value={Math.min(value, end)}
        min={1}
        max={end}
        onChange={onChange}
        disabled={disabled || value >= 100}
      />
      <small>{text}</small>
      <label className="rc-check">
        <input
          type="checkbox"
          checked={value >= 100}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked ? 100 : FIRST_TARGET)}
        />{" "}
        {t("target.none")}
      </label>
    </div>
  );
}

/** The threshold of a profile that has none of its own. */
export const INHERIT = -1;

export interface ThresholdSettingProps {
  /** The name of the setting, such as the name of a profile. */
  label: string;
  /** Percent of the window, 5 to 100; -1 for the global one. */
  value: number;
  /** The global threshold, if this is one of a profile. */
  inherited?: number | undefined;
  onChange: (percent: number) => void;
}

/** Sets when a conversation is condensed: one slider for all, and one for each profile, which may inherit. */
export function ThresholdSetting({ label, value, inherited, onChange }: ThresholdSettingProps): ReactNode {
  const { t, format } = useStudio();
  const isInherited = value === INHERIT && inherited !== undefined;
  const shown = isInherited ? inherited : Math.max(5, Math.min(100, value));
  const text = t(isInherited ? "threshold.inherited" : "threshold.value", { share: format.percent(shown) });
  return (
    <div className="rc-field">
      <span>{visibleText(label)}</span>
      <Range label={label} text={text} value={shown} min={5} onChange={onChange} disabled={isInherited} />
      <small>{text}</small>
      {inherited !== undefined && (
        <label className="rc-check">
          <input type="checkbox" checked={isInherited} onChange={(event) => onChange(event.target.checked ? INHERIT : inherited)} />{" "}
          {t("threshold.inherit")}
        </label>
      )}
    </div>
  );
}
