// The settings of automatic condensing: when, by which provider, and with what instructions.

import { Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { PresetName } from "../../../types/options.js";
import { useStudio } from "../context.js";
import { useSettings } from "../settings.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Hello, SettingsTold, StudioSettings } from "../types.js";
import { ProviderBadges } from "./badges.js";
import { FIRST_TARGET, INHERIT, TargetSlider, ThresholdSetting, presetNameOf } from "./choices.js";
import { ChoiceField, Switch, TextField } from "./fields.js";
import { Waiting } from "./preview-pane.js";

const SELECTIVE = "selective";

interface PartProps {
  told: SettingsTold;
  value: StudioSettings;
  change: (part: Partial<StudioSettings>) => void;
}

/** Sets when to condense: on or off, the threshold, and thresholds of single profiles. */
function When({ told, value, change }: PartProps): ReactNode {
  const { t } = useStudio();
  const [name, setName] = useState("");
  const { autoCondenseContext = true, autoCondenseContextPercent: percent = 100, profileThresholds = {} } = value;
  const ids = [...new Set([...told.profiles.map(({ id }) => id), ...Object.keys(profileThresholds)])];
  const set = (id: string, share: number) => change({ profileThresholds: { ...profileThresholds, [id]: share } });
  const isNew = name.trim() !== "" && !ids.includes(name.trim());
  const add = () => {
    if (isNew) set(name.trim(), INHERIT);
    setName("");
  };
  return (
    <fieldset className="rc-fieldset">
      <legend>{t("settings.when")}</legend>
      <Switch label={t("settings.automatic")} checked={autoCondenseContext} onChange={(isOn) => change({ autoCondenseContext: isOn })} />
      <small>{t(autoCondenseContext ? "settings.automaticOn" : "settings.automaticOff")}</small>
      {autoCondenseContext && (
        <>
          <ThresholdSetting
            label={t("settings.threshold")}
            value={percent}
            onChange={(share) => change({ autoCondenseContextPercent: share })}
          />
          {ids.map((id) => (
            <ThresholdSetting
              key={id}
              label={t("settings.profile", { name: id })}
              value={profileThresholds[id] ?? INHERIT}
              inherited={percent}
              onChange={(share) => set(id, share)}
            />
          ))}
          <form
            className="rc-settings-row"
            onSubmit={(event) => {
              event.preventDefault();
              add();
            }}
          >
            <input
              className="rc-input"
              value={name}
              placeholder={t("settings.profileName")}
              aria-label={t("settings.profileName")}
              onChange={(event) => setName(event.target.value)}
            />
            <button type="submit" className="rc-button" disabled={!isNew}>
              <Plus size={14} aria-hidden="true" /> {t("settings.addProfile")}
            </button>
          </form>
        </>
      )}
    </fieldset>
  );
}

/** Sets the provider and the target. */
function How({ value, change, hello }: PartProps & { hello: Hello }): ReactNode {
  const { t } = useStudio();
  const told = useTold();
  const { provider = "", preset = "", targetPercent } = value;
  const isSelective = provider === "smart" && preset === SELECTIVE;
  /** The provider and preset before the change, to return to them. */
  const [before, setBefore] = useState<Pick<StudioSettings, "provider" | "preset">>();
  const known = hello.providers.find(({ id }) => id === provider);
  const nameOf = (id: string) => {
    const found = hello.providers.find((one) => one.id === id);
    return found ? told.providerName(found) : id === "" ? t("settings.default") : visibleText(id);
  };
  const chooseSelective = (isOn: boolean) => {
    if (isOn) setBefore({ provider: provider || undefined, preset: (preset || undefined) as PresetName | undefined });
    change(isOn ? { provider: "smart", preset: SELECTIVE } : (before ?? { provider: undefined, preset: undefined }));
  };
  return (
    <fieldset className="rc-fieldset">
      <legend>{t("settings.how")}</legend>
      <div className="rc-settings-row">
        <ChoiceField
          label={t("provider.title")}
          value={provider}
          names={[...new Set(["", ...hello.providers.map(({ id }) => id), provider])]}
          wordOf={nameOf}
          onChange={(id) => change({ provider: id || undefined })}
        />
        {provider === "smart" && (
          <ChoiceField
            label={t("settings.preset")}
            value={preset}
            names={[...new Set(["", ...hello.presets, preset])]}
            wordOf={(name) => (name === "" ? t("settings.default") : presetNameOf(name, t))}
            onChange={(name) => change({ preset: (name || undefined) as PresetName | undefined })}
          />
        )}
      </div>
      {known && (
        <>
          <small>{told.providerAbout(known)}</small>
          <ProviderBadges provider={known} />
        </>
      )}
      {hello.presets.includes(SELECTIVE) && (
        <>
          <Switch label={t("settings.selective")} checked={isSelective} onChange={chooseSelective} />
          <small>{t("settings.selectiveNote")}</small>
        </>
      )}
      <Switch
        label={t("settings.targetAdvised")}
        checked={targetPercent === undefined}
        onChange={(isOn) => change({ targetPercent: isOn ? undefined : FIRST_TARGET })}
      />
      {targetPercent !== undefined && (
        <TargetSlider label={t("settings.target")} value={targetPercent} onChange={(share) => change({ targetPercent: share })} />
      )}
    </fieldset>
  );
}

/** Sets the profile that writes summaries, and its instructions. */
function Summaries({ told, value, change }: PartProps): ReactNode {
  const { t } = useStudio();
  const { condensingApiConfigId = "", customCondensingPrompt } = value;
  const profiles = told.profiles.filter(({ id, hasModel }) => hasModel || id === condensingApiConfigId).map(({ id }) => id);
  // Without a model, nothing reads the instructions.
  if (!told.canAsk && profiles.length === 0 && !customCondensingPrompt) return null;
  return (
    <fieldset className="rc-fieldset">
      <legend>{t("settings.summaries")}</legend>
      {(profiles.length > 0 || condensingApiConfigId) && (
        <ChoiceField
          label={t("settings.condensingProfile")}
          value={condensingApiConfigId ?? ""}
          names={[...new Set(["", ...profiles, condensingApiConfigId ?? ""])]}
          wordOf={(id) => (id === "" ? t("settings.ownModel") : visibleText(id))}
          onChange={(id) => change({ condensingApiConfigId: id || undefined })}
        />
      )}
      <TextField
        label={t("passes.prompt")}
        isLong
        value={customCondensingPrompt ?? undefined}
        placeholder={t("settings.promptDefault")}
        onChange={(prompt) => change({ customCondensingPrompt: prompt })}
      />
      {customCondensingPrompt && (
        <button type="button" className="rc-button" onClick={() => change({ customCondensingPrompt: undefined })}>
          <X size={14} aria-hidden="true" /> {t("settings.promptReset")}
        </button>
      )}
    </fieldset>
  );
}

export interface SettingsPanelProps {
  /** The host's answer to `client.hello()`: its providers and presets. */
  hello: Hello;
  /** Called after each change that the host has stored. */
  onStored?: (() => void) | undefined;
}

/** Shows the settings of automatic condensing. Each change is stored in the `settings` of the host (`createStudioHost`). */
export function SettingsPanel({ hello, onStored }: SettingsPanelProps): ReactNode {
  const { t } = useStudio();
  const faults = useTold();
  const { told, value, change, fault, isStored } = useSettings(onStored);
  const said = told?.keptIn === undefined ? t("settings.notKept") : t("settings.keptIn", { place: visibleText(told.keptIn) });
  return (
    <>
      {!told && !fault && <Waiting isWaiting />}
      {told && (
        <>
          <When told={told} value={value} change={change} />
          <How told={told} value={value} change={change} hello={hello} />
          <Summaries told={told} value={value} change={change} />
        </>
      )}
      {fault && (
        <p className="rc-error" role="alert">
          {faults.fault(fault)}
        </p>
      )}
      {told && (
        <p className="rc-note" role="status">
          {isStored ? said : fault ? t("settings.unstored") : t("waiting")}
        </p>
      )}
    </>
  );
}
