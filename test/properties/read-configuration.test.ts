import { expect, test } from "vitest";
import { bundledFiles } from "../../src/config/files.ts";
import { SettingsError } from "../../src/env.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { readConfiguration } from "../../src/properties/read-configuration.ts";
import { configInstance, CREDENTIAL } from "../config/instance.ts";

const FILES = {
  "application.yml": "legacy.get-login: on\ntoken: { timeout-ms: 2000 }\nshared: ${token.timeout-ms} ms\nurl: ${nothing:http://x}\nleft: ${nothing}\n",
  "user-service.yml": "TOKEN_TIMEOUT_MS: 3000\nnested.listOf: [a, { b: no }]\nrate: 1.50\nempty:\n---\nspring.config.activate.on-profile: prod\ntoken.timeoutMs: 4000\n",
  "user-service-prod.properties": "rate=2",
  "broken.yml": "a: password\n  b: 1\n",
};

const { call } = configInstance({ files: bundledFiles(FILES), isLoopback: false });
const seen: Request[] = [];
const server: Fetch = (request) => {
  seen.push(request);
  const { pathname } = new URL(request.url);
  return call(pathname.replace("/base", ""), { headers: Object.fromEntries(request.headers) });
};

const URL_WITH_CREDENTIAL = `http://${CREDENTIAL.username}:${CREDENTIAL.password}@config.test:8888/base/`;

function read(overrides: Partial<Parameters<typeof readConfiguration>[0]> = {}): Promise<Record<string, string>> {
  return readConfiguration({ url: URL_WITH_CREDENTIAL, application: "user-service", profiles: [], fetch: server, now: Date.now, ...overrides });
}

test("what wins is what is read, under the names that settings have, placeholders resolved", async () => {
  expect(await read()).toEqual({
    LEGACY_GET_LOGIN: "on",
    TOKEN_TIMEOUT_MS: "3000",
    SHARED: "2000 ms",
    URL: "http://x",
    LEFT: "${nothing}",
    NESTED_LIST_OF_0: "a",
    NESTED_LIST_OF_1_B: "off",
    RATE: "1.5",
    EMPTY: "",
  });
});

test("of one setting under several names, that of the highest source is read", async () => {
  expect(await read({ profiles: ["prod"] })).toMatchObject({ RATE: "2", TOKEN_TIMEOUT_MS: "4000", SPRING_CONFIG_ACTIVATE_ON_PROFILE: "prod" });
});

test("profiles and credentials are sent as Spring's clients send them", async () => {
  const at = seen.length;
  await read({ profiles: ["dev", "test"] });
  await read({ url: "http://config.test:8888" }).catch(() => undefined);
  const sent = seen.slice(at).map(({ url, headers }) => ({ url, authorization: headers.get("authorization"), accept: headers.get("accept") }));
  expect(sent).toEqual([
    { url: "http://config.test:8888/base/user-service/dev%2Ctest", authorization: `Basic ${btoa("config:of-the-tests")}`, accept: "application/json" },
    { url: "http://config.test:8888/user-service/default", authorization: null, accept: "application/json" },
  ]);
});

const answering = (response: () => Response): Fetch => response;
const environment = (source: unknown) => Response.json({ propertySources: [{ name: "x", source }] });

test.for<[string, Partial<Parameters<typeof readConfiguration>[0]>, string]>([
  ["a wrong password", { url: "http://config:wrong-password@config.test:8888" }, "it does not accept the credential (401)"],
  ["a broken file", { application: "broken" }, 'Cannot read "broken.yml": line 1, column 4: block as implicit key'],
  ["nobody there", { fetch: () => Promise.reject(new TypeError("refused")) }, "no usable answer"],
  ["a redirect", { fetch: answering(() => new Response(null, { status: 302, headers: { location: "http://elsewhere" } })) }, "no usable answer"],
  ["a failure", { fetch: answering(() => new Response("secret-value", { status: 500 })) }, "it answered 500"],
  ["a stranger's problem", { fetch: answering(() => Response.json({ code: "X", detail: "secret-value" }, { status: 500 })) }, "it answered 500"],
  ["a page", { fetch: answering(() => new Response("<html>secret-value")) }, "what it answered is no configuration"],
  ["values that are none", { fetch: answering(() => environment({ a: ["secret-value"] })) }, "what it answered is no configuration"],
  ["a circle", { fetch: answering(() => environment({ a: "${b}", b: "${a}" })) }, 'The placeholder "b" leads back to itself'],
])("%s is said, and nothing of what was read", async ([, overrides, reason]) => {
  const error = await read(overrides).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(SettingsError);
  const { message } = error as Error;
  expect(message).toMatch(/^Cannot read the configuration of "(user-service|broken)" at http:\/\/config\.test:8888(\/base)?: /);
  expect(message).toContain(reason);
  for (const secret of ["secret-value", CREDENTIAL.password, "wrong-password"]) expect(message).not.toContain(secret);
});

test("no answer within the deadline is said", async () => {
  const clock = { now: 0 };
  // The clock runs out between the call's begin and its sending, so that nothing here waits.
  const now = () => (clock.now += 5000);
  await expect(read({ now })).rejects.toThrow("no answer in time");
});

test("no sources are no settings", async () => {
  for (const body of [{}, { propertySources: null }, { propertySources: [] }]) expect(await read({ fetch: answering(() => Response.json(body)) })).toEqual({});
});
