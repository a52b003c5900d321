// What the library says, in the language of the page: faults and warnings by their code, names by what they are called in English. What is not known
// here, such as a host's own, stays as it was said.

import { useMemo } from "react";
import { type Key, useStudio } from "./context.js";
import { adviceIn } from "./advice.js";
import { withSeparators } from "./format.js";
import { en } from "./locales/en.js";
import { libraryFaultIn } from "./library-faults.js";
import { reasonIn } from "./reasons.js";
import { visibleText } from "./text.js";
import type { Fault } from "./types.js";

const words: Record<string, string> = en;

const sentence = (said: string) => visibleText(withSeparators(said));

export interface Told {
  /** A fault or a warning. In English it is the library's own sentence, which has the numbers; elsewhere what the code stands for. */
  fault(fault: Fault): string;
  /** What is wrong with a configuration or a file. */
  problem(said: string): string;
  /** Why something was changed. `lang` where it stays in English, as what a host's own provider gives as its reason. */
  reason(said: string): { said: string; lang?: "en" };
  /** A sentence of a recommendation. */
  advice(said: string): string;
  /** Why a pass was left out. */
  skipped(said: string | undefined): string;
  /** The name of a pass: somebody may have given it another. */
  passName(pass: { id: string; name?: string | undefined }): string;
  /** What a provider is called of which only the id is told; the id where that is not known. */
  calledById(id: string): string;
  /** The name and the description of a provider. */
  providerName(provider: { id: string; name: string }): string;
  providerAbout(provider: { id: string; description: string }): string;
}

export function useTold(): Told {
  const { t, language, format } = useStudio();
  return useMemo<Told>(() => {
    const [advice, reason, libraryFault] = [adviceIn(t, format), reasonIn(t, format), libraryFaultIn(t, format)];
    const asSaid = (said: string) => ({ said: sentence(said), ...(language !== "en" && { lang: "en" as const }) });
    const known = (key: string, said: string) => (words[key] === said ? t(key as Key) : visibleText(said));
    return {
      fault: ({ code, message }) => {
        if (code === "unreachable") return t("lost");
        const key = `fault.${code}`;
        // A redacted report has the code alone.
        if (language === "en" && !(message === code && key in words)) return sentence(message);
        return libraryFault(message) ?? (key in words ? t(key as Key) : sentence(message));
      },
      problem: (said) => (language === "en" ? sentence(said) : (libraryFault(said) ?? sentence(said))),
      reason: (said) => {
        const known = reason(said);
        return known === undefined ? asSaid(said) : { said: known };
      },
      advice: (said) => advice(said) ?? sentence(said),
      skipped: (said) => (language === "en" && said !== undefined ? sentence(said) : t("preview.skipped")),
      passName: ({ id, name }) => known(`pass.${(name ?? "").toLowerCase().replaceAll(/[^a-z]+/g, "_")}`, name || id),
      calledById: (id) => (`called.${id}` in words ? t(`called.${id}` as Key) : visibleText(id)),
      providerName: ({ id, name }) => known(`called.${id}`, name),
      providerAbout: ({ id, description }) => known(`does.${id}`, description),
    };
  }, [t, language, format]);
}
