"use strict";

// Histories and what leads back from them, as files: replaced as a whole or not at all, after a backup.

const { constants } = require("node:fs");
const fs = require("node:fs/promises");

/** The conversation in the records of Claude Code, which writes a line for each block of an answer, and one for each result. */
function messagesOfSession(records) {
  const messages = [];
  for (const { type, message, isSidechain } of records) {
    if ((type !== "user" && type !== "assistant") || !message || isSidechain) continue;
    const last = messages.at(-1);
    const isMore = last?.role === message.role && last.id === message.id && Array.isArray(last.content) && Array.isArray(message.content);
    if (isMore) last.content.push(...message.content);
    else messages.push(message);
  }
  return messages;
}

/** One value a line. The agent may not have finished the last one. */
function valuesIn(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = [];
  for (const [at, line] of lines.entries()) {
    try {
      values.push(JSON.parse(line));
    } catch (error) {
      if (at + 1 < lines.length) throw error;
    }
  }
  return { values, isWhole: values.length === lines.length };
}

/**
 * The messages in the text of a file, and how it is written with others, where it can be: an array, an object that has one in `messages`, or, in a file that
 * ends in `.jsonl`, one message a line. The records of a session of Claude Code can only be looked at.
 */
function historyIn(name, text) {
  if (name.endsWith(".jsonl")) {
    const { values, isWhole } = valuesIn(text);
    if (!values.every((value) => typeof value?.role === "string")) return { messages: messagesOfSession(values) };
    const textWith = (changed) => `${changed.map((message) => JSON.stringify(message)).join("\n")}\n`;
    return { messages: values, ...(isWhole && { textWith }) };
  }
  const content = JSON.parse(text);
  const messages = Array.isArray(content) ? content : content?.messages;
  if (!Array.isArray(messages)) throw new Error(`${name} holds no array of messages.`);
  return { messages, textWith: (changed) => JSON.stringify(Array.isArray(content) ? changed : { ...content, messages: changed }) };
}

const readHistory = async (file) => historyIn(file, await fs.readFile(file, "utf8"));

/**
 * Beside the file, then moved over it: whoever reads it sees the old one or the new one. A file keeps its mode, and a link leads to it as before; a new file is
 * the user's alone.
 */
async function replace(file, text) {
  const target = await fs.realpath(file).catch(() => file);
  const { mode } = await fs.stat(target).catch(() => ({ mode: 0o600 }));
  const beside = `${target}.${process.pid}.tmp`;
  try {
    await fs.writeFile(beside, text, { mode: 0o600 });
    await fs.chmod(beside, mode & 0o7777);
    await fs.rename(beside, target);
  } catch (error) {
    await fs.rm(beside, { force: true });
    throw error;
  }
}

const backupOf = (file, count) => (count ? `${file}.bak.${count}` : `${file}.bak`);

/** Copies a file to the first free name; returns it. */
async function backUp(file) {
  for (let count = 0; ; count++) {
    const copy = backupOf(file, count);
    try {
      await fs.copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

/** The text of a backup that says the same: with it, an undone file is as it was, byte for byte. */
async function textOfBackup(file, wanted) {
  for (let count = 0; ; count++) {
    const text = await fs.readFile(backupOf(file, count), "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const { messages, textWith } = historyIn(file, text);
      if (textWith?.(messages) === wanted) return text;
    } catch {
      // A file of this name need not be a history.
    }
  }
}

/** Writes messages in the form that the file has; undone ones as a backup has them. Returns where it stands as it was. */
async function writeHistory(file, messages, { isUndone = false } = {}) {
  const { textWith } = await readHistory(file);
  if (!textWith) throw new Error(`${file} is written by its agent alone, or not finished.`);
  const written = textWith(messages);
  const text = (isUndone && (await textOfBackup(file, written))) || written;
  const backup = await backUp(file);
  await replace(file, text);
  return backup;
}

const pathOfUndo = (file) => `${file}.undo.json`;

/** What leads back, the newest last. */
async function readUndo(file) {
  try {
    return JSON.parse(await fs.readFile(pathOfUndo(file), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

const writeUndo = (file, left) => replace(pathOfUndo(file), JSON.stringify(left));

const addUndo = async (file, restoreData) => writeUndo(file, [...(await readUndo(file)), restoreData]);

/** Removes what was used. It is told by its content: the file is read anew each time. */
async function removeUndo(file, used) {
  const left = await readUndo(file);
  const at = left.findLastIndex((restoreData) => JSON.stringify(restoreData) === JSON.stringify(used));
  if (at !== -1) left.splice(at, 1);
  if (left.length) await writeUndo(file, left);
  else await fs.rm(pathOfUndo(file), { force: true });
}

module.exports = { addUndo, historyIn, pathOfUndo, readHistory, readUndo, removeUndo, writeHistory };
