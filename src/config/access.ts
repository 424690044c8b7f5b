import type { Caller, VerifyBearer } from "../http/bearer.ts";
import { isForLoopback } from "../http/loopback.ts";
import { Problem } from "../http/problem.ts";

export type AccessNeeds = {
  verify: VerifyBearer;
  /** Whether an `Authorization` header is the configuration's own user name and password. */
  isBasic: (header: string | undefined) => Promise<boolean>;
  /** Only this machine can reach the process: then reading under one of its names needs no credential. */
  isLoopback: boolean;
};

/** Who reads; `owner` is the application whose secrets it is given. */
export type Reader = { owner: string | undefined };

/** Where Spring's clients put `spring.cloud.config.token`. */
const TOKEN_HEADER = "x-config-token";
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const CHALLENGE = 'Basic realm="configuration", charset="UTF-8", Bearer';

/** Throws `UNAUTHENTICATED_401` or `FORBIDDEN_403`. What is sent is judged, also where nothing is needed. */
export async function readerOf(request: Request, needs: AccessNeeds): Promise<Reader> {
  const { headers } = request;
  const authorization = headers.get("authorization") ?? undefined;
  const token = headers.get(TOKEN_HEADER) ?? "";
  const bearer = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? "")?.[1];
  // The original takes a secrets store's token here: one that is no access token is none of ours.
  const tokens = [bearer, JWT.test(token) ? token : undefined].filter((one) => one !== undefined);
  const isKnown = bearer !== undefined || (authorization !== undefined && (await needs.isBasic(authorization)));
  if (authorization === undefined ? tokens.length === 0 && !(needs.isLoopback && isForLoopback(request)) : !isKnown) throw unauthenticated();
  const [service] = await Promise.all(tokens.map(async (one) => serviceIn(await needs.verify(one))));
  return { owner: service };
}

/** A user who has the role is let in, yet owns none of the secrets of the client that signed them in. */
function serviceIn({ client, roles, isServiceAccount }: Caller): string | undefined {
  if (roles.includes("ROLE_INTERNAL_SERVICE")) return isServiceAccount ? client : undefined;
  throw new Problem("FORBIDDEN_403", "This needs ROLE_INTERNAL_SERVICE");
}

function unauthenticated(): Problem {
  const detail = "Send the configuration server's user name and password, or a service token";
  return new Problem("UNAUTHENTICATED_401", detail, { headers: { "www-authenticate": CHALLENGE } });
}
