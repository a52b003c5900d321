// Salient truncation as policies: functions of messages and a budget.

/** With these settings. */
export function salientPolicy(addon, settings = {}) {
  const provider = addon.createTruncationProvider({ strategy: "salient", ...settings });
  return async (messages, targetTokens) => (await provider.condense({ messages }, { targetTokens })).messages;
}
