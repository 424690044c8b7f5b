import { AdministrationError, notReached } from "../../src/administration/administer.ts";
import type { Call } from "../../src/http/call.ts";
import { upstream } from "../../src/http/upstream.ts";
import { network } from "../isolate.ts";

const TIMEOUT_MS = 10_000;

/** Throws unless Upstash's REST interface takes the token. */
export async function checkUpstash(call: Call, { url, token }: { url: string; token: string | undefined }): Promise<void> {
  const name = "Redis";
  const server = upstream({ name, url, fetch: network, now: Date.now, timeout: TIMEOUT_MS });
  const outcome = await server.send(call, { method: "POST", path: "/", json: ["PING"], headers: { authorization: `Bearer ${token ?? ""}` } });
  if (outcome.kind === "lost") throw notReached({ name, url }, outcome);
  if (outcome.status !== 200) throw new AdministrationError(`Cannot use the Redis at "${url}": it answered ${outcome.status}, so look at UPSTASH_REDIS_REST_TOKEN`);
}
