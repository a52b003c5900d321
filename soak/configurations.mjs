// Configurations of a provider, made from the schema that it publishes.

import { strategiesOf } from "../fixtures/strategies.mjs";
import { api } from "./package.mjs";

const STRATEGIES = strategiesOf(api);

const factoryOf = (id) => api[`create${id.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase())}Provider`];
const FACTORIES = Object.fromEntries(
  new api.CondensationManager()
    .listProviders()
    .filter(({ id }) => !Object.hasOwn(STRATEGIES, id))
    .map(({ id }) => [id, factoryOf(id)]),
);

/** Those that are not made of others. */
export const PROVIDERS = Object.keys(FACTORIES);

/** Those that are. */
export const STRATEGY_IDS = Object.keys(STRATEGIES);

/** A provider by its id. */
export const createProvider = (id, config) => (FACTORIES[id] ?? STRATEGIES[id])(config);

const wholeNumber = ({ minimum = 0, maximum = 1_000_000 }, random) =>
  Math.min(
    maximum,
    random.pick([
      random.integer(minimum, minimum + 10),
      random.integer(minimum, minimum + 200),
      random.integer(minimum, minimum + 5000),
      maximum,
    ]),
  );

/** Anything that a schema allows, as far as types, ranges, words and required fields go. */
function anyOf(schema, root, random, field = "") {
  if (schema.$ref) {
    const names = schema.$ref.replace(/^#\//, "").split("/");
    return anyOf(
      names.reduce((at, name) => at[name], root),
      root,
      random,
      field,
    );
  }
  if (schema.enum) return random.pick(schema.enum);
  switch (schema.type) {
    case "boolean":
      return random.chance(0.5);
    case "integer":
      return wholeNumber(schema, random);
    case "number":
      return (schema.minimum ?? 0) + random.next() * ((schema.maximum ?? 1000) - (schema.minimum ?? 0));
    case "string":
      return random.pick(/provider$/i.test(field) ? PROVIDERS : ["a", "Be brief.", "p1", "p2", "\ud800", " "]);
    case "array":
      return Array.from({ length: random.integer(0, 3) }, () => anyOf(schema.items ?? {}, root, random));
    case "object": {
      const names = Object.keys(schema.properties ?? {}).filter((name) => schema.required?.includes(name) || random.chance(0.4));
      const pairs = names.map((name) => [name, anyOf(schema.properties[name], root, random, name)]);
      return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
    }
    default:
      // What only JavaScript can give.
      return undefined;
  }
}

/** Removes the field or item at a path such as `passes[2].selection.type`, or what it would be part of. */
function remove(config, faulty) {
  const names = faulty.replace(/\[(\d+)\]/g, ".$1").split(".");
  while (names.length > 0) {
    const name = names.pop();
    const parent = names.reduce((at, part) => at?.[part], config);
    if (parent && typeof parent === "object" && name in parent) {
      if (Array.isArray(parent)) parent.splice(Number(name), 1);
      else delete parent[name];
      return true;
    }
  }
  return false;
}

/** A configuration that the provider accepts: what it finds fault with is taken out, because what belongs together is not in the types. */
export function configurationOf(id, random) {
  const provider = createProvider(id);
  const schema = provider.getConfigSchema();
  const config = anyOf(schema, schema, random);
  for (;;) {
    const { valid, errors } = provider.validateConfig(config);
    if (valid) return config;
    const removed = [...errors].reverse().filter(({ path }) => remove(config, path));
    if (removed.length === 0) return {};
  }
}
