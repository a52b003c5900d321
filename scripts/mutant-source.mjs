// Writes a Rust file in which every mutant that cargo-mutants would make of it stands at once, each behind a question: `mutant(17)` is true in a process that was
// started as mutant 17. So the core is compiled once for all of them, and not once for each.

import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * A mutant as cargo-mutants lists it; lines and columns from 1.
 * @typedef {{ line: number, column: number }} Position
 * @typedef {{ id: number, name: string, file: string, genre: string, function?: { return_type: string }, replacement: string, span: { start: Position, end: Position } }} Mutant
 */

/** The reader of Rust, of the version that the grammar is for; MIT. It is installed in the folder given, because nothing else here needs it. */
export const PARSER = ["web-tree-sitter@0.27.2", "tree-sitter-rust@0.24.0"];

/** Its parser, from the folder in which it is installed. */
export async function parserIn(folder) {
  const modules = path.join(folder, "node_modules");
  const { Language, Parser } = await import(pathToFileURL(path.join(modules, "web-tree-sitter", "web-tree-sitter.js")).href);
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(path.join(modules, "tree-sitter-rust", "tree-sitter-rust.wasm")));
  return parser;
}

/** What a file asks: whether this process is a mutant, or which of some. */
export const QUESTION = `
mod mutant {
    static CHOSEN: std::sync::LazyLock<usize> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(0));

    pub fn is(id: usize) -> bool {
        *CHOSEN == id
    }

    pub fn id() -> usize {
        *CHOSEN
    }
}
`;

const is = (mutant) => `crate::mutant::is(${mutant.id})`;

/** The code of a node where these are its mutants, by the kind of mutant; `part` writes a child. `undefined`: there is no way to write them. */
const WRITERS = {
  BinaryOperator(node, mutants, part) {
    const [left, operator, right] = [node.childForFieldName("left"), node.childForFieldName("operator"), node.childForFieldName("right")];
    if (!left || !right || !operator) return undefined;
    const [l, r] = [part(left), part(right)];
    // Each side is written once, however deep they are nested.
    if (operator.type === "&&") return `(if (${l}) != ${is(mutants[0])} { ${r} } else { ${is(mutants[0])} })`;
    if (operator.type === "||") return `(if (${l}) != ${is(mutants[0])} { !${is(mutants[0])} } else { ${r} })`;
    if (node.type === "compound_assignment_expr") {
      const arms = mutants.map((mutant) => `${mutant.id} => ${l} ${mutant.replacement} ${r},`);
      return `match crate::mutant::id() { ${arms.join(" ")} _ => ${l} ${operator.type} ${r} }`;
    }
    const isComparison = ["<", "<=", ">", ">=", "==", "!="].includes(operator.type);
    const arms = mutants.map((mutant) => `${mutant.id} => l ${mutant.replacement} r,`);
    const sides = isComparison ? `(&(${l}), &(${r}))` : `(${l}, ${r})`;
    return `(match ${sides} { (l, r) => match crate::mutant::id() { ${arms.join(" ")} _ => l ${operator.type} r } })`;
  },
  UnaryOperator(node, [mutant], part) {
    const [operator, operand] = [node.child(0), node.child(1)];
    if (!operator || !operand) return undefined;
    if (operator.type === "!") return `(${is(mutant)} != !${part(operand)})`;
    return `(if ${is(mutant)} { ${part(operand)} } else { -${part(operand)} })`;
  },
  MatchArmGuard(node, mutants, part) {
    return mutants.reduce(
      (guard, mutant) => (mutant.replacement === "true" ? `(${is(mutant)} || ${guard})` : `(!${is(mutant)} && ${guard})`),
      `(${part(node, true)})`,
    );
  },
  MatchArm(node, [mutant], part) {
    const pattern = node.child(0);
    const condition = node.childForFieldName("condition");
    // An arm with a condition leaves cases open, unless the last one takes all.
    const last = node.parent?.parent?.lastNamedChild?.childForFieldName("pattern")?.text;
    if (!pattern || !/^[a-z_]+$/.test(last ?? "")) return undefined;
    return condition ? `${part(pattern)} if !${is(mutant)} && (${part(condition)})` : `${part(pattern)} if !${is(mutant)}`;
  },
  FnValue(node, mutants, part) {
    const returns = mutants.map((mutant) => mark(mutant.id, `if ${is(mutant)} { return ${mutant.replacement}; }`));
    return `{ ${returns.join(" ")} ${part(node, true).slice(1)}`;
  },
};

/** Stands around what a mutant wrote, so that an error of the compiler leads to it. */
const mark = (id, text) => `/*<${id}*/${text}/*${id}>*/`;

/** The node that a mutant is written in the place of. */
function nodeOf(root, mutant, at) {
  const from = at(mutant.span.start);
  const to = at(mutant.span.end);
  let node = root.descendantForIndex(from, Math.max(from, to - 1));
  const climb = (...types) => {
    while (node && !types.includes(node.type)) node = node.parent;
    return node;
  };
  switch (mutant.genre) {
    case "FnValue":
      // A function has one such type.
      if (mutant.function?.return_type.startsWith("-> impl")) return undefined;
      return climb("function_item")?.childForFieldName("body");
    case "BinaryOperator":
      climb("binary_expression", "compound_assignment_expr");
      return node?.childForFieldName("operator")?.startIndex === from ? node : undefined;
    case "UnaryOperator":
      return climb("unary_expression");
    case "MatchArm":
      return climb("match_pattern", "match_arm")?.type === "match_arm" ? node?.childForFieldName("pattern") : node;
    case "MatchArmGuard":
      climb("match_pattern");
      return node?.childForFieldName("condition");
    default:
      return undefined;
  }
}

/**
 * A file with all of these mutants in it, and the ids of those that could not be written.
 * @param {{ parse(source: string): any }} parser
 * @param {string} source
 * @param {Mutant[]} mutants
 */
export function withMutants(parser, source, mutants) {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  const at = ({ line, column }) => starts[line - 1] + column - 1;
  const { rootNode } = parser.parse(source);
  const of = new Map();
  const left = [];
  for (const mutant of mutants) {
    const node = nodeOf(rootNode, mutant, at);
    if (!node) {
      left.push(mutant.id);
      continue;
    }
    const { mutants: known } = of.get(node.id) ?? of.set(node.id, { mutants: [] }).get(node.id);
    known.push(mutant);
  }
  const inOrder = [...of.values()].flatMap(({ mutants: all }) => all.map((mutant) => at(mutant.span.start))).sort((a, b) => a - b);
  const holds = (node) => inOrder.some((start) => start >= node.startIndex && start < node.endIndex);
  const children = (node) => {
    let text = "";
    let from = node.startIndex;
    for (const child of node.children) {
      text += source.slice(from, child.startIndex) + part(child);
      from = child.endIndex;
    }
    return text + source.slice(from, node.endIndex);
  };
  const part = (node, isInner = false) => {
    if (!holds(node)) return source.slice(node.startIndex, node.endIndex);
    const mine = isInner ? undefined : of.get(node.id)?.mutants;
    if (!mine) return children(node);
    // One node may be the place of several kinds, such as a guard that is a comparison.
    const kinds = new Set(mine.map((mutant) => mutant.genre));
    if (kinds.size > 1) {
      const guards = mine.filter((mutant) => mutant.genre === "MatchArmGuard");
      const others = mine.filter((mutant) => mutant.genre !== "MatchArmGuard");
      const inner = WRITERS[others[0].genre](node, others, part) ?? children(node);
      const marked = others.reduce((text, mutant) => mark(mutant.id, text), inner);
      return guards.reduce(
        (text, mutant) => mark(mutant.id, text),
        WRITERS.MatchArmGuard(node, guards, () => marked),
      );
    }
    const text = WRITERS[mine[0].genre](node, mine, part);
    if (text === undefined) {
      left.push(...mine.map((mutant) => mutant.id));
      return children(node);
    }
    return mine[0].genre === "FnValue" ? text : mine.reduce((inner, mutant) => mark(mutant.id, inner), text);
  };
  return { text: part(rootNode), left };
}
