// The package resolves by name from a CommonJS file, and `version` has its type.
import { version } from "roo-condense";

const current: string = version();

// @ts-expect-error version takes no argument
version(1);

// @ts-expect-error it is a text, not a number
const wrong: number = version();

export { current, wrong };
