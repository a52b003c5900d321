"use strict";

// Writes the result completely or not at all, and never over another file by mistake.
//
// This is not left to a package such as write-file-atomic. Bundlers of VS Code extensions would include it, and its releases from 6 on need
// a newer Node than 20.0. No release refuses to replace a file, makes a backup, or notices that another program wrote meanwhile.

const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { EXIT, Failure } = require("./exit-codes.js");
const { visible } = require("./terminal.js");

const statOf = (file) => fs.statSync(file, { throwIfNoEntry: false });
const isSameFile = (one, other) => one.dev === other.dev && one.ino === other.ino;
const isUntouched = (before, now) => isSameFile(before, now) && before.size === now.size && before.mtimeMs === now.mtimeMs;

function notWritten(file, error) {
  const reasons = {
    EACCES: "no permission to write there",
    EPERM: "no permission to write there",
    ENOENT: `its folder ${visible(path.dirname(file))} does not exist; make it first`,
    ENOTDIR: "a part of the path is not a folder",
    EISDIR: "is a folder; name a file in it",
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    EFBIG: "the file exceeds the size limit of this process",
    EIO: "the device failed",
    ENAMETOOLONG: "the name is too long",
    EROFS: "the file system is read-only",
    EEXIST: "exists already; --force overwrites it",
    ELOOP: "symbolic links lead round in a circle",
    EDANGLING: "is a symbolic link to a file that does not exist",
  };
  return new Failure(EXIT.notWritten, `${visible(file)}: ${reasons[error.code] ?? error.message}`, { cause: error });
}

/**
 * Creates a file with this content, which is on the disk when this returns. Fails if the file exists.
 * @param {string} file
 * @param {string | Uint8Array | Uint8Array[]} content
 * @param {{ mode?: number, like?: fs.Stats }} [options] `like`: the file whose owner and mode the new one gets
 */
function create(file, content, { mode = 0o666, like } = {}) {
  const descriptor = fs.openSync(file, "wx", mode);
  try {
    for (const part of [content].flat()) fs.writeFileSync(descriptor, part);
    if (like) imitate(descriptor, like);
    fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(file, { force: true });
    throw error;
  }
  fs.closeSync(descriptor);
}

/** Gives an open file the owner and mode of another. Only root may change owners; for other users, the owner is the same in any case. */
function imitate(descriptor, stat) {
  if (process.platform === "win32") return;
  const own = fs.fstatSync(descriptor);
  if (own.uid !== stat.uid || own.gid !== stat.gid) {
    try {
      fs.fchownSync(descriptor, stat.uid, stat.gid);
    } catch (error) {
      if (error.code !== "EPERM") throw error;
    }
  }
  // Set after the owner, because changing the owner clears some bits.
  fs.fchmodSync(descriptor, stat.mode & 0o7777);
}

/** Writes a folder to the disk, which makes a rename in it permanent. Some systems cannot open folders; the file itself is safe there, too. */
function syncFolder(folder) {
  try {
    const descriptor = fs.openSync(folder, "r");
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (!["EACCES", "EISDIR", "EPERM", "EINVAL", "ENOTSUP", "EBADF"].includes(error.code)) throw error;
  }
}

/** Writes a file beside `file`, and moves it there with `move(temporary)`. */
function writeBeside(file, content, options, move) {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${path.basename(file)}.${crypto.randomBytes(6).toString("hex")}.tmp`);
  try {
    create(temporary, content, options);
    move(temporary);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  syncFolder(folder);
}

/**
 * Creates or replaces a file. `temporary` is a path on the same disk, where a killed process may leave an unfinished file.
 * @param {string} file
 * @param {Uint8Array | Uint8Array[]} content
 * @param {{ mode: number, temporary: string }} options
 */
function replaceFile(file, content, { mode, temporary }) {
  try {
    fs.rmSync(temporary, { force: true });
    create(temporary, content, { mode });
    moveTo(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw notWritten(file, error);
  }
}

/** Moves a file, replacing any other; the move is on the disk when this returns. */
function moveTo(temporary, file) {
  fs.renameSync(temporary, file);
  syncFolder(path.dirname(file));
}

/** Writes the content to the first of `file.bak`, `file.bak.1`, `file.bak.2`, ... that does not exist. Returns its name. */
function writeBackup(file, content, stat) {
  for (let count = 0; ; count++) {
    const backup = count === 0 ? `${file}.bak` : `${file}.bak.${count}`;
    try {
      // Other users cannot read the file while it is being written.
      create(backup, content, { mode: 0o600, like: stat });
    } catch (error) {
      if (error.code === "EEXIST") continue;
      throw notWritten(backup, error);
    }
    fs.utimesSync(backup, stat.atime, stat.mtime);
    return backup;
  }
}

/** Creates a file under the first free name of `names`, completely or not at all. Returns its name. */
function writeUnderFreeName(names, content, options) {
  for (const name of names) {
    try {
      writeBeside(name, content, options, (temporary) => moveWithoutReplacing(temporary, name));
      return name;
    } catch (error) {
      if (error.code !== "EEXIST") throw notWritten(name, error);
    }
  }
  return undefined;
}

/**
 * Writes the restore data beside the result, then the result with `write()`, so that neither exists without the other.
 * @param {{ file: string, names: Iterable<string>, content: string, like: fs.Stats | undefined }} data
 * @param {() => any} write
 */
function withRestoreData({ file, names, content, like }, write) {
  const existing = statOf(file);
  // Restore data cannot be stored beside a device or a pipe.
  if (existing && !existing.isFile()) return write();
  const mode = (existing ?? like)?.mode;
  const name = writeUnderFreeName(names, content, { mode: mode === undefined ? 0o666 : mode & 0o666 });
  try {
    return { ...write(), restoreData: name };
  } catch (error) {
    if (name) fs.rmSync(name, { force: true });
    throw error;
  }
}

/** Refuses an input that cannot be replaced, before it is read: reading a pipe would consume its content. */
function requireReplaceable(name) {
  let stat;
  try {
    stat = statOf(name);
  } catch {
    // Reading the file later reports the error.
    return;
  }
  if (!stat || stat.isFile() || stat.isDirectory()) return;
  const kind = stat.isFIFO() ? "a pipe" : stat.isSocket() ? "a socket" : "a device";
  throw new Failure(
    EXIT.usage,
    `${visible(name)} is ${kind}, which --in-place cannot overwrite: use --out FILE to write the result elsewhere`,
  );
}

/**
 * Replaces the content of the file that `history` was read from; a symbolic link still points to it. Returns the paths of file and backup,
 * and the number of other hard links to the file, which keep the old content.
 */
function replaceInput(history, content) {
  let file;
  let backup;
  let isReplaced = false;
  if (history.isHalfWritten)
    throw new Failure(
      EXIT.notWritten,
      `${history.shownName}: its last line is incomplete, because another program is writing it, and would be lost; the file was left unchanged. Try again, or use --out FILE`,
    );
  try {
    file = fs.realpathSync(history.name);
    refuseIfTouched(file, history);
    backup = writeBackup(file, history.bytes, history.stat);
    writeBeside(file, content, { mode: 0o600, like: history.stat }, (temporary) => {
      refuseIfTouched(file, history);
      fs.renameSync(temporary, file);
      isReplaced = true;
    });
    return { file, backup, ...(history.stat.nlink > 1 && { otherNames: history.stat.nlink - 1 }) };
  } catch (error) {
    // The input is unchanged, so it needs no backup.
    if (backup && !isReplaced) fs.rmSync(backup, { force: true });
    throw error instanceof Failure ? error : notWritten(file ?? history.name, error);
  }
}

function refuseIfTouched(file, history) {
  const now = statOf(file);
  if (now && isUntouched(history.stat, now)) return;
  throw new Failure(
    EXIT.notWritten,
    `${history.shownName}: another program wrote to it meanwhile, so it was left unchanged. Close the task in your editor and try again`,
  );
}

/** Throws, before the work begins, if `writeOutput` would refuse to write. */
function checkOutput(file, history, force, itself = "--out is the input itself: use --in-place to overwrite it, after a backup") {
  if (file === "-") return;
  let stat;
  try {
    stat = statOf(file);
  } catch (error) {
    throw notWritten(file, error);
  }
  if (stat && history.stat && isSameFile(stat, history.stat)) {
    throw new Failure(EXIT.usage, itself);
  }
  if (stat?.isDirectory()) throw notWritten(file, { code: "EISDIR" });
  if (!stat && fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw notWritten(file, { code: "EDANGLING" });
  if (stat?.isFile() && !force) throw notWritten(file, { code: "EEXIST" });
  if (!stat && !statOf(path.dirname(file))) throw notWritten(file, { code: "ENOENT" });
  if (stat && !stat.isFile()) return;
  try {
    // A result is first written to the same folder, and then moved to its place.
    fs.accessSync(path.dirname(stat ? fs.realpathSync(file) : file), fs.constants.W_OK);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Creates a file, or replaces one with `force`. Devices and pipes are written to, not replaced. Returns the path. */
function writeOutput(file, content, history, force) {
  checkOutput(file, history, force);
  try {
    const existing = statOf(file);
    if (existing && !existing.isFile()) {
      fs.writeFileSync(file, content);
    } else if (existing) {
      const target = fs.realpathSync(file);
      writeBeside(target, content, { mode: 0o600, like: existing }, (temporary) => fs.renameSync(temporary, target));
    } else {
      // The result is as private as the history.
      const mode = history.stat ? history.stat.mode & 0o666 : 0o666;
      writeBeside(file, content, { mode }, (temporary) => moveWithoutReplacing(temporary, file));
    }
    return file;
  } catch (error) {
    throw error instanceof Failure ? error : notWritten(file, error);
  }
}

/** Moves a file by a hard link, which, unlike a rename, fails if another program has created the file meanwhile. Some file systems have no links. */
function moveWithoutReplacing(temporary, file) {
  try {
    fs.linkSync(temporary, file);
  } catch (error) {
    if (error.code === "EEXIST") throw error;
    if (fs.lstatSync(file, { throwIfNoEntry: false })) throw Object.assign(new Error("exists"), { code: "EEXIST" });
    fs.renameSync(temporary, file);
  }
}

/** Writes all bytes at a position of an open file. A single system call may write only a part of them. */
function writeAt(descriptor, bytes, at) {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(descriptor, bytes, done, bytes.length - done, at + done);
}

module.exports = { checkOutput, moveTo, notWritten, replaceFile, replaceInput, requireReplaceable, withRestoreData, writeAt, writeOutput };
