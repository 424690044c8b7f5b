import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import type { StoredRecord } from "../../rest/cluster.ts";
import { rowsOf } from "../rows.ts";

export type RecordToKeep = {
  partition: number;
  timestamp: number;
  /** Base64. */
  key: string | null;
  value: string | null;
  headers: [string, string | null][];
  size: number;
};

/**
 * The offsets of all these records, in their order; none when the topic has gone. Each partition is locked until its
 * records are there, so offsets have no gaps and nobody reads past one that is still to come; in order, so that two
 * producers never wait for each other.
 */
export async function appendRecords(db: Database, { topic, records, now }: { topic: number; records: RecordToKeep[]; now: number }): Promise<number[]> {
  const input = JSON.stringify(records.map((record, place) => ({ place, ...record })));
  const rows = await rowsOf<{ offset: number }>(
    db,
    sql`with input as (
      select * from jsonb_to_recordset(${input}::jsonb)
        as r(place int, partition int, "timestamp" bigint, key text, value text, headers jsonb, size int)),
    held as (
      select partition from broker.partitions where topic = ${topic}::bigint and partition in (select partition from input)
      order by partition for no key update),
    grown as (
      update broker.partitions p set next_offset = p.next_offset + i.count, bytes = p.bytes + i.bytes
      from (select partition, count(*) as count, sum(size) as bytes from input group by partition) i join held using (partition)
      where p.topic = ${topic}::bigint and p.partition = i.partition
      returning p.partition, p.next_offset - i.count as base),
    placed as (
      select input.*, grown.base + row_number() over (partition by input.partition order by input.place) - 1 as "offset"
      from input join grown using (partition)),
    kept as (
      insert into broker.records (topic, partition, "offset", "timestamp", appended, key, value, headers, size)
      select ${topic}::bigint, partition, "offset", "timestamp", ${now}::bigint, decode(key, 'base64'), decode(value, 'base64'), headers, size
      from placed)
    select "offset"::float8 as "offset" from placed order by place`,
  );
  return rows.map(({ offset }) => offset);
}

export type Stretch = { earliest: number; latest: number; records: StoredRecord[] };

/** Up to `max` records from `offset` on, at least one and else no more than `maxBytes`; undefined without the partition. */
export async function readRecords(
  db: Database,
  { topic, partition, offset, max, maxBytes }: { topic: number; partition: number; offset: number | undefined; max: number; maxBytes: number },
): Promise<Stretch | undefined> {
  const [row] = await rowsOf<{ stretch: Stretch }>(
    db,
    sql`select jsonb_build_object('earliest', p.first_offset, 'latest', p.next_offset, 'records', coalesce((
      select jsonb_agg(jsonb_build_object('offset', r."offset", 'timestamp', r."timestamp", 'headers', r.headers,
        'key', translate(encode(r.key, 'base64'), E'\n', ''), 'value', translate(encode(r.value, 'base64'), E'\n', '')) order by r."offset")
      from (
        select *, sum(size) over (order by "offset") as through from (
          select * from broker.records where topic = p.topic and partition = p.partition and "offset" >= coalesce(${offset ?? null}::bigint, p.first_offset)
          order by "offset" limit ${max}::int) first) r
      where r.through <= ${maxBytes}::bigint or r.through = r.size), '[]')) as stretch
    from broker.partitions p where p.topic = ${topic}::bigint and p.partition = ${partition}::int`,
  );
  return row?.stretch;
}

/**
 * Removes the oldest records of one partition that are past their time or, all together, its size; the partition is the
 * one whose first record has waited longest. Answers how many are gone. Records are found by lookups with a limit and
 * removed by their place: a join with a table that has just grown is planned for the one it was before.
 */
export async function removeExpired(db: Database, { now, limit }: { now: number; limit: number }): Promise<number> {
  const rows = await rowsOf<{ count: number }>(
    db,
    sql`with kept_for as (
      select id, coalesce((configs->>'retention.ms')::bigint, 604800000) as ms, coalesce((configs->>'retention.bytes')::bigint, -1) as bytes
      from broker.topics where coalesce(configs->>'cleanup.policy', 'delete') like '%delete%'),
    due as (
      select p.*, k.ms, k.bytes as max_bytes from broker.partitions p join kept_for k on k.id = p.topic,
        lateral (select * from broker.records where topic = p.topic and partition = p.partition and "offset" = p.first_offset limit 1) r
      where (k.ms >= 0 and least(r."timestamp", r.appended) < ${now}::bigint - k.ms) or (k.bytes >= 0 and p.bytes - r.size >= k.bytes)
      order by r.appended limit 1),
    oldest as (
      select r.place, r."offset", r.size, (d.ms >= 0 and least(r."timestamp", r.appended) < ${now}::bigint - d.ms)
        or (d.max_bytes >= 0 and d.bytes - sum(r.size) over (order by r."offset") >= d.max_bytes) as is_due
      from due d, lateral (
        select *, ctid as place from broker.records where topic = d.topic and partition = d.partition and "offset" >= d.first_offset
        order by "offset" limit ${limit}::int) r),
    expired as (
      select * from oldest where "offset" < coalesce((select min("offset") from oldest where not is_due), 9223372036854775807)),
    moved as (
      update broker.partitions p set first_offset = e.last + 1, bytes = p.bytes - e.bytes
      from due d, (select max("offset") as last, sum(size) as bytes from expired) e
      where p.topic = d.topic and p.partition = d.partition and p.first_offset = d.first_offset
      returning p.topic),
    removed as (delete from broker.records where ctid = any(array(select place from expired where exists (select from moved))) returning topic)
    select count(*)::int as count from removed`,
  );
  return rows[0]?.count ?? 0;
}

/** Removes records of deleted topics, and a topic's mark with its last; answers how many rows are gone. */
export async function removeDeleted(db: Database, limit: number): Promise<number> {
  const rows = await rowsOf<{ count: number }>(
    db,
    sql`with gone as (select id from broker.deleted_topics order by id limit 1),
    batch as (select ctid as place from broker.records where topic = (select id from gone) limit ${limit}::int),
    removed as (delete from broker.records where ctid = any(array(select place from batch)) returning topic),
    done as (delete from broker.deleted_topics where id = (select id from gone) and not exists (select from batch) returning id)
    select (select count(*) from removed)::int + (select count(*) from done)::int as count`,
  );
  return rows[0]?.count ?? 0;
}
