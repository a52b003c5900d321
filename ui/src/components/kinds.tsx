// The kinds of tokens: their order and their names. Their colours are in the stylesheet (`rc-kind-…`).

import type { TokenKind } from "../types.js";
import { type Key, useStudio } from "../context.js";

export const KINDS: readonly TokenKind[] = [
  "user",
  "assistant",
  "thinking",
  "calls",
  "results",
  "images",
  "environment",
  "summaries",
  "other",
];

export function useKindName(): (kind: TokenKind) => string {
  const { t } = useStudio();
  return (kind) => t(`kind.${kind}` as Key);
}
