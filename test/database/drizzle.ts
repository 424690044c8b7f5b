import { sql } from "drizzle-orm";
import { integer, jsonb, pgSchema, text, timestamp } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import type { Door } from "./sql.ts";

const schema = pgSchema("suite");
const things = schema.table("things", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  count: integer().notNull().default(0),
  data: jsonb(),
  tags: text().array(),
  at: timestamp({ withTimezone: true }),
});

/** What comes of it through the query builder. */
export function drizzle({ opened, names }: Door): void {
  test("maps values both ways", async () => {
    const at = new Date("2026-01-02T03:04:05.678Z");
    const thing = { name: "a", data: { nested: [1, "two", null] }, tags: ["x", "y,z"], at };
    const [inserted] = await opened().database.db.insert(things).values(thing).returning();
    expect(inserted).toEqual({ id: 1, count: 0, ...thing });
    expect(await opened().database.db.select().from(things)).toEqual([inserted]);
  });

  test("runs prepared statements", async () => {
    const find = opened().database.db.select({ id: things.id }).from(things).where(sql`${things.name} = ${sql.placeholder("name")}`).prepare("find");
    await opened().database.db.insert(things).values([{ name: "a" }, { name: "b" }]);
    expect(await Promise.all([find.execute({ name: "b" }), find.execute({ name: "c" })])).toEqual([[{ id: 2 }], []]);
  });

  test("keeps nothing of a batch that fails, and tells code and constraint", async () => {
    const { db } = opened().database;
    const failed = await db.batch([db.insert(things).values({ name: "a" }), db.insert(things).values({ name: "a" })]).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "23505", constraint: "things_name_taken" });
    expect(await names()).toEqual([]);
    const [rows] = await db.batch([db.insert(things).values({ name: "a" }).returning({ name: things.name }), db.select().from(things)]);
    expect(rows).toEqual([{ name: "a" }]);
  });

  test("tells code and constraint of a statement in the cause", async () => {
    await opened().database.db.insert(things).values({ name: "a" });
    await expect(opened().database.db.insert(things).values({ name: "a" })).rejects.toMatchObject({ cause: { code: "23505", constraint: "things_name_taken" } });
  });
}
