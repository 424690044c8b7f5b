import { join } from "node:path";
import { serve } from "./child.ts";
import { aptInstall, missingPackage } from "./apt.ts";
import { found, isListening, portFor, said } from "./machine.ts";
import type { System } from "./system.ts";

const isThere = () => found("redis-server") !== undefined;

/** The distribution's Redis, keeping nothing. */
export const redis: System = {
  name: "Redis",
  missing: () => (isThere() ? [] : missingPackage("Redis", "redis-server")),
  prepare: async () => {
    if (!isThere()) await aptInstall("redis-server");
  },
  start: async ({ data }) => {
    const port = await portFor("REDIS_PORT", data);
    const server = await serve(["redis-server", "--port", String(port), "--bind", "127.0.0.1", "--dir", data, "--save", "", "--appendonly", "no"], {
      log: join(data, "redis.log"),
      isReady: () => isListening(port),
    });
    const version = /v=([\d.]+)/.exec(said("redis-server", "--version"))?.[1] ?? "";
    return { ...server, version, environment: { TEST_REDIS_URL: `redis://127.0.0.1:${port}` } };
  },
};
