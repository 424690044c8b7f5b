import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { rowsOf } from "../rows-store.ts";

/** What a body names; what it omits stays. */
export type Settings = { max_versions?: number; is_cas_required?: boolean; custom_metadata?: Record<string, string> | null };

/** Whether there was nothing at the path. */
export async function insertSettings(db: Database, { id, path, now }: { id: string; path: string; now: number }, settings: Settings): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`insert into secrets.documents (id, path, current_version, max_versions, is_cas_required, custom_metadata, created, updated)
    select ${id}::uuid, ${path}::text, 0, coalesce(w.max_versions, 0), coalesce(w.is_cas_required, false), w.custom_metadata, ${now}::bigint, ${now}::bigint
    from jsonb_to_record(${JSON.stringify(settings)}::jsonb) as w(max_versions integer, is_cas_required boolean, custom_metadata jsonb)
    on conflict (path) do nothing returning id`,
  );
  return rows.length > 0;
}

/** Whether the document is there. */
export async function updateSettings(db: Database, path: string, { settings, now }: { settings: Settings; now: number }): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`update secrets.documents d set
      max_versions = coalesce(w.max_versions, d.max_versions),
      is_cas_required = coalesce(w.is_cas_required, d.is_cas_required),
      custom_metadata = case when ${"custom_metadata" in settings}::boolean then w.custom_metadata else d.custom_metadata end,
      updated = ${now}::bigint
    from jsonb_to_record(${JSON.stringify(settings)}::jsonb) as w(max_versions integer, is_cas_required boolean, custom_metadata jsonb)
    where d.path = ${path}
    returning d.id`,
  );
  return rows.length > 0;
}
