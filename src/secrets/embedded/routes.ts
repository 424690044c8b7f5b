import type { Body } from "./body.ts";
import type { Server } from "./server.ts";
import type { Token } from "./tokens/token.ts";

/** Vault's operations; which HTTP methods they come as is in request.ts. */
export type Operation = "read" | "list" | "write" | "patch" | "delete";

export type Exchange = {
  server: Server;
  /** What the groups of the route's path matched. */
  params: string[];
  query: URLSearchParams;
  headers: Headers;
  body: () => Promise<Body>;
  token: Token;
  /** For a write that tells creating from changing: which of them the token may. */
  may: { create: boolean; update: boolean };
};

export type Handler = (exchange: Exchange) => Promise<Response>;

export type Route = {
  /** Of the decoded path below `/v1/`. */
  path: RegExp;
  /** A write needs `create` where nothing is and `update` where something is; any other write needs `update`. */
  tellsCreation?: boolean;
  /** Its names mean the same in any case, so the rights are those of both spellings. */
  isCaseless?: boolean;
} & Partial<Record<Operation, Handler>>;
