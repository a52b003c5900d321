// A few questions, and the provider that fits the answers and this conversation.

import { AlertTriangle } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Key, useStudio } from "../context.js";
import { useAnswer } from "../hooks.js";
import { useTold } from "../told.js";
import type { Advice } from "../types.js";
import { Waiting } from "./preview-pane.js";

export interface RecommendWizardProps {
  history: string;
  revision: number;
  contextWindow?: number | undefined;
  targetTokens?: number | undefined;
  /** True if the model can recall removed content. */
  recall?: boolean | undefined;
  /** Applies the recommendation. Absent if nothing can be chosen. */
  onTake?: ((advice: Advice) => void) | undefined;
}

const PRIORITIES = ["simplicity", "zero_loss", "speed", "cost", "quality", "control"] as const;
const LOSSES = [0, 10, 30, 50, 100];
const BUDGETS = [0, 0.01, 0.05, 0.2];
const LATENCIES = [100, 500, 2000, 10_000];

/** One question; answering is optional. */
function Question({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}): ReactNode {
  const { t } = useStudio();
  return (
    <label className="rc:grid rc:gap-1">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("recommend.any")}</option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A sentence with the name that it is about in front; most sentences begin with it. */
function Named({ name, said }: { name: string; said: string }): ReactNode {
  const rest = said.startsWith(name) ? said.slice(name.length) : ` ${said}`;
  return (
    <>
      <b>{name}</b>
      <span>{rest}</span>
    </>
  );
}

export function RecommendWizard({ history, revision, contextWindow, targetTokens, recall, onTake }: RecommendWizardProps): ReactNode {
  const { client, t, format } = useStudio();
  const told = useTold();
  const [priority, setPriority] = useState("");
  const [loss, setLoss] = useState("");
  const [budget, setBudget] = useState("");
  const [latency, setLatency] = useState("");
  const answers = {
    ...(priority && { priority }),
    ...(loss && { acceptableLoss: Number(loss) }),
    ...(budget && { budgetPerCondensation: Number(budget) }),
    ...(latency && { maxLatencyMs: Number(latency) }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(targetTokens !== undefined && { targetTokens }),
    ...(recall && { recall }),
  };
  const { answer, error, isWaiting, cancel } = useAnswer(
    (signal) => client.recommend({ history, answers }, { signal }),
    [client, history, revision, JSON.stringify(answers)],
    200,
  );
  const found = answer?.recommendation;
  return (
    <section className="rc-recommend rc:grid rc:gap-4" aria-label={t("recommend.title")}>
      <div className="rc:flex rc:flex-wrap rc:gap-4">
        <Question
          label={t("recommend.priority")}
          value={priority}
          options={PRIORITIES.map((name) => [name, t(`priority.${name}` as Key)])}
          onChange={setPriority}
        />
        <Question
          label={t("recommend.loss")}
          value={loss}
          options={LOSSES.map((percent) => [String(percent), format.percent(percent)])}
          onChange={setLoss}
        />
        <Question
          label={t("recommend.budget")}
          value={budget}
          options={BUDGETS.map((dollars) => [String(dollars), format.dollars(dollars)])}
          onChange={setBudget}
        />
        <Question
          label={t("recommend.latency")}
          value={latency}
          options={LATENCIES.map((ms) => [String(ms), format.duration(ms)])}
          onChange={setLatency}
        />
      </div>
      <Waiting isWaiting={isWaiting} onCancel={cancel} />
      {error && <p className="rc-error">{told.fault(error)}</p>}
      {found && (
        <>
          <div className="rc-fieldset">
            <p>
              <b>{found.isDefault ? t("provider.manager") : told.calledById(found.provider)}</b>{" "}
              {onTake && (
                <button type="button" className="rc-button" onClick={() => onTake(found)}>
                  {t("recommend.take")}
                </button>
              )}
            </p>
            <p>{told.advice(found.reason, found.said)}</p>
            {found.targetTokens !== undefined && (
              <p className="rc-hint">{t("recommend.target", { shown: format.number(found.targetTokens) })}</p>
            )}
          </div>
          {found.warnings.map((warning) => (
            <p key={`${warning.code} ${warning.message}`} className="rc-warning-line">
              <AlertTriangle size={14} aria-hidden="true" /> {told.advice(warning.message, warning.said)}
            </p>
          ))}
          {found.alternatives.length > 0 && (
            <ul className="rc:grid rc:gap-2">
              {found.alternatives.map((other) => (
                <li key={`${other.provider} ${other.why}`}>
                  <Named name={told.calledById(other.provider)} said={told.advice(other.why, other.said?.why)} />{" "}
                  <small>{told.advice(other.whyNot, other.said?.whyNot)}</small>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}
