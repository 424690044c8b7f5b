// Takes the screenshots beside this file from a platform that is up: `node docs/screenshots.ts`, with GATEWAY and DISCOVERY where they are elsewhere.
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchChromium } from "../test/browser/chromium.ts";

const { GATEWAY = "http://localhost:8080", DISCOVERY = "http://localhost:8761" } = process.env;

const PAGES: Record<string, { url: string; ready: (page: Page) => Promise<unknown> }> = {
  start: { url: GATEWAY, ready: (page) => page.getByRole("heading", { name: "Services" }).waitFor() },
  documentation: { url: `${GATEWAY}/swagger-ui/index.html`, ready: (page) => page.getByRole("heading", { name: /Register a user/ }).first().waitFor() },
  dashboard: { url: DISCOVERY, ready: (page) => page.getByText("All five services are up").waitFor() },
  events: { url: `${GATEWAY}/events.html`, ready: (page) => page.getByRole("heading", { level: 1 }).waitFor() },
};

const LOOKS = {
  light: { width: 1280, height: 900, colorScheme: "light" },
  dark: { width: 1280, height: 900, colorScheme: "dark" },
  phone: { width: 390, height: 844, colorScheme: "light" },
} as const;

const browser = await launchChromium();
for (const [name, { url, ready }] of Object.entries(PAGES)) {
  for (const [look, { width, height, colorScheme }] of Object.entries(LOOKS)) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await page.goto(url, { waitUntil: "networkidle" });
    await ready(page);
    await page.screenshot({ path: fileURLToPath(new URL(`${name}-${look}.png`, import.meta.url)) });
    await page.close();
  }
}
await browser.close();
