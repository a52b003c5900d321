// What a page leaves with the browser for the next time. Storage may be forbidden, and hold anything.

export type StorageName = "localStorage" | "sessionStorage";

/** The object that was stored under a key, if there is one. */
export function stored(storage: StorageName, key: string): object | undefined {
  try {
    const found: unknown = JSON.parse(globalThis[storage].getItem(key) ?? "null");
    return typeof found === "object" && found !== null && !Array.isArray(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Stores an object; where that is not possible, it is gone with the page. */
export function store(storage: StorageName, key: string, value: object): void {
  try {
    globalThis[storage].setItem(key, JSON.stringify(value));
  } catch {
    // Nobody else can keep it.
  }
}
