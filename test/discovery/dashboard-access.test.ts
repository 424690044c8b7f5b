import { describe, expect, test } from "vitest";
import { dashboardOf, platformOf, registered, START } from "./dashboard.ts";

const basic = (username: string, password: string) => ({ authorization: `Basic ${btoa(`${username}:${password}`)}` });
const RIGHT = basic("eureka", "open-sesame");

describe("The dashboard where others can reach it", () => {
  const { request, probed } = dashboardOf(platformOf(), { isLoopback: false });

  test.each<[string, Record<string, string>]>([
    ["nothing", {}],
    ["a wrong password", basic("eureka", "open-sesam")],
    ["a wrong user name", basic("admin", "open-sesame")],
    ["a bearer token", { authorization: "Bearer open-sesame" }],
    ["garbage", { authorization: "Basic ????" }],
  ])("asks for the credential who sends %s, tells nothing and asks nobody", async (_, headers) => {
    const answer = await request("/", { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Basic realm="Gatehouse discovery", charset="UTF-8"');
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const text = await answer.text();
    expect(text).toContain("Sign in to see the registry.");
    expect(text).not.toMatch(/User service|8086|<script/);
    expect(probed).toEqual([]);
  });

  test("is read with the credential", async () => {
    const answer = await request("/", { headers: RIGHT });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("All five services are up.");
  });
});

describe("The dashboard on loopback", () => {
  const { fetch } = dashboardOf(platformOf());
  const at = async (host: string, headers = {}) => (await fetch(new Request(`http://${host}/`, { headers }))).status;

  test.each(["localhost:8761", "gatehouse.localhost:8761", "127.0.0.1:8761", "127.8.9.10", "[::1]:8761"])("needs no credential at %s", async (host) => {
    expect(await at(host)).toBe(200);
  });

  test.each(["rebound.example:8761", "127.0.0.1.rebound.example", "localhost.rebound.example", "192.0.2.7:8761", "[2001:db8::1]"])("needs one at %s: a page of that name could read it", async (host) => {
    expect(await at(host)).toBe(401);
    expect(await at(host, RIGHT)).toBe(200);
  });
});

describe("What a registered instance says of itself", () => {
  const script = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const override = "\u202Egnp.exe\u0007";
  const hostile = registered(`APP${script}`, {
    id: `id${override}${script}${"x".repeat(5000)}`,
    hostName: `host'${script}`,
    metadata: { version: script, "management.port": script, note: script },
    homePageUrl: "javascript:alert(1)",
    statusPageUrl: "data:text/html,<script>alert(1)</script>",
    healthCheckUrl: "http://user:canary@10.0.0.7:9000/health?x='\"><script>",
  });
  const health = { status: "DOWN", components: { [`c${script}`]: { status: "DOWN", details: { error: script } }, __proto__: { status: script } } };
  const answers = { 9000: () => Response.json(health, { status: 503 }) };

  test("is text, of a bounded length, with nothing that hides", async () => {
    const { request } = dashboardOf([hostile, registered("USER-SERVICE", { ...hostile, app: "USER-SERVICE" })], { answers });
    const text = await (await request()).text();
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toMatch(/<img src=x|canary/);
    expect([...override].filter((character) => !/\w|\./.test(character) && text.includes(character))).toEqual([]);
    expect(text.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/);
    expect(text).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toContain("x".repeat(200));
  });

  test.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", "\u0001javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,<b>", "vbscript:x", "file:///etc/passwd", "//10.0.0.9/", "/x", "http://", "ftp://10.0.0.9/"])(
    "leads nowhere and asks nobody where its URLs are %j",
    async (url) => {
      const { request, probed } = dashboardOf([registered("SHOP", { homePageUrl: url, statusPageUrl: url, healthCheckUrl: url })]);
      const text = await (await request()).text();
      const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);
      expect(links).toEqual(["/"]);
      expect(probed).toEqual([]);
    },
  );

  test("leads to http and https only, without credentials, and not to what is gone", async () => {
    const shop = registered("SHOP", { homePageUrl: "https://user:canary@shop.example/app/", healthCheckUrl: "https://user:canary@shop.example/app/health" });
    const text = await (await dashboardOf([shop]).request()).text();
    expect(text).toContain('href="https://shop.example/app/swagger-ui/index.html"');
    expect(text).toContain('href="https://shop.example/app/health"');
    expect(text).not.toContain("canary");
    const gone = await (await dashboardOf([{ ...shop, gone: { at: START, reason: "evicted" } }]).request()).text();
    expect(gone).not.toContain("shop.example/");
  });
});

test("the page may load its own files only, and frames nobody", async () => {
  const { request } = dashboardOf(platformOf());
  const answer = await request();
  const policy = answer.headers.get("content-security-policy")!.split("; ").toSorted();
  expect(policy).toEqual(["base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "img-src 'self'", "script-src 'self'", "style-src 'self'"]);
  const text = await answer.text();
  expect(text).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/);
  const loaded = [...text.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(([, url]) => url!);
  expect([...new Set(loaded)].toSorted()).toEqual(["/dashboard.js", "/icon.svg", "/style.css"]);
  const types = await Promise.all(["/dashboard.js", "/style.css", "/icon.svg"].map(async (path) => (await request(path)).headers.get("content-type")));
  expect(types).toEqual(["text/javascript; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"]);
});
