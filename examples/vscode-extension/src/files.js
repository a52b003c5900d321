"use strict";

// Histories and what leads back from them, as files: replaced as a whole or not at all, after a backup.

const { constants } = require("node:fs");
const fs = require("node:fs/promises");

const parse = async (file) => JSON.parse(await fs.readFile(file, "utf8"));

/** An array of messages, or an object that has one in `messages`. */
async function readHistory(file) {
  const content = await parse(file);
  const messages = Array.isArray(content) ? content : content?.messages;
  if (!Array.isArray(messages)) throw new Error(`${file} holds no array of messages.`);
  return { messages };
}

/** Beside the file, then moved over it: whoever reads it sees the old one or the new one. */
async function replace(file, content) {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    await fs.writeFile(beside, JSON.stringify(content), { mode: 0o600 });
    await fs.rename(beside, file);
  } catch (error) {
    await fs.rm(beside, { force: true });
    throw error;
  }
}

/** Copies a file to the first free name; returns it. */
async function backUp(file) {
  for (let count = 0; ; count++) {
    const copy = count ? `${file}.bak.${count}` : `${file}.bak`;
    try {
      await fs.copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

/** Writes messages in the form that the file has. Returns where it stands as it was. */
async function writeHistory(file, messages) {
  const content = await parse(file);
  const backup = await backUp(file);
  await replace(file, Array.isArray(content) ? messages : { ...content, messages });
  return backup;
}

const pathOfUndo = (file) => `${file}.undo.json`;

/** What leads back, the newest last. */
async function readUndo(file) {
  try {
    return await parse(pathOfUndo(file));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

const addUndo = async (file, restoreData) => replace(pathOfUndo(file), [...(await readUndo(file)), restoreData]);

/** Removes what was used. It is told by its content: the file is read anew each time. */
async function removeUndo(file, used) {
  const left = await readUndo(file);
  const at = left.findLastIndex((restoreData) => JSON.stringify(restoreData) === JSON.stringify(used));
  if (at !== -1) left.splice(at, 1);
  if (left.length) await replace(pathOfUndo(file), left);
  else await fs.rm(pathOfUndo(file), { force: true });
}

module.exports = { addUndo, pathOfUndo, readHistory, readUndo, removeUndo, writeHistory };
