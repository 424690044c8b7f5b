// Writes src/admin/policies/bundled.ts from the files beside this one: `node policies/bundle.ts`. Workers have no file system.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL(".", import.meta.url);
const SUFFIX = "-policy.hcl";

const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX)).toSorted();
const entries = names.map((name) => `  ${JSON.stringify(name.slice(0, -SUFFIX.length))}: \`${readFileSync(new URL(name, folder), "utf8").replace(/[\\`]|\$\{/g, String.raw`\$&`)}\`,`);
const text = `// Made by policies/bundle.ts from the files in policies/: change those.

/** Service → the text of its \`{service}-policy.hcl\`, for the platform's own services. */
export const bundledPolicies: Readonly<Record<string, string>> = {
${entries.join("\n")}
};
`;
writeFileSync(new URL("../src/admin/policies/bundled.ts", folder), text);
