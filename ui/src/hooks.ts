// Requests to the host from components: one at a time. A newer request replaces the older one, and requests that are no longer needed are
// cancelled.

import { type DependencyList, useCallback, useEffect, useRef, useState } from "react";
import { StudioError } from "./types.js";

export interface Asked<T> {
  /** The newest answer. It is kept until the next one arrives. */
  answer: T | undefined;
  error: StudioError | undefined;
  /** True while an answer is on its way. */
  isWaiting: boolean;
  /** Stops waiting. */
  cancel: () => void;
  /** Asks again. */
  again: () => void;
  /** Replaces the current answer. */
  set: (answer: T) => void;
}

/** Calls `onGone`, which requests another condensation, if an error says that the host no longer keeps this one. */
export function useGone(error: StudioError | undefined, onGone: (() => void) | undefined): void {
  useEffect(() => {
    if (error?.code === "unknown_condensation") onGone?.();
  }, [error, onGone]);
}

const asStudioError = (error: unknown) =>
  error instanceof StudioError ? error : new StudioError("internal_error", error instanceof Error ? error.message : String(error));

/**
 * Sends a request whenever `dependencies` change; none if `ask` is undefined. The first request is not delayed. A request
 * within `delay` milliseconds of the previous one, or before its response, waits that long, so that a user who continues
 * choosing does not cause a request for each step.
 */
export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | undefined, dependencies: DependencyList, delay = 0): Asked<T> {
  const [state, setState] = useState<{ answer?: T | undefined; error?: StudioError | undefined; isWaiting: boolean }>({ isWaiting: false });
  const [times, setTimes] = useState(0);
  const running = useRef<AbortController>(undefined);
  /** The time of the newest request, and whether its answer is still missing. */
  const last = useRef({ at: Number.NEGATIVE_INFINITY, isOpen: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says on what the question depends
  useEffect(() => {
    if (!ask) {
      setState((old) => ({ ...old, isWaiting: false }));
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setState((old) => ({ ...old, isWaiting: true }));
    const { at, isOpen } = last.current;
    const isSoon = isOpen || performance.now() - at < delay;
    last.current = { at: performance.now(), isOpen: true };
    const timer = setTimeout(
      () => {
        const asked = ask(controller.signal);
        const closed = () => {
          if (!controller.signal.aborted) last.current.isOpen = false;
        };
        asked.then(closed, closed);
        asked.then(
          (answer) => !controller.signal.aborted && setState({ answer, isWaiting: false }),
          (error) =>
            !controller.signal.aborted && setState((old) => ({ answer: old.answer, error: asStudioError(error), isWaiting: false })),
        );
      },
      isSoon ? delay : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [...dependencies, times]);
  const cancel = useCallback(() => {
    running.current?.abort();
    setState((old) => ({ ...old, isWaiting: false }));
  }, []);
  const again = useCallback(() => setTimes((count) => count + 1), []);
  const set = useCallback((answer: T) => setState({ answer, isWaiting: false }), []);
  return { answer: state.answer, error: state.error, isWaiting: state.isWaiting, cancel, again, set };
}
