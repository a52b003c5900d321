// The custom passes. They are kept when the user chooses another provider or history and, if the browser allows it, when the page is
// closed.

import { useCallback, useEffect, useRef, useState } from "react";
import { type PassMemory, newPassMemory } from "./components/pass-configuration.js";
import { store, stored } from "./storage.js";
import type { SmartConfig } from "./types.js";

const STORED = "roo-condense.passes";

export interface PassDraft {
  config: SmartConfig | undefined;
  setConfig: (config: SmartConfig) => void;
  memory: PassMemory;
  /** Records that the passes were copied or written to a file, so that nothing is lost when the page is closed. */
  taken: () => void;
}

/** Returns the passes of the last visit. */
const last = () => stored("localStorage", STORED) as SmartConfig | undefined;

/** Asks before the user leaves the page with passes that were neither copied nor written. */
export function usePassDraft(): PassDraft {
  const [config, setConfig] = useState(last);
  const [isUnsaved, setUnsaved] = useState(false);
  const memory = useRef<PassMemory>(undefined);
  memory.current ??= newPassMemory();
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
  const change = useCallback((next: SmartConfig) => {
    setConfig(next);
    setUnsaved(true);
    store("localStorage", STORED, next);
  }, []);
  const taken = useCallback(() => setUnsaved(false), []);
  return { config, setConfig: change, memory: memory.current, taken };
}
