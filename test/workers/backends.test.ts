import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockFile } from "../../workers/lock.ts";
import { ownFolder } from "./folder.ts";

const NODE = new URL("../../workers/node.ts", import.meta.url);

test.each([
  ["users", "; beside it, set DATABASE_URL, IDENTITY_URL, BROKER_URL"],
  ["discovery", "; beside it, set DATABASE_URL"],
  ["config", "; beside it, set IDENTITY_URL, SECRETS_URL"],
  ["gateway,users,auth,admin,discovery,config", ""],
])("A process of %s beside another on the same data says in one sentence what to set", (SERVICES, advice) => {
  const GATEHOUSE_DATA = ownFolder();
  mkdirSync(join(GATEHOUSE_DATA, "postgres"));
  const unlock = lockFile(join(GATEHOUSE_DATA, "postgres", "lock"))!;
  onTestFinished(unlock);
  const start = () => execFileSync(process.execPath, [NODE.pathname], { env: { SERVICES, GATEHOUSE_DATA }, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  expect(start).toThrow(expect.objectContaining({ status: 1, stderr: `Cannot open the database in "${GATEHOUSE_DATA}/postgres": another process is using it${advice}\n` }));
});
