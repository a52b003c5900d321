// What the addon asks of a system: the time, random numbers, and where to write what it says when it fails. No files, no environment, no waiting.

/** Errno of WASI: there is no such function. */
const NOT_SUPPORTED = 52;
const SUCCESS = 0;

/**
 * The functions of WASI that the addon imports.
 * @param {WebAssembly.Memory} memory
 */
export function systemOf(memory) {
  // Made anew each time: memory that has grown is another buffer.
  const view = () => new DataView(memory.buffer);
  const put = (at, number) => view().setUint32(at, number, true);
  return {
    random_get(at, length) {
      // No more at a time than the browser gives.
      for (let done = 0; done < length; done += 65_536) {
        crypto.getRandomValues(new Uint8Array(memory.buffer, at + done, Math.min(65_536, length - done)));
      }
      return SUCCESS;
    },
    environ_sizes_get(count, bytes) {
      put(count, 0);
      put(bytes, 0);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    /** Clock 0 is the time of day, all others only go on. */
    clock_time_get(clock, _precision, at) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return SUCCESS;
    },
    fd_write(_descriptor, pieces, count, written) {
      let [text, bytes] = ["", 0];
      for (let index = 0; index < count; index++) {
        const [at, length] = [view().getUint32(pieces + 8 * index, true), view().getUint32(pieces + 8 * index + 4, true)];
        text += new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));
        bytes += length;
      }
      // Only what it says of a panic, right before it ends.
      if (text.trim()) console.error(text.trimEnd());
      put(written, bytes);
      return SUCCESS;
    },
    poll_oneoff: () => NOT_SUPPORTED,
    sched_yield: () => SUCCESS,
    proc_exit(code) {
      throw new Error(`the WebAssembly instance has ended with code ${code}`);
    },
  };
}
