import { afterEach, expect, test, vi } from "vitest";
import type { Backends } from "../../workers/backends.ts";
import { printBanner } from "../../workers/banner.ts";
import { openInstallation } from "../../workers/data.ts";
import { ownFolder } from "./folder.ts";

afterEach(() => vi.restoreAllMocks());

const MADE = { DISCOVERY_URL: "http://eureka:made-1@localhost:8761/eureka", CONFIG_URL: "http://config:made-2@localhost:8888" };

/** What two starts print, given what the operator has set. */
function printed({ set = {}, filed = [], made = MADE, ADMIN_PASSWORD, hasIdentity = true }: { set?: Record<string, string>; filed?: string[]; made?: typeof MADE; ADMIN_PASSWORD?: string; hasIdentity?: boolean }) {
  const data = ownFolder();
  const write = vi.spyOn(console, "log").mockImplementation(() => {});
  const start = (administratorCreated: boolean) => {
    const installation = openInstallation(data);
    const given = { SERVICES: ["discovery", "config"], ADMIN_PASSWORD };
    const administrator = { username: "admin", password: ADMIN_PASSWORD ?? installation.ADMIN_PASSWORD ?? "another" };
    const backends = { given, data, installation, set, filed: { path: `${data}/settings.env`, names: filed }, env: { ...made, ...set }, administrator, identity: hasIdentity ? { administratorCreated } : undefined };
    printBanner(backends as unknown as Backends, { began: 0, urls: {}, gateway: undefined });
    return String(write.mock.lastCall?.[0]);
  };
  const generated = openInstallation(data).ADMIN_PASSWORD!;
  return { data, generated, texts: [start(true), start(false)] as const };
}

test("What was made here is shown at the first start, and then where it is kept", () => {
  const { data, generated, texts: [first, second] } = printed({});
  for (const shown of [MADE.DISCOVERY_URL, MADE.CONFIG_URL, generated]) expect(first).toContain(shown);
  expect(first).not.toContain("secrets.json");
  expect(second).not.toMatch(/made-|Gh7-|Administrator/);
  expect(second).toContain(`Register at     http://eureka:…@localhost:8761/eureka   (password in ${data}/secrets.json)`);
  expect(second).toContain(`Configure from  http://config:…@localhost:8888   (password in ${data}/secrets.json)`);
});

test.each<[string, Record<string, string>, string]>([
  ["one", { DISCOVERY_URL: "http://eureka:canary@a.test/eureka" }, "http://eureka:…@a.test/eureka"],
  ["of each of several", { DISCOVERY_URL: "http://e:canary@a.test:1/eureka, http://e:canary@b.test/eureka" }, "http://e:…@a.test:1/eureka,http://e:…@b.test/eureka"],
  ["with a colon in it", { DISCOVERY_URL: "http://e:canary:canary@a.test/eureka" }, "http://e:…@a.test/eureka"],
  ["with an at sign in it", { DISCOVERY_URL: "http://e:canary@canary@a.test/eureka" }, "http://e:…@a.test/eureka"],
  ["with a slash in it", { DISCOVERY_URL: "http://e:canary%2Fcanary@a.test/eureka" }, "http://e:…@a.test/eureka"],
  ["with a comma in it", { CONFIG_URL: "http://config:canary,canary@a.test:8888" }, "Configure from  http://config:…@a.test:8888"],
  ["without a name", { CONFIG_URL: "http://:canary@a.test" }, "Configure from  http://:…@a.test"],
])("An operator's password, %s, is never printed, nor said to be among ours", (_, set, shown) => {
  for (const text of printed({ set }).texts) {
    expect(text).not.toContain("canary");
    expect(text.split("\n").find((line) => line.includes("a.test"))?.endsWith(shown)).toBe(true);
  }
});

test("A password that is set is not printed where only the URL was made, but the settings file that has it", () => {
  const set = { DISCOVERY_PASSWORD: "canary", CONFIG_PASSWORD: "canary" };
  const made = { DISCOVERY_URL: "http://eureka:canary@localhost:8761/eureka", CONFIG_URL: "http://config:canary@localhost:8888" };
  for (const text of printed({ set, made }).texts) expect(text).not.toMatch(/canary|secrets\.json|settings\.env/);
  const { data, texts } = printed({ set, made, filed: Object.keys(set) });
  for (const text of texts) {
    expect(text).not.toMatch(/canary|secrets\.json/);
    expect(text).toContain(`Register at     http://eureka:…@localhost:8761/eureka   (password in ${data}/settings.env)`);
    expect(text).toContain(`Configure from  http://config:…@localhost:8888   (password in ${data}/settings.env)`);
  }
});

test("Nor is the administrator's password, where the operator has set it", () => {
  const [first] = printed({ ADMIN_PASSWORD: "canary-of-the-operator" }).texts;
  expect(first).not.toMatch(/canary|Gh7-/);
  expect(first).toContain("  Administrator  admin\n  Password       as ADMIN_PASSWORD says");
});

test("A process without an identity provider leaves the administrator's password to the one that has it", () => {
  const { data, generated } = printed({ hasIdentity: false });
  expect(openInstallation(data).ADMIN_PASSWORD).toBe(generated);
});
