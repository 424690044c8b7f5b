import { sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { rowsOf } from "./rows.ts";

const NAME = "cluster";

export async function findCluster(db: Database): Promise<string | undefined> {
  const [row] = await rowsOf<{ id: string }>(db, sql`select id from broker.clusters where name = ${NAME}`);
  return row?.id;
}

/** Keeps the cluster with the topics that Kafka has of itself, unless another instance was first. */
export async function provideCluster(db: Database, made: { id: string; internalTopics: string[]; partitions: number }): Promise<void> {
  await db.execute(sql`
    with cluster as (insert into broker.clusters (name, id) values (${NAME}, ${made.id}) on conflict do nothing),
    internal as (
      insert into broker.topics (name, collision_key, is_internal, partitions, configs)
      select name, name, true, ${made.partitions}::int, '{}' from jsonb_array_elements_text(${JSON.stringify(made.internalTopics)}::jsonb) as name
      on conflict do nothing returning id, partitions)
    insert into broker.partitions (topic, partition) select id, generate_series(0, partitions - 1) from internal`);
}
