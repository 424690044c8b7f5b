import { mkdirSync, mkdtempSync, chmodSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "../real/cache.ts";
import { kafka } from "../real/kafka.ts";
import { keycloak } from "../real/keycloak.ts";
import { postgres } from "../real/postgres.ts";
import { redis } from "../real/redis.ts";
import type { Running, System } from "../real/system.ts";
import { vault } from "../real/vault.ts";

const ALL = { keycloak, vault, kafka, postgres, redis } satisfies Record<string, System>;

export type Name = keyof typeof ALL;

export type Systems = Awaited<ReturnType<typeof startSystems>>;

/** Systems of its own to kill. */
export async function startSystems() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-outage-"));
  // Postgres runs as a user of its own, who has to get to what is in it.
  chmodSync(folder, 0o711);
  const running = new Map<Name, Running>();

  async function start(name: Name): Promise<void> {
    const data = join(folder, name);
    mkdirSync(data, { recursive: true });
    const place = { cache: cacheFolder(), data };
    await ALL[name].prepare(place);
    running.set(name, await ALL[name].start(place));
  }

  async function close(): Promise<void> {
    await Promise.all([...running.values()].map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    for (const name of Object.keys(ALL) as Name[]) await start(name);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    folder,
    /** Where they are and what opens them. */
    environment: Object.assign({}, ...[...running.values()].map(({ environment }) => environment)) as Record<string, string>,
    start,
    crash: async (name: Name) => running.get(name)?.stop("SIGKILL"),
    close,
  };
}
