import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRedis, type OpenRedis } from "../../workers/redis.ts";
import { type Listening, listen } from "../gateway/platform.ts";
import { gatewayOn } from "./limits.ts";

const url = process.env["TEST_REDIS_URL"] ?? "";
const key = (name: string) => `gatehouse-test:${run}:${name}`;
const run = crypto.randomUUID();

let opened: OpenRedis;
let endpoint: Listening;
let redis: Redis;

beforeAll(async () => {
  opened = await openRedis({ url, log: () => {} });
  endpoint = await listen((request) => opened.fetch(request));
  redis = client();
});
afterAll(async () => {
  const left = await redis.keys(`gatehouse-test:${run}:*`);
  if (left.length > 0) await redis.del(...left);
  await endpoint.close();
  opened.close();
});

function client(options: { token?: string; responseEncoding?: false } = {}): Redis {
  return new Redis({ url: endpoint.url, token: opened.token, automaticDeserialization: false, retry: false, ...options });
}

describe("Upstash's own client, with the REST endpoint in front of the Redis at TEST_REDIS_URL", () => {
  test("stores and reads every character, in base64 and without", async () => {
    const text = "Grüße \u0000 \n \u{1F511} OK T0s= \"quoted\"";
    expect(await redis.set(key("text"), text)).toBe("OK");
    expect(await redis.get(key("text"))).toBe(text);
    expect(await client({ responseEncoding: false }).get(key("text"))).toBe(text);
    expect(await redis.set(key("ok"), "OK")).toBe("OK");
    expect(await redis.get(key("ok"))).toBe("OK");
    expect(await redis.get(key("nothing"))).toBe(null);
  });

  test("reads a value of half a megabyte", async () => {
    const long = "0123456789abcdef".repeat(32_768);
    await redis.set(key("long"), long);
    expect(await redis.get(key("long"))).toBe(long);
  });

  test("gets bytes that are no text as they are, in base64", async () => {
    await redis.eval(`return redis.call("SET", KEYS[1], string.char(0, 255, 128, 10))`, [key("bytes")], []);
    const headers = { authorization: `Bearer ${opened.token}`, "upstash-encoding": "base64" };
    const answer = await fetch(endpoint.url, { method: "POST", headers, body: JSON.stringify(["GET", key("bytes")]) });
    expect(await answer.json()).toEqual({ result: "AP+ACg==" });
  });

  test("runs scripts, whose answers keep their shape", async () => {
    expect(await redis.eval(`return { 1, ARGV[1], { 2, { KEYS[1] } }, false, 1.9 }`, [key("k")], ["é"])).toEqual([1, "é", [2, [key("k")]], null, 1]);
    await redis.hset(key("hash"), { one: "1", two: "zwei" });
    expect(await redis.hgetall(key("hash"))).toEqual(["one", "1", "two", "zwei"]);
  });

  test("sends many commands in one request; one that is refused leaves the others", async () => {
    const pipeline = redis.pipeline().incr(key("count")).lpush(key("count"), "x").incr(key("count")).get(key("count"));
    expect(await pipeline.exec({ keepErrors: true })).toEqual([
      { error: undefined, result: 1 },
      { error: "WRONGTYPE Operation against a key holding the wrong kind of value", result: undefined },
      { error: undefined, result: 2 },
      { error: undefined, result: "2" },
    ]);
  });

  test("runs a transaction as a whole, or refuses it as a whole", async () => {
    expect(await redis.multi().set(key("a"), "1").incr(key("a")).get(key("a")).exec()).toEqual(["OK", 2, "2"]);
    const discarded = post("/multi-exec", [["INCR", key("a")], ["NO-SUCH-COMMAND"]]);
    expect(await discarded).toEqual([400, { error: "EXECABORT Transaction discarded because of previous errors." }]);
    expect(await post("/multi-exec", [["NO-SUCH-COMMAND"]])).toEqual(await discarded);
    expect(await redis.get(key("a"))).toBe("2");
  });

  test("keeps apart the transactions and commands of many who use the one connection", async () => {
    const each = Array.from({ length: 60 }, (_, index) => key(`apart ${index}`));
    const answers = await Promise.all(each.map((name) => redis.multi().set(name, name).get(name).exec()));
    const alone = await Promise.all(each.map((name) => redis.get(name)));
    expect(answers).toEqual(each.map((name) => ["OK", name]));
    expect(alone).toEqual(each);
  });

  test("hears what Redis has against a command, as an error", async () => {
    await redis.set(key("word"), "word");
    await expect(redis.incr(key("word"))).rejects.toThrow("ERR value is not an integer or out of range");
    expect(await post("/", ["INCR", key("word")])).toEqual([400, { error: "ERR value is not an integer or out of range" }]);
    expect((await post("/", ["NO-SUCH-COMMAND"]))[0]).toBe(400);
  });

  test("is refused with another token, and changes nothing", async () => {
    await expect(client({ token: "another" }).set(key("refused"), "1")).rejects.toThrow("WRONGPASS");
    expect(await redis.get(key("refused"))).toBe(null);
  });

  test("is refused what would hold up or change the connection of all, which goes on", async () => {
    const refused = ["BLPOP x 0", "xread BLOCK 0 STREAMS x $", "SUBSCRIBE x", "MONITOR", "MULTI", "WATCH x", "SELECT 1", "CLIENT REPLY OFF", "QUIT", "WAIT 1 0", "AUTH x"];
    for (const command of refused) {
      const words = command.split(" ");
      expect(await post("/", words)).toEqual([400, { error: `ERR Command is not available: '${words[0]}'` }]);
      expect((await post("/multi-exec", [["PING"], words]))[0]).toBe(400);
      expect(await post("/pipeline", [words, ["PING"]])).toMatchObject([200, [{ error: expect.any(String) }, { result: "PONG" }]]);
    }
  });
});

async function post(path: string, body: unknown): Promise<[number, unknown]> {
  const answer = await fetch(endpoint.url + path, { method: "POST", headers: { authorization: `Bearer ${opened.token}` }, body: JSON.stringify(body) });
  return [answer.status, await answer.json()];
}

test("Three instances of the gateway that count in one Redis let through exactly as many as the limit says", async () => {
  const limits = { shared: 150, local: 1 };
  // How long Redis takes is not what is under test, and this machine may be busy.
  const gateways = await Promise.all([1, 2, 3].map(() => gatewayOn(url, { source: `test-${run}`, limits, timeout: 10_000 })));
  const answers = await Promise.all(
    gateways.flatMap(({ ask }) =>
      Array.from({ length: 6 }, async () => {
        const all: Awaited<ReturnType<typeof ask>>[] = [];
        for (let call = 0; call < 20; call++) all.push(await ask());
        return all;
      }),
    ),
  ).then((all) => all.flat());
  expect(answers.filter(({ limit }) => limit !== limits.shared)).toEqual([]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(limits.shared);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(360 - limits.shared);
  expect(new Set(answers.flatMap(({ status, remaining }) => (status === 200 ? [remaining] : []))).size).toBe(limits.shared);
  expect(gateways.flatMap(({ passed }) => passed)).toHaveLength(limits.shared);
  for (const { close } of gateways) close();
});
