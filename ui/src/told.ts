// Translates the library's sentences into the language of the page: from a code and values if it gives them, else
// faults and warnings from their code, and names from their English. Unknown ones, such as a host's own, stay
// unchanged.

import { useMemo } from "react";
import { type Key, useStudio } from "./context.js";
import { withSeparators } from "./format.js";
import { en } from "./locales/en.js";
import { visibleText } from "./text.js";
import { RESOURCES } from "./translator.js";
import type { Fault, Said } from "./types.js";

const words: Record<string, string> = en;

const english = (code: string): string | undefined => (RESOURCES.en.translation as Record<string, string>)[code];
const sentence = (said: string) => visibleText(withSeparators(said));
const capitalized = (said: string) => said.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Faults whose sentences name changes by their ids, or messages by their index. */
const BY_ID = new Set(["needs_others", "misleads", "unknown_change", "changed_since"]);

/** Returns true if a sentence of the library is for programmers: it names changes by their ids, functions, or options by their code. */
export const isForPrograms = ({ code, message }: Fault): boolean =>
  BY_ID.has(code) || /`|\w\(\)|\w\(…\)|\b[a-z]+_[a-z_]+: |\[\d+\]/.test(message);

/** A sentence in English, with the code and values that it was made from. */
interface InWords {
  message: string;
  said?: Said | undefined;
}

interface Told {
  /**
   * Returns a fault or a warning in plain words with its numbers. If there are none: the words for its code or, in
   * English, its own sentence unless that is for programmers.
   */
  fault(fault: Fault): string;
  /** Returns a fault of a configuration or a file. */
  problem(problem: InWords): string;
  /** Returns the reason for a change. `lang` is set if it stays in English, such as a reason from a host's own provider. */
  reason(change: { reason: string; said?: Said | undefined }): { said: string; lang?: "en" };
  /** Returns a sentence of a recommendation. */
  advice(said: string, made: Said | undefined): string;
  /** Returns why a pass was skipped. */
  skipped(pass: { skipped?: string | undefined; said?: Said | undefined }): string;
  /** Returns the name of a pass, which the user may have changed. */
  passName(pass: { id: string; name?: string | undefined }): string;
  /** Returns the name of a provider from its id; the id if it is unknown. */
  calledById(id: string): string;
  /** Returns the name and the description of a provider. */
  providerName(provider: { id: string; name: string }): string;
  providerAbout(provider: { id: string; description: string }): string;
}

export function useTold(): Told {
  const { t, say, language } = useStudio();
  return useMemo<Told>(() => {
    const own = (said: Said | undefined) => (said === undefined || said.code === "own" ? undefined : say(said));
    const asSaid = (said: string) => ({ said: sentence(said), ...(language !== "en" && { lang: "en" as const }) });
    const known = (key: string, said: string) => (words[key] === said ? t(key as Key) : visibleText(said));
    // A provider of the host may have the id of one of ours.
    const ofProvider = (code: string, said: string) =>
      (english(code) === said ? say({ code, values: {} }) : undefined) ?? visibleText(said);
    return {
      fault: (fault) => {
        const { code, message, said } = fault;
        if (code === "unreachable") return t("lost");
        const key = `fault.${code}`;
        const known = key in words ? t(key as Key) : undefined;
        const inWords = BY_ID.has(code) ? undefined : own(said);
        if (inWords !== undefined) return capitalized(inWords);
        // A redacted report has only the code.
        if (language === "en" && !(message === code || isForPrograms(fault))) return sentence(message);
        return known ?? sentence(message);
      },
      problem: ({ message, said }) => own(said) ?? sentence(message),
      reason: ({ reason, said }) => {
        const found = own(said);
        return found === undefined ? asSaid(reason) : { said: found };
      },
      advice: (said, made) => capitalized(own(made) ?? sentence(said)),
      skipped: ({ skipped, said }) => own(said) ?? (language === "en" && skipped !== undefined ? sentence(skipped) : t("preview.skipped")),
      passName: ({ id, name }) => known(`pass.${(name ?? "").toLowerCase().replaceAll(/[^a-z]+/g, "_")}`, name || id),
      calledById: (id) => say({ code: `called.${id}`, values: {} }) ?? visibleText(id),
      providerName: ({ id, name }) => ofProvider(`called.${id}`, name),
      providerAbout: ({ id, description }) => ofProvider(`does.${id}`, description),
    };
  }, [t, say, language]);
}
