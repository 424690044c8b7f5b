import * as z from "zod";
import type { Call } from "../http/call.ts";
import { path } from "../http/path.ts";
import { type Exchange, shaped } from "../http/upstream.ts";
import { IDENTITY_PROVIDER as name } from "../identity/admin-rest.ts";
import type { Administer } from "./administer.ts";

/** One realm as an administrator of the server sees it; paths begin below `/admin/realms/{realm}`. */
export type RealmRest = ReturnType<typeof realmRest>;

export type Client = z.infer<typeof ClientSchema>;

const ClientSchema = z.looseObject({
  id: z.string().min(1),
  clientId: z.string(),
  attributes: z.record(z.string(), z.unknown()).nullish(),
  optionalClientScopes: z.array(z.string()).nullish(),
  defaultClientScopes: z.array(z.string()).nullish(),
  protocolMappers: z.array(z.looseObject({ name: z.string(), protocolMapper: z.string(), config: z.record(z.string(), z.unknown()).nullish() })).nullish(),
});
const ClientsSchema = z.array(ClientSchema);
const AccountSchema = z.object({ id: z.string().min(1) });
const RoleSchema = z.object({ id: z.string().min(1), name: z.string() });
const NamesSchema = z.array(z.object({ name: z.string() }));
const MappingsSchema = z.object({
  realmMappings: NamesSchema.nullish(),
  clientMappings: z.record(z.string(), z.object({ mappings: NamesSchema })).nullish(),
});

type Where = { path: string; query?: Record<string, string> };

export function realmRest(administer: Administer, realm: string) {
  const at = path`/${realm}`;

  function send(call: Call, exchange: Exchange & { accepts?: readonly number[] }) {
    return administer(call, { ...exchange, path: at + exchange.path });
  }

  async function read<T>(call: Call, where: Where, schema: z.ZodType<T>): Promise<T> {
    return shaped(name, await send(call, { method: "GET", ...where }), schema);
  }

  /** Undefined when there is nothing at `where`. */
  async function find<T>(call: Call, where: Where, schema: z.ZodType<T>): Promise<T | undefined> {
    const answer = await send(call, { method: "GET", ...where, accepts: [200, 404] });
    return answer.status === 404 ? undefined : shaped(name, answer, schema);
  }

  return {
    realm,
    send,
    read,
    find,

    async client(call: Call, clientId: string): Promise<Client | undefined> {
      return (await find(call, { path: "/clients", query: { clientId } }, ClientsSchema))?.find((one) => one.clientId === clientId);
    },

    /** The service account of a client that has one: to ask for it of another is an error. */
    account: (call: Call, { id }: { id: string }) => find(call, { path: path`/clients/${id}/service-account-user` }, AccountSchema),

    /** A realm role, or one of a client's. */
    role: (call: Call, roleName: string, client?: { id: string }) => find(call, { path: `${client ? path`/clients/${client.id}` : ""}${path`/roles/${roleName}`}` }, RoleSchema),

    /** The names of the roles that the user with this id was given: those of the realm, and those of clients by client id. */
    async rolesOf(call: Call, user: string): Promise<{ realm: string[]; client: Record<string, string[]> }> {
      const { realmMappings, clientMappings } = await read(call, { path: path`/users/${user}/role-mappings` }, MappingsSchema);
      const names = (roles: { name: string }[]) => roles.map(({ name }) => name);
      return { realm: names(realmMappings ?? []), client: Object.fromEntries(Object.entries(clientMappings ?? {}).map(([owner, { mappings }]) => [owner, names(mappings)])) };
    },
  };
}
