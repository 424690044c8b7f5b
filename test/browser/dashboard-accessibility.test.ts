import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Instance } from "../../src/discovery/instances.ts";
import { platformOf, registered } from "../discovery/dashboard.ts";
import { type Dashboards, dashboards, evicted, focused } from "./dashboard.ts";

let on: Dashboards;
beforeAll(async () => {
  on = await dashboards();
});
afterEach(() => on.reset());
afterAll(() => on.close());

const long = registered(`LONG-${"NAME".repeat(40)}`, { id: `id:${"x".repeat(200)}`, hostName: "host".repeat(60), metadata: { version: "1".repeat(100) } });
const states: Record<string, readonly Instance[]> = {
  "all up": [...platformOf(), registered("ORDERS", { port: 9101 }), registered("ORDERS", { port: 9102 })],
  "one down": platformOf({ "USER-SERVICE": evicted, "ADMIN-SERVICE": { status: "OUT_OF_SERVICE" }, "CONFIG-SERVER": { status: "STARTING" } }),
  empty: [],
  "long names": [long, { ...long, id: `${long.id}2` }],
};

describe.each(Object.entries(states))("The dashboard with %s", (_, instances) => {
  test("fits a phone, and all its details do", async () => {
    const { page } = await on.open(instances, { viewport: { width: 390, height: 844 } });
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await page.evaluate("[...document.querySelectorAll('main *')].filter((each) => !each.matches('.quiet') && each.getBoundingClientRect().right > 390).length")).toBe(0);
  });

  test.each(["light", "dark"] as const)("can be read in the %s: every text has a contrast of 4.5", async (colorScheme) => {
    const { page } = await on.open(instances, { colorScheme });
    expect(await page.evaluate(FAINT)).toEqual([]);
  });

  test("has one heading of the first level, none skipped, names for lists and links, and states in words", async () => {
    const { page } = await on.open(instances);
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
  const { page, service } = await on.open(platformOf());
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
