import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { gateway, type GatewayNeeds } from "../../src/gateway/app.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { documentationScript } from "../script.ts";

type Seen = { method: string; path: string; search: string; headers: Record<string, string>; body: string };

type Recorder = ReturnType<typeof recorder>;

/** Stands for a service: writes down what reaches it. */
export function recorder(answer: (c: Context) => Response | Promise<Response> = (c) => c.json({ fine: true })) {
  const seen: Seen[] = [];
  const app = new Hono();
  app.onError((_, c) => c.body(null, 500));
  app.all("*", async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const body = await c.req.text();
    seen.push({ method: c.req.method, path: pathname, search, headers: Object.fromEntries(c.req.raw.headers), body });
    return answer(c);
  });
  return { seen, fetch: (request: Request) => app.fetch(request) };
}

type Parts = Partial<Omit<GatewayNeeds, "services" | "log">> & { [Service in keyof GatewayNeeds["services"]]?: Pick<Recorder, "fetch"> };

/** A gateway in front of `parts`; a service not given answers everything with 200. */
export function gatewayBefore({ users = recorder(), auth = recorder(), admin, discovery, config, ...parts }: Parts = {}) {
  const lines: LogEntry[] = [];
  const services = {
    users: { fetch: users.fetch, url: "http://users.test" },
    auth: { fetch: auth.fetch, url: "http://auth.test" },
    ...(admin && { admin: { fetch: admin.fetch, url: "http://admin.test" } }),
    ...(discovery && { discovery: { fetch: discovery.fetch, url: "http://discovery.test" } }),
    ...(config && { config: { fetch: config.fetch, url: "http://config.test" } }),
  };
  const app = gateway({ now: Date.now, source: () => "192.0.2.1", documentationScript, ...parts, services, log: (line) => lines.push(line) });
  return { app, lines };
}

export type Listening = { port: number; url: string; close: () => Promise<void> };

/** `fetch` behind a real listener on a free port. */
export async function listen(fetch: (request: Request, env: never) => Response | Promise<Response>): Promise<Listening> {
  const server: Server = createServer(getRequestListener(fetch as never, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, url: `http://127.0.0.1:${port}`, close };
}

/** What the listener answers to exactly these bytes, until it closes the connection. */
export function raw(port: number, bytes: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from(bytes, "latin1")));
    socket.setTimeout(3000, () => socket.destroy(new Error(`No end of the answer to ${JSON.stringify(bytes)}`)));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("latin1");
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    });
  });
}

/** The target of the request as Node's listener received it, where there is one. */
export const targetOnNode = (c: Context): string | undefined => (c.env as { incoming?: { url: string } } | undefined)?.incoming?.url;
