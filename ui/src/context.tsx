// What every component finds around it: the client, the language, and how numbers are written.

import i18next, { type i18n } from "i18next";
import { type ReactNode, createContext, useContext, useMemo } from "react";
import { type Format, createFormat } from "./format.js";
import { en } from "./locales/en.js";
import { fr } from "./locales/fr.js";
import type { CondenseClient } from "./types.js";

export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];
export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

/** A key, without the ending by which i18next tells one from many. */
export type Key = WithoutPlural<keyof typeof en>;
type WithoutPlural<Name extends string> = Name extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Name;
export type Translate = (key: Key, values?: Record<string, string | number>) => string;

interface Surroundings {
  client: CondenseClient;
  t: Translate;
  format: Format;
  language: Language;
}

const Context = createContext<Surroundings | null>(null);

/** English, unless French is wanted. */
export const languageOf = (wanted: string | undefined): Language => (wanted?.toLowerCase().startsWith("fr") ? "fr" : "en");

function translator(language: Language): i18n {
  const instance = i18next.createInstance();
  // Synchronous: all words are in the bundle. Values are never markup, React writes them as text.
  instance.init({
    lng: language,
    fallbackLng: "en",
    initAsync: false,
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    resources: { en: { translation: en }, fr: { translation: fr } },
  });
  return instance;
}

export interface StudioProviderProps {
  client: CondenseClient;
  /** Default: that of the browser, where it is known here. */
  language?: string | undefined;
  /** Default: that of VS Code, or of the system. */
  theme?: Theme | undefined;
  children: ReactNode;
}

/** The root of the studio's components: give it a client once, and put any of them inside. */
export function StudioProvider({ client, language: wanted, theme = "system", children }: StudioProviderProps): ReactNode {
  const language = languageOf(wanted ?? (typeof navigator === "undefined" ? undefined : navigator.language));
  const value = useMemo<Surroundings>(() => {
    const instance = translator(language);
    return { client, language, format: createFormat(language), t: (key, values) => instance.t(key, values ?? {}) as string };
  }, [client, language]);
  return (
    <Context.Provider value={value}>
      <div className="rc-root" data-theme={theme} lang={language}>
        {children}
      </div>
    </Context.Provider>
  );
}

export function useStudio(): Surroundings {
  const found = useContext(Context);
  if (!found) throw new Error("the components of the studio need a <StudioProvider client={…}> around them");
  return found;
}
