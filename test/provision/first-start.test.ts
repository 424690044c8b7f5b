import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownFolder } from "../workers/folder.ts";

/** Runs what a container of `compose.yaml` runs at its first start, where `programs` write their arguments down; what they were given. */
function argumentsIn(script: string, { programs, env }: { programs: string[]; env: Record<string, string> }) {
  const root = ownFolder();
  const [said, files] = [join(root, "arguments"), join(root, "files")];
  mkdirSync(join(root, "bin"));
  for (const program of programs) {
    const file = join(root, "bin", program);
    // A file of arguments is read while it is there.
    writeFileSync(file, `#!/bin/bash\nfor word; do echo "$word" >> ${said}; [[ "$word" != @* ]] || cat "\${word#@}" >> ${files}; done\n`);
    chmodSync(file, 0o755);
  }
  const text = readFileSync(new URL(`../../containers/${script}`, import.meta.url), "utf8");
  const own = join(root, script);
  writeFileSync(own, text.replace(/\/opt\/kafka(?=\/bin)|\/var\/lib\/kafka\/data|\/tmp(?=\/)/g, root));
  execFileSync("bash", [own], { env: { PATH: `${join(root, "bin")}:${process.env["PATH"]}`, ...env } });
  return { said: readFileSync(said, "utf8"), files: () => readFileSync(files, "utf8") };
}

test("Postgres' first start hands no password to a program as an argument", () => {
  const env = { POSTGRES_USER: "postgres", GATEHOUSE_DATABASE_PASSWORD: "canary1", KEYCLOAK_DATABASE_PASSWORD: "canary2" };
  const { said } = argumentsIn("databases.sh", { programs: ["psql"], env });
  expect(said).toContain("KEYCLOAK_DATABASE_PASSWORD");
  expect(said).not.toContain("canary");
});

test("Kafka's first start hands the password to its tool in a file of arguments", () => {
  const { said, files } = argumentsIn("kafka.sh", { programs: ["kafka-storage.sh", "kafka-server-start.sh"], env: { KAFKA_PASSWORD: "canary" } });
  expect(said).toContain("--standalone");
  expect(said).not.toContain("canary");
  expect(files()).toBe("--add-scram\nSCRAM-SHA-512=[name=gatehouse,password=canary]\n");
});
