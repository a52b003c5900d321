// Before all tests: the studio and the SDK of the MCP server as they are packed, built where they are missing or old.

import { ensureMcp } from "../scripts/build-mcp.mjs";
import { ensureUi } from "../scripts/build-ui.mjs";

export const setup = async () => {
  ensureUi();
  await ensureMcp();
};
