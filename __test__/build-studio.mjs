// Before all tests: the studio as it is packed, built where it is missing or old.

import { ensureUi } from "../scripts/build-ui.mjs";

export const setup = () => ensureUi();
