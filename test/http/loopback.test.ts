import { expect, test } from "vitest";
import { bundledFiles } from "../../src/config/files.ts";
import { configInstance } from "../config/instance.ts";
import { dashboardOf, platformOf } from "../discovery/dashboard.ts";
import { gatewayWithRegistry } from "../gateway/registered.ts";
import { actuator } from "./actuator.ts";

const CANARY = "canary-of-the-configuration";
const configuration = configInstance({ files: bundledFiles({ "application.yml": `a: ${CANARY}` }) });
const page = dashboardOf(platformOf());
const metrics = actuator();

/** What only this machine may read without a credential, by the port it is at. */
const OPEN = {
  8888: { path: "/application/default", fetch: ({ url, headers }: Request) => configuration.call(url, { headers: Object.fromEntries(headers) }) },
  8761: { path: "/", fetch: page.fetch },
  8086: { path: "/actuator/prometheus", fetch: (request: Request) => metrics.fetch(request) },
};
const doors = Object.entries(OPEN).map(([port, door]) => ({ port: Number(port), ...door }));

test.each(doors)("Port $port is open to this machine, under its names", async ({ port, path, fetch }) => {
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) expect((await fetch(new Request(`http://${host}:${port}${path}`))).status).toBe(200);
});

const PROXIES: Record<string, string>[] = [
  { "x-forwarded-for": "203.0.113.9" },
  { "x-forwarded-host": "gatehouse.example" },
  { "x-forwarded-proto": "https" },
  { "x-real-ip": "203.0.113.9" },
  { forwarded: "for=203.0.113.9" },
  { via: "1.1 proxy" },
];

test.each(doors)("Port $port asks whoever comes through a proxy on this machine for the credential", async ({ port, path, fetch }) => {
  for (const headers of PROXIES) expect({ headers, status: (await fetch(new Request(`http://127.0.0.1:${port}${path}`, { headers }))).status }).toEqual({ headers, status: 401 });
});

test.each(doors)("Whoever registers port $port of this machine as an application reads nothing of it through the gateway", async ({ port, path, fetch }) => {
  const { app, instance, hosts } = gatewayWithRegistry({ source: () => undefined });
  instance({ host: "127.0.0.1", port });
  let asked = 0;
  hosts[`127.0.0.1:${port}`] = { fetch: (request) => (asked++, fetch(request)) };
  const answer = await app.request(`/orders${path === "/" ? "" : path}`);
  const isClosed = path.startsWith("/actuator");
  expect({ status: answer.status, asked }).toEqual(isClosed ? { status: 404, asked: 0 } : { status: 401, asked: 1 });
  expect(await answer.text()).not.toContain(CANARY);
});
