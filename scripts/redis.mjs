// The Redis that the test of the fleet is run with (`examples/redis-fleet`): a redis-server on the PATH, or else Debian's package.
//
//   node scripts/redis.mjs      prints its path, and installs it when there is none

import { ensureProgram, onPath } from "./programs.mjs";
import { isProgram, main } from "./tools.mjs";

/** Sees to it that there is one, as far as that is possible. */
export const ensureRedis = () =>
  ensureProgram({
    find: () => onPath("redis-server"),
    debian: "redis-server",
    missing: "The test of the fleet needs redis-server, and there is none on the PATH.",
    about: "for the test of the fleet (some seconds)",
  });

if (isProgram(import.meta.url)) {
  await main(async () => {
    const server = await ensureRedis();
    if (server) console.log(server);
  });
}
