// Settings of automatic condensing: the host's, the changes made here, and whether they were stored.

import { useEffect, useRef, useState } from "react";
import { useStudio } from "./context.js";
import { type Fault, type SettingsTold, type StudioSettings, faultOf } from "./types.js";

/** The delay before a change is stored, in milliseconds, because a user who moves a slider or types makes several changes. */
const PAUSE_MS = 300;

export interface Settings {
  /** Absent until the host has answered. */
  told: SettingsTold | undefined;
  /** The settings as shown: with changes that are not stored yet. */
  value: StudioSettings;
  change: (part: Partial<StudioSettings>) => void;
  fault: Fault | undefined;
  isStored: boolean;
}

/** Reads the settings once, and stores them after each change. `onStored` is called when the host uses new ones. */
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
  /** The change still to be stored, even if the panel is removed. */
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
        // Changes made meanwhile are stored next.
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
