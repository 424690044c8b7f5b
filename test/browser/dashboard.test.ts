import type { Browser, BrowserContextOptions, Page, Request, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Instance } from "../../src/discovery/instances.ts";
import { Problem } from "../../src/http/problem.ts";
import { dashboardOf, platformOf, registered, START } from "../discovery/dashboard.ts";
import { listen, type Listening } from "../gateway/platform.ts";
import { launchChromium, watch } from "./chromium.ts";

const UPDATE_MS = 5000;

let browser: Browser;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
afterAll(() => browser.close());

const healthy = () => Response.json({ status: "UP", components: { db: { status: "UP" }, identityProvider: { status: "UP" } } });
const answers = { 8080: healthy, 8086: healthy, 8087: healthy, 8089: healthy };
const evicted: Partial<Instance> = { lastRenewedAt: START - 120_000, gone: { at: START - 30_000, reason: "evicted" } };

/** A page of the dashboard of `instances`, its clock in the test's hand. */
async function open(instances: readonly Instance[], options: BrowserContextOptions = {}) {
  const dashboard = dashboardOf(instances, { answers });
  const server = await listen(dashboard.fetch);
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...options });
  closers.push(() => server.close(), () => context.close());
  const page = await context.newPage();
  if (options.javaScriptEnabled !== false) await page.clock.install({ time: START });
  const { complaints } = watch(page, { origins: [server.url] });
  const counted = { asked: 0 };
  page.on("request", (request) => (counted.asked += Number(isUpdate(request))));
  await page.goto(server.url);
  if (options.javaScriptEnabled !== false) await page.clock.pauseAt(((await page.evaluate("Date.now()")) as number) + 1000);
  const service = (name: string) => page.locator(`[data-service="${name}"]`);
  const state = (name: string) => service(name).locator(".status").first();
  return { ...dashboard, page, server, complaints, counted, service, state };
}

const isUpdate = (request: Request) => request.resourceType() === "fetch" && new URL(request.url()).pathname === "/";

/** Lets the page's time pass until it has asked again and has its answer. */
async function updated(page: Page, milliseconds = UPDATE_MS): Promise<void> {
  const answered = page.waitForResponse((response) => isUpdate(response.request()));
  await page.clock.runFor(milliseconds);
  await (await answered).finished();
  await settled(page);
}

/** What arrived before this does is worked in. */
const settled = (page: Page) => page.evaluate("fetch('/icon.svg').then((answer) => answer.text())");

const reads = (page: Page, text: string) => page.locator("main").getByText(text).first().waitFor();
const focused = (page: Page) => page.evaluate("document.activeElement.textContent");

describe("The open dashboard", () => {
  test("shows one that goes down, and its return, without a reload", async () => {
    const { page, registry, state, complaints } = await open(platformOf());
    expect(await state("User service").textContent()).toBe("Up");
    await page.evaluate("window.sameDocument = true");

    registry.instances = platformOf({ "USER-SERVICE": evicted });
    await updated(page);
    await reads(page, "Last heartbeat 2 min ago");
    expect(await state("User service").textContent()).toBe("Down");
    expect(await page.locator(".summary").last().textContent()).toMatch(/Down:\s*user service/);
    expect(await page.title()).toBe("Down: user service · Gatehouse discovery");
    expect(await page.locator("#changes").textContent()).toBe("User service: Down");

    registry.instances = platformOf();
    await updated(page);
    await reads(page, "All five services are up.");
    expect(await state("User service").textContent()).toBe("Up");
    expect(await page.locator("#changes").textContent()).toBe("User service: Up");
    expect(await page.evaluate("window.sameDocument")).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("keeps focus, opened details and scrolling while services come, go and change around them", async () => {
    const { page, registry, service } = await open([...platformOf(), registered("MIDDLE"), registered("ZEBRA", { port: 9300 })], { viewport: { width: 390, height: 600 } });
    await service("Administration service").locator("summary").click();
    await service("ZEBRA").getByRole("link", { name: "Health as JSON" }).focus();
    await page.evaluate("scrollTo(0, 900)");
    await page.evaluate("window.kept = document.activeElement");
    const top = () => page.evaluate("Math.round(window.kept.getBoundingClientRect().top)");
    const before = await top();

    registry.instances = [...platformOf({ "AUTH-SERVICE": { lastRenewedAt: START - 3000 } }), registered("ZEBRA", { port: 9300 })];
    await updated(page);
    await service("MIDDLE").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement === window.kept && window.kept.isConnected")).toBe(true);
    expect(await service("Administration service").locator("details").getAttribute("open")).not.toBeNull();
    registry.instances = [...platformOf(), registered("MIDDLE"), registered("ZEBRA", { port: 9300 })];
    await updated(page);
    await service("MIDDLE").waitFor();
    expect(await page.evaluate("document.activeElement === window.kept")).toBe(true);
    expect(await top()).toBe(before);

    registry.instances = platformOf();
    await updated(page);
    await service("ZEBRA").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.localName")).toBe("main");
  });

  test("touches nothing that has not changed", async () => {
    const { page } = await open([...platformOf(), registered("SHOP")]);
    await page.evaluate("window.touched = []; new MutationObserver((records) => window.touched.push(...records.map(({ type, target }) => type + ' ' + target.nodeName + ' ' + target.data))).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })");
    await updated(page);
    await page.clock.runFor(100);
    expect(await page.evaluate("window.touched")).toEqual([]);
  });

  test("says since when it is not up to date, shows exact times instead of ages, asks less and less often, and recovers", async () => {
    const { page, registry, server, service, counted } = await open(platformOf());
    const stale = page.locator("#stale");
    expect(await stale.isVisible()).toBe(false);
    registry.failure = new Problem("UPSTREAM_UNAVAILABLE_503", "The database is not available");
    await updated(page);
    await stale.waitFor();
    expect(await stale.textContent()).toMatch(/^Not updated since 14:03:0\d: the registry does not answer\.$/);
    expect(await service("Gateway").textContent()).toContain("21/11/2026, 14:03:01");
    expect(await page.getByText("All five services are up.").isVisible()).toBe(false);
    expect(await service("Gateway").textContent()).not.toContain("ago");
    expect(counted.asked).toBe(1);
    await page.clock.runFor(9999);
    expect(counted.asked).toBe(1);
    await updated(page, 1);
    await page.route(`${server.url}/`, (route) => route.abort());
    await page.clock.runFor(19_999);
    expect(counted.asked).toBe(2);
    const third = page.waitForRequest(isUpdate);
    await page.clock.runFor(1);
    await third;

    await settled(page);
    await page.unroute(`${server.url}/`);
    delete registry.failure;
    await page.getByRole("link", { name: "Refresh" }).click();
    await stale.waitFor({ state: "hidden" });
    expect(await service("Gateway").textContent()).toContain("4 s ago");
    expect(await focused(page)).toBe("Refresh");
    await updated(page);
  });

  test("asks nothing while nobody sees it, and at once when somebody does", async () => {
    const { page, registry, server, state, counted } = await open(platformOf());
    const see = (isHidden: boolean) => page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`);
    await see(true);
    registry.instances = platformOf({ GATEWAY: evicted });
    await page.clock.runFor(120_000);
    expect(counted.asked).toBe(0);
    await see(false);
    await reads(page, "Last heartbeat 2 min ago");
    expect(await state("Gateway").textContent()).toBe("Down");
    expect(counted.asked).toBe(1);

    const held = new Promise<Route>((resolve) => void page.route(`${server.url}/`, resolve, { times: 1 }));
    await page.clock.runFor(UPDATE_MS);
    const route = await held;
    await see(true);
    const answered = page.waitForEvent("requestfinished", isUpdate);
    await route.continue();
    await answered;
    await settled(page);
    await page.clock.runFor(120_000);
    expect(counted.asked).toBe(2);
  });

  test("that came up without its registry fills as soon as that answers", async () => {
    const { page, registry, server } = await open([]);
    registry.failure = new Problem("UPSTREAM_UNAVAILABLE_503", "The database is not available");
    await page.goto(server.url);
    await reads(page, "The registry does not answer.");
    await updated(page);
    expect(await page.locator("#stale").isVisible()).toBe(false);
    delete registry.failure;
    registry.instances = platformOf();
    await updated(page, 10_000);
    await reads(page, "All five services are up.");
  });
});

test("without script the dashboard says the same, and its link refreshes it", async () => {
  const { page, registry, state, complaints } = await open(platformOf(), { javaScriptEnabled: false });
  expect(await page.locator(".summary").last().textContent()).toBe("All five services are up.");
  expect(await page.locator("#stale").isVisible()).toBe(false);
  registry.instances = platformOf({ "USER-SERVICE": evicted });
  await page.getByRole("link", { name: "Refresh" }).click();
  await reads(page, "Last heartbeat 2 min ago");
  expect(await state("User service").textContent()).toBe("Down");
  expect(complaints).toEqual([]);
});

const long = registered(`LONG-${"NAME".repeat(40)}`, { id: `id:${"x".repeat(200)}`, hostName: "host".repeat(60), metadata: { version: "1".repeat(100) } });
const states: Record<string, readonly Instance[]> = {
  "all up": [...platformOf(), registered("ORDERS", { port: 9101 }), registered("ORDERS", { port: 9102 })],
  "one down": platformOf({ "USER-SERVICE": evicted, "ADMIN-SERVICE": { status: "OUT_OF_SERVICE" }, "CONFIG-SERVER": { status: "STARTING" } }),
  empty: [],
  "long names": [long, { ...long, id: `${long.id}2` }],
};

describe.each(Object.entries(states))("The dashboard with %s", (_, instances) => {
  test("fits a phone, and all its details do", async () => {
    const { page } = await open(instances, { viewport: { width: 390, height: 844 } });
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await page.evaluate("[...document.querySelectorAll('main *')].filter((each) => !each.matches('.quiet') && each.getBoundingClientRect().right > 390).length")).toBe(0);
  });

  test.each(["light", "dark"] as const)("can be read in the %s: every text has a contrast of 4.5", async (colorScheme) => {
    const { page } = await open(instances, { colorScheme });
    expect(await page.evaluate(FAINT)).toEqual([]);
  });

  test("has one heading of the first level, none skipped, names for lists and links, and states in words", async () => {
    const { page } = await open(instances);
    const levels = (await page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(({ localName }) => Number(localName[1]))")) as number[];
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1)).toBe(true);
    expect(await page.evaluate("document.documentElement.lang")).toBe("en");
    expect(await page.evaluate("[...document.querySelectorAll('section')].every((each) => document.getElementById(each.getAttribute('aria-labelledby')).textContent !== '')")).toBe(true);
    const links = (await page.evaluate("[...document.links].map((each) => each.textContent + ' ' + each.href)")) as string[];
    const names = (await page.evaluate("[...document.links].map((each) => each.textContent)")) as string[];
    expect(new Set(names).size).toBe(new Set(links).size);
    expect(names).not.toContain("");
    expect(await page.evaluate("[...document.querySelectorAll('.status')].every((each) => /\\w/.test(each.textContent))")).toBe(true);
    expect(await page.evaluate("new Set([...document.querySelectorAll('[id]')].map(({ id }) => id)).size === document.querySelectorAll('[id]').length")).toBe(true);
  });
});

test("the keyboard goes through the dashboard in the order in which it is read, and shows where it is", async () => {
  const { page, service } = await open(platformOf());
  const way: string[] = [];
  for (let step = 0; step < 7; step++) {
    await page.keyboard.press("Tab");
    way.push((await focused(page)) as string);
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  }
  const of = (name: string) => ["Health: up 2 components", `Documentation of ${name}`, `Health as JSON of ${name}`];
  expect(way).toEqual(["Refresh", ...of("Gateway"), ...of("User service")]);
  await service("Gateway").locator("summary").focus();
  await page.keyboard.press("Enter");
  expect(await service("Gateway").locator("details li").allTextContents()).toEqual(["up db", "up identityProvider"]);
});

test("with the credential in the browser's hand the dashboard stays up to date", async () => {
  const dashboard = dashboardOf(platformOf(), { answers, isLoopback: false });
  const server: Listening = await listen(dashboard.fetch);
  const context = await browser.newContext({ httpCredentials: { username: "eureka", password: "open-sesame" } });
  closers.push(() => server.close(), () => context.close());
  const page = await context.newPage();
  await page.clock.install({ time: START });
  await page.goto(server.url);
  dashboard.registry.instances = platformOf({ GATEWAY: evicted });
  await page.clock.runFor(UPDATE_MS);
  await reads(page, "Last heartbeat 2 min ago");
});

/** Texts whose colour is too near to what is behind them (WCAG 2.2, 1.4.3). */
const FAINT = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [...document.querySelectorAll("body *")].filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""));
  return texts.flatMap((each) => {
    const [light, dark] = [luminance(getComputedStyle(each).color), luminance(behind(each))].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    return contrast < 4.5 ? [each.textContent + " " + contrast] : [];
  });
})()`;
