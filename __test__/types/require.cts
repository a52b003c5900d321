// The package as a CommonJS module of TypeScript requires it.
import api = require("roo-condense");

const manager: api.CondensationManager = new api.CondensationManager({ provider: "truncation" });
const problems: api.Problem[] = api.validateMessages([]);
const condensed: Promise<api.CondensationResult<{ role: string; content: string; ts: number }>> = manager.condense({
  messages: [{ role: "user", content: "hi", ts: 1 }],
});

export = { problems, condensed };
