import type { Fetch } from "../http/fetch.ts";
import { upstream } from "../http/upstream.ts";
import { STORE as name } from "../secrets/answer.ts";
import { type Administer, administer, ADMINISTRATION_TIMEOUT_MS } from "./administer.ts";

export type VaultAdminNeeds = {
  /** Base URL without `/v1`. */
  url: string;
  namespace?: string | undefined;
  token: string;
  fetch: Fetch;
  now: () => number;
};

/** A wrong token is answered as one without the right. */
const HINTS = { 403: ": SECRETS_ADMIN_TOKEN is wrong, has expired, or has not the right" };
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Vault's wire (Vault 1.21, OpenBao 2.6) by an administrator's token; paths begin below `/v1`. */
export function vaultAdmin({ url, namespace, token, fetch, now }: VaultAdminNeeds): Administer {
  const server = upstream({ name, url: `${url}/v1`, fetch, now, timeout: ADMINISTRATION_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  const headers = { "x-vault-request": "true", ...(namespace && { "x-vault-namespace": namespace }), "x-vault-token": token };
  return administer({ name, url, hints: HINTS }, (call, exchange) => server.send(call, { ...exchange, headers: { ...exchange.headers, ...headers } }));
}
