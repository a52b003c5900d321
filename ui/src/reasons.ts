// Why something was changed, in the language of the page. Reasons are sentences of the library; a test condenses histories by every provider and fails on
// one that is not known here.

import type { Format } from "./format.js";
import { type Parts, type Rule, type Translate, byRules, ifKnown } from "./sentences.js";
import { visibleText } from "./text.js";

/** What can stand in a reason. */
type Part = "number" | "name" | "content" | "list" | "reason";

const REASONS: readonly Rule<Part>[] = [
  [/^left out: nothing in it is as likely to be used again as what was kept$/, "reason.drop"],
  [/^left out: no line is as likely to be used again as what was kept$/, "reason.noLine"],
  [/^left out of (?<of>.+): no line is as likely to be used again as what was kept$/s, "reason.noLineOf", { of: "name" }],
  [
    /^kept (?<kept>\d+) of (?<lines>\d+) lines(?: of .+)?, as a passage that may be edited$/s,
    "reason.edited",
    { kept: "number", lines: "number" },
  ],
  [
    /^kept (?<kept>\d+) of (?<lines>\d+) lines(?: of .+)?, for (?<names>.+)$/s,
    "reason.named",
    { kept: "number", lines: "number", names: "name" },
  ],
  [/^says that messages were left out here$/, "reason.note"],
  [/^quotes what was said and done in what is left out$/, "reason.log"],
  [/^one of the (?<count>\d+) oldest messages after the first$/, "reason.oldest", { count: "number" }],
  [/^(?<lines>\d+) lines are numbered by a heading$/, "reason.heading", { lines: "number" }],
  [
    /^(?<lines>\d+) lines? stands? in messages? (?<messages>[\d, ]+) and others$/,
    "reason.standInMore",
    { lines: "number", messages: "name" },
  ],
  [/^(?<lines>\d+) lines? stands? in messages (?<messages>[\d, ]+)$/, "reason.standInSome", { lines: "number", messages: "name" }],
  [/^(?<lines>\d+) lines? stands? in message (?<messages>\d+)$/, "reason.standIn", { lines: "number", messages: "name" }],
  [/^newer environment details stand in message (?<message>\d+)$/, "reason.environment", { message: "name" }],
  [/^a newer list stands in message (?<message>\d+)$/, "reason.list", { message: "name" }],
  [/^this failed; (?<path>.+) was changed in message (?<message>\d+)$/s, "reason.failedEdit", { path: "name", message: "name" }],
  [/^(?<path>.+) was changed in message (?<message>\d+)$/s, "reason.changed", { path: "name", message: "name" }],
  [/^(?<path>.+) was written anew in message (?<message>\d+)$/s, "reason.written", { path: "name", message: "name" }],
  [/^lines numbered anew$/, "reason.numbered"],
  [/^(?<all>\d+ pointers? .+)$/, "reason.pointers", { all: "list" }],
  [/^what stands before it has changed, and signed thinking is valid only behind what it was made behind$/, "reason.thinking"],
  [/^now told by the summary$/, "reason.toldBySummary"],
  [
    /^summary of messages (?<first>\d+) to (?<last>\d+)(?:, written in \d+ parts)?(?:, from the cache)?$/,
    "reason.summary",
    { first: "name", last: "name" },
  ],
  [
    /^"(?<provider>.+)" shortened (?<content>a tool result|the parameters of a tool call|a text|text) from (?<was>\d+) to (?<is>\d+) tokens$/s,
    "reason.shortened",
    { provider: "name", content: "content", was: "number", is: "number" },
  ],
  [/^"(?<provider>.+)" put another message in its place$/s, "reason.replaced", { provider: "name" }],
  [/^"(?<provider>.+)" left the message out$/s, "reason.leftOutBy", { provider: "name" }],
  [/^"(?<provider>.+)" added it(?: where \d+ messages? stood)?$/s, "reason.addedBy", { provider: "name" }],
  [/^old and left out$/, "reason.old"],
  [/^old, cut to (?<count>\d+) characters?$/, "reason.characters", { count: "number" }],
  [/^old, long lines cut to (?<count>\d+) characters?$/, "reason.longLines", { count: "number" }],
  [/^old, cut to the first (?<count>\d+) lines?$/, "reason.firstLines", { count: "number" }],
  [/^old, cut to (?<count>\d+) lines? of its beginning and end$/, "reason.ends", { count: "number" }],
  [/^suppressed, (?<count>\d+) tokens$/, "reason.suppressed", { count: "number" }],
  [/^summarised, (?<count>\d+) tokens(?:, from the cache)?$/, "reason.summarised", { count: "number" }],
  [/^cut to (?<lines>\d+) lines and (?<characters>\d+) characters$/, "reason.cutToBoth", { lines: "number", characters: "number" }],
  [/^cut to (?<lines>\d+) lines$/, "reason.cutToLines", { lines: "number" }],
  [/^cut to (?<characters>\d+) characters$/, "reason.cutToCharacters", { characters: "number" }],
  [/^older than the newest (?<count>\d+) calls?, (?<done>.+)$/, "reason.olderCalls", { count: "number", done: "reason" }],
  [/^left out$/, "reason.leftOut"],
  [/^cut to (?<count>\d+) tokens?$/, "reason.cutToTokens", { count: "number" }],
  [
    /^rule of the tools "(?<tools>[^"]+)": (?<done>(?:older than the newest \d+ calls?, )?(?:left out|cut to \d+ tokens?)): (?<of>.*)$/s,
    "reason.rule",
    { tools: "name", done: "reason", of: "name" },
  ],
  [/^(?<done>(?:old|suppressed|summarised|cut to)\b[^:]*): (?<of>.+)$/s, "reason.of", { done: "reason", of: "name" }],
];

const CONTENTS: readonly Rule<Part>[] = [
  [/^a tool result$/, "shortened.result"],
  [/^the parameters of a tool call$/, "shortened.parameters"],
  [/^(?:a )?text$/, "shortened.text"],
];

const POINTERS: readonly Rule<Part>[] = [
  [/^(?<count>\d+) pointers? led to another copy of their lines$/, "pointers.aimed", { count: "number" }],
  [/^(?<count>\d+) pointers? replaced by their lines$/, "pointers.expanded", { count: "number" }],
  [/^(?<count>\d+) pointers? replaced by notes, because their lines are left out$/, "pointers.leftOut", { count: "number" }],
];

/** Says the reason of a change; undefined where that is not known, such as one of a host's. */
export function reasonIn(t: Translate, format: Format): (said: string) => string | undefined {
  const parts: Parts<Part> = {
    number: (said) => format.number(Number(said)),
    name: (said) => said,
    content: (said) => byRules(t, CONTENTS, parts, said),
    list: (said) =>
      said
        .split(/, (?=\d)/)
        .map((each) => byRules(t, POINTERS, parts, each))
        .join(", "),
    reason: (said) => byRules(t, REASONS, parts, said),
  };
  return (said) => ifKnown(() => visibleText(byRules(t, REASONS, parts, said)));
}
