/** The version of the addon, as in `package.json`. */
export function version(): string;
