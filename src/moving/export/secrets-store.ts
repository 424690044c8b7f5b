import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import type { AppRole, Policy } from "../schema.ts";

export type SealedVersion = { version: number; sealed: string; isDeleted: boolean };

export type SealedDocument = {
  id: string;
  path: string;
  maxVersions: number;
  isCasRequired: boolean;
  customMetadata: Record<string, string> | null;
};

export async function policiesWithout(db: Database, names: string[]): Promise<Policy[]> {
  const { rows } = await db.execute<Policy>(sql`
    SELECT name, hcl AS policy FROM secrets.policies WHERE NOT ${JSON.stringify(names)}::jsonb ? name ORDER BY name COLLATE "C"`);
  return rows;
}

export async function approlesWithout(db: Database, names: string[]): Promise<AppRole[]> {
  const { rows } = await db.execute<AppRole>(sql`
    SELECT name, role_id AS "roleId", settings FROM secrets.roles WHERE NOT ${JSON.stringify(names)}::jsonb ? name ORDER BY name COLLATE "C"`);
  return rows;
}

/** The document after the one at this path; its versions are read one at a time. */
export async function documentAfter(db: Database, after: string): Promise<SealedDocument[]> {
  const { rows } = await db.execute<SealedDocument>(sql`
    SELECT d.id, d.path, d.max_versions AS "maxVersions", d.is_cas_required AS "isCasRequired", d.custom_metadata AS "customMetadata"
    FROM secrets.documents d WHERE d.path > ${after} ORDER BY d.path LIMIT 1`);
  return rows;
}

/** The version after this one that is kept and not destroyed: one alone may be some megabytes. */
export async function versionAfter(db: Database, document: string, after: number): Promise<SealedVersion[]> {
  const { rows } = await db.execute<SealedVersion>(sql`
    SELECT version, sealed, deleted IS NOT NULL AS "isDeleted" FROM secrets.versions
    WHERE document = ${document} AND version > ${after} AND NOT is_destroyed AND sealed IS NOT NULL ORDER BY version LIMIT 1`);
  return rows;
}
