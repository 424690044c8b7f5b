import * as z from "zod";
import type { Call } from "../http/call.ts";
import { path } from "../http/path.ts";
import { type Exchange, shaped, upstreamProblem } from "../http/upstream.ts";
import { type AdminRest, createdId, IDENTITY_PROVIDER as name } from "./admin-rest.ts";

export type NewClient = {
  clientId: string;
  /** Stays with the client as an attribute: whoever finds the client knows by it which creation made it. */
  creation: string;
};

export type ClientCreation = { outcome: "created"; id: string } | { outcome: "exists" };

const CREATION = "gatehouse.creation";

const ClientsSchema = z.array(z.object({ id: z.string().min(1), clientId: z.string(), attributes: z.record(z.string(), z.unknown()).optional() }));
const SecretSchema = z.object({ value: z.string().min(1) });
const AccountSchema = z.object({ id: z.string().min(1) });
const RoleSchema = z.object({ id: z.string().min(1), name: z.string() });

/** Confidential, for its service account only. */
const KIND = {
  enabled: true,
  publicClient: false,
  serviceAccountsEnabled: true,
  standardFlowEnabled: false,
  implicitFlowEnabled: false,
  directAccessGrantsEnabled: false,
  // Without it, a token would not list the roles of its account.
  fullScopeAllowed: true,
};

export function clientAdministration(rest: AdminRest) {
  async function read<T>(call: Call, exchange: Omit<Exchange, "method">, schema: z.ZodType<T>): Promise<T> {
    const outcome = await rest(call, { method: "GET", ...exchange });
    if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(name, outcome);
    return shaped(name, outcome, schema);
  }

  return {
    /** Throws when the answer is neither yes nor no: the client may exist then, or come to. */
    async createClient(call: Call, { clientId, creation }: NewClient): Promise<ClientCreation> {
      const json = { ...KIND, clientId, attributes: { [CREATION]: creation } };
      const outcome = await rest(call, { method: "POST", path: "/clients", json });
      if (outcome.kind === "answer" && outcome.status === 201) return { outcome: "created", id: createdId(outcome) };
      // Also when only the name of its service account is taken, which ignores case.
      if (outcome.kind === "answer" && outcome.status === 409) return { outcome: "exists" };
      throw upstreamProblem(name, outcome);
    },

    async findClient(call: Call, clientId: string): Promise<{ id: string; creation: unknown } | undefined> {
      const found = await read(call, { path: "/clients", query: { clientId } }, ClientsSchema);
      const client = found.find((one) => one.clientId === clientId);
      return client && { id: client.id, creation: client.attributes?.[CREATION] };
    },

    async clientSecret(call: Call, id: string): Promise<string> {
      return (await read(call, { path: path`/clients/${id}/client-secret` }, SecretSchema)).value;
    },

    /** Gives the service account of the client with this id a realm role. */
    async giveServiceRole(call: Call, { id, role }: { id: string; role: string }): Promise<void> {
      const [account, given] = await Promise.all([
        read(call, { path: path`/clients/${id}/service-account-user` }, AccountSchema),
        read(call, { path: path`/roles/${role}` }, RoleSchema),
      ]);
      const outcome = await rest(call, { method: "POST", path: path`/users/${account.id}/role-mappings/realm`, json: [given] });
      if (outcome.kind !== "answer" || outcome.status !== 204) throw upstreamProblem(name, outcome);
    },

    async deleteClient(call: Call, id: string): Promise<void> {
      const outcome = await rest(call, { method: "DELETE", path: path`/clients/${id}` });
      if (outcome.kind !== "answer" || (outcome.status !== 204 && outcome.status !== 404)) throw upstreamProblem(name, outcome);
    },
  };
}
