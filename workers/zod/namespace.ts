// The parts of zod's own `external.js` that a service uses: its fifty locales stay out of the bundles.
export { config, flattenError, globalRegistry, NEVER, prettifyError, registry, toJSONSchema, treeifyError, util } from "../../node_modules/zod/v4/core/index.js";
export * from "../../node_modules/zod/v4/classic/schemas.js";
export * from "../../node_modules/zod/v4/classic/checks.js";
export * from "../../node_modules/zod/v4/classic/errors.js";
export * from "../../node_modules/zod/v4/classic/parse.js";
export * as iso from "../../node_modules/zod/v4/classic/iso.js";
export * as coerce from "../../node_modules/zod/v4/classic/coerce.js";
