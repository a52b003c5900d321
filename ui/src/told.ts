// What the library says, in the language of the page: a code and values where it gives them, else faults and warnings by their code, names by what they are
// called in English. What is not known here, such as a host's own, stays as it was said.

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

/** Of these the sentence names changes by their ids, or messages by their place in an array. */
const BY_ID = new Set(["needs_others", "misleads", "unknown_change", "changed_since"]);

/** Whether a sentence of the library is for people who write programs: it names changes by their ids, functions, or options by their code. */
export const isForPrograms = ({ code, message }: Fault): boolean =>
  BY_ID.has(code) || /`|\w\(\)|\w\(…\)|\b[a-z]+_[a-z_]+: |\[\d+\]/.test(message);

/** Something told: its English, and what that was made of. */
interface InWords {
  message: string;
  said?: Said | undefined;
}

export interface Told {
  /** A fault or a warning: what it says with its numbers, as people say it; where it has no words, what its code stands for, or in English its own sentence unless that is for programs. */
  fault(fault: Fault): string;
  /** What is wrong with a configuration or a file. */
  problem(problem: InWords): string;
  /** Why something was changed. `lang` where it stays in English, as what a host's own provider gives as its reason. */
  reason(change: { reason: string; said?: Said | undefined }): { said: string; lang?: "en" };
  /** A sentence of a recommendation. */
  advice(said: string, made: Said | undefined): string;
  /** Why a pass was left out. */
  skipped(pass: { skipped?: string | undefined; said?: Said | undefined }): string;
  /** The name of a pass: somebody may have given it another. */
  passName(pass: { id: string; name?: string | undefined }): string;
  /** What a provider is called of which only the id is told; the id where that is not known. */
  calledById(id: string): string;
  /** The name and the description of a provider. */
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
        // A redacted report has the code alone.
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
