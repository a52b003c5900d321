"use strict";

// The name of the platform of a binary: the suffix of its file and npm package.

/** The platforms with a package, as in `npm/`. */
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
 * Returns the version of glibc that this process runs on, from Node's own report; undefined on musl and other
 * systems.
 * @returns {string | undefined}
 */
function glibcVersion() {
  // @types/node lacks `excludeNetwork` and the shape of a report.
  const report = /** @type {undefined | { excludeNetwork: boolean, getReport(): { header: { glibcVersionRuntime?: string } } }} */ (
    /** @type {unknown} */ (process.report)
  );
  if (!report || typeof report.getReport !== "function") return undefined;
  // With the network part, the report resolves the host name of every open socket, which can take seconds.
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  try {
    return report.getReport().header.glibcVersionRuntime;
  } finally {
    report.excludeNetwork = before;
  }
}

/**
 * Returns the C library of this process. Without a report (some runtimes other than Node) it assumes glibc, by far
 * the more common.
 * @returns {"gnu" | "musl"}
 */
function linuxLibc() {
  return typeof process.report?.getReport !== "function" || glibcVersion() ? "gnu" : "musl";
}

/**
 * Returns the platform of this process, in napi-rs's naming: `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`. Also
 * names platforms without a package (`freebsd-x64`), for errors and local builds.
 * @returns {string}
 */
function platformName() {
  const { platform, arch } = process;
  if (platform === "linux") return `linux-${arch}-${linuxLibc()}`;
  if (platform === "win32") return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

module.exports = { PLATFORMS, glibcVersion, platformName };
