// The ways to reach a host: HTTP, messages, or a static report without one.

import { METHODS, readAnswer, readRequest } from "../../js/studio/protocol.js";
import {
  type CondenseClient,
  type Condensation,
  type Hello,
  type Inspection,
  type MessageTexts,
  type Method,
  type Recall,
  type Steps,
  StudioError,
  type Trial,
} from "./types.js";

interface Envelope {
  id: number;
  answer?: unknown;
  error?: { code?: unknown; message?: unknown };
}

type Send = (request: { id: number; method: string; params: object }, signal: AbortSignal | undefined) => Promise<Envelope>;

/** Creates a client from a function that sends requests. Requests are checked like answers. */
function clientOf(send: Send, isLive = true): CondenseClient {
  let last = 0;
  const call = async (method: Method, params: object = {}, { signal }: { signal?: AbortSignal } = {}) => {
    last += 1;
    const request = readRequest({ id: last, method, params });
    const { answer, error } = await send(request, signal);
    if (error) throw new StudioError(String(error.code ?? "internal_error"), String(error.message ?? ""));
    return readAnswer(method, answer);
  };
  // The signal of another request sends the cancelling of it.
  const methods = Object.keys(METHODS).filter((name): name is Method => name !== "cancel");
  const calls = methods.map((method) =>
    Object.keys(METHODS[method].request.fields).length === 0
      ? [method, (options?: { signal?: AbortSignal }) => call(method, {}, options)]
      : [method, (params: object, options?: { signal?: AbortSignal }) => call(method, params, options)],
  );
  return { isLive, ...Object.fromEntries(calls) } as CondenseClient;
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

/** Creates a client of a server: the one of `roo-condense studio`, at the address of the page. */
export function createHttpClient(base: string): CondenseClient {
  return clientOf(async (request, signal) => {
    let response: Response;
    try {
      response = await fetch(new URL("call", base), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(request),
        credentials: "omit",
        redirect: "error",
        ...(signal && { signal }),
      });
      if (response.ok) return (await response.json()) as Envelope;
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new StudioError("unreachable", error instanceof Error ? error.message : String(error));
    }
    throw new StudioError("unreachable", `${response.status}`);
  });
}

/** A way for messages: `acquireVsCodeApi()` and the window of a webview, or anything else of this shape. */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  /** Returns a function that stops listening. */
  onMessage(listener: (message: unknown) => void): () => void;
}

/** Creates a client of the other end of a port, such as the extension that opened the webview. */
export function createPostMessageClient(port: MessagePortLike): CondenseClient {
  const waiting = new Map<number, (answer: Envelope) => void>();
  port.onMessage((message) => {
    if (typeof message !== "object" || message === null || (message as { studio?: unknown }).studio !== 1) return;
    const answer = message as unknown as Envelope;
    if (!("answer" in answer) && !("error" in answer)) return;
    const resolve = waiting.get(answer.id);
    waiting.delete(answer.id);
    resolve?.(answer);
  });
  return clientOf(
    (request, signal) =>
      new Promise((resolve, reject) => {
        const abort = () => {
          waiting.delete(request.id);
          port.postMessage({ studio: 1, id: request.id, method: "cancel", params: { id: request.id } });
          reject(new DOMException("aborted", "AbortError"));
        };
        if (signal?.aborted) return reject(new DOMException("aborted", "AbortError"));
        signal?.addEventListener("abort", abort, { once: true });
        waiting.set(request.id, (answer) => {
          signal?.removeEventListener("abort", abort);
          resolve(answer);
        });
        port.postMessage({ studio: 1, ...request });
      }),
  );
}

/** Listens to the messages that come to a window, or from a worker. */
const listeningTo =
  (source: Window | Worker): MessagePortLike["onMessage"] =>
  (listener) => {
    const heard = (event: Event) => listener((event as MessageEvent).data);
    source.addEventListener("message", heard);
    return () => source.removeEventListener("message", heard);
  };

/** Returns the port of a webview of VS Code. */
export const vscodePort = (api: { postMessage(message: unknown): void }): MessagePortLike => ({
  postMessage: (message) => api.postMessage(message),
  onMessage: listeningTo(window),
});

/** Returns the port of a worker in which `createStudioHost` answers. */
export const workerPort = (worker: Worker): MessagePortLike => ({
  postMessage: (message) => worker.postMessage(message),
  onMessage: listeningTo(worker),
});

/** The contents of a static report: answers from the time it was written. */
export interface Snapshot {
  hello: Hello;
  inspect: { revision: number; inspection: Inspection; advice: Steps };
  condense: Condensation;
  trials: Trial[];
  /** By the names of the trials. */
  recalls: Record<string, Recall>;
  /** Absent if the texts were left out. */
  messages?: MessageTexts[];
}

/** Creates a client that answers from the data in the page. */
export function createStaticClient(snapshot: Snapshot): CondenseClient {
  const answers: Record<string, (params: never) => unknown> = {
    hello: () => snapshot.hello,
    wait: () => new Promise(() => {}),
    inspect: () => snapshot.inspect,
    condense: () => snapshot.condense,
    try: ({ id }: { id: string }) => {
      const trial = snapshot.trials.find((one) => one.id === id);
      if (!trial) throw new StudioError("not_live", id);
      return { revision: snapshot.inspect.revision, trial };
    },
    recall: ({ provider = "", config }: { provider?: string; config?: { preset?: string } }) => {
      const name = config?.preset === undefined ? provider : `${provider}:${config.preset}`;
      const recall = snapshot.recalls[name];
      if (!recall) throw new StudioError("not_live", name);
      return { revision: snapshot.inspect.revision, recall };
    },
    search: ({ text }: { text: string }) => {
      const wanted = text.trim().toLowerCase();
      const says = ({ texts }: MessageTexts) => texts.some((one) => one.text.toLowerCase().includes(wanted));
      const messages = (snapshot.messages ?? []).flatMap((message, index) => (wanted !== "" && says(message) ? [index] : []));
      return { revision: snapshot.inspect.revision, messages };
    },
    message: ({ index }: { index: number }) => {
      const message = snapshot.messages?.[index];
      if (!message) throw new StudioError("redacted", "");
      return message;
    },
  };
  return clientOf(async ({ id, method, params }) => {
    const answer = answers[method];
    if (!answer) throw new StudioError("not_live", method);
    return { id, answer: await answer(params as never) };
  }, false);
}
