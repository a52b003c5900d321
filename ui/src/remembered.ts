// What was chosen for each history. It outlives a look at another one, and, where the browser allows it, a page that is loaded again.

import { store, stored } from "./storage.js";
import type { KeptChoice } from "./types.js";

const STORED = "roo-condense.choices";

export interface Choices {
  /** As `ProviderSelect` has it. */
  choice: string;
  /** A recommendation that was taken with its configuration. */
  taken: { provider: string; config: Record<string, unknown> } | undefined;
  /** What may stay, in percent; 100 without a target. */
  percent: number;
  /** What the user wants to stay as it was. */
  kept: KeptChoice[];
}

const FIRST: Choices = { choice: "", taken: undefined, percent: 100, kept: [] };

export class Remembered {
  readonly #of = new Map<string, Partial<Choices>>(Object.entries(stored("sessionStorage", STORED) ?? {}));

  of(history: string): Choices {
    const found = this.#of.get(history);
    const { choice, percent, kept, taken } = { ...FIRST, ...found };
    const isOwn = typeof choice === "string" && typeof percent === "number" && Array.isArray(kept);
    return isOwn ? { choice, percent, kept, taken } : FIRST;
  }

  keep(history: string, chosen: Partial<Choices>): void {
    this.#of.set(history, { ...this.of(history), ...chosen });
    store("sessionStorage", STORED, Object.fromEntries(this.#of));
  }
}
