import type * as z from "zod";
import type { Administer } from "../../administration/administer.ts";
import type { RealmRest } from "../../administration/realm.ts";
import type { Database } from "../../database/client.ts";
import type { Kind } from "../kinds.ts";
import { AppRoleSchema, ClientSchema, PolicySchema, type Role, RoleSchema, SecretSchema, TopicSchema, UserSchema } from "../schema.ts";
import { importClient } from "./clients.ts";
import { importSecret } from "./documents.ts";
import type { ImportNeeds } from "./needs.ts";
import { importRoles } from "./roles.ts";
import { importRows } from "./rows.ts";
import { importAppRole, importPolicy } from "./secrets.ts";
import { importTopic } from "./topics.ts";
import { importUsers } from "./users.ts";

/** The systems in the order in which they are filled: rows refer to identities. */
export const SYSTEMS = ["identity", "secrets", "broker", "database"] as const;

export type System = (typeof SYSTEMS)[number];

export type Targets = {
  identity: { rest: RealmRest };
  secrets: { admin: Administer };
  broker: { admin: Administer };
  database: { db: Database; isOtherBroker: boolean };
};

export type FolderNeeds = ImportNeeds & { lines: (name: string) => AsyncIterable<string> };

/** Brings what was exported into one system. Safe to repeat, also after it was ended anywhere: what is there and the same is passed over. */
export const importInto: { [System in keyof Targets]: (needs: FolderNeeds, target: Targets[System]) => Promise<void> } = {
  async identity(needs, target) {
    const on = { ...needs, ...target };
    const roles: Role[] = [];
    for await (const role of items(needs, "roles", RoleSchema)) roles.push(role);
    await importRoles(on, roles);
    for await (const client of items(needs, "clients", ClientSchema)) await importClient(on, client);
    await importUsers(on, items(needs, "users", UserSchema));
  },
  async secrets(needs, target) {
    const on = { ...needs, ...target };
    for await (const policy of items(needs, "policies", PolicySchema)) await importPolicy(on, policy);
    for await (const approle of items(needs, "approles", AppRoleSchema)) await importAppRole(on, approle);
    for await (const secret of items(needs, "secrets", SecretSchema)) await importSecret(on, secret);
  },
  async broker(needs, target) {
    for await (const topic of items(needs, "topics", TopicSchema)) await importTopic({ ...needs, ...target }, topic);
  },
  database: (needs, target) => importRows({ ...needs, ...target }),
};

async function* items<T>({ lines }: FolderNeeds, kind: Kind, schema: z.ZodType<T>): AsyncGenerator<T> {
  for await (const line of lines(kind)) yield schema.parse(JSON.parse(line));
}
