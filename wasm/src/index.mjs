// The addon of roo-condense as WebAssembly: the same functions, on one thread.

import { instantiateAddon, instantiateAddonSync } from "@emnapi/core";
import threadsafeFunctions from "@emnapi/core/plugins/threadsafe-function";
import { createContext } from "@emnapi/runtime";
import { takeTurns } from "./turns.mjs";
import { systemOf } from "./wasi.mjs";

/** Where roo-condense looks for an addon that is loaded already. */
const ADDON = Symbol.for("roo-condense.addon");

/** Pages of 64 KB: the addon's own data and stack at first, and all that 32 bits address. */
const MEMORY = { initial: 1100, maximum: 65_536 };

/** Node-API's status for what cannot be done. */
const GENERIC_FAILURE = 9;

function options() {
  const memory = new WebAssembly.Memory(MEMORY);
  const system = systemOf(memory);
  return {
    context: createContext(),
    plugins: [threadsafeFunctions],
    wasi: {
      wasiImport: system,
      getImportObject: () => ({ wasi_snapshot_preview1: system }),
      initialize: (instance) => instance.exports._initialize(),
    },
    overwriteImports(imports) {
      // Asynchronous work of Node-API would need threads, and nothing of ours asks for any.
      imports.env = { napi_cancel_async_work: () => GENERIC_FAILURE, ...imports.env, ...imports.napi, ...imports.emnapi, memory };
      return imports;
    },
    /** Each function and class says its name, before the first of them is used. */
    beforeInit({ instance }) {
      for (const [name, register] of Object.entries(instance.exports)) if (name.startsWith("__napi_register__")) register();
    },
  };
}

function ready({ addonModule }) {
  const addon = addonModule.exports;
  takeTurns(addon);
  return addon;
}

/** The addon from bytes or a compiled module, at once. Browsers do that in workers only. */
export const loadSync = (source) => ready(instantiateAddonSync(source, options()));

/** Loads the addon and puts it where roo-condense finds it. */
export async function load(source) {
  globalThis[ADDON] ??= ready(await instantiateAddon(source, options()));
}
