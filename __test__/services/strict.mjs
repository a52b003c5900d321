// Requests as the services take them: a field that the published types of their SDKs do not have is refused, as Anthropic's service does.

import { readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** The type of each service's requests, by the end of the path they go to. */
export const SERVICES = {
  anthropic: { ending: "/messages", sdk: "@anthropic-ai/sdk", file: "resources/messages/messages.d.ts", type: "MessageCreateParamsBase" },
  "anthropic-beta": {
    ending: "/messages?beta=true",
    sdk: "@anthropic-ai/sdk",
    file: "resources/beta/messages/messages.d.ts",
    type: "MessageCreateParamsBase",
  },
  "openai-chat": {
    ending: "/chat/completions",
    sdk: "openai",
    file: "resources/chat/completions/completions.d.ts",
    type: "ChatCompletionCreateParamsBase",
  },
  "openai-responses": { ending: "/responses", sdk: "openai", file: "resources/responses/responses.d.ts", type: "ResponseCreateParamsBase" },
};

/** Where the schema of a service is kept (prepare.mjs), by the version of its package. */
export function schemaFile(service) {
  const { version } = JSON.parse(readFileSync(path.join(root, "node_modules", SERVICES[service].sdk, "package.json"), "utf8"));
  return path.join(root, "node_modules/.cache/roo-condense", `${service}-${version}.json`);
}

const checkers = new Map();
function checkerFor(service) {
  if (!checkers.has(service)) checkers.set(service, new Checker(JSON.parse(readFileSync(schemaFile(service), "utf8"))));
  return checkers.get(service);
}

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** Finds what a value has beyond a schema, or lacks. Of alternatives the one counts that fits best. */
class Checker {
  #schema;

  constructor(schema) {
    this.#schema = schema;
  }

  faults(value, schema = this.#schema, place = "") {
    const own = this.#own(schema);
    if (own.anyOf) return this.#ofBest(value, own.anyOf, place);
    if ("const" in own) return value === own.const ? [] : [`${place}: Input should be ${JSON.stringify(own.const)}`];
    if (own.type === undefined) return [];
    if (kindOf(value) !== own.type) return [`${place}: Input should be of type ${own.type}`];
    if (own.type === "array") return value.flatMap((each, index) => this.faults(each, own.items, below(place, index)));
    return own.type === "object" ? this.#ofObject(value, own, place) : [];
  }

  #own(schema) {
    return schema.$ref ? this.#schema.definitions[schema.$ref.split("/").at(-1)] : schema;
  }

  #ofObject(value, { properties, required, additionalProperties }, place) {
    const missing = required.filter((name) => value[name] === undefined).map((name) => `${below(place, name)}: Field required`);
    const faults = Object.entries(value).flatMap(([name, inner]) => {
      if (inner === undefined) return [];
      if (name in properties) return this.faults(inner, properties[name], below(place, name));
      return additionalProperties ? [] : [`${below(place, name)}: Extra inputs are not permitted`];
    });
    return [...missing, ...faults];
  }

  #ofBest(value, alternatives, place) {
    let best = { faults: [], distance: Infinity };
    for (const alternative of alternatives) {
      const faults = this.faults(value, alternative, place);
      if (faults.length === 0) return [];
      const distance = faults.length + this.#distance(value, this.#own(alternative));
      if (distance < best.distance) best = { faults, distance };
    }
    return best.faults;
  }

  /** A value with another `type` or `role` is another variant, however few faults it has; a value of another kind even more so. */
  #distance(value, { type, properties }) {
    if (type !== kindOf(value)) return 1_000_000;
    if (type !== "object") return 0;
    return ["type", "role"].filter((name) => properties[name] && this.faults(value[name], properties[name]).length > 0).length * 1000;
  }
}

const below = (place, step) => (place === "" ? String(step) : `${place}.${step}`);

/** Anthropic's service keeps a prompt up to so many places. */
const MOST_CACHE_MARKS = 4;

/** Lists the faults for which the service at a path refuses a request; none for other paths. */
export function refusals(url, body) {
  const service = Object.entries(SERVICES).findLast(([, { ending }]) => url.endsWith(ending))?.[0];
  if (service === undefined) return [];
  const marks = service.startsWith("anthropic") ? JSON.stringify(body).split('"cache_control":{').length - 1 : 0;
  const tooMany =
    marks > MOST_CACHE_MARKS ? [`A maximum of ${MOST_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`] : [];
  return [...checkerFor(service).faults(body), ...tooMany];
}
