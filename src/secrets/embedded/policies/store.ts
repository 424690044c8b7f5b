import { eq, sql } from "drizzle-orm";
import type { Database } from "../../../database/client.ts";
import { policies } from "../tables.ts";
import type { Policy } from "./built-in.ts";
import type { Rule } from "./policy.ts";

export async function listPolicyNames(db: Database): Promise<string[]> {
  const rows = await db.select({ name: policies.name }).from(policies).orderBy(sql`name collate "C"`);
  return rows.map(({ name }) => name);
}

export async function findPolicy(db: Database, name: string): Promise<Policy | undefined> {
  const [row] = await db.select().from(policies).where(eq(policies.name, name));
  return row && { ...row, rules: row.rules as Rule[] };
}

export async function putPolicy(db: Database, policy: Policy): Promise<void> {
  await db.insert(policies).values(policy).onConflictDoUpdate({ target: policies.name, set: { hcl: policy.hcl, rules: policy.rules } });
}

export async function deletePolicy(db: Database, name: string): Promise<void> {
  await db.delete(policies).where(eq(policies.name, name));
}

/** Adds the policies that are not there, and brings the others in line. */
export async function providePolicies(db: Database, wanted: Policy[]): Promise<void> {
  await db.execute(
    sql`insert into secrets.policies (name, hcl, rules)
    select name, hcl, rules from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w(name text, hcl text, rules jsonb)
    order by name
    on conflict (name) do update set hcl = excluded.hcl, rules = excluded.rules where policies.hcl is distinct from excluded.hcl`,
  );
}
