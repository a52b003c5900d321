// Salient truncation as policies: functions of messages and a budget.

/** With these settings, or with all signals. */
export function salientPolicy(addon, settings = {}) {
  const provider = addon.createTruncationProvider({ strategy: "salient", ...settings });
  return async (messages, targetTokens) => (await provider.condense({ messages }, { targetTokens })).messages;
}

/** Without each of its signals, by `- SIGNAL`. */
export function withoutEachSignal(addon) {
  const signals = addon.createTruncationProvider().getConfigSchema().properties.withoutSignal.enum;
  const policies = signals
    .filter((signal) => signal !== "none")
    .map((withoutSignal) => [`- ${withoutSignal}`, salientPolicy(addon, { withoutSignal })]);
  return Object.fromEntries(policies);
}
