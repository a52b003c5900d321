/**
 * Loads roo-condense as WebAssembly and puts it where `roo-condense` finds it: to be awaited before that is imported. A second call does nothing.
 *
 * `source` is the address of `roo-condense-wasm/roo-condense.wasm` (browsers), a response for it, its bytes, or the compiled module.
 *
 * @example
 * ```ts
 * await load(new URL("roo-condense.wasm", location.href));
 * const { CondensationManager } = await import("roo-condense");
 * ```
 */
export declare function load(source: string | URL | Response | BufferSource | WebAssembly.Module): Promise<void>;

/**
 * The addon from its bytes or the compiled module, at once; browsers compile so in workers only. What `roo-condense` itself calls in Node, where no binary
 * fits: its functions are no interface.
 */
export declare function loadSync(source: BufferSource | WebAssembly.Module): object;
