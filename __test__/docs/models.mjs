// The models that samples name, in one place: README, docs, examples and doc comments name no other of a service's.

/**
 * `ends` is the day on which the service stops answering for the model, or null as long as none is announced. It was looked up on the services' own pages,
 * https://platform.claude.com/docs/en/about-claude/model-deprecations and https://developers.openai.com/api/docs/deprecations, on `lookedUp`.
 * @type {{ id: string, service: "anthropic" | "openai", ends: string | null, lookedUp: string }[]}
 */
export const MODELS = [
  // The models that an agent runs on, and that write summaries.
  { id: "claude-sonnet-5-5", service: "anthropic", ends: null, lookedUp: "2026-11-26" },
  { id: "claude-haiku-5-5", service: "anthropic", ends: null, lookedUp: "2026-11-26" },
  { id: "gpt-5.6-sol", service: "openai", ends: null, lookedUp: "2026-11-26" },
  { id: "gpt-5.6-terra", service: "openai", ends: null, lookedUp: "2026-11-26" },
];

/** Models that people run themselves, which no service ends. */
export const OWN_MODELS = ["qwen3"];
