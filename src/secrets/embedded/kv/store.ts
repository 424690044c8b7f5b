import { eq, sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { rowsOf } from "../rows-store.ts";
import { documents } from "../tables.ts";

/** How many versions are kept of a document that does not say. */
export const MAX_VERSIONS = 10;

export type Version = { version: number; created: number; deleted: number | null; isDestroyed: boolean };

export type Document = {
  id: string;
  path: string;
  /** 0 while there is only metadata. */
  currentVersion: number;
  maxVersions: number;
  isCasRequired: boolean;
  customMetadata: Record<string, string> | null;
  created: number;
  updated: number;
};

export type Found = Document & { chosen: (Version & { sealed: string | null }) | null };

const versionDocument = sql`jsonb_build_object('version', v.version, 'created', v.created, 'deleted', v.deleted, 'isDestroyed', v.is_destroyed)`;

const documentColumns = sql`d.id, d.path, d.current_version as "currentVersion", d.max_versions as "maxVersions", d.is_cas_required as "isCasRequired",
  d.custom_metadata as "customMetadata", d.created::float8 as created, d.updated::float8 as updated`;

const keptVersions = sql`coalesce(nullif(d.max_versions, 0), ${MAX_VERSIONS}::integer)`;

/** The document at `path` with one of its versions: the current one where `version` is 0. */
export async function findDocument(db: Database, path: string, version = 0): Promise<Found | undefined> {
  const [row] = await rowsOf<Found>(
    db,
    sql`select ${documentColumns},
      case when v.version is not null then ${versionDocument} || jsonb_build_object('sealed', v.sealed) end as chosen
    from secrets.documents d
    left join secrets.versions v on v.document = d.id and v.version = coalesce(nullif(${version}::integer, 0), d.current_version)
    where d.path = ${path}`,
  );
  return row;
}

export async function findVersions(db: Database, path: string): Promise<(Document & { versions: Version[] }) | undefined> {
  const [row] = await rowsOf<Document & { versions: Version[] }>(
    db,
    sql`select ${documentColumns},
      coalesce((select jsonb_agg(${versionDocument} order by v.version) from secrets.versions v where v.document = d.id), '[]') as versions
    from secrets.documents d where d.path = ${path}`,
  );
  return row;
}

type NewVersion = { sealed: string; now: number };

/** Whether there was nothing at the path, so that this is version 1 of a document. */
export async function insertDocument(db: Database, { id, path }: { id: string; path: string }, { sealed, now }: NewVersion): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`with made as (
      insert into secrets.documents (id, path, current_version, max_versions, is_cas_required, created, updated)
      values (${id}::uuid, ${path}::text, 1, 0, false, ${now}::bigint, ${now}::bigint)
      on conflict (path) do nothing returning id)
    insert into secrets.versions (document, version, created, is_destroyed, sealed)
    select id, 1, ${now}::bigint, false, ${sealed}::text from made
    returning version`,
  );
  return rows.length > 0;
}

/** Whether `after` was still the current version, so that this is the next; versions past the limit go with it. */
export async function addVersion(db: Database, after: { id: string; currentVersion: number }, { sealed, now }: NewVersion): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`with turned as (
      update secrets.documents d set current_version = d.current_version + 1, updated = ${now}::bigint
      where d.id = ${after.id}::uuid and d.current_version = ${after.currentVersion}::integer
      returning d.id, d.current_version, ${keptVersions} as kept),
    evicted as (
      delete from secrets.versions v using turned where v.document = turned.id and v.version <= turned.current_version - turned.kept)
    insert into secrets.versions (document, version, created, is_destroyed, sealed)
    select id, current_version, ${now}::bigint, false, ${sealed}::text from turned
    returning version`,
  );
  return rows.length > 0;
}

/** Marks versions that are still readable as deleted; without `versions`, the current one. */
export async function markDeleted(db: Database, path: string, { versions, now }: { versions?: number[]; now: number }): Promise<void> {
  const chosen = versions ? sql`${JSON.stringify(versions)}::jsonb @> to_jsonb(v.version)` : sql`v.version = d.current_version`;
  await db.execute(
    sql`update secrets.versions v set deleted = ${now}::bigint from secrets.documents d
    where d.path = ${path} and v.document = d.id and v.deleted is null and not v.is_destroyed and ${chosen}`,
  );
}

export async function unmarkDeleted(db: Database, path: string, versions: number[]): Promise<void> {
  await db.execute(
    sql`update secrets.versions v set deleted = null from secrets.documents d
    where d.path = ${path} and v.document = d.id and not v.is_destroyed and ${JSON.stringify(versions)}::jsonb @> to_jsonb(v.version)`,
  );
}

/** The content of these versions is gone after this. */
export async function destroyVersions(db: Database, path: string, versions: number[]): Promise<void> {
  await db.execute(
    sql`update secrets.versions v set is_destroyed = true, sealed = null from secrets.documents d
    where d.path = ${path} and v.document = d.id and ${JSON.stringify(versions)}::jsonb @> to_jsonb(v.version)`,
  );
}

export async function deleteDocument(db: Database, path: string): Promise<void> {
  await db.delete(documents).where(eq(documents.path, path));
}

/** What is right below `folder` (empty, or ending in a slash): names of documents, and of folders with a slash. */
export async function listBelow(db: Database, folder: string, { after, limit }: { after: string; limit: number }): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    db,
    sql`select distinct substring(rest from '^[^/]*/?') collate "C" as name
    from (select substr(d.path, length(${folder}::text) + 1) as rest from secrets.documents d where starts_with(d.path, ${folder}::text)) below
    where rest <> '' and substring(rest from '^[^/]*/?') collate "C" > ${after}::text
    order by name limit ${limit}::bigint`,
  );
  return rows.map(({ name }) => name);
}
