import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../../src/http/problem.ts";
import { dashboardOf, platformOf, registered, START } from "../discovery/dashboard.ts";
import { listen, type Listening } from "../gateway/platform.ts";
import { answers, type Dashboards, dashboards, evicted, focused, isUpdate } from "./dashboard.ts";

const UPDATE_MS = 5000;

let on: Dashboards;
beforeAll(async () => {
  on = await dashboards();
});
afterEach(() => on.reset());
afterAll(() => on.close());

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

describe("The open dashboard", () => {
  test("shows one that goes down, and its return, without a reload", async () => {
    const { page, registry, state, complaints } = await on.open(platformOf());
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
    const { page, registry, service } = await on.open([...platformOf(), registered("MIDDLE"), registered("ZEBRA", { port: 9300 })], { viewport: { width: 390, height: 600 } });
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
    const { page } = await on.open([...platformOf(), registered("SHOP")]);
    await page.evaluate("window.touched = []; new MutationObserver((records) => window.touched.push(...records.map(({ type, target }) => type + ' ' + target.nodeName + ' ' + target.data))).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })");
    await updated(page);
    await page.clock.runFor(100);
    expect(await page.evaluate("window.touched")).toEqual([]);
  });

  test("says since when it is not up to date, shows exact times instead of ages, asks less and less often, and recovers", async () => {
    const { page, registry, server, service, counted } = await on.open(platformOf());
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
    const { page, registry, server, state, counted } = await on.open(platformOf());
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
    const { page, registry, server } = await on.open([]);
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
  const { page, registry, state, complaints } = await on.open(platformOf(), { javaScriptEnabled: false });
  expect(await page.locator(".summary").last().textContent()).toBe("All five services are up.");
  expect(await page.locator("#stale").isVisible()).toBe(false);
  registry.instances = platformOf({ "USER-SERVICE": evicted });
  await page.getByRole("link", { name: "Refresh" }).click();
  await reads(page, "Last heartbeat 2 min ago");
  expect(await state("User service").textContent()).toBe("Down");
  expect(complaints).toEqual([]);
});

test("with the credential in the browser's hand the dashboard stays up to date", async () => {
  const dashboard = dashboardOf(platformOf(), { answers, isLoopback: false });
  const server: Listening = await listen(dashboard.fetch);
  const context = await on.browser.newContext({ httpCredentials: { username: "eureka", password: "open-sesame" } });
  on.closers.push(() => server.close(), () => context.close());
  const page = await context.newPage();
  await page.clock.install({ time: START });
  await page.goto(server.url);
  dashboard.registry.instances = platformOf({ GATEWAY: evicted });
  await page.clock.runFor(UPDATE_MS);
  await reads(page, "Last heartbeat 2 min ago");
});
