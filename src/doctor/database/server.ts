import { isNeon } from "../../database/neon.ts";
import { isLoopbackUrl } from "../../http/loopback.ts";
import type { Finding } from "../finding.ts";
import { isOlder, LEAST } from "../versions.ts";
import { found } from "./found.ts";
import type { Server } from "./store.ts";

export function serverFindings(server: Server, { url, pool }: { url: string; pool: number }): Finding[] {
  const { version, encoding } = server;
  return [
    found(isOlder(version, LEAST.postgres) ? "version-old" : "version", { version }),
    encoding === "UTF8" ? found("encoding") : found("encoding-other", { encoding }),
    found(server.is_standby || server.is_read_only ? "standby" : "writable"),
    tls(server, url),
    ...excess(server),
    connections(server, { url, pool }),
  ];
}

function tls({ protocol }: Server, url: string): Finding {
  if (isNeon(url)) return found("tls", { protocol: "HTTPS" });
  const at = new URL(url.replace(/^postgres(ql)?:/, "http:"));
  const isHere = isLoopbackUrl(at.href);
  if (protocol === null) return isHere ? found("tls-local") : found("tls-none", { host: at.host });
  const isVerified = isHere || (at.searchParams.get("sslmode") ?? "").startsWith("verify-");
  return found(isVerified ? "tls" : "tls-unverified", { protocol });
}

function excess({ user, is_superuser, may_create_role, may_create_database, bypasses_rls }: Server): Finding[] {
  if (is_superuser) return [found("superuser", { user })];
  const powers = [
    ...(may_create_role ? [["create roles", "NOCREATEROLE"]] : []),
    ...(may_create_database ? [["create databases", "NOCREATEDB"]] : []),
    ...(bypasses_rls ? [["pass row security", "NOBYPASSRLS"]] : []),
  ];
  if (powers.length === 0) return [found("least", { user })];
  return [found("powers-excess", { user, powers: powers.map(([power]) => power).join(", "), remedy: powers.map(([, words]) => words).join(" ") })];
}

function connections({ user, max_connections: max, reserved, used, connection_limit: limit }: Server, { url, pool }: { url: string; pool: number }): Finding {
  const free = Math.max(0, max - reserved - used);
  if (isNeon(url)) return found("connections", { free, max, pool: "no" });
  if (limit >= 0 && limit < pool) return found("role-connections", { user, limit, pool });
  return found(free < pool ? "connections-few" : "connections", { free, max, pool });
}
