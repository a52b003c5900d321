// Messages for people as codes and values, for any language.

/**
 * A message as a code and values. The English text is in the field beside it; `src/words` has the words of every code in English and French, in i18next's
 * format.
 */
export interface Said {
  code: string;
  values: Record<string, SaidValue>;
}

/** A word of the conversation or the configuration, a number, a nested message, or several. */
export type SaidValue = string | number | Said | Said[];
