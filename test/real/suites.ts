import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { EMBEDDED } from "../systems/embedded.ts";
import { DIFFERENCES as BROKER_DIFFERENCES } from "../wire/broker/differences.ts";
import { DIFFERENCES as IDENTITY_DIFFERENCES } from "../wire/identity/differences.ts";
import { DIFFERENCES as SECRETS_DIFFERENCES } from "../wire/secrets/differences.ts";
import { keycloak } from "./keycloak.ts";
import { kafka } from "./kafka.ts";
import { postgres } from "./postgres.ts";
import { redis } from "./redis.ts";
import type { System } from "./system.ts";
import { vault } from "./vault.ts";

export type Suite = {
  name: string;
  /** What has to run for it; nothing else is in its environment. */
  on: readonly System[];
  /** Whether it is left out of a quick run. */
  isSlow?: boolean;
  /** Patterns of its files. */
  files: readonly string[];
  /** What it takes into account, a sentence each. */
  differences?: readonly string[];
};

/** What takes longest to bring comes first. */
export const SYSTEMS: readonly System[] = [vault, keycloak, kafka, postgres, redis];

/** The services' HTTP doors, apart from those of users and sign-ins. */
const OTHER_DOORS = [
  "test/{admin,events,discovery}/*.test.ts",
  "test/http/{access,bodies,keys,secrets,shell,tokens,upstreams,metrics,metrics-people,health}.test.ts",
  "test/config/access.test.ts",
];
const EMBEDDED_ANYWAY = Object.values(EMBEDDED).map(({ file, reason }) => `${file}: ${reason}`);

/** What is run on real systems. A file `*.real.ts` belongs to the first that names it, and every one has to. */
const SUITES: readonly Suite[] = [
  { name: "identity conformance", on: [keycloak], files: ["test/wire/identity.test.ts"], differences: IDENTITY_DIFFERENCES },
  { name: "secrets conformance", on: [vault], files: ["test/wire/secrets.test.ts"], differences: SECRETS_DIFFERENCES },
  { name: "broker conformance", on: [kafka], files: ["test/wire/broker.{test,real}.ts", "test/broker/*.real.ts"], differences: BROKER_DIFFERENCES },
  { name: "database", on: [postgres], files: ["test/database/*.real.ts"] },
  { name: "rate limits", on: [redis], files: ["test/{redis,gateway}/*.real.ts"] },
  { name: "users and sign-ins", on: SYSTEMS, files: ["test/{users,auth}/*.test.ts"], differences: EMBEDDED_ANYWAY },
  { name: "journey on Node", on: SYSTEMS, files: ["test/runtime/node.test.ts"] },
  { name: "journeys on Deno and Workers", on: SYSTEMS, files: ["test/runtime/{deno,workers}.test.ts"], isSlow: true },
  { name: "administration and the rest", on: SYSTEMS, files: OTHER_DOORS, isSlow: true },
  { name: "every system killed under load", on: SYSTEMS, files: ["test/outage/*.real.ts"], isSlow: true },
  { name: "everything else", on: SYSTEMS, files: ["test/**/*.real.ts"] },
];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Each suite with its files; what is on a real system only is run once. */
export function suitesOn(systems: readonly System[], { isQuick }: { isQuick: boolean }): (Suite & { paths: string[] })[] {
  const taken = new Set<string>();
  return SUITES.map((suite) => {
    const found = suite.files.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: ["node_modules"] })).toSorted();
    const paths = [...new Set(found)].filter((path) => !(path.endsWith(".real.ts") && taken.has(path)));
    for (const path of paths) taken.add(path);
    return { ...suite, paths };
  }).filter(({ on, paths, isSlow = false }) => paths.length > 0 && !(isQuick && isSlow) && on.every((system) => systems.includes(system)));
}
