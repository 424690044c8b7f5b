import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { database } from "../../src/database/client.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { problemIn } from "../../src/http/problem.ts";
import { type TestDatabase, testDatabase } from "../database.ts";

const url = "postgres://gatehouse:secret@db.test/gatehouse";
const endpoint = "http://endpoint.test/sql";
const empty = { fields: [], rows: [], rowCount: 0, command: "SELECT", rowAsArray: true };

function clientOn(fetch: Fetch, timeout = 1000) {
  return database({ url, endpoint, fetch, now: Date.now, timeout });
}

async function failure(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(() => undefined, (error: unknown) => error);
}

describe("a client", () => {
  test("sends each statement once, with the connection string, through its own fetch only", async () => {
    const sent: Record<string, Request[]> = { one: [], other: [] };
    const [one, other] = Object.values(sent).map((requests) =>
      clientOn(async (request) => {
        requests.push(request.clone());
        return Response.json((await request.text()).startsWith('{"queries"') ? { results: [empty, empty] } : empty);
      }),
    );
    await Promise.all([one?.execute(sql`SELECT ${1}`), other?.execute(sql`SELECT 2`)]);
    await one?.batch([one.execute(sql`SELECT 3`), one.execute(sql`SELECT 4`)]);
    expect(sent["other"]).toHaveLength(1);
    const bodies = await Promise.all(sent["one"]?.map((request) => request.json()) ?? []);
    expect(bodies).toEqual([
      { query: "SELECT $1", params: ["1"] },
      { queries: [{ query: "SELECT 3", params: [] }, { query: "SELECT 4", params: [] }] },
    ]);
    expect(sent["one"]?.map((request) => [request.url, request.method, request.redirect])).toEqual(Array.from({ length: 2 }, () => [endpoint, "POST", "manual"]));
    expect(sent["one"]?.[0]?.headers.get("neon-connection-string")).toMatch(/^postgresql:\/\/gatehouse:secret@db\.test\/gatehouse/);
  });

  test("goes to the host that Neon derives from the URL when it has no endpoint", async () => {
    const urls: string[] = [];
    const fetch: Fetch = (request) => {
      urls.push(request.url);
      return Response.json(empty);
    };
    await database({ url: "postgres://u:p@ep-cool-sun-123.eu-central-1.aws.neon.tech/db", fetch, now: Date.now, timeout: 1000 }).execute(sql`SELECT 1`);
    expect(urls).toEqual(["https://api.eu-central-1.aws.neon.tech/sql"]);
  });

  test.each<[string, Fetch, string]>([
    ["refuses connections", () => Promise.reject(new TypeError("fetch failed")), "UPSTREAM_UNAVAILABLE_503"],
    ["throws at once", () => { throw new Error("no route"); }, "UPSTREAM_UNAVAILABLE_503"],
    ["says it is away", () => Response.json({ message: "away" }, { status: 503 }), "UPSTREAM_UNAVAILABLE_503"],
    ["has nothing behind its name, as Cloudflare says it", () => new Response("error code: 523", { status: 523 }), "UPSTREAM_UNAVAILABLE_503"],
    ["is busy", () => new Response("slow down", { status: 429 }), "UPSTREAM_UNAVAILABLE_503"],
    ["ends the connection of the statement", () => Response.json({ message: "terminating connection", code: "57P01" }, { status: 400 }), "UPSTREAM_UNAVAILABLE_503"],
    ["breaks off", () => new Response(new ReadableStream({ start: (body) => body.error(new Error("reset")) })), "UPSTREAM_UNAVAILABLE_503"],
    ["redirects", () => Response.redirect("http://elsewhere.test/sql", 307), "UPSTREAM_BAD_ANSWER_502"],
    ["does not know the connection string", () => Response.json({ message: "no" }, { status: 401 }), "UPSTREAM_BAD_ANSWER_502"],
    ["answers a page", () => new Response("<html>"), "UPSTREAM_BAD_ANSWER_502"],
    ["refuses with a page", () => new Response("<html>", { status: 400 }), "UPSTREAM_BAD_ANSWER_502"],
    ["answers nothing", () => new Response(""), "UPSTREAM_BAD_ANSWER_502"],
    ["answers null", () => Response.json(null), "UPSTREAM_BAD_ANSWER_502"],
    ["answers no rows", () => Response.json({ fields: [] }), "UPSTREAM_BAD_ANSWER_502"],
    ["answers without end", () => new Response(new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(1 << 20)) })), "UPSTREAM_BAD_ANSWER_502"],
    ["says nothing", () => new Promise<Response>(() => {}), "UPSTREAM_TIMEOUT_504"],
    ["stops half-way", () => new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) })), "UPSTREAM_TIMEOUT_504"],
  ])("fails with a problem when the database %s", async (_, fetch, code) => {
    const db = clientOn(fetch, 100);
    expect(problemIn(await failure(db.execute(sql`SELECT 1`)))?.code).toBe(code);
    expect(problemIn(await failure(db.batch([db.execute(sql`SELECT 1`)])))?.code).toBe(code);
  });

  test("gives a batch twice the time of a statement, and tells the other side when it has given up", async () => {
    const aborted: boolean[] = [];
    const late: Fetch = async ({ signal }) => {
      await pause(150);
      aborted.push(signal.aborted);
      return Response.json({ ...empty, results: [empty] });
    };
    const db = clientOn(late, 100);
    expect(problemIn(await failure(db.execute(sql`SELECT 1`)))?.code).toBe("UPSTREAM_TIMEOUT_504");
    expect(await failure(db.batch([db.execute(sql`SELECT 1`)]))).toBeUndefined();
    expect(aborted).toEqual([true, false]);
  });
});

describe("a client of a real database", () => {
  let real: TestDatabase;
  beforeAll(async () => {
    real = await testDatabase();
  });
  afterAll(() => real.close());

  test("takes what Postgres refuses for no problem, but for an error with its SQLSTATE", async () => {
    const error = await failure(real.db.execute(sql`SELECT ${"x"}::int`));
    expect(problemIn(error)).toBeUndefined();
    expect(error).toMatchObject({ cause: { code: "22P02", message: 'invalid input syntax for type integer: "x"' } });
  });

  test("is refused where it has another password", async () => {
    const stranger = database({ url, endpoint: real.endpoint, fetch: real.fetch, now: Date.now, timeout: 1000 });
    expect(problemIn(await failure(stranger.execute(sql`SELECT 1`)))?.code).toBe("UPSTREAM_BAD_ANSWER_502");
  });
});
