import { describe, expect, test } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { Problem } from "../../src/http/problem.ts";
import { dashboardOf, platformOf, registered, START } from "./dashboard.ts";

/** The page's text as a person reads it, and its parts by service. */
async function read(response: Response | Promise<Response>) {
  const answer = await response;
  const page = await answer.text();
  const main = page.slice(page.indexOf("<main"));
  const parts = main.split(/(?=<li [^>]*data-service=)/).slice(1);
  const services = new Map(parts.map((part) => [/data-service="([^"]*)"/.exec(part)![1]!, plain(part.split("</section>")[0]!)]));
  return { status: answer.status, page, title: /<title>(.*)<\/title>/.exec(page)![1], summary: plain(/<p class="summary[^>]*>(.*?)<\/p>/s.exec(main)?.[1] ?? ""), services };
}

function plain(markup: string): string {
  return markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">").trim();
}

const down = (error: string) => ({ status: "DOWN", details: { error } });
const NAMES = ["Gateway", "User service", "Authentication service", "Administration service", "Configuration server"];

describe("The dashboard", () => {
  test("lists the five services first, each with its state, its times, its version, its address and its documents", async () => {
    const { status, page, title, summary, services } = await read(dashboardOf(platformOf()).request());
    expect({ status, summary, title }).toEqual({ status: 200, summary: "All five services are up.", title: "All up · Gatehouse discovery" });
    expect([...services.keys()]).toEqual(NAMES);
    const expected = "User service Up Up since 12 min ago Last heartbeat 4 s ago Version 0.1.0 Address 127.0.0.1:8086 Instance user-service:8086 Health: up Documentation of User service Health as JSON of User service";
    expect(services.get("User service")).toBe(expected);
    expect(page).toContain('<time datetime="2026-11-21T14:03:01.000Z" title="2026-11-21 14:03:01 UTC">4 s ago</time>');
    expect(page).toContain('href="http://127.0.0.1:8086/swagger-ui/index.html"');
    expect(page).toContain('href="http://127.0.0.1:8086/actuator/health"');
    expect(page).toContain("eureka.client.<wbr>serviceUrl.<wbr>defaultZone=<wbr>http://eureka:&lt;password&gt;@localhost:8761/eureka/");
    expect(page).not.toContain("open-sesame");
  });

  test("names one that was evicted, and how long ago it was heard", async () => {
    const gone = { lastRenewedAt: START - 125_000, gone: { at: START - 30_000, reason: "evicted" } } as const;
    const { summary, services, title } = await read(dashboardOf(platformOf({ "USER-SERVICE": gone })).request());
    expect(summary).toBe("Down: user service");
    expect(title).toBe("Down: user service · Gatehouse discovery");
    expect(services.get("User service")).toMatch(/^User service Down Last heartbeat 2 min ago, with a lease of 90 s Gone since 30 s ago /);
    expect(services.get("User service")).not.toContain("Documentation");
    expect(services.get("Gateway")).toMatch(/^Gateway Up /);
  });

  test("lists all five where none has ever registered", async () => {
    const { status, summary, services } = await read(dashboardOf([]).request());
    expect(status).toBe(200);
    expect(summary).toBe("Not registered: gateway, user service, authentication service, administration service and configuration server");
    expect([...services.values()]).toEqual(NAMES.map((name) => `${name} Not registered`));
  });

  test("tells one that beats but does not answer from one that answers that a part of it is down", async () => {
    const answers = {
      8087: () => Promise.reject(new TypeError("connect ECONNREFUSED")),
      8089: () => Response.json({ status: "DOWN", components: { db: { status: "UP" }, secretsStore: down("Not available"), group: { status: "DOWN", components: { inner: down("Too slow") } } } }, { status: 503 }),
    };
    const { summary, services } = await read(dashboardOf(platformOf(), { answers }).request());
    expect(summary).toBe("Not answering: authentication service Health down: administration service");
    expect(services.get("Authentication service")).toMatch(/^Authentication service Not answering It cannot be reached /);
    const administration = services.get("Administration service")!;
    expect(administration).toMatch(/^Administration service Health down secretsStore, group \/ inner: down /);
    expect(administration).toContain("Health: down 3 components up db down secretsStore Not available down group / inner Too slow");
  });

  test.each<[string, Fetch, string]>([
    ["404, as without Actuator", () => new Response(null, { status: 404 }), "Up Its health address answers 404"],
    ["401, as behind a guard", () => new Response(null, { status: 401 }), "Up Its health address answers 401"],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }), "Not answering It gives no usable answer"],
    ["HTML", () => new Response("<h1>Welcome</h1>"), "Not answering It answers, but not with its health"],
    ["500", () => new Response("oops", { status: 500 }), "Not answering Its health address answers 500"],
    ["a megabyte", () => new Response(JSON.stringify({ status: "UP", x: "x".repeat(1_000_000) })), "Not answering It gives no usable answer"],
    ["a list", () => Response.json([{ status: "UP" }]), "Not answering It answers, but not with its health"],
  ])("says what it means that a health address answers %s", async (_, answer, expected) => {
    const { services } = await read(dashboardOf(platformOf(), { answers: { 8086: answer } }).request());
    expect(services.get("User service")).toContain(`User service ${expected} `);
  });

  test("comes in time, with what is known by then, while an instance is silent", async () => {
    const began = performance.now();
    const { services } = await read(dashboardOf(platformOf(), { now: Date.now, answers: { 8086: () => new Promise<Response>(() => {}) } }).request());
    expect(performance.now() - began).toBeLessThan(1500);
    expect(services.get("User service")).toContain("Last heartbeat");
  });

  test("counts those as up that are asked on demand and answer, and says that they were", async () => {
    const member = (app: string, fetch: Fetch = () => Response.json({ status: "UP" })) => ({ app, url: "http://service.test", fetch });
    const silent: Fetch = () => Promise.reject(new TypeError("no such binding"));
    const platform = [member("GATEWAY"), member("USER-SERVICE"), member("AUTH-SERVICE"), { ...member("ADMIN-SERVICE"), publicUrl: "https://admin.example/" }, member("CONFIG-SERVER", silent)];
    const { summary, services, page } = await read(dashboardOf([], { platform }).request());
    expect(summary).toBe("Not answering: configuration server");
    expect(services.get("User service")).toBe("User service Up Checked now, on demand Health: up");
    expect(services.get("Configuration server")).toBe("Configuration server Not answering It cannot be reached Checked now, on demand");
    expect(page).toContain('href="https://admin.example/swagger-ui/index.html"');
    expect(page).not.toContain("service.test");
  });

  test("still renders, with 503, while the registry's database is away, and says what it cannot know", async () => {
    const { request, registry, log } = dashboardOf(platformOf());
    registry.failure = new Error("query failed", { cause: new Problem("UPSTREAM_UNAVAILABLE_503", "The database is not available", { cause: new Error("ECONNREFUSED") }) });
    const { status, summary, services } = await read(request());
    expect(status).toBe(503);
    expect(summary).toMatch(/^The registry does not answer\. Its database cannot be reached/);
    expect([...services.values()]).toEqual(NAMES.map((name) => `${name} Unknown`));
    expect(log).toContainEqual(expect.objectContaining({ level: "warn", code: "UPSTREAM_UNAVAILABLE_503", error: expect.stringContaining("ECONNREFUSED") }));
    delete registry.failure;
    expect((await read(request())).summary).toBe("All five services are up.");
  });

  test("does not hide a defect of ours behind a database that is away", async () => {
    const { request, registry } = dashboardOf([]);
    registry.failure = new TypeError("undefined is not a function");
    const answer = await request();
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("is not a function");
  });
});

describe("Other applications", () => {
  const orders = [1, 2, 3].map((n) => registered("ORDERS", { port: 9100 + n, id: `orders:${n}` }));

  test("are listed by name with every instance of theirs", async () => {
    const instances = [registered("ZEBRA"), ...orders.with(2, { ...orders[2]!, status: "OUT_OF_SERVICE", overriddenStatus: "OUT_OF_SERVICE" }), ...platformOf()];
    const { services, page } = await read(dashboardOf(instances).request());
    expect([...services.keys()].slice(5)).toEqual(["ORDERS", "ZEBRA"]);
    expect(services.get("ORDERS")).toMatch(/^ORDERS 2 of 3 up orders:1 Up .* orders:2 Up .* orders:3 Out of service Set by an operator Registered 12 min ago /);
    expect(plain(page)).toContain("2 applications with 4 instances, 3 up by their heartbeats.");
    expect(page).not.toContain("Nothing else is registered");
  });

  test("do not show what signed off in good order while others of theirs are there, but what was evicted", async () => {
    const at = START - 60_000;
    const first = { ...orders[0]!, gone: { at, reason: "cancelled" } as const };
    const second = { ...orders[1]!, gone: { at, reason: "evicted" } as const };
    const { services } = await read(dashboardOf([first, second, orders[2]!]).request());
    expect(services.get("ORDERS")).toMatch(/^ORDERS 1 of 2 up orders:2 Down .* orders:3 Up /);
    expect((await read(dashboardOf([first]).request())).services.get("ORDERS")).toMatch(/^ORDERS Down Signed off 1 min ago /);
  });

  test("are shown by the page, those first that are not up, however many there are", async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => registered(n < 4312 ? "ACME" : `APP-${String(n % 300).padStart(3, "0")}`, { port: 10_000 + n, id: `i:${n}` }));
    many[4000] = { ...many[4000]!, status: "DOWN" };
    const { request, probed } = dashboardOf([...platformOf(), ...many]);
    const first = await read(request());
    expect(plain(first.page)).toContain("301 applications with 10,000 instances, 9,999 up by their heartbeats.");
    expect(first.services.size).toBe(5 + 10);
    expect(first.services.get("ACME")).toMatch(/^ACME 4,311 of 4,312 up i:4000 Down .* 5 of 4,312 instances shown\. Show all of ACME$/);
    expect(first.page.length).toBeLessThan(150_000);
    expect(probed.length).toBe(5 + 10 * 5);
    expect([...(await read(request("/?page=2"))).services.keys()].slice(5)).toContain("APP-009");
    expect(plain((await read(request("/?page=999"))).page)).toContain("Previous Page 31 of 31");
    const one = await read(request("/?application=ACME&page=2"));
    expect([...one.services.keys()]).toEqual(["ACME"]);
    expect(plain(one.page)).toContain("Previous Page 2 of 173 Next");
    expect(one.page).toContain('href="/?application=ACME&amp;page=3"');
  });

  test.each(["/?page=0", "/?page=-1", "/?page=1e9", "/?page=x", "/?application=NOBODY", "/?application=", "/?application=__proto__"])("are all shown where %s is asked for", async (path) => {
    const { status, services } = await read(dashboardOf([...platformOf(), ...orders]).request(path));
    expect(status).toBe(200);
    expect([...services.keys()]).toEqual([...NAMES, "ORDERS"]);
  });
});
