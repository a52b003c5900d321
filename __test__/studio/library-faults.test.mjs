// Faults of configurations and files in French: every one that wrong passes and wrong files can have is known, and says what English says.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CondensationManager, presets } from "../../index.js";
import { readHistory } from "../../js/cli/history-file.js";
import { isWhole, languages } from "./languages.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { fr: french, en: english } = languages;

/** Every place of a value. */
function* placesIn(value, place = []) {
  if (place.length > 0) yield place;
  if (value !== null && typeof value === "object") for (const key of Object.keys(value)) yield* placesIn(value[key], [...place, key]);
}

/** What the library says of passes of which one value is wrong or missing. */
function configFaults() {
  const manager = new CondensationManager();
  const all = new Map();
  const preset = presets.balanced;
  for (const place of placesIn(preset)) {
    for (const wrong of [undefined, null, -1, 1.5, "x", true, [], {}, { foo: 1 }, { enabeld: true }]) {
      const config = structuredClone(preset);
      const last = place.slice(0, -1).reduce((value, key) => value[key], config);
      if (wrong === undefined) delete last[place.at(-1)];
      else last[place.at(-1)] = wrong;
      for (const { message, said } of manager.validateConfig("smart", config).errors ?? []) all.set(message, said);
    }
  }
  return [...all];
}

describe("faults in the language of the page", () => {
  test("of configurations: all are known, with nothing of English left", () => {
    const faults = configFaults();
    expect(faults.length).toBeGreaterThan(50);
    for (const [message, fault] of faults) {
      const said = french(fault);
      expect(isWhole(said), message).toBe(true);
      expect(said, message).not.toMatch(
        /\b(?:allowed|missing|unknown|known|whole number|an object|an array|a string|because|not empty|or more)\b/,
      );
      expect(english(fault).replaceAll(/(?<=\d),(?=\d)/g, ""), message).toBe(message);
    }
  });

  test("of files: all are known", () => {
    const files = {
      empty: "",
      blank: "  \n",
      "not-json": "[1, hello]",
      "in-a-string": '["abc',
      "no-array": '{"a": 1}',
      "no-role": '[{"a": 1}]',
      foreign: '[{"from":"human","value":"x"}]',
    };
    const faultOf = (file) => {
      try {
        readHistory(file);
      } catch (error) {
        return error;
      }
    };
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, `${name}.json`);
      writeFileSync(file, text);
      const { message, said } = faultOf(file);
      expect(french(said), `${name}: ${message}`).toMatch(/est vide|que des blancs|n’est pas/);
      expect(english(said), name).toBe(message);
    }
    expect(french(faultOf("x.json").said).replaceAll(/\s/g, " ")).toBe("x.json : ce fichier n’existe pas");
  });
});
