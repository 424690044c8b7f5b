import { badRequest, Refusal, refuse } from "./refusal.ts";
import type { Operation } from "./routes.ts";

export type VaultRequest = { operation: Operation; path: string };

const PREFIX = "/v1/";
const LIST_VALUES: Record<string, boolean> = { true: true, "1": true, t: true, false: false, "0": false, f: false, "": false };

/**
 * What a request asks for. The path is decoded once, here: what the rights are checked for is what the store is asked for.
 * A list is one of a folder, so its path ends in a slash.
 */
export function readRequest(request: Request): VaultRequest {
  const { pathname, search, searchParams } = new URL(request.url);
  if (!pathname.startsWith(PREFIX)) throw refuse(404);
  if (pathname.includes("//")) throw new Refusal(307, undefined, { location: `${pathname.replace(/\/{2,}/g, "/")}${search}` });
  const path = decoded(pathname.slice(PREFIX.length));
  const operation = operationOf(request.method, searchParams.get("list"));
  return { operation, path: operation === "list" && !path.endsWith("/") ? `${path}/` : path };
}

function decoded(raw: string): string {
  const path = decodedOnce(raw);
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(path) || !path.isWellFormed()) throw new Refusal(400);
  // After decoding: an encoded slash or dot is one like any other.
  const segments = path.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) throw badRequest("relative paths not supported");
  if (segments.slice(0, -1).includes("")) throw badRequest("empty path segments are not supported");
  return path;
}

function decodedOnce(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Refusal(400);
  }
}

function operationOf(method: string, list: string | null): Operation {
  if (method === "LIST") return "list";
  if (method === "POST" || method === "PUT") return "write";
  if (method === "PATCH") return "patch";
  if (method === "DELETE") return "delete";
  if (method !== "GET") throw refuse(405);
  const isList = LIST_VALUES[(list ?? "").toLowerCase()];
  if (isList === undefined) throw refuse(400);
  return isList ? "list" : "read";
}
