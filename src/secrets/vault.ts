import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { upstream, upstreamProblem } from "../http/upstream.ts";
import { STORE } from "./answer.ts";
import { approles } from "./approles.ts";
import { keyValues } from "./key-values.ts";
import { openSession } from "./session.ts";
import { policies } from "./policies.ts";

export type VaultNeeds = {
  /** Base URL without `/v1`, such as `https://vault.example.com`. */
  url: string;
  namespace?: string | undefined;
  roleId: string;
  secretId: string;
  fetch: Fetch;
  now: () => number;
  /** Whether callers that wait at once share one login; not on Workers. */
  sharesPending: boolean;
};

export type SecretsStore = ReturnType<typeof vault>;

const TIMEOUT_MS = 2000;

/**
 * The client of Vault's wire (Vault 1.21, OpenBao 2.6): AppRole auth at `auth/approle`, KV version 2 at `secret`. Names
 * and the segments of paths are lower-case letters, digits and hyphens: anything else is a TypeError and never sent.
 */
export function vault(needs: VaultNeeds) {
  const { url, namespace, fetch, now } = needs;
  const server = upstream({ name: STORE, url: `${url}/v1`, fetch, now, timeout: TIMEOUT_MS });
  // Whoever asks how we are takes no place from who reads.
  const checks = upstream({ name: STORE, url: `${url}/v1`, fetch, now, timeout: TIMEOUT_MS, maxInFlight: 8 });
  const headers = { "x-vault-request": "true", ...(namespace && { "x-vault-namespace": namespace }) };
  const session = openSession({ ...needs, server, headers });

  return {
    ...approles(session),
    ...keyValues(session),
    ...policies(session),

    /** Throws unless the server is initialised, unsealed and active; says nothing about our credentials. */
    async check(call: Call): Promise<void> {
      const outcome = await checks.send(call, { method: "GET", path: "/sys/health", headers });
      // 429 is a standby, but also a server that is just unsealed and fails at every request.
      if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(STORE, outcome);
    },
  };
}
