// The choices for a history and their results. All data about a condensation that the page shows is requested here.

import { useCallback, useEffect, useRef, useState } from "react";
import { CUSTOM, choiceOf } from "./components/choices.js";
import { useStudio } from "./context.js";
import { useAnswer } from "./hooks.js";
import type { PassDraft } from "./pass-draft.js";
import type { Remembered } from "./remembered.js";
import { useTold } from "./told.js";
import {
  type Advice,
  type Condensation,
  type HistoryInfo,
  type KeptChoice,
  type SmartConfig,
  type Step,
  type Steps,
  faultOf,
  isGone,
} from "./types.js";

/** The preset with which custom passes begin. */
export const FIRST_PRESET = "balanced";

/** The choices for a history: the provider, its configuration, and the target. */
export function useChoices(history: string, draft: PassDraft, remembered: Remembered) {
  const [first] = useState(() => remembered.of(history));
  const [choice, setChoice] = useState(first.choice);
  const [taken, setTaken] = useState(first.taken);
  const [percent, setPercent] = useState(first.percent);
  useEffect(() => remembered.keep(history, { choice, taken, percent }), [remembered, history, choice, taken, percent]);
  const choose = useCallback((name: string) => {
    setChoice(name);
    setTaken(undefined);
  }, []);
  /** Applies a recommendation: its configuration, as a preset if that is all of it, and the target that it was measured with. */
  const take = ({ provider, config, isDefault }: Advice, targetPercent: number | undefined) => {
    if (targetPercent !== undefined) setPercent(targetPercent);
    if (isDefault) return choose("");
    const { preset, ...rest } = config;
    const isPreset = provider === "smart" && typeof preset === "string" && Object.keys(rest).length === 0;
    setTaken(isPreset ? undefined : { provider, config });
    setChoice(isPreset ? `smart:${preset}` : provider === "smart" ? CUSTOM : provider);
    if (provider === "smart" && !isPreset) draft.setConfig(config as SmartConfig);
  };
  return { choice, choose, taken: taken?.provider === choice ? taken : undefined, take, percent, setPercent };
}

type Choices = ReturnType<typeof useChoices>;

/** The custom passes while they are chosen, and their faults. */
export function usePasses(choice: string, { config }: PassDraft) {
  const { client } = useStudio();
  const isOwn = choice === CUSTOM;
  const { answer } = useAnswer(client.isLive && isOwn ? (signal) => client.presets({ signal }) : undefined, [client, isOwn]);
  const value = config ?? answer?.presets[FIRST_PRESET];
  const validated = useAnswer(
    isOwn && value ? (signal) => client.validate({ provider: "smart", config: value }, { signal }) : undefined,
    [client, isOwn, value],
    150,
  );
  const faults = validated.answer?.faults ?? [];
  // Only checked passes are tried.
  const isReady = !isOwn || (value !== undefined && validated.answer !== undefined && !validated.isWaiting && faults.length === 0);
  return { value: isOwn ? value : undefined, presets: answer?.presets, faults, isReady };
}

interface Given {
  history: HistoryInfo;
  contextWindow: number | undefined;
  /** True if the model can recall removed content. */
  recall: boolean;
  choices: Choices;
  passes: ReturnType<typeof usePasses>;
  remembered: Remembered;
  /** Changes when the host uses other settings. */
  settled: number;
  /** Called when the user acts on the condensation: messages about an earlier saving are then out of date. */
  onChange: () => void;
}

/** Returns the condensation for the choices, and the actions on it. */
export function useCondensing({ history: { id, revision }, contextWindow, recall, choices, passes, remembered, settled, onChange }: Given) {
  const { client, t } = useStudio();
  const told = useTold();
  const { choice, taken, percent } = choices;
  const [asks, setAsks] = useState(0);
  const [refused, setRefused] = useState<string>();
  const [along, setAlong] = useState(0);
  const [isWorking, setWorking] = useState(false);
  const window = contextWindow === undefined ? {} : { contextWindow };
  const inspected = useAnswer(
    (signal) => client.inspect({ history: id, ...window, recall }, { signal }),
    [client, id, revision, contextWindow, recall, settled],
  );
  const inspection = inspected.answer?.inspection;
  const advice = inspected.answer?.advice;
  const total = inspection?.tokens.messages;
  const shareOf = (share: number) => (share >= 100 || total === undefined ? undefined : Math.round((total * share) / 100));
  const targetTokens = percent === undefined ? advice?.targetTokens : shareOf(percent);
  const own = passes.value === undefined ? "" : JSON.stringify(passes.value);
  const condensed = useAnswer(
    // Without a target the size of the history is not needed.
    (percent !== 100 && inspection === undefined) || !passes.isReady
      ? undefined
      : async (signal) => {
          const { kept } = remembered.of(id);
          const answer = await client.condense(
            {
              history: id,
              ...choiceOf(choice, passes.value),
              ...taken,
              ...(targetTokens !== undefined && { targetTokens }),
              ...window,
              ...(asks > 0 && { ask: true }),
              ...(kept.length > 0 && { kept }),
            },
            { signal },
          );
          if (!signal.aborted) remembered.keep(id, { kept: answer.kept });
          return answer;
        },
    [
      client,
      id,
      revision,
      choice,
      targetTokens,
      contextWindow,
      asks,
      percent !== 100 && inspection === undefined,
      own,
      passes.isReady,
      taken,
      settled,
    ],
    client.isLive ? 150 : 0,
  );
  const condensation = condensed.answer;
  // For a moment after the file changed, the data belongs to its earlier state.
  const isCurrent = condensation?.after.length === inspection?.messages.length;
  // The result of other passes must not be shown or saved as the result of these. The same applies to the result from before
  // a choice that failed.
  const isFaulty = passes.faults.length > 0;
  const current = isCurrent && !isFaulty && !condensed.error ? condensation : undefined;
  // The old list, with its search and its open rows, is shown until there is one for the current file.
  const listed = isFaulty || condensed.error ? undefined : condensation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked and refused belongs to what was chosen
  useEffect(() => {
    setAsks(0);
    setRefused(undefined);
    setAlong(0);
  }, [id, revision, choice, targetTokens, contextWindow, own, settled]);

  const now = useRef({ revision, isWaiting: false });
  now.current = { revision, isWaiting: condensed.isWaiting };
  const { set, again } = condensed;
  const undo = useCallback(
    async (ids: string[]) => {
      if (!condensation) return;
      onChange();
      setWorking(true);
      try {
        const { condensation: next, refused: left, dependants } = await client.undo({ condensation: condensation.id, changes: ids });
        setAlong(dependants.length);
        remembered.keep(id, { kept: next.kept });
        set(next);
        // An answer still on its way belongs to an earlier choice.
        if (now.current.isWaiting || now.current.revision !== next.revision) again();
        setRefused(
          left.length > 0
            ? t("changes.refused", { count: left.length, reason: told.fault({ code: left[0]!.code, message: left[0]!.reason }) })
            : undefined,
        );
      } catch (error) {
        setRefused(told.fault(faultOf(error)));
        if (isGone(error)) again();
      } finally {
        setWorking(false);
      }
    },
    [client, condensation, set, again, id, remembered, t, told, onChange],
  );
  /** Continues with fewer of the kept choices. */
  const keepOnly = (kept: KeptChoice[]) => {
    remembered.keep(id, { kept });
    onChange();
    again();
  };
  return {
    inspected,
    inspection,
    advice,
    targetTokens,
    condensed,
    current,
    listed,
    isFaulty,
    isWorking,
    undo,
    keepOnly,
    refused,
    along,
    asks,
    askModel: () => setAsks(asks + 1),
    /** Identifies the choices, passes included. It does not change with the file, although the tokens of a share do. */
    key: `${id} ${choice} ${percent} ${recall} ${contextWindow} ${own}`,
  };
}

/** A size to condense to, with its result. */
export interface MeasuredStep extends Step {
  isAdvised: boolean;
  /** Absent until it was tried. */
  outcome?: Condensation | undefined;
}

/**
 * Returns the sizes to choose from. They are tried one after the other, after the chosen one. If a smaller size leaves as
 * many tokens as the size before it, only one of the two is offered.
 */
export function useSteps(
  advice: Steps | undefined,
  ask: ((step: Step, signal: AbortSignal) => Promise<Condensation>) | undefined,
  key: string,
): MeasuredStep[] {
  const tried = useAnswer(
    advice && ask
      ? async (signal) => {
          const found = new Map<Step["name"], Condensation>();
          for (const step of advice.steps) found.set(step.name, await ask(step, signal));
          return { key, found };
        }
      : undefined,
    [key, advice !== undefined && ask !== undefined],
    150,
  );
  const outcomes = tried.answer?.key === key ? tried.answer.found : undefined;
  const steps: MeasuredStep[] = [];
  for (const step of advice?.steps ?? []) {
    const outcome = outcomes?.get(step.name);
    const isAdvised = step.name === advice?.advised;
    const before = steps.at(-1);
    const isNoStep = before?.outcome !== undefined && outcome !== undefined && before.outcome.tokensAfter <= outcome.tokensAfter;
    if (!isNoStep) steps.push({ ...step, isAdvised, outcome });
    // Lossless removes only as much as a target requires. The recommended size of the two is kept, under the name of the first.
    else if (isAdvised) steps.splice(-1, 1, { ...step, name: before.name, isAdvised, outcome });
  }
  return steps;
}
