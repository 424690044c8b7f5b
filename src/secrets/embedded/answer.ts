import type { Server } from "./server.ts";

export type Auth = { client_token: string; accessor: string; policies: string[]; metadata: unknown; lease_duration: number; num_uses: number };

/** What Vault wraps every answer in. */
export function envelope(server: Server, data: unknown, { warnings = [], auth }: { warnings?: string[]; auth?: Auth } = {}) {
  return {
    request_id: server.newId(),
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data,
    wrap_info: null,
    warnings: warnings.length > 0 ? warnings : null,
    auth: auth ? { ...auth, token_policies: auth.policies, renewable: true, entity_id: "", token_type: "service", orphan: true, mfa_requirement: null } : null,
  };
}

export function answer(server: Server, data: unknown, more?: Parameters<typeof envelope>[2]): Response {
  return json(envelope(server, data, more));
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

/** 204, or with something to warn of 200. */
export function done(server: Server, warnings: string[] = []): Response {
  return warnings.length > 0 ? answer(server, null, { warnings }) : new Response(null, { status: 204 });
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
