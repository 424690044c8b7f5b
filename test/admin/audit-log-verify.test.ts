import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ChainedEntry } from "../../src/admin/audit-log/entry.ts";
import { exampleEntry } from "../../src/admin/audit-log/schema.ts";
import { asOwner, type AuditedPlatform, auditedPlatform, hashOf } from "./audit-log.ts";

let platform: AuditedPlatform;
beforeAll(async () => {
  platform = await auditedPlatform();
  await platform.write(30);
  await asOwner(platform, ["CREATE TABLE public.entries AS TABLE admin.audit_entries", "CREATE TABLE public.head AS TABLE admin.audit_head"]);
});
afterAll(() => platform.close());
afterEach(() =>
  asOwner(platform, ["DELETE FROM admin.audit_entries", "DELETE FROM admin.audit_head", "INSERT INTO admin.audit_entries TABLE public.entries", "INSERT INTO admin.audit_head TABLE public.head"]),
);

const ENTRY = "admin.audit_entries";
const HASH = "0".repeat(63);

/** What a database owner does, and what is found of it. */
const TAMPERINGS: Record<string, { statements: string[]; finds: [sequence: number, reason: string] }> = {
  ...Object.fromEntries(
    ["id", "actor", "client", "action", "resource", "outcome", "code", "request_id"].map((column) => [
      `another ${column}`,
      { statements: [`UPDATE ${ENTRY} SET ${column} = 'another' WHERE sequence = 12`], finds: [12, "altered"] as [number, string] },
    ]),
  ),
  "a millisecond": { statements: [`UPDATE ${ENTRY} SET at = at + interval '1 ms' WHERE sequence = 12`], finds: [12, "altered"] },
  "nobody for somebody": { statements: [`UPDATE ${ENTRY} SET actor = NULL WHERE sequence = 12`], finds: [12, "altered"] },
  "the text null for none": { statements: [`UPDATE ${ENTRY} SET code = 'null' WHERE sequence = 12`], finds: [12, "altered"] },
  "a word moved from one field to the next": { statements: [`UPDATE ${ENTRY} SET client = client || '","x', action = action WHERE sequence = 12`], finds: [12, "altered"] },
  "the first altered": { statements: [`UPDATE ${ENTRY} SET actor = 'another' WHERE sequence = 1`], finds: [1, "altered"] },
  "the last altered": { statements: [`UPDATE ${ENTRY} SET actor = 'another' WHERE sequence = 30`], finds: [30, "altered"] },
  "a hash": { statements: [`UPDATE ${ENTRY} SET hash = '${HASH}1' WHERE sequence = 12`], finds: [12, "altered"] },
  "the hash before": { statements: [`UPDATE ${ENTRY} SET previous = '${HASH}1' WHERE sequence = 12`], finds: [12, "altered"] },
  "one deleted": { statements: [`DELETE FROM ${ENTRY} WHERE sequence = 12`], finds: [12, "missing"] },
  "the first deleted": { statements: [`DELETE FROM ${ENTRY} WHERE sequence = 1`], finds: [1, "missing"] },
  "the last deleted": { statements: [`DELETE FROM ${ENTRY} WHERE sequence = 30`], finds: [30, "missing"] },
  "the end deleted": { statements: [`DELETE FROM ${ENTRY} WHERE sequence > 20`], finds: [21, "missing"] },
  "everything deleted": { statements: [`DELETE FROM ${ENTRY}`], finds: [1, "missing"] },
  "one deleted, and the gap closed": {
    statements: [`DELETE FROM ${ENTRY} WHERE sequence = 12`, ...Array.from({ length: 18 }, (_, nth) => `UPDATE ${ENTRY} SET sequence = ${12 + nth} WHERE sequence = ${13 + nth}`)],
    finds: [12, "altered"],
  },
  "two in the place of each other": {
    statements: [`UPDATE ${ENTRY} SET sequence = -1 WHERE sequence = 12`, `UPDATE ${ENTRY} SET sequence = 12 WHERE sequence = 13`, `UPDATE ${ENTRY} SET sequence = 13 WHERE sequence = -1`],
    finds: [12, "altered"],
  },
  "one put before the first": { statements: [`INSERT INTO ${ENTRY} SELECT 0, 'x', at, actor, client, action, resource, outcome, code, request_id, previous, hash FROM ${ENTRY} WHERE sequence = 1`], finds: [0, "unexpected"] },
  "one put after the head": { statements: [`INSERT INTO ${ENTRY} SELECT 31, 'x', at, actor, client, action, resource, outcome, code, request_id, previous, hash FROM ${ENTRY} WHERE sequence = 1`], finds: [31, "unexpected"] },
  "the end deleted, and the head turned back to another hash": { statements: [`DELETE FROM ${ENTRY} WHERE sequence > 20`, "UPDATE admin.audit_head SET sequence = 20"], finds: [20, "replaced"] },
  "the head deleted": { statements: ["DELETE FROM admin.audit_head"], finds: [1, "unexpected"] },
};

test.each(Object.entries(TAMPERINGS))("what a database owner has done is found: %s", async (_, { statements, finds: [sequence, reason] }) => {
  await asOwner(platform, statements);
  expect(await platform.verify()).toMatchObject({ valid: false, firstBroken: { sequence, reason }, next: null });
});

test("an altered entry that got a hash of its own breaks the one after it", async () => {
  const entry = (await platform.entries()).find(({ sequence }) => sequence === 12);
  const altered = { ...entry!, actor: "another" };
  await asOwner(platform, [`UPDATE ${ENTRY} SET actor = 'another', hash = '${hashOf(altered)}' WHERE sequence = 12`]);
  expect(await platform.verify()).toMatchObject({ valid: false, firstBroken: { sequence: 13, reason: "unlinked" } });
});

/** The log as if entry 12 had always said so, head and all. */
async function rewrite(): Promise<void> {
  let previous: string | undefined;
  for (const entry of (await platform.entries()).toReversed().filter(({ sequence }) => sequence >= 12 && sequence <= 30)) {
    const changed = { ...entry, ...(entry.sequence === 12 && { actor: "another" }), ...(previous !== undefined && { previous }) };
    previous = hashOf(changed);
    await asOwner(platform, [`UPDATE ${ENTRY} SET actor = '${changed.actor}', previous = '${changed.previous}', hash = '${previous}' WHERE sequence = ${entry.sequence}`]);
  }
  await asOwner(platform, [`UPDATE admin.audit_head SET hash = '${previous}'`]);
}

test("a log that was rewritten as a whole is found by a head that was noted elsewhere, and only by that", async () => {
  const { head } = await platform.verify();
  const noted = `${head.sequence}:${head.hash}`;
  expect(await platform.verify(noted)).toEqual({ valid: true, entries: 0, head, firstBroken: null, next: null });
  await rewrite();
  expect(await platform.verify()).toMatchObject({ valid: true, entries: 30 });
  expect(await platform.verify(noted)).toMatchObject({ valid: false, firstBroken: { sequence: 30, reason: "replaced" } });
  await asOwner(platform, [`DELETE FROM ${ENTRY} WHERE sequence > 10`, `UPDATE admin.audit_head SET (sequence, hash) = (SELECT sequence, hash FROM ${ENTRY} WHERE sequence = 10)`]);
  expect(await platform.verify()).toMatchObject({ valid: true, entries: 10 });
  expect(await platform.verify(noted)).toMatchObject({ valid: false, firstBroken: { sequence: 30, reason: "missing" } });
});

test("an entry whose hash was noted is looked at itself, and what is before it is not", async () => {
  const noted = (await platform.entries()).find(({ sequence }) => sequence === 12)!;
  await asOwner(platform, [`UPDATE ${ENTRY} SET actor = 'another' WHERE sequence IN (3, 12)`]);
  expect(await platform.verify(`12:${noted.hash}`)).toMatchObject({ valid: false, firstBroken: { sequence: 12, reason: "altered" } });
  const next = (await platform.entries()).find(({ sequence }) => sequence === 13)!;
  expect(await platform.verify(`13:${next.hash}`)).toMatchObject({ valid: true, entries: 17 });
  expect(await platform.verify(`0:${HASH}1`)).toMatchObject({ valid: false, firstBroken: { sequence: 0, reason: "replaced" } });
});

/** A log that was never in the database before, with the hashes that the documents tell of. */
async function fill(count: number): Promise<void> {
  const entries: ChainedEntry[] = [];
  for (let sequence = 1; sequence <= count; sequence++) {
    const entry = { ...exampleEntry, sequence, id: `event-${sequence}`, previous: entries.at(-1)?.hash ?? "0".repeat(64) };
    entries.push({ ...entry, hash: hashOf(entry) });
  }
  const { query } = platform.database;
  const columns = "sequence, id, at, actor, client, action, resource, outcome, code, request_id, previous, hash";
  await query(
    `INSERT INTO ${ENTRY} (${columns}) SELECT ${columns.replace("request_id", '"requestId"')} FROM jsonb_to_recordset($1::jsonb)
     AS e(sequence bigint, id text, at timestamptz, actor text, client text, action text, resource text, outcome text, code text, "requestId" text, previous text, hash text)`,
    [JSON.stringify(entries)],
  );
  await query("INSERT INTO admin.audit_head VALUES ('audit', $1, $2)", [String(count), entries.at(-1)?.hash ?? ""]);
}

test("a log that is too long for one call is verified in several, which together find what one does", async () => {
  await asOwner(platform, ["DELETE FROM admin.audit_entries", "DELETE FROM admin.audit_head"]);
  await fill(5000);
  const inHaste = async (after?: string) => {
    const response = await platform.call("GET", `/api/admin/audit/verify${after === undefined ? "" : `?after=${after}`}`, { headers: { "x-deadline-ms": "2500" } });
    return (await response.json()) as Awaited<ReturnType<typeof platform.verify>>;
  };
  const whole = async () => {
    const answers = [await inHaste()];
    while (answers.at(-1)?.next) answers.push(await inHaste(answers.at(-1)?.next ?? undefined));
    return answers;
  };
  const answers = await whole();
  expect(answers.map(({ valid }) => valid)).toEqual([...answers.slice(1).map(() => null), true]);
  expect(answers.length).toBeGreaterThan(2);
  expect(answers.reduce((sum, { entries }) => sum + entries, 0)).toBe(answers[0]?.head.sequence);
  expect(answers[0]?.head.sequence).toBe(5000);
  await asOwner(platform, [`DELETE FROM ${ENTRY} WHERE sequence = 2001`]);
  expect((await whole()).at(-1)).toMatchObject({ valid: false, firstBroken: { sequence: 2001, reason: "missing" } });
});

test("an empty log is as it was written", async () => {
  await asOwner(platform, ["DELETE FROM admin.audit_entries", "DELETE FROM admin.audit_head"]);
  expect(await platform.verify()).toEqual({ valid: true, entries: 0, head: { sequence: 0, hash: "0".repeat(64) }, firstBroken: null, next: null });
});
