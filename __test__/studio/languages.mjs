// The languages of the studio, without a page.

import { createFormat } from "../../ui/src/format.ts";
import { en } from "../../ui/src/locales/en.ts";
import { fr } from "../../ui/src/locales/fr.ts";

export const translate = (words) => (key, values) => words[key].replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);

/** What says a sentence, in each language. */
export const inEach = (sayIn) => ({ en: sayIn(translate(en), createFormat("en")), fr: sayIn(translate(fr), createFormat("fr")) });
