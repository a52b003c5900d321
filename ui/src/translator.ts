// Words in a language: those of the page, and those of the library, which gives its sentences as a code and values
// (src/words).

import i18next from "i18next";
import libraryEnglish from "../../src/words/en.json";
import libraryFrench from "../../src/words/fr.json";
import { createFormat } from "./format.js";
import { en } from "./locales/en.js";
import { fr } from "./locales/fr.js";
import { plain } from "./locales/plain.js";
import { visibleText } from "./text.js";
import type { Said, SaidValue } from "./types.js";

export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A key without the ending that i18next uses for singular or plural. */
export type Key = WithoutPlural<keyof typeof en>;
type WithoutPlural<Name extends string> = Name extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Name;
export type Translate = (key: Key, values?: Record<string, string | number>) => string;

export interface Translator {
  t: Translate;
  /** Returns a sentence of the library; undefined if there are no words for it, for example if it comes from a later version. */
  say(said: Said): string | undefined;
}

export const RESOURCES = {
  en: { translation: { ...libraryEnglish, ...plain.en, ...en } },
  fr: { translation: { ...libraryFrench, ...plain.fr, ...fr } },
};

export function createTranslator(language: Language): Translator {
  const instance = i18next.createInstance();
  // Synchronous, because all words are in the bundle. Values are never markup; React writes them as text.
  instance.init({
    lng: language,
    fallbackLng: "en",
    initAsync: false,
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    resources: RESOURCES,
  });
  const format = createFormat(language);
  const add = <Value>(forms: Record<string, (value: Value) => string>) =>
    Object.entries(forms).forEach(([name, say]) => instance.services.formatter?.add(name, say));
  add<number>({ number: format.number, percent: format.percent, dollars: format.dollars, ms: format.duration });
  const joined = (separator: string) => (all: string[]) => all.join(separator);
  add<string[]>({ parts: joined(", "), clauses: joined("; "), either: joined(language === "fr" ? " ou " : ", or ") });
  const has = ({ code }: Said) => ["", "_one", "_other"].some((ending) => instance.exists(`${code}${ending}`));
  const asWords = (value: SaidValue): string | number | string[] => {
    if (Array.isArray(value)) return value.map(words);
    return typeof value === "object" ? words(value) : value;
  };
  // French puts a space before some signs, and a line must not end there.
  const set = (text: string) => (language === "fr" ? text.replace(/ (?=[:;?!»])/g, "\u00a0").replace(/« /g, "«\u00a0") : text);
  const words = ({ code, values }: Said): string =>
    instance.t(code, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asWords(value)]))) as string;
  return {
    t: (key, values) => set(instance.t(key, values ?? {}) as string),
    say: (said) => (has(said) ? set(visibleText(words(said))) : undefined),
  };
}
