// The page's own script: gives the components the bundled React, finds the host, and shows the studio.

import * as React from "react";
import * as ReactDOM from "react-dom";
import { createRoot } from "react-dom/client";
import * as jsxRuntime from "react/jsx-runtime";
import { workerPort } from "./client.js";
import { download } from "./download.js";
import { provide } from "./react.js";

provide(React, ReactDOM, jsxRuntime);
// A variable that the bundler does not follow: the file is beside this one.
const beside = "./components.js";
type Components = typeof import("./components.js");

declare const acquireVsCodeApi: undefined | (() => VsCodeApi);
interface VsCodeApi {
  postMessage(message: unknown): void;
  setState(state: object): void;
}

/** Returns a client for a webview of VS Code. Stores the ids of the histories for the extension, which restores the panel when VS Code restarts. */
function clientOfVsCode({ createPostMessageClient, vscodePort }: Components, api: VsCodeApi) {
  const client = createPostMessageClient(vscodePort(api));
  client.hello().then(
    ({ histories }) => api.setState({ histories: histories.map(({ id }) => id) }),
    () => {},
  );
  return client;
}

/** Returns a client of a worker with the library in it, if the page names one. */
function clientOfWorker({ createPostMessageClient }: Components, script: string) {
  const worker = new Worker(new URL(script, location.href), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    // The worker has no disk.
    if (data?.download) download(data.download.name, data.download.text);
  });
  return createPostMessageClient(workerPort(worker));
}

function clientOfPage(components: Components) {
  const { createHttpClient, createStaticClient } = components;
  const script = document.querySelector<HTMLMetaElement>('meta[name="roo-condense-worker"]')?.content;
  if (script) return clientOfWorker(components, script);
  const data = document.getElementById("studio-data");
  if (data?.textContent) return createStaticClient(JSON.parse(data.textContent));
  if (typeof acquireVsCodeApi === "function") return clientOfVsCode(components, acquireVsCodeApi());
  return createHttpClient(new URL(".", location.href).href);
}

const root = document.getElementById("studio");
if (root) {
  import(/* @vite-ignore */ beside).then((components: Components) => {
    const { Studio } = components;
    createRoot(root).render(<Studio client={clientOfPage(components)} />);
  });
}
