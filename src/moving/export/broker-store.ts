import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import type { Topic } from "../schema.ts";

/** Null before anybody has asked the embedded broker for anything. */
export async function clusterId(db: Database): Promise<string | null> {
  const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM broker.clusters`);
  return rows[0]?.id ?? null;
}

export async function topics(db: Database): Promise<Topic[]> {
  const { rows } = await db.execute<Topic>(sql`SELECT name, partitions, configs FROM broker.topics WHERE NOT is_internal ORDER BY name COLLATE "C"`);
  return rows;
}

/** How many records there are in topics that are not the platform's own. */
export async function recordsOfOthers(db: Database): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    SELECT coalesce(sum(p.next_offset - p.first_offset), 0)::float8 AS count FROM broker.partitions p JOIN broker.topics t ON t.id = p.topic
    WHERE NOT t.is_internal AND t.name NOT LIKE 'platform.%'`);
  return rows[0]?.count ?? 0;
}

/** A partition that consumers read, from where the one that is furthest behind goes on. */
export type Unread = { topic: string; id: number; partition: number; offset: number };

export async function unreadPartitions(db: Database): Promise<Unread[]> {
  const { rows } = await db.execute<Unread>(sql`
    SELECT t.name AS topic, t.id::float8 AS id, p.partition, min(coalesce(at.next_offset, 0))::float8 AS "offset"
    FROM events.positions at JOIN broker.topics t ON t.name = at.topic JOIN broker.partitions p ON p.topic = t.id AND p.partition = at.partition
    GROUP BY 1, 2, 3 HAVING min(coalesce(at.next_offset, 0)) < max(p.next_offset) ORDER BY 1, 3`);
  return rows;
}

/** As base64. */
export type StoredRecord = { offset: number; value: string | null };

export async function recordsFrom(db: Database, { id, partition, offset, limit }: Unread & { limit: number }): Promise<StoredRecord[]> {
  const { rows } = await db.execute<StoredRecord>(sql`
    SELECT "offset"::float8 AS "offset", translate(encode(value, 'base64'), E'\n', '') AS value FROM broker.records
    WHERE topic = ${id} AND partition = ${partition} AND "offset" >= ${offset} ORDER BY "offset" LIMIT ${limit}`);
  return rows;
}
