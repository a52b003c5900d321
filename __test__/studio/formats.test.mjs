// The studio with histories of other formats: looked at, condensed, proven, undone and saved as they are.

import { afterEach, describe, expect, test } from "vitest";
import { asking } from "./asking.mjs";
import { api } from "../api/support.mjs";
import { FORMATS, rounds, task } from "../formats/rounds.mjs";

const hosts = [];
afterEach(() => hosts.splice(0).forEach((host) => host.dispose()));

function hostOf(source, options = {}) {
  const host = api.createStudioHost(new api.CondensationManager(), { histories: [source], ...options });
  hosts.push(host);
  return asking(host);
}

/** The same file is read again and again. */
const historyOf = (format) => [...task(format), ...rounds(format, 1, 6), ...rounds(format, 6, 12)];

describe.each(FORMATS.filter((format) => format !== "anthropic"))("%s", (format) => {
  test("is shown, condensed, proven, undone and saved", async () => {
    let messages = historyOf(format);
    const before = JSON.stringify(messages);
    const saved = [];
    const save = (condensed, restoreData) => {
      saved.push(restoreData);
      messages = condensed;
      return { file: "h.json" };
    };
    const undoSave = (restored) => {
      messages = restored;
      return { file: "h.json" };
    };
    const ask = hostOf({ id: "h", read: () => ({ messages }), save, undoSave });
    const { inspection } = await ask("inspect", { history: "h" });
    expect(inspection.messages).toHaveLength(messages.length);
    const texts = [];
    for (let index = 0; index < messages.length; index++) texts.push(...(await ask("message", { history: "h", index })).texts);
    const kinds = new Set(texts.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["call", "result", "text"]);
    expect((await ask("recall", { history: "h", provider: "lossless" })).recall).toBeDefined();
    const found = await ask("condense", { history: "h", provider: "lossless" });
    expect(found.changes.length).toBeGreaterThan(0);
    const condensation = found.id;
    const change = found.changes[0];
    expect(await ask("proof", { condensation, change: change.id })).toMatchObject({ identical: true });
    const shown = await ask("message", { history: "h", index: change.messageIndex, condensation });
    expect(shown.fate).toBe("changed");
    expect(shown.diff.length).toBeGreaterThan(0);
    const undone = await ask("undo", { condensation, changes: found.changes.map(({ id }) => id) });
    expect(undone.refused).toEqual([]);
    const again = await ask("condense", { history: "h", provider: "lossless", kept: undone.condensation.kept });
    expect(again.changes).toEqual([]);
    await ask("save", { condensation });
    expect(saved).toHaveLength(1);
    expect(JSON.stringify(messages)).not.toBe(before);
    await ask("undoSave", { history: "h" });
    expect(JSON.stringify(messages)).toBe(before);
  });

  test("is opened from the text of a file", async () => {
    const ask = hostOf({ id: "h", read: () => ({ messages: historyOf("anthropic") }) });
    const text = JSON.stringify(historyOf(format));
    const { history } = await ask("open", { name: "file.json", text });
    expect(history.messages).toBe(historyOf(format).length);
    const { id } = await ask("condense", { history: history.id, provider: "smart", targetTokens: 2000 });
    const exported = await ask("export", { condensation: id });
    expect(api.validateMessages(JSON.parse(exported.text), { format })).toEqual([]);
  });

  test("is found among the sessions by its first words", async () => {
    const session = { id: "s", read: () => ({ messages: historyOf(format) }) };
    const found = { id: "s", agent: "codex", name: "s", changed: 1, bytes: 1 };
    const sessions = { find: () => ({ folders: [], sessions: [found] }), open: () => session };
    const ask = hostOf({ id: "h", read: () => ({ messages: historyOf("anthropic") }) }, { sessions });
    await ask("sessions", {});
    expect((await ask("session", { id: "s" })).title).toBe("Please have a look at these files.");
    expect((await ask("openSession", { id: "s" })).history.messages).toBe(historyOf(format).length);
  });
});
