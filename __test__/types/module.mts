// The package resolves by name from an ES module.
import { version } from "roo-condense";
import * as everything from "roo-condense";

const current: string = version();
const same: typeof version = everything.version;

export { current, same };
