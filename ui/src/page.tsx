// The page's own script: finds out who answers, and shows the studio.

import "./studio.css";
import { createRoot } from "react-dom/client";
import { createHttpClient, createPostMessageClient, createStaticClient, vscodePort } from "./client.js";
import { Studio } from "./studio.js";

declare const acquireVsCodeApi: undefined | (() => { postMessage(message: unknown): void });

function clientOfPage() {
  const data = document.getElementById("studio-data");
  if (data?.textContent) return createStaticClient(JSON.parse(data.textContent));
  if (typeof acquireVsCodeApi === "function") return createPostMessageClient(vscodePort(acquireVsCodeApi()));
  return createHttpClient(new URL(".", location.href).href);
}

const root = document.getElementById("studio");
if (root) createRoot(root).render(<Studio client={clientOfPage()} />);
