import * as z from "zod";
import type { Call } from "../http/call.ts";
import { path } from "../http/path.ts";
import { shaped, unusable, type Upstream, upstreamProblem } from "../http/upstream.ts";

const RealmSchema = z.object({ "token-service": z.string() });

/** Throws unless the realm at `url` answers, and issues its tokens under the name that we know it by: no others are accepted. */
export async function checkRealm(server: Upstream, call: Call, { url, realm }: { url: string; realm: string }): Promise<void> {
  const at = path`/realms/${realm}`;
  const outcome = await server.send(call, { method: "GET", path: at });
  if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(server.name, outcome);
  const { "token-service": service } = shaped(server.name, outcome, RealmSchema);
  if (service.startsWith(`${url}${at}/`)) return;
  throw unusable(server.name, `It calls itself "${service.replace(/\/realms\/.*$/, "")}", but IDENTITY_URL is "${url}"`);
}
