// A JSON schema of a type that a service's published package exports: what the service takes, field by field. Objects hold no other fields than those of the type.

import path from "node:path";
import ts from "typescript";

const root = path.resolve(import.meta.dirname, "../..");
const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  types: [],
};

/** The schema of the type `name` that the file of declarations exports; the path is from the repository. */
export function schemaOfType(file, name) {
  const full = path.join(root, file);
  const program = ts.createProgram([full], OPTIONS);
  const checker = program.getTypeChecker();
  const source = /** @type {ts.SourceFile} */ (program.getSourceFile(full));
  const module = /** @type {ts.Symbol} */ (checker.getSymbolAtLocation(source));
  const exported = checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
  if (!exported) throw new Error(`${file} exports no type ${name}`);
  const reader = new Reader(checker);
  const schema = reader.schema(checker.getDeclaredTypeOfSymbol(exported));
  return { ...schema, definitions: reader.definitions };
}

class Reader {
  definitions = {};
  #names = new Map();

  constructor(checker) {
    this.checker = checker;
  }

  schema(type) {
    const { flags } = type;
    const is = (flag) => (flags & flag) !== 0;
    if (is(ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (is(ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return { type: "null" };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (is(ts.TypeFlags.BooleanLiteral)) return { const: type.intrinsicName === "true" };
    if (is(ts.TypeFlags.StringLike)) return { type: "string" };
    if (is(ts.TypeFlags.NumberLike)) return { type: "number" };
    if (is(ts.TypeFlags.BooleanLike)) return { type: "boolean" };
    if (type.isUnion())
      return { anyOf: type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0).map((one) => this.schema(one)) };
    // `string & {}`: any string, beside those that are known.
    const base = type.isIntersection() && type.types.find((one) => (one.flags & (ts.TypeFlags.String | ts.TypeFlags.Number)) !== 0);
    if (base) return this.schema(base);
    if (this.checker.isArrayLikeType(type)) return { type: "array", items: this.schema(this.checker.getTypeArguments(type)[0]) };
    return this.#object(type);
  }

  /** By reference: types hold themselves. */
  #object(type) {
    let name = this.#names.get(type);
    if (name === undefined) {
      name = `T${this.#names.size}`;
      this.#names.set(type, name);
      this.definitions[name] = this.#fields(type);
    }
    return { $ref: `#/definitions/${name}` };
  }

  #fields(type) {
    const properties = {};
    const required = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      properties[symbol.name] = this.schema(this.checker.getTypeOfSymbol(symbol));
      if ((symbol.flags & ts.SymbolFlags.Optional) === 0) required.push(symbol.name);
    }
    const isOpen = this.checker.getIndexInfosOfType(type).length > 0 || Object.keys(properties).length === 0;
    return { type: "object", properties, required, additionalProperties: isOpen };
  }
}
