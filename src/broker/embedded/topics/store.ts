import { sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { collisionKey } from "../../topic-name.ts";
import { rowsOf } from "../rows.ts";
export type TopicToMake = { name: string; partitions: number; configs: Record<string, string> };

export type StoredTopic = { id: number; name: string; isInternal: boolean; partitions: number; configs: Record<string, string> };

const topicDocument = sql`jsonb_build_object('id', t.id, 'name', t.name, 'isInternal', t.is_internal, 'partitions', t.partitions, 'configs', t.configs)`;

export async function findTopic(db: Database, name: string): Promise<StoredTopic | undefined> {
  const [row] = await rowsOf<{ topic: StoredTopic }>(db, sql`select ${topicDocument} as topic from broker.topics t where t.name = ${name}`);
  return row?.topic;
}

/** All but Kafka's own, by name. */
export async function listTopics(db: Database): Promise<StoredTopic[]> {
  const rows = await rowsOf<{ topic: StoredTopic }>(
    db,
    sql`select ${topicDocument} as topic from broker.topics t where not t.is_internal order by t.name collate "C"`,
  );
  return rows.map(({ topic }) => topic);
}

/** Whether neither the name nor one that collides with it was taken. */
export async function insertTopic(db: Database, { name, partitions, configs }: TopicToMake): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`with made as (
      insert into broker.topics (name, collision_key, is_internal, partitions, configs)
      values (${name}, ${collisionKey(name)}, false, ${partitions}::int, ${JSON.stringify(configs)}::jsonb)
      on conflict do nothing returning id),
    opened as (insert into broker.partitions (topic, partition) select made.id, generate_series(0, ${partitions}::int - 1) from made)
    select id from made`,
  );
  return rows.length > 0;
}

/** The topic that stands in the way of `name`: itself, or one that collides with it. */
export async function findRival(db: Database, name: string): Promise<string | undefined> {
  const [row] = await rowsOf<{ name: string }>(db, sql`select name from broker.topics where collision_key = ${collisionKey(name)}`);
  return row?.name;
}

/** Whether there was such a topic; its records are left to the sweep. */
export async function deleteTopic(db: Database, name: string): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`with gone as (delete from broker.topics where name = ${name} and not is_internal returning id)
    insert into broker.deleted_topics (id) select id from gone returning id`,
  );
  return rows.length > 0;
}

/** Whether the topic had fewer partitions. */
export async function addPartitions(db: Database, { name, partitions }: { name: string; partitions: number }): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`with grown as (update broker.topics set partitions = ${partitions}::int where name = ${name} and partitions < ${partitions}::int returning id),
    opened as (
      insert into broker.partitions (topic, partition) select grown.id, generate_series(0, ${partitions}::int - 1) from grown on conflict do nothing)
    select id from grown`,
  );
  return rows.length > 0;
}

/** Sets and unsets configurations of one topic at once; false without the topic. */
export async function changeConfigs(db: Database, name: string, changes: { set: Record<string, string | null>; unset: string[] }): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`update broker.topics set configs = (configs - array(select jsonb_array_elements_text(${JSON.stringify(changes.unset)}::jsonb)))
      || ${JSON.stringify(changes.set)}::jsonb where name = ${name} returning id`,
  );
  return rows.length > 0;
}
