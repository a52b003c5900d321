"use strict";

// The report for people.

const { KINDS, hasToolText, totalOf } = require("./content-kinds.js");
const { byOperation } = require("./condensation.js");
const { origins } = require("../origins.js");
const { LIMITS, writeTexts } = require("./report-diff.js");
const { LABEL_WIDTH, Report } = require("./report-lines.js");
const { bytes, item, milliseconds, number, percent, plural, visible, visibleLine, withCommas, wrap } = require("./terminal.js");

/** Maximum number of lines of a summary that are shown. */
const MAX_SUMMARY_LINES = 60;

const dollars = (cost) => `$${cost.toFixed(4)}`;

/** Returns the provider that changed the conversation last, or else the called one. */
const workedOf = ({ id, didCondense, metrics }) => (didCondense && metrics?.providerId) || id;

/** Describes the provider in a sentence. */
function approach(condensed, settings) {
  const { id, target } = condensed;
  const worked = workedOf(condensed);
  if (settings.provider !== undefined) return `Provider: ${id}, without fallbacks.`;
  if (settings.preset !== undefined) return `Provider: ${id} with the preset ${settings.preset}.`;
  if (worked === "truncation" && id === "lossless")
    return (condensed.providers ?? []).some((provider) => provider.id === "lossless")
      ? "Provider: lossless, then truncation of what it left."
      : "Provider: truncation. Lossless was left out: alone it leaves more than this target.";
  if (id !== "lossless") return worked === id ? `Provider: ${id}.` : `Provider: ${id}, then ${worked}.`;
  return target ? "Provider: lossless, then truncation if the target needs it." : "Provider: lossless alone, because there is no --target.";
}

/** Describes how much each of several providers saved. */
const savedBy = (providers) =>
  `Saved by ${providers.map(({ id, tokensSaved }) => `${visible(id)}: ${plural(tokensSaved, "token")}`).join(", ")}.`;

const goal = (target) =>
  `Target: at most ${plural(target.tokens, "token")}${target.requested.endsWith("%") ? ` (${target.requested})` : ""}.`;

function writeTokens(report, { tokens, stats, exact = true }) {
  if (!tokens.after) {
    report.heading("Tokens", ["before", "after", "saved", ""]);
    const saved = stats.originalTokens - stats.finalTokens;
    report.row(
      exact ? "  total" : "  total, estimated",
      [number(stats.originalTokens), number(stats.finalTokens), number(saved), percent(saved, stats.originalTokens)],
      report.paint.bold,
    );
    return;
  }
  report.heading("Tokens", ["before", "after", "saved", ""]);
  const row = (label, before, after, paint) =>
    report.row(label, [number(before), number(after), number(before - after), percent(before - after, before)], paint);
  const { before, after } = tokens;
  for (const [kind, name] of Object.entries(KINDS)) if (before[kind] || after[kind]) row(`  ${name}`, before[kind], after[kind]);
  row("  total", totalOf(before), totalOf(after), report.paint.bold);
  // A handler may have its own counter.
  if (stats.originalTokens !== totalOf(before) || stats.finalTokens !== totalOf(after))
    row("  as the handler counts", stats.originalTokens, stats.finalTokens);
}

function writeOperations(report, { changes }) {
  if (changes.length === 0) return;
  report.heading("Operations", ["changes", "", "saved"]);
  for (const { operation, changes: count, tokensSaved } of byOperation(changes))
    report.row(`  ${operation}`, [number(count), "", number(tokensSaved)]);
}

/** Names of the kinds of content. */
const CONTENT = {
  user: "the user's words",
  assistant: "the assistant's words",
  thinking: "thinking",
  plans: "plans and todo lists",
  calls: "tool calls",
  results: "tool results",
  images: "images",
  host: "injected context",
  summaries: "earlier summaries",
  other: "other blocks",
};

/** Names content that is neither readable nor shortened: it is not lost if recall finds it. */
const goneName = (written) => (written?.restoreData === undefined ? "lost" : "left out");

/** Returns the columns of the survival table, which add up to all content. */
const fatesFor = (written) => ({
  readable: ["kept", "pointed"],
  replaced: ["superseded"],
  shortened: ["summarized", "recorded"],
  [goneName(written)]: ["lost"],
});

const SHORTENED = { summarized: "covered by a summary", recorded: "quoted in the log" };

/** Describes how to get removed content back: by restore data, which recall reads, too. */
function wayBack(written) {
  if (written?.restoreData === undefined)
    return "They are no longer in the messages. --out and --in-place keep restore data, with which they can be recalled.";
  return `They are no longer in the messages, but can be recalled: roo-condense recall ${visible(written.file)} WORDS. restore brings them back.`;
}

/** Describes the content that is no longer readable. */
function goneWords({ superseded, summarized, recorded, lost }, written) {
  const shortened = summarized.tokens + recorded.tokens;
  if (superseded.tokens + shortened + lost.tokens === 0) return "Nothing is lost: everything is still readable in the messages.";
  const inShort = shortened > 0 ? ` ${number(shortened)} shortened,` : "";
  return `${number(superseded.tokens)} replaced by newer content,${inShort} ${number(lost.tokens)} ${goneName(written)}. ${wayBack(written)}`;
}

/** Writes the fate of each kind of content. */
function writeSurvival(report, { didCondense, survival }, written) {
  if (!didCondense || !survival) return;
  const fates = fatesFor(written);
  report.heading("Tokens by outcome", Object.keys(fates));
  const row = (label, fate, paint) => {
    const cells = Object.values(fates).map((parts) => number(parts.reduce((sum, part) => sum + fate[part].tokens, 0)));
    report.row(label, cells, paint);
  };
  for (const [kind, name] of Object.entries(CONTENT)) if (survival.byKind[kind]?.before.tokens) row(`  ${name}`, survival.byKind[kind]);
  row("  total", survival.total, report.paint.bold);
  const { kept, pointed, protected: pinned } = survival.total;
  const parts = Object.entries(SHORTENED).filter(([name]) => survival.total[name].tokens > 0);
  const lines = Object.entries(survival.log).map(([name, { lines: count }]) => `${name} ${number(count)}`);
  const remarks = [
    pointed.tokens > 0 && `Readable: ${number(kept.tokens)} word for word, ${number(pointed.tokens)} through pointers.`,
    parts.length > 0 && `Shortened: ${parts.map(([name, words]) => `${number(survival.total[name].tokens)} ${words}`).join(", ")}.`,
    goneWords(survival.total, written),
    pinned.blocks > 0 && `Protected: ${plural(pinned.blocks, "block")}, ${plural(pinned.tokens, "token")}.`,
    lines.length > 0 && `Log lines: ${lines.join(", ")}.`,
  ].filter(Boolean);
  for (const remark of remarks) for (const line of item("  ", remark, report.width)) report.line(report.paint.dim(line));
}

/** Writes how much of the required content the summary covers. */
function writeQuality(report, { didCondense, summaryQuality }) {
  if (!didCondense || !summaryQuality) return;
  const { score, missing, writtenScore, askedAgain, completed } = summaryQuality;
  report.heading("Quality of the summary");
  const behind = completed > 0 ? ` (${percent(writtenScore, 1)} before missing items were appended)` : "";
  const again = askedAgain ? ", after a second request" : "";
  report.text(`  Covers ${percent(score, 1)} of what it must keep${behind}${again}.`);
  report.list(missing.map(({ kind, text }) => `missing ${kind}: ${visible(text)}`));
}

/** Writes the effect of each pass of the smart provider, or the reason why it did not run. */
function writePasses(report, { passes, metrics, stats, id: asked }) {
  if (!passes?.length) return;
  const last = passes.at(-1).tokensAfter;
  report.heading("Passes", ["before", "after", "saved", ""]);
  for (const { id, ran, skipped, tokensBefore, tokensAfter, tokensSaved, reductionPercentage, exact, cost } of passes) {
    const about = exact ? "" : "~";
    const tokens = [
      number(tokensBefore),
      `${about}${number(tokensAfter)}`,
      `${about}${number(tokensSaved)}`,
      `${reductionPercentage.toFixed(1)}%`,
    ];
    report.row(`  ${visible(id).slice(0, LABEL_WIDTH - 3)}`, ran ? tokens : ["not run"]);
    const remarks = [cost > 0 && `${about}${dollars(cost)}`, skipped && withCommas(visible(skipped))].filter(Boolean);
    for (const remark of remarks) for (const line of item("      ", remark, report.width)) report.line(report.paint.dim(line));
  }
  // A fallback provider ran.
  if (metrics.providerId !== asked && stats.finalTokens !== last) {
    report.row(`  then ${visible(metrics.providerId)}`.slice(0, LABEL_WIDTH - 1), [
      number(last),
      number(stats.finalTokens),
      number(last - stats.finalTokens),
      percent(last - stats.finalTokens, last),
    ]);
  }
}

/** Writes the effect on the prompt cache. */
function writePromptCache(report, { promptCache, firstChangedIndex }, count) {
  if (!promptCache) return;
  const { keptTokens, rewrittenTokens, rewriteCost, extraCost, savedPerRequest } = promptCache;
  report.heading("Prompt cache");
  report.fact("  first changed message", number(firstChangedIndex), `of ${number(count)}`);
  report.fact("  still cached", number(keptTokens), "tokens");
  report.fact("  to be rewritten", number(rewrittenTokens), rewriteCost === undefined ? "tokens" : `tokens, for ${dollars(rewriteCost)}`);
  if (extraCost === undefined) return;
  const first = extraCost > 0 ? `costs ${dollars(extraCost)} more` : `costs ${dollars(-extraCost)} less`;
  const effect = `The next request ${first} than without the changes, and each later one ${dollars(savedPerRequest)} less.`;
  for (const line of item("  ", effect, report.width)) report.line(report.paint.dim(line));
}

/** Writes some of the messages that would change, with their differences. */
function writeSamples(report, samples, diff) {
  if (!samples?.length) return;
  report.heading("Examples");
  for (const { messageIndex, before, after, operations, tokensSaved } of samples) {
    const saved = before ? `, ${plural(tokensSaved, "token")} saved` : "";
    for (const line of item("  ", `message ${number(messageIndex)}: ${operations.join(", ")}${saved}`, report.width)) report.line(line);
    writeTexts(report, diff(before, after));
  }
}

/** Writes the summary. */
function writeSummary(report, summary) {
  if (!summary.trim()) return;
  report.heading("Summary");
  const lines = summary.split("\n").flatMap((line) => wrap(visibleLine(line.trimEnd()), report.width - 2));
  for (const line of lines.slice(0, MAX_SUMMARY_LINES)) report.line(line === "" ? "" : `  ${line}`);
  const more = lines.length - MAX_SUMMARY_LINES;
  if (more > 0) report.line(report.paint.dim(`  … and ${plural(more, "more line")}`));
}

function writeProblems(report, problems) {
  if (problems.length === 0) return;
  report.line();
  report.text(`The input has ${plural(problems.length, "shape problem")}, left as they are:`, report.paint.yellow);
  const byCode = new Map();
  for (const problem of problems) byCode.set(problem.code, [...(byCode.get(problem.code) ?? []), problem]);
  report.list(
    [...byCode].map(([code, all]) => {
      const [{ messageIndex, blockIndex, message }] = all;
      const place = `message ${messageIndex}${blockIndex === undefined ? "" : `, block ${blockIndex}`}`;
      return all.length === 1
        ? `${code}: ${place}: ${visible(message)}`
        : `${code}: ${number(all.length)} times, first in ${place}: ${visible(message)}`;
    }),
  );
}

/**
 * Writes every change: place, operation and tokens, then the reason. The differences of a block's texts follow its last change. In formats
 * other than Anthropic's, blocks of differences do not correspond to blocks of changes, so the differences follow the message's last
 * change.
 */
function writeChanges(report, { changes, messages }, history, diff) {
  if (changes.length === 0) return;
  report.line();
  const columns = (message, block, operation, before, after) =>
    `${message.padStart(7)} ${block.padStart(6)}  ${operation.padEnd(18)}${before.padStart(11)}${after.padStart(11)}`;
  if (!report.isNarrow) report.line(report.paint.bold(columns("message", "block", "operation", "before", "after")));
  const afterOf = changedMessages(history.messages, messages);
  for (const [index, change] of changes.entries()) {
    const { messageIndex, blockIndex, operation, tokensBefore, tokensAfter, reason, grade } = change;
    const block = blockIndex === null ? "all" : String(blockIndex);
    const [before, after] = [number(tokensBefore), number(tokensAfter)];
    if (report.isNarrow)
      report.text(`message ${messageIndex}${blockIndex === null ? "" : `, block ${block}`}: ${operation}, ${before} -> ${after} tokens`);
    else report.line(columns(String(messageIndex), block, operation, before, after));
    const why = `${visible(reason)}${grade ? ` (${grade})` : ""}`;
    for (const line of item(report.isNarrow ? "  " : " ".repeat(9), why, report.width)) report.line(report.paint.dim(line));
    const next = changes[index + 1];
    const byBlock = history.format === undefined;
    const isLast = next?.messageIndex !== messageIndex || (byBlock && next.blockIndex !== blockIndex);
    if (!isLast || operation === "insert" || !afterOf.has(messageIndex)) continue;
    const texts = diff(history.messages[messageIndex], afterOf.get(messageIndex));
    const ofBlock = texts.filter((text) => !byBlock || blockIndex === null || text.blockIndex === blockIndex);
    writeTexts(report, ofBlock, { named: byBlock && blockIndex === null });
  }
}

/** Returns the changed messages by their old index. */
function changedMessages(before, after) {
  const from = origins(before, after);
  const changed = from.map((origin, at) => [origin, after[at]]).filter(([origin, message]) => origin !== -1 && message !== before[origin]);
  return new Map(changed);
}

/** Explains why nothing changed. */
function nothingToDo({ id, target, stats, isChosen }, settings, count) {
  if (isChosen) return "Nothing was condensed: you left all changes out.";
  if (count === 0) return "Nothing to do: the history has no messages.";
  if (target?.met) return `Nothing to do: the history has ${plural(stats.originalTokens, "token")}, within the target.`;
  if (settings.frozenMessages >= count) return `Nothing to do: --frozen-messages keeps all ${plural(count, "message")} unchanged.`;
  if (id === "lossless" && settings.provider === undefined)
    return "Nothing to do: lossless finds nothing to shorten. With --target 50%, truncation shortens more.";
  return `Nothing to do: ${id} found nothing to gain.`;
}

/** Describes how far the target was missed, and what may help, in sentences. */
function missedTarget({ target, stats, id }, { provider, target: asked }) {
  const sentences = [`The target of ${plural(target.tokens, "token")} cannot be reached: ${number(stats.finalTokens)} remain.`];
  // A target this small is probably meant as a percentage.
  if (asked?.tokens <= 100) sentences.push(`Did you mean --target ${asked.tokens}%?`);
  if (provider !== undefined && id !== "truncation") sentences.push("Without --provider, truncation would shorten the rest.");
  return sentences;
}

/** Describes the effect of --in-place on a file whose program keeps all lines. */
const growth = ({ program }) =>
  `${program} keeps its old lines, so a condensation in place is added at the end: the file grows, and what is sent to the model shrinks.`;

function writeOutcome(report, condensed, settings, history, written) {
  const { didCondense, stats, target, isMissed } = condensed;
  const { paint } = report;
  report.line();
  if (isMissed) {
    const [sentence, ...advice] = missedTarget(condensed, settings);
    report.text(sentence, paint.red);
    for (const line of advice) report.text(line);
  } else if (!didCondense) {
    report.text(nothingToDo(condensed, settings, history.messages.length), paint.green);
  } else {
    const within = !target ? "" : target.met ? ", within the target" : "; over the target, because of what you left as it was";
    const about = condensed.exact === false ? "about " : "";
    report.text(
      `${number(stats.originalTokens)} -> ${about}${plural(stats.finalTokens, "token")}, ${percent(stats.originalTokens - stats.finalTokens, stats.originalTokens)} fewer${within}.`,
      paint.green,
    );
  }
  if (settings.preview && didCondense && !isMissed) {
    report.text("This was a dry run: no language model was called, and nothing was written.");
  } else if (written) {
    const { backup, restoreData } = written;
    report.text(`Written to ${visible(written.file)} (${bytes(written.bytes)}).${backup ? ` Backup: ${visible(backup)}` : ""}`);
    if (restoreData) report.text(`Restore data: ${visible(restoreData)}, for roo-condense restore.`);
    if (backup && history.appends) report.text(growth(history));
  } else if (settings.inPlace && !didCondense && !isMissed) {
    report.text("The file was left unchanged.");
  } else if (didCondense) {
    report.text(
      settings.out !== undefined || settings.inPlace
        ? "Nothing was written."
        : "Nothing was written. To keep the result, add --out FILE or --in-place.",
    );
    if (history.appends) report.text(growth(history));
  }
}

/** Returns the report as text. `written` describes the output: `{ file, backup, bytes }`. */
function reportText(condensed, settings, history, { stream, env, written, totalMs, diffMessages }) {
  const report = new Report(stream, env, settings.color);
  const { paint } = report;
  const { changes, firstChangedIndex, condensingMs, cost, warnings, problems, didCondense, samples, promptCache, summary } = condensed;
  report.text(`${history.shownName}: ${plural(history.messages.length, "message")}, ${bytes(history.bytes.length)}`, paint.bold);
  report.text(approach(condensed, settings));
  if (condensed.target) report.text(goal(condensed.target));
  if (condensed.providers?.length > 1 && !condensed.isChosen) report.text(savedBy(condensed.providers));
  writeTokens(report, condensed);
  writePasses(report, condensed);
  writeOperations(report, condensed);
  writeQuality(report, condensed);
  writeSurvival(report, condensed, written);
  if (settings.preview || promptCache?.rewriteCost !== undefined) writePromptCache(report, condensed, history.messages.length);
  const diff = (before, after) => diffMessages(before, after, LIMITS, history.format);
  writeSamples(report, samples, diff);
  if (settings.explain) writeChanges(report, { changes, messages: condensed.messages ?? [] }, history, diff);
  if (!settings.preview) writeSummary(report, summary ?? "");
  report.line();
  if (didCondense && !settings.preview && promptCache?.rewriteCost === undefined)
    report.fact(
      "First changed message",
      number(firstChangedIndex),
      `of ${number(history.messages.length)}; the cache covers all before it`,
    );
  report.fact("Time", milliseconds(totalMs), `of which condensing ${milliseconds(condensingMs)}`);
  if (cost > 0) report.row(settings.preview ? "Cost, estimated" : "Cost", [dollars(cost)]);
  if (hasToolText(history.messages)) {
    report.line();
    report.text("Tool calls are plain text in these messages, so they count as message text.", paint.dim);
  }
  writeProblems(report, problems);
  const told = warnings.filter((warning) => !(condensed.target && warning.code === "target_not_met"));
  if (told.length) {
    report.line();
    report.text(told.length === 1 ? "Warning:" : `${number(told.length)} warnings:`, paint.yellow);
    report.list(told.map(({ code, message }) => visible(`${code}: ${message}`)));
  }
  writeOutcome(report, condensed, settings, history, written);
  return report.toString();
}

/** Returns the report as an object for JSON. */
function reportJson(condensed, settings, history, { written, totalMs }) {
  const {
    id,
    tokens,
    target,
    stats,
    changes,
    didCondense,
    firstChangedIndex,
    promptCache,
    survival,
    summaryQuality,
    passes,
    samples,
    cost,
    summary,
    warnings,
    problems,
    condensingMs,
  } = condensed;
  const [before, after] = [totalOf(tokens.before), tokens.after ? totalOf(tokens.after) : stats.finalTokens];
  const byKind = Object.fromEntries(
    Object.keys(KINDS).map((kind) => [kind, { before: tokens.before[kind], ...(tokens.after && { after: tokens.after[kind] }) }]),
  );
  return {
    input: { file: history.name, bytes: history.bytes.length, messages: history.messages.length, problems },
    provider: workedOf(condensed),
    ...(workedOf(condensed) !== id && { asked: id }),
    ...(condensed.providers && { providers: condensed.providers }),
    ...(settings.preset !== undefined && { preset: settings.preset }),
    target: target ?? null,
    ...(settings.preview ? { wouldCondense: didCondense } : { didCondense }),
    tokens: { before, after, saved: before - after, savedByGrade: stats.savedByGrade, reductionPercent: stats.reductionPercent, byKind },
    operations: byOperation(changes),
    changes,
    firstChangedIndex,
    ...(promptCache && { promptCache }),
    ...(summaryQuality && { summaryQuality }),
    ...(survival && { survival }),
    ...(passes && { passes }),
    ...(samples && { samples }),
    cost,
    summary,
    warnings,
    timeMs: { total: totalMs, condensing: condensingMs },
    output: written ?? null,
    ...(settings.messages && { messages: condensed.messages, restoreData: condensed.restoreData }),
  };
}

module.exports = { missedTarget, reportJson, reportText, writeChanges };
