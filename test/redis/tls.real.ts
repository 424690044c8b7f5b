import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificates } from "../certificates.ts";
import { openRedis } from "../../workers/redis.ts";
import { type RedisServer, redisServer } from "./server.ts";

let folder: string;
let authority: string;
let server: RedisServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  const made = makeCertificates(folder, "DNS:localhost");
  authority = made.authority;
  const tls = ["--tls-cert-file", made.certificate, "--tls-key-file", made.key, "--tls-ca-cert-file", authority, "--tls-auth-clients", "no"];
  server = await redisServer(["--port", "0", "--tls-port", "{port}", ...tls, "--user", "gateway", "on", ">p@ss/word", "~gatehouse:*", "+eval", "+incr", "+pttl", "+pexpire", "+ping", "+select"]);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** What a Redis at this URL answers to a PING, and what was logged. */
async function ping({ url, ...tls }: { url: string; authority?: string }) {
  const said: string[] = [];
  const { fetch, token, close, ...endpoint } = await openRedis({ url, ...tls, log: ({ error = "" }) => said.push(String(error)) });
  const request = new Request(endpoint.url, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: '["PING"]' });
  const answer = (await (await fetch(request)).json()) as unknown;
  close();
  return { answer, said: said.join() };
}

const at = (host: string, user = "gateway:p%40ss%2Fword") => `rediss://${user}@${host}:${server.port}/2`;

test("Redis is reached over TLS with the authority of REDIS_CA_FILE, as the user and at the database of the URL", async () => {
  expect(await ping({ url: at("localhost"), authority })).toEqual({ answer: { result: "PONG" }, said: "" });
});

test.each<[string, () => { url: string; authority?: string }, RegExp]>([
  ["of an authority that nobody knows", () => ({ url: at("localhost") }), /certificate/i],
  ["of another name", () => ({ url: at("127.0.0.1"), authority }), /127\.0\.0\.1/],
  ["with another password", () => ({ url: at("localhost", "gateway:another-secret"), authority }), /WRONGPASS/],
  ["without TLS where there is some", () => ({ url: `redis://localhost:${server.port}` }), /./],
])("Redis %s is not reached, and the log says why without the password", async (_, place, why) => {
  const { answer, said } = await ping(place());
  expect(answer).toEqual({ error: "ERR Redis is not available" });
  expect(said).toMatch(why);
  expect(said).not.toMatch(/p@ss|p%40ss|another-secret/);
});
