// Checks whether JSON can be shown as a pass, since it may contain any value.

import type { SmartPass } from "../../../types/smart.js";

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAbsentOr = (value: unknown, is: (value: unknown) => boolean) => value === undefined || is(value);

/** Returns true if fields can be shown for a pass. It may have faults, as long as it has such fields. */
export function isDrawable(pass: unknown): pass is SmartPass {
  if (!isObject(pass) || typeof pass.id !== "string" || !isObject(pass.selection)) return false;
  const { messageIndices } = pass.selection;
  const individual = pass.individualConfig;
  const batch = pass.batchConfig;
  const areParameters = (value: unknown) => isObject(value) && Object.values(value).every((one) => isAbsentOr(one, isObject));
  const areOperations = (value: unknown) =>
    isObject(value) && Object.values(value).every((one) => isAbsentOr(one, (it) => isObject(it) && isAbsentOr(it.params, areParameters)));
  return (
    isAbsentOr(messageIndices, Array.isArray) &&
    isAbsentOr(pass.execution, (it) => isObject(it) && (it.type !== "conditional" || isObject(it.condition))) &&
    isAbsentOr(
      individual,
      (it) =>
        isObject(it) &&
        areOperations(it.defaults) &&
        isAbsentOr(it.messageTokenThresholds, isObject) &&
        isAbsentOr(
          it.overrides,
          (all) => Array.isArray(all) && all.every((one) => isObject(one) && isAbsentOr(one.operations, areOperations)),
        ),
    ) &&
    isAbsentOr(batch, (it) => isObject(it) && isAbsentOr(it.summarizationConfig, isObject))
  );
}
