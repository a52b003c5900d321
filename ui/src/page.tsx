// The page's own script: finds out who answers, and shows the studio.

import "./studio.css";
import { createRoot } from "react-dom/client";
import { createHttpClient, createPostMessageClient, createStaticClient, vscodePort, workerPort } from "./client.js";
import { download } from "./download.js";
import { Studio } from "./studio.js";

declare const acquireVsCodeApi: undefined | (() => { postMessage(message: unknown): void });

/** A worker with the library in it, where the page names one: nobody else is asked. */
function clientOfWorker(script: string) {
  const worker = new Worker(new URL(script, location.href), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    // It has no disk.
    if (data?.download) download(data.download.name, data.download.text);
  });
  return createPostMessageClient(workerPort(worker));
}

function clientOfPage() {
  const script = document.querySelector<HTMLMetaElement>('meta[name="roo-condense-worker"]')?.content;
  if (script) return clientOfWorker(script);
  const data = document.getElementById("studio-data");
  if (data?.textContent) return createStaticClient(JSON.parse(data.textContent));
  if (typeof acquireVsCodeApi === "function") return createPostMessageClient(vscodePort(acquireVsCodeApi()));
  return createHttpClient(new URL(".", location.href).href);
}

const root = document.getElementById("studio");
if (root) createRoot(root).render(<Studio client={clientOfPage()} />);
