import { describe, expect, test } from "vitest";
import { redisEndpoint } from "../../src/redis/endpoint.ts";
import { type RedisRun, redisRun, type RedisWork, type Reply } from "../../src/redis/run.ts";

const token = "the-token";

function endpointOn(answer: (work: RedisWork) => Reply[] | Promise<Reply[]>) {
  const ran: RedisWork[] = [];
  const run: RedisRun = async (work) => {
    ran.push(work);
    return answer(work);
  };
  const app = redisEndpoint({ token, run });
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = { method: "POST", headers: { authorization: `Bearer ${token}`, ...headers }, body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await app.request(path, init);
    return [response.status, await response.json()] as const;
  };
  return { post, ran };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("The REST endpoint", () => {
  test.each([undefined, "", "Bearer", "Bearer other", "Bearer the-token-", "Basic the-token"])("asks for its token, and runs nothing for %j", async (authorization) => {
    const { post, ran } = endpointOn(() => ["OK"]);
    for (const path of ["/", "/pipeline", "/multi-exec", "/elsewhere"]) {
      expect(await post(path, [["PING"]], { authorization: authorization ?? "" })).toEqual([401, { error: "WRONGPASS invalid or missing auth token" }]);
    }
    expect(ran).toEqual([]);
  });

  test.each(["", "{", "null", "[]", '"PING"', '{"0":"PING"}', "[null]", '["GET",{}]', '["GET",["a"]]', "[[]]", '["PING",[]]'])("refuses %s, which is no command", async (body) => {
    const { post, ran } = endpointOn(() => ["OK"]);
    expect(await post("/", body)).toEqual([400, { error: "ERR failed to parse command" }]);
    expect((await post("/pipeline", body))[0]).toBe(400);
    expect((await post("/multi-exec", body))[0]).toBe(400);
    expect(ran).toEqual([]);
  });

  test("sends words, numbers and truth values as the text that they are", async () => {
    const { post, ran } = endpointOn(() => ["OK"]);
    await post("/", ["SET", "key", 1.5, true, "x y"]);
    expect(ran).toEqual([{ commands: [["SET", "key", "1.5", "true", "x y"]] }]);
  });

  test.each<[Reply, unknown, unknown]>([
    ["OK", "OK", "OK"],
    ["PONG", "PONG", "UE9ORw=="],
    [bytes("OK"), "OK", "T0s="],
    [bytes("Grüße"), "Grüße", "R3LDvMOfZQ=="],
    [bytes(""), "", ""],
    [null, null, null],
    [7, 7, 7],
    [[1, bytes("a"), null, "OK", [bytes("b")], new Error("ERR x")], [1, "a", null, "OK", ["b"], "ERR x"], [1, "YQ==", null, "T0s=", ["Yg=="], "RVJSIHg="]],
  ])("answers %j as JSON, and in base64 for whoever asks", async (reply, plain, encoded) => {
    const { post } = endpointOn(() => [reply]);
    expect(await post("/", ["GET", "key"])).toEqual([200, { result: plain }]);
    expect(await post("/", ["GET", "key"], { "upstash-encoding": "base64" })).toEqual([200, { result: encoded }]);
  });

  test("answers a refusal of Redis with 400, in a pipeline in its place", async () => {
    const { post } = endpointOn(({ commands }) => commands.map((_, index) => (index === 0 ? new Error("WRONGTYPE no") : index)));
    expect(await post("/", ["INCR", "key"])).toEqual([400, { error: "WRONGTYPE no" }]);
    expect(await post("/pipeline", [["INCR", "a"], ["MONITOR"], ["INCR", "b"]])).toEqual([
      200,
      [{ error: "WRONGTYPE no" }, { error: "ERR Command is not available: 'MONITOR'" }, { result: 1 }],
    ]);
  });

  test("refuses a body of more than 1 MiB, and runs nothing", async () => {
    const { post, ran } = endpointOn(() => ["OK"]);
    expect((await post("/", ["SET", "key", "x".repeat(1024 * 1024)]))[0]).toBe(413);
    expect(ran).toEqual([]);
  });

  test("says of a Redis that is away nothing but that", async () => {
    const { post } = endpointOn(() => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.1:6379")));
    for (const [path, body] of [["/", ["PING"]], ["/pipeline", [["PING"]]], ["/multi-exec", [["PING"]]]] as const) {
      expect(await post(path, body)).toEqual([503, { error: "ERR Redis is not available" }]);
    }
  });
});

describe("A client of Redis", () => {
  test("sends a transaction in one go, and no part of one for which there is no room", async () => {
    const sent: string[][] = [];
    const waiting: (() => void)[] = [];
    const sendCommand = (args: string[]) => {
      sent.push(args);
      return new Promise<unknown>((resolve) => waiting.push(() => resolve(null)));
    };
    const run = redisRun({ sendCommand }, () => false);
    const first = run({ commands: Array.from({ length: 1021 }, () => ["PING"]) });
    await expect(run({ commands: [["INCR", "a"], ["INCR", "b"]], isTransaction: true })).rejects.toThrow("1021 commands are under way");
    expect(sent).toHaveLength(1021);
    const second = run({ commands: [["INCR", "a"]], isTransaction: true });
    expect(sent.slice(1021)).toEqual([["MULTI"], ["INCR", "a"], ["EXEC"]]);
    for (const answer of waiting) answer();
    await Promise.all([first, second]);
    expect(await Promise.race([run({ commands: [["INCR", "a"], ["INCR", "b"]], isTransaction: true }), Promise.resolve("sent")])).toBe("sent");
  });
});
