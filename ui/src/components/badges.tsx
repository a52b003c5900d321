// Known properties of an operation or a provider before it is tried: cost, speed, and what it keeps.

import type { ReactNode } from "react";
import type { ContentOperation } from "../../../types/options.js";
import { type Key, useStudio } from "../context.js";
import type { ProviderFacts } from "../types.js";

type Facts = Pick<ProviderFacts, "isFree" | "speed">;

/**
 * The properties that operations without a model share with `truncation`, and summaries with `native`. A test compares
 * them with those that the providers report.
 */
export const OF_OPERATIONS: Record<ContentOperation["operation"], Facts> = {
  keep: { isFree: true, speed: "fast" },
  suppress: { isFree: true, speed: "fast" },
  truncate: { isFree: true, speed: "fast" },
  summarize: { isFree: false, speed: "slow" },
};

function Badges({ facts: { isFree, speed }, stays }: { facts: Facts; stays: string }): ReactNode {
  const { t } = useStudio();
  return (
    <ul className="rc-badges">
      <li>{t(isFree ? "badge.free" : "badge.paid")}</li>
      <li>{t(`speed.${speed}` as Key)}</li>
      <li>{stays}</li>
    </ul>
  );
}

/** Describes how much of a text is kept, from the operation and its limits. */
function useStays(): (operation: ContentOperation) => string {
  const { t, format } = useStudio();
  return ({ operation, params }) => {
    const { maxLines, maxChars, averageTokens } = params?.truncate ?? {};
    const { maxTokens } = params?.summarize ?? {};
    const some = (key: "stays.lines" | "stays.characters" | "stays.average" | "stays.tokens", count: number | undefined) =>
      count === undefined ? [] : [t(key, { count, shown: format.number(count) })];
    const limits =
      operation === "truncate"
        ? [...some("stays.lines", maxLines), ...some("stays.characters", maxChars), ...some("stays.average", averageTokens)]
        : operation === "summarize"
          ? some("stays.tokens", maxTokens)
          : [];
    return limits.length > 0 ? limits.join(", ") : t(`stays.${operation}` as Key);
  };
}

export function OperationBadges({ operation }: { operation: ContentOperation }): ReactNode {
  const stays = useStays();
  return <Badges facts={OF_OPERATIONS[operation.operation] ?? OF_OPERATIONS.keep} stays={stays(operation)} />;
}

export function ProviderBadges({ provider }: { provider: ProviderFacts }): ReactNode {
  const { t } = useStudio();
  return <Badges facts={provider} stays={t(provider.isLossy ? "badge.lossy" : "badge.lossless")} />;
}
