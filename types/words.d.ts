// What is told to people, so that it can be told in any language.

/**
 * Something told: a code, and the values that go into its words. English stands beside it wherever it is; `src/words` has the words of every code in English and
 * French, in i18next's format.
 */
export interface Said {
  code: string;
  values: Record<string, SaidValue>;
}

/** Words of the conversation or the configuration, a number, a part that is told in the same way, or several. */
export type SaidValue = string | number | Said | Said[];
