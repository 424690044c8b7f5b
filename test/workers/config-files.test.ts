import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openOwnConfigFiles } from "../../workers/config-files.ts";
import { ownFolder } from "./folder.ts";

const MODULE = new URL("../../workers/config-files.ts", import.meta.url).href;

test("The platform's own configuration is found from any working directory", () => {
  const code = `import { openOwnConfigFiles } from ${JSON.stringify(MODULE)};
    console.log(JSON.stringify([...(await (await openOwnConfigFiles()).at()).names]));`;
  const names = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: ownFolder(), encoding: "utf8" })) as string[];
  expect(names).toContain("application.yml");
});

test("Where the folder is not there, what was bundled is meant", async () => {
  expect(await openOwnConfigFiles(join(ownFolder(), "configuration"))).toBeUndefined();
});
