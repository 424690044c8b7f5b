// Writes src/config/bundled.ts from the files beside this one: `node configuration/bundle.ts`. Workers have no file system.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL(".", import.meta.url);

const names = readdirSync(folder).filter((name) => /\.(yml|yaml|properties|json)$/.test(name)).toSorted();
const entries = names.map((name) => `  ${JSON.stringify(name)}: \`${readFileSync(new URL(name, folder), "utf8").replace(/[\\`]|\$\{/g, String.raw`\$&`)}\`,`);
const text = `// Made by configuration/bundle.ts from the files in configuration/: change those.

/** Name → the text of each file, for the platform's own services. */
export const bundledConfiguration: Readonly<Record<string, string>> = {
${entries.join("\n")}
};
`;
writeFileSync(new URL("../src/config/bundled.ts", folder), text);
