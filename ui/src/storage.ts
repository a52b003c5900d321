// Data that a page stores in the browser for the next visit. Storage may be forbidden, and contain anything.

type StorageName = "localStorage" | "sessionStorage";

/** Returns the object stored under a key, if there is one. */
export function stored(storage: StorageName, key: string): object | undefined {
  try {
    const found: unknown = JSON.parse(globalThis[storage].getItem(key) ?? "null");
    return typeof found === "object" && found !== null && !Array.isArray(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Stores an object; if that fails, it is lost with the page. */
export function store(storage: StorageName, key: string, value: object): void {
  try {
    globalThis[storage].setItem(key, JSON.stringify(value));
  } catch {
    // Nothing else can keep it.
  }
}
