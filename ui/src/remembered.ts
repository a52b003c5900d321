// The choices for each history. They are kept when the user opens another history and, if the browser allows it, on a reload.

import { store, stored } from "./storage.js";
import { LANGUAGES, THEMES, type Language, type Theme } from "./context.js";
import type { KeptChoice } from "./types.js";

const PAGE = "roo-condense.page";

/** The choices for the page as a whole. They are stored per origin, so a studio restarted on another port does not find them. */
interface PageChoices {
  language: Language | undefined;
  theme: Theme | undefined;
  /** The model's context window, in tokens. */
  window: number | undefined;
  /** True if single letters run commands. */
  letters: boolean;
}

export function rememberedPage(): PageChoices {
  const { language, theme, window, letters } = (stored("localStorage", PAGE) ?? {}) as Record<string, unknown>;
  return {
    language: LANGUAGES.find((one) => one === language),
    theme: THEMES.find((one) => one === theme),
    letters: letters !== false,
    window: Number.isSafeInteger(window) && Number(window) > 0 ? Number(window) : undefined,
  };
}

export const rememberPage = (chosen: Partial<PageChoices>): void => store("localStorage", PAGE, { ...rememberedPage(), ...chosen });

const STORED = "roo-condense.choices";

export interface Choices {
  /** The name of a choice of `ProviderSelect`. */
  choice: string;
  /** A recommendation that was applied with its configuration. */
  taken: { provider: string; config: Record<string, unknown> } | undefined;
  /** The target in percent; 100 for none, undefined for the recommended one. */
  percent: number | undefined;
  /** Choices of content that the user wants to keep unchanged. */
  kept: KeptChoice[];
}

const FIRST: Choices = { choice: "", taken: undefined, percent: undefined, kept: [] };

export class Remembered {
  readonly #first: Choices;

  /** `percent`: the target of a history for which nothing was chosen yet. */
  constructor(percent?: number) {
    this.#first = { ...FIRST, percent };
  }

  readonly #of = new Map<string, Partial<Choices>>(Object.entries(stored("sessionStorage", STORED) ?? {}));

  of(history: string): Choices {
    const found = this.#of.get(history);
    const { choice, percent, kept, taken } = { ...this.#first, ...found };
    const isOwn = typeof choice === "string" && ["number", "undefined"].includes(typeof percent) && Array.isArray(kept);
    return isOwn ? { choice, percent, kept, taken } : this.#first;
  }

  keep(history: string, chosen: Partial<Choices>): void {
    this.#of.set(history, { ...this.of(history), ...chosen });
    store("sessionStorage", STORED, Object.fromEntries(this.#of));
  }
}
