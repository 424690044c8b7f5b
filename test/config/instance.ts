import { config, type ConfigNeeds } from "../../src/config/app.ts";
import { bundledFiles } from "../../src/config/files.ts";
import { unauthenticated } from "../../src/http/bearer.ts";
import type { LogEntry } from "../../src/http/log.ts";

export const CREDENTIAL = { username: "config", password: "of-the-tests" };
export const BASIC = `Basic ${btoa(`${CREDENTIAL.username}:${CREDENTIAL.password}`)}`;

export type ConfigInstance = ReturnType<typeof configInstance>;

/** A configuration server on the files it is given, open as on loopback unless told otherwise. */
export function configInstance(needs: Partial<ConfigNeeds> = {}) {
  const log: LogEntry[] = [];
  const app = config({
    files: bundledFiles({}),
    secrets: { readSecrets: () => Promise.resolve(undefined) },
    credential: CREDENTIAL,
    isLoopback: true,
    target: ({ env }) => (env as { target?: string } | undefined)?.target,
    verify: () => Promise.reject(unauthenticated("The token is not valid")),
    health: {},
    timeout: 8000,
    now: Date.now,
    log: (entry) => void log.push(entry),
    documentationScript: () => new Response(null, { status: 404 }),
    ...needs,
  });
  return {
    log,
    /** Sends `path` as the target of a request line; what the URL parser leaves of it is what the handlers see. */
    call: (path: string, { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {}) => {
      const request = new Request(path.startsWith("/") ? `http://config.localhost${path}` : path, { method, headers, ...(body !== undefined && { body }) });
      return Promise.resolve(app.fetch(request, { target: path }));
    },
  };
}
