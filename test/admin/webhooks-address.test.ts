import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { urlFault } from "../../src/webhooks/address.ts";
import { problemOf } from "../http/problem.ts";
import { type WebhookPlatform, webhookPlatform } from "./webhooks.ts";

let platform: WebhookPlatform;
beforeAll(async () => {
  platform = await webhookPlatform();
});
afterAll(() => platform.close());

const LOOPBACK = ["127.0.0.1", "127.1", "127.255.255.254", "0x7f.1", "2130706433", "017700000001", "１２７.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]", "localhost", "LOCALHOST.", "a.localhost"];

const PRIVATE = [
  // IPv4, in every spelling a URL parser understands.
  "0.0.0.0", "0", "10.0.0.1", "10.255.255.255", "0xa.0.0.1", "167772161", "100.64.0.1", "100.127.255.255", "100.100.100.200", "169.254.169.254", "0xa9fea9fe", "2852039166",
  "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.257", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
  "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
  // IPv6, and IPv4 in its coat.
  "[::]", "[::ffff:10.0.0.1]", "[::ffff:a00:1]", "[::ffff:8.8.8.8]", "[::10.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::8.8.8.8]", "[100::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]",
  "[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:10::1]", "[2001:db8::1]", "[2002:a00:1::1]", "[2002:7f00:1::]", "[3fff::1]", "[5f00::1]", "[4000::1]",
  // Names that lead inside.
  "metadata", "metadata.google.internal", "metadata.google.internal.", "intranet", "db.local", "printer.lan", "router.home.arpa", "host.docker.internal", "kubernetes.default.svc.cluster.local", "x.localdomain", "x.test", "x.corp",
];

const PUBLIC = ["receiver.example.com", "receiver.example.com.", "local.example.com", "localhost.example.com", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "11.0.0.1", "[2606:4700::1111]", "[2a00:1450::1]", "[64:ff9b::8.8.8.8]", "[2001:4860:4860::8888]", "bücher.example.com", "10.example.com"];

const create = (url: string) => platform.call("POST", "/api/admin/webhooks", { json: { url, types: ["user.updated"] } });

test.each([...LOOPBACK, ...PRIVATE])("https://%s is refused, when it is made and when it is changed", async (host) => {
  expect(await problemOf(await create(`https://${host}/`))).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["url"] });
});

test.each(PUBLIC)("https://%s is none of them", (host) => {
  expect(urlFault(`https://${host}:8443/hook?a=b`, { isLoopback: false, isPrivate: false })).toBeUndefined();
});

test.each([
  "http://receiver.example.com/", "ftp://receiver.example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,a", "//receiver.example.com", "receiver.example.com", "https://", "https:///", "not a URL",
  "https://user@receiver.example.com/", "https://user:password@receiver.example.com/", "https://:password@receiver.example.com/", "https://receiver.example.com/#fragment", "https://receiver.example.com/#",
  "https://receiver.example.com@10.0.0.1/", "https://10.0.0.1\\@receiver.example.com/", `https://receiver.example.com/${"a".repeat(2048)}`, "https://[::1", "https://1.2.3.4.5.6/", "https://256.1.1.1/",
])("%s is refused", async (url) => {
  expect(await problemOf(await create(url))).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["url"] });
});

test("a change is refused like a new one", async () => {
  const { id } = await platform.subscribed();
  const changed = await platform.call("PUT", `/api/admin/webhooks/${id}`, { json: { url: "https://169.254.169.254/latest", enabled: true } });
  expect(await problemOf(changed)).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["url"] });
});

test("where only this machine reaches the platform, its own loopback is open, also by plain http, and nothing else", () => {
  const openness = { isLoopback: true, isPrivate: false };
  for (const host of LOOPBACK) expect({ host, fault: urlFault(`http://${host}:9000/`, openness) }).toEqual({ host, fault: undefined });
  for (const host of PRIVATE) expect({ host, isRefused: urlFault(`https://${host}/`, openness) !== undefined }).toEqual({ host, isRefused: true });
  expect(urlFault("http://receiver.example.com/", openness)).toBeDefined();
  expect(urlFault("http://[::ffff:127.0.0.1]/", openness)).toBeDefined();
});

test("in a laboratory everything is open, but for what is no URL of the web", () => {
  const openness = { isLoopback: false, isPrivate: true };
  for (const host of [...LOOPBACK, ...PRIVATE]) expect({ host, fault: urlFault(`http://${host}/`, openness) }).toEqual({ host, fault: undefined });
  for (const url of ["ftp://10.0.0.1/", "http://user@10.0.0.1/"]) expect(urlFault(url, openness)).toBeDefined();
});

describe("A name that resolves", () => {
  const cases: [string, string[], object][] = [
    ["to a public address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"], { lastFailure: null, pending: 0 }],
    ["to a private address", ["10.0.0.7"], { lastFailure: "private-address", pending: 1 }],
    ["to a private address among public ones", ["93.184.215.14", "fd00::7"], { lastFailure: "private-address", pending: 1 }],
    ["to this machine", ["127.0.0.1"], { lastFailure: "private-address", pending: 1 }],
    ["to a mapped address", ["::ffff:169.254.169.254"], { lastFailure: "private-address", pending: 1 }],
    ["to a link-local address with its zone", ["fe80::1%eth0"], { lastFailure: "private-address", pending: 1 }],
    ["to something that is no address", ["receiver.example.com"], { lastFailure: "private-address", pending: 1 }],
    ["to nothing", [], { lastFailure: "unreachable", pending: 1 }],
  ];

  test.each(cases)("%s is asked for at each delivery, and nothing private is sent to", async (_, addresses, state) => {
    await platform.database.query("DELETE FROM webhooks.endpoints");
    const { id, received } = await platform.subscribed();
    await platform.write();
    await platform.relay();
    const asked: string[] = [];
    await platform.newWebhooks({ resolve: async (host) => (asked.push(host), addresses) }).run();
    expect(await platform.state(id)).toMatchObject(state);
    expect(asked).toEqual([expect.stringMatching(/^receiver-\d+\.example\.com$/)]);
    expect(received).toHaveLength("pending" in state && state.pending === 0 ? 1 : 0);
  });

  test("not within three seconds, or not at all, is unreachable", async () => {
    await platform.database.query("DELETE FROM webhooks.endpoints");
    const { id } = await platform.subscribed();
    await platform.write();
    await platform.relay();
    await platform.newWebhooks({ resolve: () => Promise.reject(new Error("ENOTFOUND")) }).run();
    expect(await platform.state(id)).toMatchObject({ lastFailure: "unreachable" });
  });
});

test("an endpoint that was made under looser rules is sent nothing under stricter ones", async () => {
  await platform.database.query("DELETE FROM webhooks.endpoints");
  const { id, received } = await platform.subscribed();
  await platform.database.query("UPDATE webhooks.endpoints SET url = replace(url, 'https:', 'http:') WHERE id = $1", [id]);
  await platform.write();
  await platform.deliver();
  expect(received).toEqual([]);
  expect(await platform.state(id)).toMatchObject({ lastFailure: "private-address" });
});
