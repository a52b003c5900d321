"use strict";

// The name of the platform a binary is for: the suffix of the file and of the npm package that hold it.

/** The platforms that have a package, as in `npm/`. */
const PLATFORMS = Object.freeze([
  "linux-x64-gnu",
  "linux-arm64-gnu",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64-msvc",
  "win32-arm64-msvc",
]);

/**
 * The version of glibc that this process runs on, as Node's own report names it; undefined on musl, and elsewhere.
 * @returns {string | undefined}
 */
function glibcVersion() {
  // What @types/node does not say: `excludeNetwork`, and the shape of a report.
  const report = /** @type {undefined | { excludeNetwork: boolean, getReport(): { header: { glibcVersionRuntime?: string } } }} */ (
    /** @type {unknown} */ (process.report)
  );
  if (!report || typeof report.getReport !== "function") return undefined;
  // With the network part the report resolves the host name of every open socket, which can take seconds.
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  try {
    return report.getReport().header.glibcVersionRuntime;
  } finally {
    report.excludeNetwork = before;
  }
}

/**
 * The C library of this process. Without a report (some runtimes other than Node) glibc, by far the more common.
 * @returns {"gnu" | "musl"}
 */
function linuxLibc() {
  return typeof process.report?.getReport !== "function" || glibcVersion() ? "gnu" : "musl";
}

/**
 * The platform of this process, in the naming of napi-rs: `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`. Also names
 * platforms for which there is no package (`freebsd-x64`), so that errors and local builds can.
 * @returns {string}
 */
function platformName() {
  const { platform, arch } = process;
  if (platform === "linux") return `linux-${arch}-${linuxLibc()}`;
  if (platform === "win32") return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

module.exports = { PLATFORMS, glibcVersion, platformName };
