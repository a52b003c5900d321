// When a condensation is due.

/** Usage of the context window. */
export interface Usage {
  /** Tokens without the last message, as the API reported them, 0 or more. */
  totalTokens: number;
  /** Tokens of the last message. Default: 0. */
  lastMessageTokens?: number | undefined;
  /** The model's context window in tokens, 1 or more. */
  contextWindow: number;
  /** Tokens reserved for the response, 0 or more, or -1 for "unlimited", as vscode-lm reports it. Default, and for 0 and -1: 8192. */
  maxTokens?: number | null | undefined;
  /** The profile whose threshold applies. Default: the global one. */
  profileId?: string | null | undefined;
}
