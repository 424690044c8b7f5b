import { json } from "./answer.ts";
import type { Server } from "./server.ts";
import { isStorageThere } from "./seal-store.ts";

/** As an active server that is unsealed, or as a sealed one while the storage is away. */
export async function healthAnswer(server: Server, query: URLSearchParams): Promise<Response> {
  const isSealed = !(await isStorageThere(server.db));
  const status = codeIn(query.get(isSealed ? "sealedcode" : "activecode")) ?? (isSealed ? 503 : 200);
  return json(
    {
      initialized: true,
      sealed: isSealed,
      standby: isSealed,
      performance_standby: false,
      replication_performance_mode: "disabled",
      replication_dr_mode: "disabled",
      server_time_utc: Math.floor(server.now() / 1000),
      version: "1.21.4-gatehouse",
      enterprise: false,
      cluster_name: "gatehouse",
    },
    status,
  );
}

function codeIn(given: string | null): number | undefined {
  return given !== null && /^[2-5]\d\d$/.test(given) && given !== "204" && given !== "205" && given !== "304" ? Number(given) : undefined;
}
