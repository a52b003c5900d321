// Why a Linux binary would not load on a system that its platform stands for, read from the file itself.

/** The newest glibc a published binary may need: 2.28 is that of RHEL 8, Debian 10, and what VS Code asks for. */
const GLIBC_MINOR = 28;

// Numbers of the ELF format (elf.h): a 64-bit little-endian file, its program header and the dynamic section.
const PROGRAM_HEADERS = { offsetAt: 0x20, sizeAt: 0x36, countAt: 0x38 };
const PT_DYNAMIC = 2;
const DT_FLAGS = 30n;
const DF_STATIC_TLS = 0x10n;
const DYNAMIC_ENTRY_BYTES = 16;

/**
 * Why the binary of a Linux platform would not load there, or undefined.
 * @param {string} platform
 * @param {Buffer} binary
 */
export function whyNotLoaded(platform, binary) {
  if (platform.endsWith("-gnu")) {
    const needed = [...binary.toString("latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    const newest = Math.max(0, ...needed);
    if (newest > GLIBC_MINOR) return `needs glibc 2.${newest}, at most 2.${GLIBC_MINOR} is allowed`;
  }
  // musl has no room for thread-local variables with fixed places in a library that is loaded at run time.
  if (platform.endsWith("-musl") && (flagsOf(binary) & DF_STATIC_TLS) !== 0n) return "has static thread-local storage, which musl refuses";
  return undefined;
}

/** The flags of the dynamic section. */
function flagsOf(binary) {
  const start = Number(binary.readBigUInt64LE(PROGRAM_HEADERS.offsetAt));
  const size = binary.readUInt16LE(PROGRAM_HEADERS.sizeAt);
  const headers = Array.from({ length: binary.readUInt16LE(PROGRAM_HEADERS.countAt) }, (_, index) => start + index * size);
  const dynamic = headers.find((at) => binary.readUInt32LE(at) === PT_DYNAMIC);
  if (dynamic === undefined) return 0n;
  const [first, bytes] = [8, 32].map((field) => Number(binary.readBigUInt64LE(dynamic + field)));
  for (let at = first; at < first + bytes; at += DYNAMIC_ENTRY_BYTES)
    if (binary.readBigUInt64LE(at) === DT_FLAGS) return binary.readBigUInt64LE(at + 8);
  return 0n;
}
