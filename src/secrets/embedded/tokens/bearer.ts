import { DEFAULT_POLICY } from "../policies/built-in.ts";
import { unauthenticated } from "../refusal.ts";
import type { Server } from "../server.ts";
import { useToken } from "./store.ts";
import type { Token } from "./token.ts";

/** The token a request came with: `X-Vault-Token` before `Authorization: Bearer`. */
export function tokenOf(headers: Headers): string {
  return headers.get("x-vault-token") ?? /^Bearer (.*)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
}

/** Throws 403 unless the request came with a token that is good now. */
export async function authenticate(server: Server, headers: Headers): Promise<Token> {
  const given = tokenOf(headers);
  if (!/^[\w.-]{8,128}$/.test(given)) throw unauthenticated();
  const found = await useToken(server.db, { hash: await server.keys.recognise("token", given), now: server.now() });
  if (!found) throw unauthenticated();
  const { named, ...token } = found;
  const hasBuiltIn = token.policies.includes(DEFAULT_POLICY.name) && !named.includes(DEFAULT_POLICY.name);
  return { ...token, rules: hasBuiltIn ? [...token.rules, ...DEFAULT_POLICY.rules] : token.rules };
}
