import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PLATFORM } from "../command.ts";
import { freePorts, launch, type Launched } from "../runtime/launch.ts";
import { launchChromium, watch, type Watched } from "./chromium.ts";

const START_MS = 60_000;

let data: string;
let platform: Launched;
let browser: Browser;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "gatehouse-"));
  [platform, browser] = await Promise.all([launch(PLATFORM, { GATEHOUSE_DATA: data, ...(await freePorts()) }), launchChromium()]);
}, START_MS);

afterAll(async () => {
  await browser?.close();
  await platform?.stop();
  await rm(data, { recursive: true, force: true });
}, START_MS);

/** The documentation page at `address`, which may speak to nobody but its own server. */
async function opened(address: string, { width = 1280, dark = false } = {}): Promise<Watched & { page: Page }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light" });
  const { complaints } = watch(page, { origins: [new URL(address).origin] });
  await page.goto(address);
  return { page, complaints };
}

const shows = (page: Page, title: string) => page.getByRole("heading", { name: title, level: 1 }).waitFor();

/** Chooses from the drop-down of documents. */
async function choose(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole("button", { name: from, exact: true }).first().click();
  await page.getByRole("option", { name: to, exact: true }).click();
  await shows(page, to);
}

/** Sends an operation's test request as it stands; answers the body of the response. */
async function tried(page: Page, operation: string, status: string): Promise<string> {
  await page.getByRole("button", { name: `Test Request (${operation})` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Send \w+ request to/ }).click();
  await dialog.getByText(status).waitFor();
  const body = await dialog.locator(".cm-content").last().innerText();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  return body;
}

describe("The documentation at the gateway", { timeout: START_MS }, () => {
  const OPERATIONS: Record<string, string> = {
    "User service": "/api/users/register",
    "Authentication service": "/api/auth/refresh",
    "Administration service": "/api/admin/realm-roles",
    "Discovery service": "/eureka/apps/{app}",
    "Configuration server": "/{application}/{profiles}",
    Gateway: "/v3/api-docs/{service}",
  };

  test("has every service in its drop-down, and asks nobody else for anything", async () => {
    const { page, complaints } = await opened(`${platform.gateway}/swagger-ui.html`);
    const { pathname } = new URL(page.url());
    expect(pathname).toBe("/swagger-ui/index.html");
    let shown = "User service";
    for (const [title, path] of Object.entries(OPERATIONS)) {
      if (title !== shown) await choose(page, shown, title);
      await page.getByText(path, { exact: true }).first().waitFor();
      shown = title;
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("registers a user, signs in and, with the token pasted, shows the profile, all by its own examples", async () => {
    const { page, complaints } = await opened(`${platform.gateway}/swagger-ui/index.html`);
    await shows(page, "User service");
    await tried(page, "post /api/users/register", "201 Created");
    await choose(page, "User service", "Authentication service");
    const token = await tried(page, "post /api/auth/authenticate", "200 OK");
    await choose(page, "Authentication service", "User service");
    await page.getByPlaceholder("Token").first().fill(token);
    const profile = await tried(page, "get /api/users/me", "200 OK");
    expect(JSON.parse(profile)).toMatchObject({ emailId: "asha.rao@example.com", status: "ACTIVE" });
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each([
    ["1280 px, light", { width: 1280, dark: false }],
    ["1280 px, dark", { width: 1280, dark: true }],
    ["390 px, light", { width: 390, dark: false }],
    ["390 px, dark", { width: 390, dark: true }],
  ])("fits and keeps to the reader's colours: %s", async (_, look) => {
    const { page, complaints } = await opened(`${platform.gateway}/swagger-ui/index.html`, look);
    await shows(page, "User service");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
    const isDark = await page.evaluate("document.body.classList.contains('dark-mode')");
    expect(isDark).toBe(look.dark);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

test("the documentation of a single service is its own, the interior included", { timeout: START_MS }, async () => {
  const { page, complaints } = await opened(`${platform.users}/swagger-ui/index.html`);
  await shows(page, "User service");
  await page.getByText("/internal/api/login-attempts", { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test("the start page leads to the documentation of each service", { timeout: START_MS }, async () => {
  const { page, complaints } = await opened(platform.gateway);
  await page.getByRole("link", { name: "API documentation of the administration service" }).click();
  await shows(page, "Administration service");
  expect(complaints).toEqual([]);
  await page.close();
});
