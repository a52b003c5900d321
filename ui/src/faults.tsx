// Faults of a configuration, shown at their fields.

import { type ReactNode, createContext, useContext, useId } from "react";
import { useTold } from "./told.js";
import type { Said } from "./types.js";

/** A fault of a configuration, with the path of the field. */
export interface ConfigFault {
  path: string;
  message: string;
  said?: Said | undefined;
}

const Faults = createContext<{ faults: readonly ConfigFault[]; base: string }>({ faults: [], base: "" });

/** Makes paths of the fields inside it begin at `base`. Without `faults`, those from above apply. */
export function FaultsAt({ base, faults, children }: { base: string; faults?: readonly ConfigFault[]; children: ReactNode }): ReactNode {
  const above = useContext(Faults);
  return (
    <Faults.Provider value={{ faults: faults ?? above.faults, base: joined(faults ? "" : above.base, base) }}>{children}</Faults.Provider>
  );
}

const joined = (base: string, path: string) => (base === "" || path === "" || path.startsWith("[") ? `${base}${path}` : `${base}.${path}`);

/** Returns true if a fault is about the field at `path`, or something in it. */
export const isAbout = (fault: ConfigFault, path: string) =>
  fault.path === path || fault.path.startsWith(`${path}.`) || fault.path.startsWith(`${path}[`);

/** Removes the path from a fault that is shown beside its field. */
const withoutPath = (said: string, path: string | undefined) =>
  path !== undefined && said.startsWith(path) ? said.slice(path.length).replace(/^\s?:? /, "") : said;

interface FieldFault {
  /** Attributes of the control, so that screen readers read the fault with it. */
  control: { "data-path"?: string; "aria-invalid"?: true; "aria-describedby"?: string };
  /** The message to show below the control. */
  note: ReactNode;
}

/** Returns the fault of the field at `path`, relative to the nearest {@link FaultsAt}; `own` is a fault that the field itself has found. */
export function useFieldFault(path: string | undefined, own?: string): FieldFault {
  const { faults, base } = useContext(Faults);
  const told = useTold();
  const id = useId();
  const whole = path === undefined ? undefined : joined(base, path);
  const ofField = whole === undefined ? undefined : faults.find((fault) => isAbout(fault, whole));
  const found = own === undefined ? ofField : { message: own };
  const place = whole === undefined ? {} : { "data-path": whole };
  if (found === undefined) return { control: place, note: null };
  return {
    control: { ...place, "aria-invalid": true, "aria-describedby": id },
    note: (
      <small id={id} className="rc-error rc-field-fault">
        {withoutPath(told.problem(found), whole)}
      </small>
    ),
  };
}
