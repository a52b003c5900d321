// What `recommend()` says, in the language of the page. It speaks in sentences, in English and with the names of a program's options; each is read here as
// what it is made of. A test asks for recommendations of every kind and fails on a sentence that is not known.

import type { Key } from "./context.js";
import type { Format } from "./format.js";
import { type Parts, type Rule as RuleOf, type Translate, Unknown, byRules, ifKnown } from "./sentences.js";
import { visibleText } from "./text.js";

/** What can stand in a sentence: what each part is read as. */
type Part = "title" | "answer" | "source" | "obstacle" | "obstacles" | "sentence" | "number" | "percent" | "dollars" | "ms";

type Rule = RuleOf<Part>;

const SENTENCES: readonly Rule[] = [
  [/^(?<reason>.+); expected by rules, because nothing was measured$/, "advice.expected", { reason: "sentence" }],
  [
    /^(?<reason>.+); of what was used next it keeps (?<names>\d+)% of the names and (?<edits>\d+)% of the passages$/,
    "advice.keeps",
    { reason: "sentence", names: "percent", edits: "percent" },
  ],
  [
    /^(?<reason>.+); measured on this conversation, it leaves (?:about )?(?<tokens>\d+) tokens \((?<less>-?\d+)% less\), with (?<superseded>\d+) replaced by newer and (?<lost>\d+) lost for about \$(?<cost>[\d.]+)$/,
    "advice.measuredCost",
    { reason: "sentence", tokens: "number", less: "percent", superseded: "number", lost: "number", cost: "dollars" },
  ],
  [
    /^(?<reason>.+); measured on this conversation, it leaves (?:about )?(?<tokens>\d+) tokens \((?<less>-?\d+)% less\), with (?<superseded>\d+) replaced by newer and (?<lost>\d+) lost, and costs nothing$/,
    "advice.measured",
    { reason: "sentence", tokens: "number", less: "percent", superseded: "number", lost: "number" },
  ],
  [/^nothing was answered, and (?<title>.+) is the default$/, "advice.default", { title: "title" }],
  [/^of those that nothing speaks against, (?<title>.+) loses least$/, "advice.careful", { title: "title" }],
  [
    /^nothing does all that is asked for; (?<title>.+?) comes nearest: (?<against>.+)$/,
    "advice.nearest",
    { title: "title", against: "obstacles" },
  ],
  [/^by the rules (?<against>.+); on this conversation it does what is asked for$/, "advice.factsDo", { against: "obstacles" }],
  [
    /^by the rules (?<title>.+?) would do for (?<answer>.+?); (?<against>.+)$/,
    "advice.factsDoNot",
    { title: "title", answer: "answer", against: "obstacle" },
  ],
  [/^what speaks for (?<title>.+) weighs more$/, "advice.weighsLess", { title: "title" }],
  [/^(?<answer>.+) speaks for it$/, "advice.forIt", { answer: "answer" }],
  [
    /^(?<answer>.+?) speaks for (?<title>.+?), but (?<against>.+)$/,
    "advice.ruledOut",
    { answer: "answer", title: "title", against: "obstacle" },
  ],
  [/^(?<answer>.+?) speaks for (?<title>.+)$/, "advice.speaksFor", { answer: "answer", title: "title" }],
  [/^(?<title>.+) would do, too$/, "advice.too", { title: "title" }],
  [
    /^it may lose more: (?<loss>[\d.]+)% of the information instead of (?<other>[\d.]+)%$/,
    "advice.losesMore",
    { loss: "percent", other: "percent" },
  ],
  [
    /^it removes less: at most (?<less>-?[\d.]+)% of the tokens instead of at most (?<other>-?[\d.]+)%$/,
    "advice.removesLess",
    { less: "percent", other: "percent" },
  ],
  [
    /^it removes less: at most (?<less>-?[\d.]+)% of the tokens instead of (?<other>-?[\d.]+)%$/,
    "advice.removesAtMost",
    { less: "percent", other: "percent" },
  ],
  [
    /^it removes less: (?<less>-?[\d.]+)% of the tokens instead of at most (?<other>-?[\d.]+)%$/,
    "advice.removesInsteadOfAtMost",
    { less: "percent", other: "percent" },
  ],
  [
    /^it removes less: (?<less>-?[\d.]+)% of the tokens instead of (?<other>-?[\d.]+)%$/,
    "advice.removesMeasured",
    { less: "percent", other: "percent" },
  ],
  [
    /^it loses more: (?<loss>[\d.]+)% of the tokens instead of (?<other>[\d.]+)%$/,
    "advice.losesMoreMeasured",
    { loss: "percent", other: "percent" },
  ],
  [/^it takes longer$/, "advice.takesLonger"],
  [/^(?<title>.+) needs a model to ask: give `handler` or `condensingHandler`$/, "advice.needsModel", { title: "title" }],
  [/^(?<source>\w+) says how much has to go only with a conversation$/, "advice.needsConversation", { source: "source" }],
  [
    /^(?<answer>.+?) and (?<source>\w+), by which (?<needed>[\d.]+)% have to go, do not go together: (?:on this conversation lossless removes|lossless removes at most) (?<most>[\d.]+)%$/,
    "advice.noLossButMuch",
    { answer: "answer", source: "source", needed: "percent", most: "percent" },
  ],
  [
    /^(?<answer>.+?) and (?<other>maxLatencyMs [\d.]+) do not go together: only truncation is as fast as a rule$/,
    "advice.noLossButFast",
    { answer: "answer", other: "answer" },
  ],
  [
    /^(?<answer>.+?) and (?<other>priority speed) do not go together: what is fastest loses most$/,
    "advice.noLossButSpeed",
    { answer: "answer", other: "answer" },
  ],
  [/^(?<answer>budgetPerCondensation [\d.]+) pays for a model, and there is none to ask$/, "advice.budgetButNoModel", { answer: "answer" }],
  [/^quality matters most, and (?<answer>acceptableLoss [\d.]+) says that it hardly does$/, "advice.qualityButLoss", { answer: "answer" }],
  [/^quality matters most, and (?<answer>budgetPerCondensation 0) pays for no model$/, "advice.qualityButFree", { answer: "answer" }],
];

const OBSTACLES: readonly Rule[] = [
  [/^it could not be tried on this conversation$/, "against.notTried"],
  [/^(?<title>.+) does as well or better in everything$/, "against.beaten", { title: "title" }],
  [
    /^it loses (?<loss>[\d.]+)% of the tokens, and acceptableLoss is (?<most>[\d.]+)$/,
    "against.losesMeasured",
    { loss: "percent", most: "percent" },
  ],
  [/^it loses or replaces (?<tokens>\d+) tokens, and nothing may be lost$/, "against.losesTokens", { tokens: "number" }],
  [/^there is no model to ask$/, "against.noModel"],
  [
    /^on this conversation it costs about \$(?<cost>[\d.]+), more than (?<answer>budgetPerCondensation [\d.]+)$/,
    "against.costs",
    { cost: "dollars", answer: "answer" },
  ],
  [
    /^it needs (?:more than )?\$(?<cost>[\d.]+), and budgetPerCondensation is (?<budget>[\d.]+)$/,
    "against.needs",
    { cost: "dollars", budget: "dollars" },
  ],
  [/^it takes up to (?<takes>[\d.]+) ms, and maxLatencyMs is (?<most>[\d.]+)$/, "against.takes", { takes: "ms", most: "ms" }],
  [
    /^it may lose (?<loss>[\d.]+)% of the information, and acceptableLoss is (?<most>[\d.]+)$/,
    "against.loses",
    { loss: "percent", most: "percent" },
  ],
  [/^it may lose (?<loss>[\d.]+)% of the information, and nothing may be lost$/, "against.losesAny", { loss: "percent" }],
  [
    /^it removes (?:at most )?(?<removes>-?[\d.]+)% of the tokens, and (?<needed>[\d.]+)% have to go \((?<source>\w+)\)$/,
    "against.removes",
    { removes: "percent", needed: "percent", source: "source" },
  ],
];

const ANSWERS: readonly Rule[] = [
  [/^acceptableLoss (?<percent>[\d.]+)$/, "answer.loss", { percent: "percent" }],
  [/^budgetPerCondensation (?<dollars>[\d.]+)$/, "answer.budget", { dollars: "dollars" }],
  [/^maxLatencyMs (?<ms>[\d.]+)$/, "answer.latency", { ms: "ms" }],
  [/^(?<source>\w+), by which (?<needed>[\d.]+)% have to go$/, "answer.reduction", { source: "source", needed: "percent" }],
];

/** How candidates are called. */
const TITLES: Readonly<Record<string, Key>> = {
  native: "called.native",
  lossless: "called.lossless",
  "lossless, strict": "title.strict",
  truncation: "called.truncation",
  "native with a cheap model for summaries": "title.nativeCheap",
  "smart with the preset conservative": "title.conservative",
  "smart with the preset balanced": "title.balanced",
  "smart with the preset aggressive": "title.aggressive",
  "smart with the preset multi_zone, which asks no model": "title.multiZone",
  "smart with a configuration of your own": "title.custom",
  "smart with the preset balanced and a chain of others behind it": "title.fallback",
  "smart with the preset selective and overrides for single messages": "title.selective",
  "the pipeline lossless, truncation, native": "title.pipeline",
  "the pipeline lossless, native": "title.losslessNative",
  "the pipeline lossless, smart with the preset conservative": "title.losslessConservative",
  "the pipeline lossless, truncation": "title.losslessTruncation",
  "per_user, with preferences for each tenant": "title.perUser",
};

const SOURCES: Readonly<Record<string, Key>> = {
  targetTokens: "source.target",
  contextWindow: "source.window",
  reductionPercent: "source.reduction",
};

/** Says what `recommend()` said; undefined where that is not known. */
export function adviceIn(t: Translate, format: Format): (said: string) => string | undefined {
  const word = (keys: Readonly<Record<string, Key>>, said: string) => {
    const key = Object.hasOwn(keys, said) ? keys[said] : undefined;
    if (key === undefined) throw new Unknown();
    return t(key);
  };
  const answer = (said: string) => {
    const priority = /^priority (\w+)$/.exec(said)?.[1];
    return priority === undefined ? by(ANSWERS, said) : t("answer.priority", { name: t(`priority.${priority}` as Key) });
  };
  const parts: Parts<Part> = {
    title: (said) => word(TITLES, said),
    source: (said) => word(SOURCES, said),
    answer,
    obstacle: (said) => by(OBSTACLES, said),
    obstacles: (said) =>
      said
        .split("; ")
        .map((each) => by(OBSTACLES, each))
        .join(t("advice.and")),
    sentence: (said) => by(SENTENCES, said).replace(/\.$/, ""),
    number: (said) => format.number(Number(said)),
    percent: (said) => format.percent(Number(said)),
    dollars: (said) => format.dollars(Number(said)),
    ms: (said) => format.duration(Number(said)),
  };
  const by = (rules: readonly Rule[], said: string) => byRules(t, rules, parts, said);
  return (said) => ifKnown(() => visibleText(by([...SENTENCES, ...OBSTACLES], said)));
}
