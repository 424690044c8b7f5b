import type { BrowserContextOptions, Page, Request } from "playwright-core";
import type { Instance } from "../../src/discovery/instances.ts";
import { dashboardOf, START } from "../discovery/dashboard.ts";
import { listen } from "../gateway/platform.ts";
import { launchChromium, watch } from "./chromium.ts";

const healthy = () => Response.json({ status: "UP", components: { db: { status: "UP" }, identityProvider: { status: "UP" } } });
export const answers = { 8080: healthy, 8086: healthy, 8087: healthy, 8089: healthy };

export const evicted: Partial<Instance> = { lastRenewedAt: START - 120_000, gone: { at: START - 30_000, reason: "evicted" } };

export type Dashboards = Awaited<ReturnType<typeof dashboards>>;

/** A browser for pages of dashboards: `reset` closes what was opened, and whatever else is in `closers`, `close` the browser. */
export async function dashboards() {
  const browser = await launchChromium();
  const closers: (() => Promise<void>)[] = [];

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

  async function reset(): Promise<void> {
    for (const close of closers.splice(0).toReversed()) await close();
  }

  return { browser, closers, open, reset, close: () => browser.close() };
}

export const isUpdate = (request: Request) => request.resourceType() === "fetch" && new URL(request.url()).pathname === "/";

export const focused = (page: Page) => page.evaluate("document.activeElement.textContent");
