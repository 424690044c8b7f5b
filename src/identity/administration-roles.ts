import * as z from "zod";
import type { Call } from "../http/call.ts";
import { path } from "../http/path.ts";
import { type Outcome, shaped, upstreamProblem } from "../http/upstream.ts";
import { type AdminRest, IDENTITY_PROVIDER as name } from "./admin-rest.ts";

export type RealmRole = {
  name: string;
  description: string | null;
  composite: boolean;
  /** What a composite role contains directly: realm roles, and roles of clients by client id. */
  composites: { realm: string[]; client: Record<string, string[]> };
  attributes: Record<string, string[]>;
};

const RoleSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  description: z.string().nullish(),
  composite: z.boolean(),
  attributes: z.record(z.string(), z.array(z.string())).nullish(),
});
const ContentsSchema = z.array(z.object({ name: z.string(), clientRole: z.boolean(), containerId: z.string().nullish() }));
const ClientSchema = z.object({ clientId: z.string() });

type Role = z.infer<typeof RoleSchema>;

/** Composite roles looked into at once. */
const MAX_AT_ONCE = 6;

export function roleAdministration(rest: AdminRest) {
  /** Undefined when there is nothing at `at`. */
  async function read<T>(call: Call, at: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const outcome = await rest(call, { method: "GET", path: at });
    if (isMissing(outcome)) return undefined;
    if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(name, outcome);
    return shaped(name, outcome, schema);
  }

  /** By id: names that a path cannot hold, such as `..`, exist upstream all the same. */
  async function contentsOf(call: Call, { id, composite }: Role): Promise<RealmRole["composites"]> {
    const contents = composite ? await read(call, path`/roles-by-id/${id}/composites`, ContentsSchema) : undefined;
    const realm: string[] = [];
    const byClient = new Map<string, string[]>();
    for (const { name, clientRole, containerId } of contents ?? []) {
      if (clientRole && containerId) byClient.set(containerId, [...(byClient.get(containerId) ?? []), name]);
      else realm.push(name);
    }
    const clients = [...byClient].map(async ([client, names]) => [await clientIdOf(call, client), names.toSorted()] as const);
    return { realm: realm.toSorted(), client: Object.fromEntries(await Promise.all(clients)) };
  }

  async function clientIdOf(call: Call, id: string): Promise<string> {
    return (await read(call, path`/clients/${id}`, ClientSchema))?.clientId ?? id;
  }

  async function whole(call: Call, role: Role): Promise<RealmRole> {
    const { name, description = null, composite, attributes } = role;
    return { name, description, composite, composites: await contentsOf(call, role), attributes: attributes ?? {} };
  }

  return {
    async listRoles(call: Call): Promise<RealmRole[]> {
      const outcome = await rest(call, { method: "GET", path: "/roles", query: { briefRepresentation: "false" } });
      if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(name, outcome);
      const waiting = shaped(name, outcome, z.array(RoleSchema)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const listed: RealmRole[] = [];
      while (waiting.length > 0) listed.push(...(await Promise.all(waiting.splice(0, MAX_AT_ONCE).map((role) => whole(call, role)))));
      return listed;
    },

    async findRole(call: Call, roleName: string): Promise<RealmRole | undefined> {
      const role = await read(call, path`/roles/${roleName}`, RoleSchema);
      return role && whole(call, role);
    },

    async createRole(call: Call, role: { name: string; description: string }): Promise<"created" | "exists"> {
      const outcome = await rest(call, { method: "POST", path: "/roles", json: role });
      if (outcome.kind === "answer" && outcome.status === 201) return "created";
      if (outcome.kind === "answer" && outcome.status === 409) return "exists";
      throw upstreamProblem(name, outcome);
    },
  };
}

function isMissing(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.status === 404;
}
