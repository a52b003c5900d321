// Settings of automatic condensing: what the host has, what was changed here, and what came of that.

import { useEffect, useRef, useState } from "react";
import { useStudio } from "./context.js";
import { type Fault, type SettingsTold, type StudioSettings, faultOf } from "./types.js";

/** Who moves a slider or writes goes on for a moment. */
const PAUSE_MS = 300;

export interface Settings {
  /** Absent until the host has told them. */
  told: SettingsTold | undefined;
  /** Them as they are shown: with what was changed and is not stored yet. */
  value: StudioSettings;
  change: (part: Partial<StudioSettings>) => void;
  fault: Fault | undefined;
  isStored: boolean;
}

/** Reads the settings once, and stores them after each change. `onStored` is called when the host works by others. */
export function useSettings(onStored: (() => void) | undefined): Settings {
  const { client } = useStudio();
  const [told, setTold] = useState<SettingsTold>();
  const [changed, setChanged] = useState<StudioSettings>();
  const [fault, setFault] = useState<Fault>();
  const stored = useRef(onStored);
  stored.current = onStored;
  useEffect(() => {
    const controller = new AbortController();
    client.settings({ signal: controller.signal }).then(setTold, (error) => !controller.signal.aborted && setFault(faultOf(error)));
    return () => controller.abort();
  }, [client]);
  /** What is to be stored still, also when the panel goes. */
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; store: () => void }>(undefined);
  useEffect(
    () => () => {
      clearTimeout(waiting.current?.timer);
      waiting.current?.store();
    },
    [],
  );
  const value = changed ?? told?.settings ?? {};
  const change = (part: Partial<StudioSettings>) => {
    const next = { ...value, ...part };
    setChanged(next);
    clearTimeout(waiting.current?.timer);
    const store = async () => {
      waiting.current = undefined;
      try {
        const now = await client.changeSettings({ settings: next });
        setTold(now);
        // Whatever was changed meanwhile is stored next.
        setChanged((latest) => (latest === next ? undefined : latest));
        setFault(undefined);
        stored.current?.();
      } catch (error) {
        setFault(faultOf(error));
      }
    };
    waiting.current = { timer: setTimeout(store, PAUSE_MS), store };
  };
  return { told, value, change, fault, isStored: changed === undefined };
}
