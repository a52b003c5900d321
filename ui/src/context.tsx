// The context of every component: the client, the language, and the format of numbers.

import { type ReactNode, createContext, useContext, useMemo } from "react";
import { type Format, createFormat } from "./format.js";
import { LANGUAGES, type Key, type Language, type Translate, type Translator, createTranslator } from "./translator.js";
import type { CondenseClient } from "./types.js";

export { LANGUAGES, type Key, type Language, type Translate };

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

interface Surroundings {
  client: CondenseClient;
  t: Translate;
  say: Translator["say"];
  format: Format;
  language: Language;
}

const Context = createContext<Surroundings | null>(null);

/** Returns French if it is wanted, else English. */
export const languageOf = (wanted: string | undefined): Language => (wanted?.toLowerCase().startsWith("fr") ? "fr" : "en");

export interface StudioProviderProps {
  client: CondenseClient;
  /** Default: the language of the browser, if known. */
  language?: string | undefined;
  /** Default: the theme of VS Code, or of the system. */
  theme?: Theme | undefined;
  children: ReactNode;
}

/** The root of the studio's components: give it a client once, and put any of them inside. */
export function StudioProvider({ client, language: wanted, theme = "system", children }: StudioProviderProps): ReactNode {
  const language = languageOf(wanted ?? (typeof navigator === "undefined" ? undefined : navigator.language));
  const value = useMemo<Surroundings>(() => {
    return { client, language, format: createFormat(language), ...createTranslator(language) };
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
